"""Variance, standard deviation, skew and kurtosis.

Partials: (n, mean, m2), then m3, then m4, the centred power sums

    mk = sum((v - mean) ** k)

merged pairwise (Chan, Golub, LeVeque; Pébay), so that no large numbers are
subtracted from each other: the textbook sum of squares loses every digit once
mean**2 passes variance * 2**53.  The mean is carried, not the total: two values of
1e308 have no variance, while their total is infinite and makes it NaN.  (In accuracy
the two are alike: 6e-7 and 2e-6 off at mean 1e9, deviation 1e-3, a million values.)

There is no branch for an empty side: its n of 0 makes every weight 0, and factors
are multiplied weight first, so that 0 meets no infinity on the way.  n is a float,
since converting whole numbers to floats is slow in vector code: with five aggregates
in one pass this saved a third.  An infinity or NaN makes mk NaN from the start.

Where a loop knows how many rows a window holds, nothing is divided in it.  The tally of
a variance is the sums of distances and of their squares from an origin K

    S == sum(v - K)    Q == sum((v - K) ** 2)    m2 == Q - S ** 2 / n

where K is a value of the window itself, so that (K - mean) ** 2 <= m2 and Q <= n m2:
m2 is off by n times the rounding error of a sum of squares at most, whatever the mean
is, and by about twice that error where K is a value like the others.  S is kept 2**32
times smaller, which is exact: a finite sum tells squares that overflow from a value
that is infinite.
"""

import math
from dataclasses import replace

from ._aggregate import Aggregate, Field, Law, Tally
from .functions import add_pairs, as_float
from .words import select, sqrt

# SQL's avg adds up and divides: values are made 2**64 times smaller on the way, which
# is exact, so that two values of 1e308 have a mean there too.
SMALL, LARGE = "5.421010862427522e-20D", "18446744073709551616D"
DOWN, UP = 2.0**-32, 2.0**32
N = Field("n", "float", native="count({one})")
_MEAN = Field("mean", "float", native=f"avg({{value}} * {SMALL}) * {LARGE}")
_M2 = Field("m2", "float", native="var_pop({value}) * count({one})")


def spread(value):
    """0, but NaN for a NaN or an infinity: such a value has no distance from itself."""
    return value - value


def _lift(value):
    v = as_float(value)
    return (1.0, v, v - v)


def _combine(older, newer):
    n = older[0] + newer[0]
    share = newer[0] / select(n > 1.0, n, 1.0)
    delta = newer[1] - older[1]
    m2 = older[2] + newer[2] + (older[0] * share * delta) * delta
    return (n, older[1] + delta * share, m2)


def _inverse(whole, oldest):
    n = whole[0] - oldest[0]
    if n == 0.0:
        return (0.0, 0.0, 0.0)
    if oldest[0] == 0.0:
        return whole
    mean = whole[1] + (whole[1] - oldest[1]) * (oldest[0] / n)
    delta = mean - oldest[1]
    m2 = whole[2] - oldest[2] - (oldest[0] * (n / whole[0]) * delta) * delta
    return (n, mean, m2 if m2 > 0.0 or m2 != m2 else 0.0)


def _tally_lift(value, origin):
    distance = as_float(value) - origin
    return (distance * DOWN, distance * distance)


def _settle(tally, origin, n):
    """The partial of n rows; m2 is infinite where finite distances have no square."""
    mean = tally[0] * (UP / n)
    m2 = tally[1] - (tally[0] * UP) * mean
    too_large = (tally[1] == math.inf) & (tally[0] - tally[0] == 0.0)
    m2 = select(too_large, math.inf, select(m2 < 0.0, 0.0, m2))
    return (as_float(n), origin + mean, m2)


def _measure(partial, origin):
    distance = partial[1] - origin
    squares = (partial[0] * distance) * distance
    return ((partial[0] * DOWN) * distance, partial[2] + squares)


def _sample(partial):
    return partial[2] / select(partial[0] > 1.0, partial[0] - 1.0, 1.0)


def _population(partial):
    return partial[2] / select(partial[0] > 0.0, partial[0], 1.0)


def _sample_root(partial):
    return sqrt(_sample(partial))


def _population_root(partial):
    return sqrt(_population(partial))


def has_two(partial):
    return partial[0] > 1.0


VARIANCE = Aggregate(
    name="variance",
    fields=(N, _MEAN, _M2),
    identity=(0.0, 0.0, 0.0),
    lift=_lift,
    combine=_combine,
    inverse=_inverse,
    lower=_sample,
    defined=has_two,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    tally=Tally(("float", "float"), _tally_lift, add_pairs, _settle, _measure),
    aliases=("var_samp", "var"),
    summary="sample variance, by n - 1",
    sql="if(count({one}) > 1, var_samp({value}), null)",
)
VARIANCE_POPULATION = replace(
    VARIANCE,
    name="variance_population",
    lower=_population,
    defined=None,
    aliases=("var_pop",),
    summary="population variance, by n",
    sql="var_pop({value})",
)
STDDEV = replace(
    VARIANCE,
    name="stddev",
    lower=_sample_root,
    aliases=("stddev_samp", "std"),
    summary="sample deviation, by n - 1",
    sql="if(count({one}) > 1, stddev_samp({value}), null)",
)
STDDEV_POPULATION = replace(
    VARIANCE_POPULATION,
    name="stddev_population",
    lower=_population_root,
    aliases=("stddev_pop",),
    summary="population deviation",
    sql="stddev_pop({value})",
)


def _third_lift(value):
    v = as_float(value)
    return (1.0, v, v - v, v - v)


def _third_combine(older, newer):
    a, b = older[0], newer[0]
    n, mean, m2 = _combine(older[:3], newer[:3])
    delta = newer[1] - older[1]
    part = 1.0 / select(n > 1.0, n, 1.0)
    m3 = older[3] + newer[3]
    m3 += (a * b * part * delta) * delta * ((a - b) * part * delta)
    m3 += 3.0 * ((a * newer[2] - b * older[2]) * part) * delta
    return (n, mean, m2, m3)


def _skew(partial):
    spread = partial[2] * sqrt(partial[2])
    skew = sqrt(partial[0]) * partial[3] / select(spread > 0.0, spread, 1.0)
    return select(spread > 0.0, skew, math.nan)


def _varies(partial):
    return partial[2] != 0.0


SKEW = Aggregate(
    name="skew",
    fields=(N, _MEAN, _M2, Field("m3", "float")),
    identity=(0.0, 0.0, 0.0, 0.0),
    lift=_third_lift,
    combine=_third_combine,
    lower=_skew,
    defined=_varies,
    laws=Law.COMMUTATIVE,
    aliases=("skewness",),
    summary="population skewness, null where nothing varies, as in Spark",
)


def _fourth_lift(value):
    v = as_float(value)
    return (1.0, v, v - v, v - v, v - v)


def _fourth_combine(older, newer):
    a, b = older[0], newer[0]
    n, mean, m2, m3 = _third_combine(older[:4], newer[:4])
    delta = newer[1] - older[1]
    part = 1.0 / select(n > 1.0, n, 1.0)
    of_a, of_b = a * part, b * part
    m4 = older[4] + newer[4]
    ratio = of_a * of_a - of_a * of_b + of_b * of_b
    m4 += (a * of_b * delta) * delta * (ratio * delta) * delta
    m4 += 6.0 * ((of_a * of_a * newer[2] + of_b * of_b * older[2]) * delta) * delta
    m4 += 4.0 * ((of_a * newer[3] - of_b * older[3]) * delta)
    return (n, mean, m2, m3, m4)


def _kurtosis(partial):
    spread = partial[2] * partial[2]
    kurtosis = partial[0] * partial[4] / select(spread > 0.0, spread, 1.0) - 3.0
    return select(spread > 0.0, kurtosis, math.nan)


KURTOSIS = replace(
    SKEW,
    name="kurtosis",
    fields=(*SKEW.fields, Field("m4", "float")),
    identity=(0.0, 0.0, 0.0, 0.0, 0.0),
    lift=_fourth_lift,
    combine=_fourth_combine,
    lower=_kurtosis,
    aliases=(),
    summary="excess kurtosis, null where nothing varies, as in Spark",
)
