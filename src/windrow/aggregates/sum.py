"""Sum and mean. Partials: (total) and (count, total); wide sums: (high, low).

Integers stay integers, so their totals are exact.  Where a total could pass
2**63 the engine takes the wide form: a two-word total

    high * 2**32 + low        0 <= low < 2**32

which is exact for at least 2**31 values, and is checked, or turned into a decimal,
after the loop.
"""

from ._aggregate import Aggregate, Field, Law
from .count import COUNT

_TOTAL = Field("total", native="sum({value})")


def _lift(value):
    return (value,)


def _combine(older, newer):
    return (older[0] + newer[0],)


def _inverse(whole, oldest):
    return (whole[0] - oldest[0],)


def _lower(partial):
    return partial[0]


SUM = Aggregate(
    name="sum",
    fields=(_TOTAL,),
    identity=(0,),
    lift=_lift,
    combine=_combine,
    inverse=_inverse,
    lower=_lower,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    result="total",
    summary="exact for whole numbers, never drifts for floats",
)


def _wide_lift(value):
    return (value >> 32, value & 0xFFFFFFFF)


def _wide_combine(older, newer):
    low = older[1] + newer[1]
    return (older[0] + newer[0] + (low >> 32), low & 0xFFFFFFFF)


def _wide_inverse(whole, oldest):
    low = whole[1] - oldest[1]
    return (whole[0] - oldest[0] + (low >> 32), low & 0xFFFFFFFF)


def _wide_lower(partial):
    return partial


WIDE_SUM = Aggregate(
    name="sum",
    fields=(
        Field("high", "int", native="sum(shiftright({value}, 32))"),
        Field("low", "int", native="sum({value} & 4294967295)"),
    ),
    identity=(0, 0),
    lift=_wide_lift,
    combine=_wide_combine,
    inverse=_wide_inverse,
    lower=_wide_lower,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    result="wide",
)


def _mean_lift(value):
    return (1, value)


def _mean_combine(older, newer):
    return (older[0] + newer[0], older[1] + newer[1])


def _mean_inverse(whole, oldest):
    return (whole[0] - oldest[0], whole[1] - oldest[1])


def _mean_lower(partial):
    return partial[1] / partial[0] if partial[0] > 0 else 0.0


MEAN = Aggregate(
    name="mean",
    fields=(*COUNT.fields, _TOTAL),
    identity=(0, 0),
    lift=_mean_lift,
    combine=_mean_combine,
    inverse=_mean_inverse,
    lower=_mean_lower,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    aliases=("avg", "average"),
    result="mean",
    summary="arithmetic mean",
)
