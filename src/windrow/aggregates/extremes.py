"""Minimum, maximum and their spread. Partials: (min), (max) and (min, max).

NaN is the largest value, as in Spark: any NaN makes the maximum NaN, and a
minimum is NaN only where all values are.  The identity of max is the smallest
value of the type, never 0 and never the smallest positive float.
"""

import math

from ._aggregate import Aggregate, Field, Law

INT_LEAST, INT_MOST = -(2**63), 2**63 - 1
LEAST = Field("min", native="min({raw})")
MOST = Field("max", native="max({raw})")


def _lift(value):
    return (value,)


def _lower(partial):
    return partial[0]


def _smaller(older, newer):
    return older if (older <= newer) | (newer != newer) else newer


def _larger(older, newer):
    return older if (older >= newer) | (older != older) else newer


def _min_combine(older, newer):
    return (_smaller(older[0], newer[0]),)


def _max_combine(older, newer):
    return (_larger(older[0], newer[0]),)


MIN = Aggregate(
    name="min",
    fields=(LEAST,),
    identity={"int": (INT_MOST,), "float": (math.nan,)},
    lift=_lift,
    combine=_min_combine,
    lower=_lower,
    laws=Law.COMMUTATIVE | Law.SELECTIVE | Law.IDEMPOTENT,
    accepts="ordered",
    result="value",
    summary="NaN is the largest value; strings by code point",
)

MAX = Aggregate(
    name="max",
    fields=(MOST,),
    identity={"int": (INT_LEAST,), "float": (-math.inf,)},
    lift=_lift,
    combine=_max_combine,
    lower=_lower,
    laws=Law.COMMUTATIVE | Law.SELECTIVE | Law.IDEMPOTENT,
    accepts="ordered",
    result="value",
    summary="NaN is the largest value; strings by code point",
)


def _range_lift(value):
    return (value, value)


def _range_combine(older, newer):
    return (_smaller(older[0], newer[0]), _larger(older[1], newer[1]))


def _range_lower(partial):
    # only an empty partial has its max below its min: there is no difference
    return 0 if partial[1] < partial[0] else partial[1] - partial[0]


RANGE = Aggregate(
    name="range",
    fields=(LEAST, MOST),
    identity={"int": (INT_MOST, INT_LEAST), "float": (math.nan, -math.inf)},
    lift=_range_lift,
    combine=_range_combine,
    lower=_range_lower,
    laws=Law.COMMUTATIVE | Law.IDEMPOTENT,
    result="difference",
    accepts="distance",
    summary="max - min",
)
