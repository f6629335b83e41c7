"""Number of times an extreme occurs, and the position of the first.

Partials: (min, min_ties), (max, max_ties), (min, min_at), (max, max_at).  A
position of -1, or zero ties, means no value, which a NaN or an infinity could not.
"""

import math

from ._aggregate import Aggregate, Field, Law
from .extremes import INT_LEAST, INT_MOST, LEAST, MOST

# the first on ties: of equal values that with the least instant, the most ~instant
_LEAST_AT = Field(
    "min_at",
    "int",
    native="min_by({payload}, if({valid}, struct({raw}, {time}), null))",
)
_MOST_AT = Field(
    "max_at",
    "int",
    native="max_by({payload}, if({valid}, struct({raw}, ~{time}), null))",
)


def _greater(a, b):
    return a > b or (a != a and b == b)


def _equal(a, b):
    return a == b or (a != a and b != b)


def _count_lift(value):
    return (value, 1)


def _count_lower(partial):
    return partial[1]


def _max_count_combine(older, newer):
    if _equal(older[0], newer[0]):
        return (older[0], older[1] + newer[1])
    return older if _greater(older[0], newer[0]) else newer


def _min_count_combine(older, newer):
    if _equal(older[0], newer[0]):
        return (older[0], older[1] + newer[1])
    return older if _greater(newer[0], older[0]) else newer


MIN_COUNT = Aggregate(
    name="min_count",
    fields=(LEAST, Field("min_ties", "int")),
    identity={"int": (INT_MOST, 0), "float": (math.nan, 0)},
    lift=_count_lift,
    combine=_min_count_combine,
    lower=_count_lower,
    laws=Law.COMMUTATIVE,
    accepts="ordered",
    result="count",
    summary="how many values equal the minimum",
)

MAX_COUNT = Aggregate(
    name="max_count",
    fields=(MOST, Field("max_ties", "int")),
    identity={"int": (INT_LEAST, 0), "float": (-math.inf, 0)},
    lift=_count_lift,
    combine=_max_count_combine,
    lower=_count_lower,
    laws=Law.COMMUTATIVE,
    accepts="ordered",
    result="count",
    summary="how many values equal the maximum",
)


def _at_lift(value, position):
    return (value, position)


def _at_lower(partial):
    return partial[1]


def _arg_max_combine(older, newer):
    if older[1] < 0 or (newer[1] >= 0 and _greater(newer[0], older[0])):
        return newer
    return older


def _arg_min_combine(older, newer):
    if older[1] < 0 or (newer[1] >= 0 and _greater(older[0], newer[0])):
        return newer
    return older


ARG_MIN = Aggregate(
    name="arg_min",
    fields=(LEAST, _LEAST_AT),
    identity={"int": (INT_MOST, -1), "float": (math.nan, -1)},
    lift=_at_lift,
    combine=_arg_min_combine,
    lower=_at_lower,
    laws=Law.SELECTIVE | Law.IDEMPOTENT,
    takes=("value", "position"),
    columns=(1, 2),
    accepts="ordered",
    result="position",
    aliases=("min_by",),
    summary="the second column where the first is smallest; the first on ties",
)

ARG_MAX = Aggregate(
    name="arg_max",
    fields=(MOST, _MOST_AT),
    identity={"int": (INT_LEAST, -1), "float": (-math.inf, -1)},
    lift=_at_lift,
    combine=_arg_max_combine,
    lower=_at_lower,
    laws=Law.SELECTIVE | Law.IDEMPOTENT,
    takes=("value", "position"),
    columns=(1, 2),
    accepts="ordered",
    result="position",
    aliases=("max_by",),
    summary="the second column where the first is largest; the first on ties",
)
