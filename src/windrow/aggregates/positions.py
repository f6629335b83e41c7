"""First and last value, and what stands where an extreme occurs first.

Partials: (first_at), (last_at), (min, min_at), (max, max_at), with -1 where there is no
value.  Only positions pass through the loop, so any column type works.  These do not
commute: tests with them catch an algorithm that swaps its operands.
"""

import math
from dataclasses import replace

from ._aggregate import Aggregate, Field, Law
from .extremes import INT_LEAST, INT_MOST, LEAST, MOST, greater
from .functions import lift_value, lower_first, lower_second
from .words import select

# the first on ties: of equal values that with the least instant, the most ~instant
_LEAST_AT = "min_by({payload}, if({valid}, struct({raw}, {time}), null))"
_MOST_AT = "max_by({payload}, if({valid}, struct({raw}, ~{time}), null))"
_AT = "({payload}, if({valid}, {order}, null))"


def _first_combine(older, newer):
    return (select(older[0] >= 0, older[0], newer[0]),)


def _last_combine(older, newer):
    return (select(newer[0] >= 0, newer[0], older[0]),)


FIRST = Aggregate(
    name="first",
    fields=(Field("first_at", "int", native=f"min_by{_AT}"),),
    identity=(-1,),
    lift=lift_value,
    combine=_first_combine,
    lower=lower_first,
    laws=Law.SELECTIVE | Law.IDEMPOTENT,
    takes=("position",),
    accepts="anything",
    result="position",
    summary="the first value that is not null",
    sql=f"min_by{_AT}",
)

LAST = replace(
    FIRST,
    name="last",
    fields=(Field("last_at", "int", native=f"max_by{_AT}"),),
    combine=_last_combine,
    summary="the last value that is not null",
    sql=f"max_by{_AT}",
)


def _at_lift(value, position):
    return (value, position)


def _newer_if(better, older, newer):
    later = (older[1] < 0) | ((newer[1] >= 0) & better)
    return (select(later, newer[0], older[0]), select(later, newer[1], older[1]))


def _arg_max_combine(older, newer):
    return _newer_if(greater(newer[0], older[0]), older, newer)


def _arg_min_combine(older, newer):
    return _newer_if(greater(older[0], newer[0]), older, newer)


ARG_MIN = Aggregate(
    name="arg_min",
    fields=(LEAST, Field("min_at", "int", native=_LEAST_AT)),
    identity={"int": (INT_MOST, -1), "float": (math.nan, -1)},
    lift=_at_lift,
    combine=_arg_min_combine,
    lower=lower_second,
    laws=Law.SELECTIVE | Law.IDEMPOTENT,
    takes=("value", "position"),
    columns=(1, 2),
    accepts="ordered",
    result="position",
    aliases=("min_by",),
    summary="the second column where the first is smallest; the first on ties",
    sql=_LEAST_AT,
)

ARG_MAX = replace(
    ARG_MIN,
    name="arg_max",
    fields=(MOST, Field("max_at", "int", native=_MOST_AT)),
    identity={"int": (INT_LEAST, -1), "float": (-math.inf, -1)},
    combine=_arg_max_combine,
    aliases=("max_by",),
    summary="the second column where the first is largest; the first on ties",
    sql=_MOST_AT,
)
