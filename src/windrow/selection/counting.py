"""Counting: how many rows of the window have each value, and a cursor over the values.

    values     20  22  20  25  22        whole numbers in a small range
    codes      0   2   0   5   2
    counts     2   0   2   0   0   1     of the window
    bits       1   0   1   0   0   1     values that are there at all

As in `ranked_bits.py`, but nothing is sorted, and equal values are one place:

    below == number of rows whose code is less than `at`
"""

from __future__ import annotations

import numpy as np

from windrow.loops import compiled

from ._bits import insert, next_member, previous_member, remove
from ._method import Method
from .ranked_bits import walk_columns

MOST = 1 << 16  # values that a small range has at most


@compiled(columns=walk_columns)
def count(codes, kinds, starts, stops, targets, out):
    """Write the codes from index targets[j, n] on of each window of n rows to out[j].

    They are -1 where there is none.
    """
    counts = np.zeros(kinds + 1, np.int64)
    bits = np.zeros((kinds >> 5) + 2, np.int64)
    above = np.zeros((kinds >> 10) + 2, np.int64)
    top = np.zeros((kinds >> 15) + 2, np.int64)
    steps = out.shape[2]
    for j in range(len(targets)):
        at = below = start = stop = 0
        for k in range(len(starts)):
            for i in range(start, min(starts[k], stop)):
                code = codes[i]
                counts[code] -= 1
                if counts[code] == 0:
                    remove(bits, above, top, code)
                below -= code < at
            start = starts[k]
            for i in range(max(stop, start), stops[k]):
                code = codes[i]
                if counts[code] == 0:
                    insert(bits, above, top, code)
                counts[code] += 1
                below += code < at
            stop = max(stop, stops[k])
            size = stops[k] - start
            target = targets[j, size]
            known = min(steps, size - target) if target >= 0 else 0
            if known > 0:
                while below > target:
                    at = previous_member(bits, above, top, at)
                    below -= counts[at]
                while below + counts[at] <= target:
                    below += counts[at]
                    at = next_member(bits, above, top, at + 1)
                found, upto = at, below + counts[at]
                for step in range(known):
                    if target + step == upto:
                        found = next_member(bits, above, top, found + 1)
                        upto += counts[found]
                    out[j, k, step] = found
            for step in range(max(known, 0), steps):
                out[j, k, step] = -1
        for i in range(start, stop):
            counts[codes[i]] -= 1
            if counts[codes[i]] == 0:
                remove(bits, above, top, codes[i])


COUNTING = Method(
    name="counting",
    title="Counting",
    serves=f"whole numbers in a range of at most {MOST:,}",
    time="a count a row, a cursor's step or two a window; never sorted",
    space="d counts",
    source="Huang, Yang, Tang 1979",
    is_walked=True,
)
