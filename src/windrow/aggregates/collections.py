"""Holistic aggregates: collect, concat, collect_distinct, count_distinct.

No partial of bounded size exists for these.  The functions below define them, and the
laws are tested on them; the engine never passes such lists through an algorithm.  A
window of `collect` is a range of positions in one shared column, and a value is new in
a window if its previous position lies before that:

    values     a   b   a   c   b
    previous  -1  -1   0  -1   1        i is new in [start, stop) iff previous < start
"""

from dataclasses import replace

from ._aggregate import Aggregate, Law
from .functions import lift_value


def _combine(older, newer):
    return older + newer


def _inverse(whole, oldest):
    return whole[len(oldest) :]


COLLECT = Aggregate(
    name="collect",
    identity=(),
    lift=lift_value,
    combine=_combine,
    inverse=_inverse,
    lower=list,
    laws=Law.HOLISTIC | Law.INVERTIBLE,
    accepts="anything",
    result="list",
    aliases=("collect_list",),
    summary="all values, in order",
)

CONCAT = replace(
    COLLECT,
    name="concat",
    lower="".join,
    accepts="text",
    result="text",
    options={"separator": ""},
    aliases=("string_agg",),
    summary="all strings, in order, with a separator between",
)


def _union(older, newer):
    return older + tuple(value for value in newer if value not in older)


COLLECT_DISTINCT = replace(
    COLLECT,
    name="collect_distinct",
    combine=_union,
    inverse=None,
    laws=Law.HOLISTIC | Law.IDEMPOTENT,
    aliases=("collect_set",),
    summary="each distinct value once, by first occurrence in the window",
)

COUNT_DISTINCT = replace(
    COLLECT_DISTINCT,
    name="count_distinct",
    lower=len,
    result="count",
    aliases=("n_unique",),
    summary="number of distinct values, exact",
)
