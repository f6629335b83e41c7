"""A sliding log-sum-exp written by hand: SBA's chunks, and nothing else in the loop.

    |-- suffixes of chunk c --|-- prefixes of chunk c + 1 --|
              |--------- window ---------|

Both scans go in one loop, as independent chains.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(error_model="numpy", nogil=True)
def add(m0, s0, m1, s1):
    """The pair (largest, sum of exp(x - largest)) of two stretches together."""
    if m0 >= m1:
        return m0, s0 + s1 * math.exp(m1 - m0)
    return m1, s1 + s0 * math.exp(m0 - m1)


@njit(error_model="numpy", nogil=True)
def log_sum_exp(x, width):
    """One entry per complete window."""
    count = len(x) - width + 1
    out = np.empty(count)
    suffix_m, suffix_s = np.empty(width), np.empty(width)
    prefix_m, prefix_s = np.empty(width), np.empty(width)
    for lo in range(0, count, width):
        hi = lo + width
        many = min(width, count - lo)
        sm, ss = x[hi - 1], 1.0
        suffix_m[width - 1], suffix_s[width - 1] = sm, ss
        pm, ps = x[min(hi, len(x) - 1)], 1.0
        prefix_m[0], prefix_s[0] = pm, ps
        for k in range(1, width):
            sm, ss = add(x[hi - 1 - k], 1.0, sm, ss)
            suffix_m[width - 1 - k], suffix_s[width - 1 - k] = sm, ss
            if k < many - 1:
                pm, ps = add(pm, ps, x[hi + k], 1.0)
                prefix_m[k], prefix_s[k] = pm, ps
        out[lo] = suffix_m[0] + math.log(suffix_s[0])
        for j in range(1, many):
            m, s = add(suffix_m[j], suffix_s[j], prefix_m[j - 1], prefix_s[j - 1])
            out[lo + j] = m + math.log(s)
    return out
