"""Count, sum and mean. Partials: (count), (total), (count, total), wide (high, low).

Integers stay integers, so their totals are exact.  Where a total could pass
2**63 the engine takes the wide form: a two-word total

    high * 2**32 + low        0 <= low < 2**32

which is exact for at least 2**31 values, and is checked, or turned into a decimal,
after the loop.

Where a loop knows how many rows a window holds, a mean is as fast as a sum: its tally
is the total alone.
"""

from . import functions
from ._aggregate import Aggregate, Field, Law, Tally
from .words import divide, select

_TOTAL = Field("total", native="sum({value})")


def _count_lift():
    return (1,)


COUNT = Aggregate(
    name="count",
    fields=(Field("count", "int", native="count({one})"),),
    identity=(0,),
    lift=_count_lift,
    combine=functions.add,
    inverse=functions.subtract,
    lower=functions.lower_first,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    takes=(),
    columns=(0, 1),
    accepts="anything",
    result="count",
    summary="rows; with a column, values that are not null",
    sql="count({one})",
)

SUM = Aggregate(
    name="sum",
    fields=(_TOTAL,),
    identity=(0,),
    lift=functions.lift_value,
    combine=functions.add,
    inverse=functions.subtract,
    lower=functions.lower_first,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    result="total",
    summary="exact for whole numbers, never drifts for floats",
    sql="sum({value})",
)


def _wide_lift(value):
    return (value >> 32, value & 0xFFFFFFFF)


def _wide_combine(older, newer):
    low = older[1] + newer[1]
    return (older[0] + newer[0] + (low >> 32), low & 0xFFFFFFFF)


def _wide_inverse(whole, oldest):
    low = whole[1] - oldest[1]
    return (whole[0] - oldest[0] + (low >> 32), low & 0xFFFFFFFF)


_HIGH, _LOW = "sum(shiftright({value}, 32))", "sum({value} & 4294967295)"
_TOP = "({high} + shiftright({low}, 32))"  # of the fields

WIDE_SUM = Aggregate(
    name="sum",
    fields=(Field("high", "int", native=_HIGH), Field("low", "int", native=_LOW)),
    identity=(0, 0),
    lift=_wide_lift,
    combine=_wide_combine,
    inverse=_wide_inverse,
    lower=functions.lower_all,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    result="wide",
    sql=f"coalesce(try_multiply({_TOP}, 4294967296L) | ({{low}} & 4294967295), "
    "{overflow})",
)


def _mean_lift(value):
    return (1, value)


def _mean_lower(partial):
    return divide(partial[1], select(partial[0] > 0, partial[0], 1))


def _mean_tally_lift(value, origin):
    return (value,)


def _mean_settle(tally, origin, n):
    return (n, tally[0])


def _mean_measure(partial, origin):
    return (partial[1],)


MEAN = Aggregate(
    name="mean",
    fields=(*COUNT.fields, _TOTAL),
    identity=(0, 0),
    lift=_mean_lift,
    combine=functions.add_pairs,
    inverse=functions.subtract_pairs,
    lower=_mean_lower,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    tally=Tally(
        ("value",), _mean_tally_lift, functions.add, _mean_settle, _mean_measure
    ),
    aliases=("avg", "average"),
    result="mean",
    summary="arithmetic mean",
    sql="sum({value}) / nullif(count({one}), 0L)",
)
