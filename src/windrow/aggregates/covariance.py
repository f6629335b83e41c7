"""Covariance and correlation of two columns.

Partials: (n, mean_x, mean_y, c) with c = sum((x - mean_x) (y - mean_y)), and
the same with m2_x and m2_y for the correlation.  Rows where either is null are
left out.
"""

import math
from dataclasses import replace

from ._aggregate import Aggregate, Field, Law
from .functions import as_float
from .moments import LARGE, SMALL, N, has_two, spread
from .words import select, sqrt


def _lift(value, other):
    x, y = as_float(value), as_float(other)
    return (1, x, y, spread(x) * spread(y))


def _combine(older, newer):
    n = older[0] + newer[0]
    share = newer[0] / select(n > 1.0, n, 1.0)
    dx, dy = newer[1] - older[1], newer[2] - older[2]
    c = older[3] + newer[3] + (older[0] * share * dx) * dy
    return (n, older[1] + dx * share, older[2] + dy * share, c)


def _sample(partial):
    return partial[3] / select(partial[0] > 1.0, partial[0] - 1.0, 1.0)


def _population(partial):
    return partial[3] / select(partial[0] > 0.0, partial[0], 1.0)


# SQL's covariance with an infinity is one too, unless both columns have one
_LARGEST = "max(abs(double({value}))), max(abs(double({other})))"
_POPULATION = (
    f"if(greatest({_LARGEST}) >= double('Infinity'), double('NaN'), "
    "covar_pop({value}, {other}))"
)

COVARIANCE = Aggregate(
    name="covariance",
    fields=(
        N,
        Field("mean_x", "float", native=f"avg({{value}} * {SMALL}) * {LARGE}"),
        Field("mean_y", "float", native=f"avg({{other}} * {SMALL}) * {LARGE}"),
        Field("c", "float", native="covar_pop({value}, {other}) * count({one})"),
    ),
    identity=(0.0, 0.0, 0.0, 0.0),
    lift=_lift,
    combine=_combine,
    lower=_sample,
    defined=has_two,
    laws=Law.COMMUTATIVE,
    takes=("value", "other"),
    columns=(2, 2),
    aliases=("covar_samp",),
    summary="sample covariance of two columns, by n - 1",
    sql=f"if(count({{one}}) > 1, {_POPULATION.replace('_pop', '_samp')}, null)",
)

COVARIANCE_POPULATION = replace(
    COVARIANCE,
    name="covariance_population",
    lower=_population,
    defined=None,
    aliases=("covar_pop",),
    summary="population covariance of two columns, by n",
    sql=_POPULATION,
)


def _corr_lift(value, other):
    return _lift(value, other) + (spread(as_float(value)), spread(as_float(other)))


def _corr_combine(older, newer):
    n, mean_x, mean_y, c = _combine(older[:4], newer[:4])
    weight = older[0] * (newer[0] / select(n > 1.0, n, 1.0))
    dx, dy = newer[1] - older[1], newer[2] - older[2]
    m2_x = older[4] + newer[4] + (weight * dx) * dx
    m2_y = older[5] + newer[5] + (weight * dy) * dy
    return (n, mean_x, mean_y, c, m2_x, m2_y)


def _corr_lower(partial):
    deviations = sqrt(partial[4]) * sqrt(partial[5])
    ratio = partial[3] / select(deviations > 0.0, deviations, 1.0)
    return select(deviations > 0.0, ratio, math.nan)


def _both_vary(partial):
    return (partial[4] != 0.0) & (partial[5] != 0.0)


_DEVIATIONS = "(stddev_pop({value}) * stddev_pop({other}))"


CORRELATION = replace(
    COVARIANCE,
    name="correlation",
    fields=(
        *COVARIANCE.fields,
        Field("m2_x", "float", native="var_pop({value}) * count({one})"),
        Field("m2_y", "float", native="var_pop({other}) * count({one})"),
    ),
    identity=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    lift=_corr_lift,
    combine=_corr_combine,
    lower=_corr_lower,
    defined=_both_vary,
    aliases=("corr",),
    summary="Pearson's correlation, null where a column does not vary",
    sql="if(var_pop({value}) != 0 and var_pop({other}) != 0, "
    f"if({_DEVIATIONS} > 0, covar_pop({{value}}, {{other}}) / {_DEVIATIONS}, "
    "double('NaN')), null)",
)
