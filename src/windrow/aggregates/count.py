"""Count of rows, or of values that are not null. Partial: (count)."""

from ._aggregate import Aggregate, Field, Law


def _lift():
    return (1,)


def _combine(older, newer):
    return (older[0] + newer[0],)


def _inverse(whole, oldest):
    return (whole[0] - oldest[0],)


def _lower(partial):
    return partial[0]


COUNT = Aggregate(
    name="count",
    fields=(Field("count", "int", native="count({one})"),),
    identity=(0,),
    lift=_lift,
    combine=_combine,
    inverse=_inverse,
    lower=_lower,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    takes=(),
    columns=(0, 1),
    accepts="anything",
    result="count",
    summary="rows; with a column, values that are not null",
)
