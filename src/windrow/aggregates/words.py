"""The words in which functions of aggregates are written, for numbers and for columns.

    select(condition, a, b)      a if condition else b, without a branch
    divide(x, n)                 x / n, where n is a whole number above 0
    log(x)  exp(x)  sqrt(x)      -inf, inf or NaN where there is no result
    frexp(x)                     (m, e) with x == m * 2**e and 0.5 <= abs(m) < 1
    ldexp(m, e)                  m * 2**e, rounded once

The functions are taken over into kernels by their source, and there a word is what
suits the kernel: a machine instruction, or numpy's for each row.  Both sides of
`select` are computed always: a division must be safe whichever is taken.
"""

from typing import Any

import numpy as np


def select(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, `b` elsewhere."""
    if isinstance(condition, bool):
        return a if condition else b
    return np.where(condition, a, b)


def divide(x: Any, n: Any) -> Any:
    """`x / n`, rounded once."""
    return x / n


def log(x: Any) -> Any:
    """The natural logarithm."""
    return _quietly(np.log, x)


def exp(x: Any) -> Any:
    """The exponential."""
    return _quietly(np.exp, x)


def sqrt(x: Any) -> Any:
    """The square root."""
    return _quietly(np.sqrt, x)


def frexp(x: Any) -> Any:
    """The mantissa and the exponent of a number that is finite."""
    mantissa, exponent = np.frexp(x)
    if isinstance(x, float):
        return float(mantissa), int(exponent)
    return mantissa, exponent


def ldexp(mantissa: Any, exponent: Any) -> Any:
    """The mantissa times two to the power of the exponent."""
    with np.errstate(all="ignore"):
        result = np.ldexp(mantissa, exponent)
    return float(result) if isinstance(mantissa, float) else result


def _quietly(function: Any, x: Any) -> Any:
    """Numpy's function without a warning; Python's own number for one of those."""
    with np.errstate(all="ignore"):
        result = function(x)
    return float(result) if isinstance(x, int | float) else result
