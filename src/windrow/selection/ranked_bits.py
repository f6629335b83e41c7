"""Ranked bits: the window as a set of ranks, and a cursor that keeps its place in it.

    rows       7.5  1.0  3.0  9.0  2.0
    ranks      3    0    2    4    1            by one sort
    window         |---------------|
    bits       1 0 1 0 1                        ranks 0, 2, 4 are in
                   ^ at == 2, below == 1        one member is less than `at`

A row that enters or leaves sets or clears a bit, and moves `below` if it is less than
`at`.  Invariant, whether `at` itself is a member or not:

    below == number of members less than `at`

The index that is asked for changes by one for each row at most, so that the cursor
takes about as many steps as rows come and go; `_bits.py` makes a step over any gap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.loops import compiled

from ._bits import insert, next_member, previous_member, remove
from ._method import Method
from .wavelet_tree import grow, kth

Array = np.ndarray[Any, Any]


def walk_columns(
    ranks: Array, kinds: int, starts: Array, stops: Array, targets: Array, out: Array
) -> None:
    """The same over whole columns, by a wavelet tree of the codes."""
    tree = grow(ranks, kinds)
    for number, of_target in enumerate(targets):
        wanted = of_target[stops - starts]
        for step in range(out.shape[2]):
            index = np.where(wanted < 0, -1, wanted + step)
            out[number, :, step] = kth(tree, starts, stops, index)


@compiled(columns=walk_columns)
def walk(ranks, kinds, starts, stops, targets, out):
    """Write the ranks from index targets[j, n] on of each window of n rows to out[j].

    They are -1 where there is none.
    """
    bits = np.zeros((kinds >> 5) + 2, np.int64)
    above = np.zeros((kinds >> 10) + 2, np.int64)
    top = np.zeros((kinds >> 15) + 2, np.int64)
    steps = out.shape[2]
    for j in range(len(targets)):
        at = below = start = stop = 0
        for k in range(len(starts)):
            for i in range(start, min(starts[k], stop)):
                remove(bits, above, top, ranks[i])
                below -= ranks[i] < at
            start = starts[k]
            for i in range(max(stop, start), stops[k]):
                insert(bits, above, top, ranks[i])
                below += ranks[i] < at
            stop = max(stop, stops[k])
            size = stops[k] - start
            target = targets[j, size]
            known = min(steps, size - target) if target >= 0 else 0
            if known > 0:
                while below > target:
                    at = previous_member(bits, above, top, at)
                    below -= 1
                at = next_member(bits, above, top, at)
                while below < target:
                    at = next_member(bits, above, top, at + 1)
                    below += 1
                out[j, k, 0] = found = at
                for step in range(1, known):
                    found = next_member(bits, above, top, found + 1)
                    out[j, k, step] = found
            for step in range(max(known, 0), steps):
                out[j, k, step] = -1
        for i in range(start, stop):
            remove(bits, above, top, ranks[i])


RANKED_BITS = Method(
    name="ranked_bits",
    title="Ranked bits",
    serves="windows whose bounds never fall, of any lengths",
    time="a bit a row, a cursor's step or two a window; sorted once",
    space="n ranks, n bits",
    source="van Emde Boas 1975 (bits in levels)",
    is_walked=True,
)
