"""Loops that are written for one query each: what generated code is held against.

views       Yahoo's query: filter, look up, count, in one pass and nothing between
sums        a running sum, from which the oldest value is taken off
minima      two stacks: suffixes of the last lap, a running minimum of this one
log_sum_exp chunks as SBA has them, a pair (largest, sum of exp(x - largest)) carried
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from windrow.loops import compiled

Array = np.ndarray[Any, Any]


@compiled()
def views(times, ads, kinds, view, campaign_of, length, first, counts):  # type: ignore[no-untyped-def]
    """Events of one kind by window and campaign; campaign_of[ad] < 0: none."""
    for i in range(len(times)):
        if kinds[i] == view:
            campaign = campaign_of[ads[i]]
            if campaign >= 0:
                counts[times[i] // length - first, campaign] += 1


@compiled()
def sums(values, width, out):  # type: ignore[no-untyped-def]
    """out[i] is the sum of values[i : i + width]."""
    total = values[0]
    for i in range(1, width):
        total += values[i]
    out[0] = total
    for i in range(1, len(out)):
        total += values[i + width - 1] - values[i - 1]
        out[i] = total


@compiled()
def minima(values, width, suffixes, out):  # type: ignore[no-untyped-def]
    """out[i] is the least of values[i : i + width]; `suffixes` has room for width."""
    for begin in range(0, len(out), width):
        least = values[begin + width - 1]
        suffixes[width - 1] = least
        for j in range(width - 2, -1, -1):
            least = min(values[begin + j], least)
            suffixes[j] = least
        out[begin] = least
        if begin + 1 == len(out):
            return
        least = values[begin + width]
        for j in range(1, min(width, len(out) - begin)):
            least = min(least, values[begin + width + j - 1])
            out[begin + j] = min(suffixes[j], least)


@njit(error_model="numpy", nogil=True)
def _add(m0, s0, m1, s1):  # type: ignore[no-untyped-def]
    if m0 >= m1:
        return m0, s0 + s1 * math.exp(m1 - m0)
    return m1, s1 + s0 * math.exp(m0 - m1)


@njit(error_model="numpy", nogil=True)
def log_sum_exp(x, width):  # type: ignore[no-untyped-def]
    """One entry per complete window; both scans in one loop, independent chains."""
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
            sm, ss = _add(x[hi - 1 - k], 1.0, sm, ss)
            suffix_m[width - 1 - k], suffix_s[width - 1 - k] = sm, ss
            if k < many - 1:
                pm, ps = _add(pm, ps, x[hi + k], 1.0)
                prefix_m[k], prefix_s[k] = pm, ps
        out[lo] = suffix_m[0] + math.log(suffix_s[0])
        for j in range(1, many):
            m, s = _add(suffix_m[j], suffix_s[j], prefix_m[j - 1], prefix_s[j - 1])
            out[lo + j] = m + math.log(s)
    return out
