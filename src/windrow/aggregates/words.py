"""The words in which functions of aggregates are written, for numbers and for columns.

    select(condition, a, b)      a if condition else b, without a branch
    log(x)  exp(x)  sqrt(x)      -inf, inf or NaN where there is no result

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


def log(x: Any) -> Any:
    """The natural logarithm."""
    return _quietly(np.log, x)


def exp(x: Any) -> Any:
    """The exponential."""
    return _quietly(np.exp, x)


def sqrt(x: Any) -> Any:
    """The square root."""
    return _quietly(np.sqrt, x)


def _quietly(function: Any, x: Any) -> Any:
    """Numpy's function without a warning; Python's own number for one of those."""
    with np.errstate(all="ignore"):
        result = function(x)
    return float(result) if isinstance(x, int | float) else result
