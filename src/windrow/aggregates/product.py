"""Product and geometric mean. Partials: (product) and (count, log_total).

The geometric mean goes through logarithms, so it cannot overflow; a zero makes
it zero, a negative value makes it NaN.
"""

import math
import sys

from ._aggregate import Aggregate, Field, Law
from .functions import add_pairs, as_float, lower_first
from .words import exp, log, select


def _lift(value):
    return (as_float(value),)


def _combine(older, newer):
    return (older[0] * newer[0],)


PRODUCT = Aggregate(
    name="product",
    fields=(Field("product", "float"),),
    identity=(1.0,),
    lift=_lift,
    combine=_combine,
    lower=lower_first,
    laws=Law.COMMUTATIVE,
    summary="float64; a zero cannot be divided out again, so it has no inverse",
)

_LOG_MOST = math.log(sys.float_info.max)


def _geometric_lift(value):
    return (1, log(select(value >= 0, as_float(value), math.nan)))


def _geometric_lower(partial):
    mean = partial[1] / select(partial[0] > 0, partial[0], 1)
    # the mean of equal logarithms may round up past the logarithm of the largest
    too_large = (mean > _LOG_MOST) & (mean < math.inf)
    return exp(select(too_large, _LOG_MOST, mean))


GEOMETRIC_MEAN = Aggregate(
    name="geometric_mean",
    fields=(Field("count", "int"), Field("log_total", "float")),
    identity=(0, 0.0),
    lift=_geometric_lift,
    combine=add_pairs,
    lower=_geometric_lower,
    laws=Law.COMMUTATIVE,
    aliases=("gmean",),
    summary="through logarithms: cannot overflow",
)
