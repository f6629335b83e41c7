"""Minimum, maximum, their spread, and how often each occurs.

Partials: (min), (max), (min, max), (min, min_ties) and (max, max_ties); zero ties mean
no value, which a NaN or an infinity could not.

NaN is the largest value, as in Spark: any NaN makes the maximum NaN, and a
minimum is NaN only where all values are.  The identity of max is the smallest
value of the type, never 0 and never the smallest positive float.

`smaller` and `larger` ask whether the newer value wins.  Asked of the older one (`>=`)
LLVM makes slower code of the same question (`architecture.md`).
"""

import math
from dataclasses import replace

from ._aggregate import Aggregate, Field, Law
from .functions import lift_value, lower_first, lower_second
from .words import select

INT_LEAST, INT_MOST = -(2**63), 2**63 - 1
LEAST = Field("min", native="min({raw})")
MOST = Field("max", native="max({raw})")


def smaller(older, newer):
    return select((newer < older) | (older != older), newer, older)


def larger(older, newer):
    return select((newer > older) | (newer != newer), newer, older)


def _min_combine(older, newer):
    return (smaller(older[0], newer[0]),)


def _max_combine(older, newer):
    return (larger(older[0], newer[0]),)


MIN = Aggregate(
    name="min",
    fields=(LEAST,),
    identity={"int": (INT_MOST,), "float": (math.nan,)},
    lift=lift_value,
    combine=_min_combine,
    lower=lower_first,
    laws=Law.COMMUTATIVE | Law.SELECTIVE | Law.IDEMPOTENT,
    accepts="ordered",
    result="value",
    summary="NaN is the largest value; strings by code point",
    sql="min({raw})",
)

MAX = replace(
    MIN,
    name="max",
    fields=(MOST,),
    identity={"int": (INT_LEAST,), "float": (-math.inf,)},
    combine=_max_combine,
    sql="max({raw})",
)


def _range_lift(value):
    return (value, value)


def _range_combine(older, newer):
    return (smaller(older[0], newer[0]), larger(older[1], newer[1]))


def _range_lower(partial):
    # only an empty partial has its max below its min: there is no difference
    return select(partial[1] < partial[0], 0, partial[1] - partial[0])


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
    sql="max({value}) - min({value})",
    halves=(MIN, MAX),
)


def greater(a, b):
    return (a > b) | ((a != a) & (b == b))


def _equal(a, b):
    return (a == b) | ((a != a) & (b != b))


def _count_lift(value):
    return (value, 1)


def _count_ties(older_wins, older, newer):
    ties = select(older_wins, older[1], newer[1])
    both = _equal(older[0], newer[0])
    value = select(older_wins, older[0], newer[0])
    return (value, select(both, older[1] + newer[1], ties))


def _max_count_combine(older, newer):
    return _count_ties(greater(older[0], newer[0]), older, newer)


def _min_count_combine(older, newer):
    return _count_ties(greater(newer[0], older[0]), older, newer)


MIN_COUNT = Aggregate(
    name="min_count",
    fields=(LEAST, Field("min_ties", "int")),
    identity={"int": (INT_MOST, 0), "float": (math.nan, 0)},
    lift=_count_lift,
    combine=_min_count_combine,
    lower=lower_second,
    laws=Law.COMMUTATIVE,
    accepts="ordered",
    result="count",
    summary="how many values equal the minimum",
)

MAX_COUNT = replace(
    MIN_COUNT,
    name="max_count",
    fields=(MOST, Field("max_ties", "int")),
    identity={"int": (INT_LEAST, 0), "float": (-math.inf, 0)},
    combine=_max_count_combine,
    summary="how many values equal the maximum",
)
