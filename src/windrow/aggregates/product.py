"""Product and geometric mean, from which any value can be taken off again.

    value       -6.0     0.0     inf          NaN      value == mantissa * 2**exponent
    mantissa    -1.5     1.0     1.0          1.0      1 <= abs(mantissa) < 2
    exponent     2       0       0            0
    counted              zeros   infinities   nans     what cannot be divided out

Partials: (mantissa, exponent, zeros, nans, infinities), and for the geometric mean a
count and the number of negative values beside it.

A product that is a float passes the largest one on its way and never comes back; with
an exponent of its own it neither overflows nor underflows, whatever the order, and
dividing by the oldest value gives the product of the others.  Mantissas round as
floats do, so that products of whole numbers below 2**53 stay exact.  Each division
rounds: the planner takes no product off unless an algorithm that does is asked for.

A zero makes the geometric mean zero, a negative value makes it NaN.
"""

import math

import numpy as np

from ._aggregate import Aggregate, Field, Law
from .functions import as_float
from .words import exp, frexp, ldexp, log, select

_FIELDS = (
    Field("mantissa", "float"),
    Field("exponent", "int"),
    Field("zeros", "int"),
    Field("nans", "int"),
    Field("infinities", "int"),
)
_FAR = 4096  # an exponent beyond that of any float
_BELOW_TWO = 2.0 - 2.0**-52
_LOG_TWO = math.log(2.0)


def _lift(value):
    number = as_float(value)
    is_plain = (number - number == 0) & (number != 0)
    unit = select(number < 0, -1.0, 1.0)
    mantissa, exponent = frexp(select(is_plain, number, unit))
    return (
        mantissa * 2.0,
        np.int64(exponent) - 1,
        select(number == 0, 1, 0),
        select(number != number, 1, 0),
        select((number == math.inf) | (number == -math.inf), 1, 0),
    )


def _combine(older, newer):
    mantissa = older[0] * newer[0]
    carries = (mantissa >= 2.0) | (mantissa <= -2.0)
    return (
        select(carries, mantissa * 0.5, mantissa),
        older[1] + newer[1] + select(carries, 1, 0),
        older[2] + newer[2],
        older[3] + newer[3],
        older[4] + newer[4],
    )


def _inverse(whole, oldest):
    mantissa = whole[0] / oldest[0]
    borrows = (mantissa < 1.0) & (mantissa > -1.0)
    return (
        select(borrows, mantissa * 2.0, mantissa),
        whole[1] - oldest[1] - select(borrows, 1, 0),
        whole[2] - oldest[2],
        whole[3] - oldest[3],
        whole[4] - oldest[4],
    )


def _scaled(mantissa, exponent):
    below = select(exponent < -_FAR, -_FAR, exponent)
    return ldexp(mantissa, select(below > _FAR, _FAR, below))


def _with_specials(finite, unit, zeros, nans, infinities):
    """What zeros, infinities and NaN make of a product; `unit` has its sign."""
    infinite = select(infinities > 0, unit * math.inf, finite)
    known = select(zeros > 0, unit * 0.0, infinite)
    unknown = (nans > 0) | ((zeros > 0) & (infinities > 0))
    return select(unknown, math.nan, known)


def _lower(partial):
    mantissa, exponent, zeros, nans, infinities = partial
    finite = _scaled(mantissa, exponent)
    return _with_specials(finite, mantissa, zeros, nans, infinities)


PRODUCT = Aggregate(
    name="product",
    fields=_FIELDS,
    identity=(1.0, 0, 0, 0, 0),
    lift=_lift,
    combine=_combine,
    inverse=_inverse,
    lower=_lower,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    partial_form=2,  # 1: one number, or a mantissa and an exponent
    summary="float64; zeros, NaN and infinities are counted, so they leave again",
)


def _geometric_lift(value):
    return (1,) + _lift(value) + (select(value < 0, 1, 0),)


def _geometric_combine(older, newer):
    product = _combine(older[1:6], newer[1:6])
    return (older[0] + newer[0],) + product + (older[6] + newer[6],)


def _geometric_inverse(whole, oldest):
    product = _inverse(whole[1:6], oldest[1:6])
    return (whole[0] - oldest[0],) + product + (whole[6] - oldest[6],)


def _geometric_lower(partial):
    """The root: the exponent is divided as a whole number, what is left by exp."""
    count, mantissa, exponent, zeros, nans, infinities, negatives = partial
    n = select(count > 0, count, 1)
    whole = exponent // n
    rest = log(select(mantissa > 0, mantissa, 1.0)) + (exponent - whole * n) * _LOG_TWO
    root = exp(rest / n)
    below_two = select(root >= 2.0, _BELOW_TWO, root)  # rounding alone takes it there
    finite = _scaled(below_two, whole)
    unknown = nans + negatives
    return _with_specials(finite, 1.0, zeros, unknown, infinities)


GEOMETRIC_MEAN = Aggregate(
    name="geometric_mean",
    fields=(Field("count", "int"), *_FIELDS, Field("negatives", "int")),
    identity=(0, 1.0, 0, 0, 0, 0, 0),
    lift=_geometric_lift,
    combine=_geometric_combine,
    inverse=_geometric_inverse,
    lower=_geometric_lower,
    laws=Law.COMMUTATIVE | Law.INVERTIBLE,
    aliases=("gmean",),
    partial_form=2,
    summary="the root of a product that cannot overflow",
)
