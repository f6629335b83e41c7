"""Holistic aggregates: collect, concat, collect_distinct, count_distinct.

No partial of bounded size exists for these.  The functions below define them, and the
laws are tested on them; the engine never passes such lists through an algorithm.  A
window of `collect` is a range of positions in one shared column, and a value is new in
a window if its previous position lies before that:

    values     a   b   a   c   b
    previous  -1  -1   0  -1   1        i is new in [start, stop) iff previous < start
"""

from ._aggregate import Aggregate, Law


def _lift(value):
    return (value,)


def _combine(older, newer):
    return older + newer


def _inverse(whole, oldest):
    return whole[len(oldest) :]


def _listed(partial):
    return list(partial)


def _joined(partial):
    return "".join(partial)


COLLECT = Aggregate(
    name="collect",
    identity=(),
    lift=_lift,
    combine=_combine,
    inverse=_inverse,
    lower=_listed,
    laws=Law.HOLISTIC | Law.INVERTIBLE,
    accepts="anything",
    result="list",
    aliases=("collect_list",),
    summary="all values, in order",
)

CONCAT = Aggregate(
    name="concat",
    identity=(),
    lift=_lift,
    combine=_combine,
    inverse=_inverse,
    lower=_joined,
    laws=Law.HOLISTIC | Law.INVERTIBLE,
    accepts="text",
    result="text",
    options={"separator": ""},
    aliases=("string_agg",),
    summary="all strings, in order, with a separator between",
)


def _union(older, newer):
    return older + tuple(value for value in newer if value not in older)


def _size(partial):
    return len(partial)


COLLECT_DISTINCT = Aggregate(
    name="collect_distinct",
    identity=(),
    lift=_lift,
    combine=_union,
    lower=_listed,
    laws=Law.HOLISTIC | Law.IDEMPOTENT,
    accepts="anything",
    result="list",
    aliases=("collect_set",),
    summary="each distinct value once, by first occurrence in the window",
)

COUNT_DISTINCT = Aggregate(
    name="count_distinct",
    identity=(),
    lift=_lift,
    combine=_union,
    lower=_size,
    laws=Law.HOLISTIC | Law.IDEMPOTENT,
    accepts="anything",
    result="count",
    aliases=("n_unique",),
    summary="number of distinct values, exact",
)
