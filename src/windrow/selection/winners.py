r"""The most frequent code of each window, for all at once: winners, level by level.

    windows      0    1    2    3
    code 0       1    .    0    .         how often it is there, where that changes
    code 1       .    2    1    .
    code 2       .    1    .    2
    codes 0, 2   1:0  1:0  1:2  2:2       merged: the winner where one of them changes
    all          1:0  2:1  1:1  2:2

A node has the winner of its codes after each change, in the order of windows, and two
nodes are merged by what stood last in either.  A level is a few steps over whole
columns, and has no more changes than rows arrive and leave, however long windows are.

    level b      nodes are codes with the same b lowest bits; a node's changes stand
                 together, those of its half with bit b == 0 before the others
    a winner     count << shift | all ones - code: the largest is the most frequent,
                 and the smallest code of several
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._stretches import stretches

Array = np.ndarray[Any, Any]

NONE = -1


def winners_columns(
    codes: Array, kinds: int, starts: Array, stops: Array, out: Array
) -> None:
    """The most frequent code of each window, as in `rank_tree.py`; -1: none."""
    depth = int(kinds - 1).bit_length()
    for windows, rows in stretches(starts, stops):
        own = starts[windows] - rows.start, stops[windows] - rows.start
        changed, at, count = _changes(codes[rows], *own)
        every = (1 << depth) - 1
        winners = _play(changed, at, count << depth | every - changed, depth)
        last = np.searchsorted(np.sort(at), np.arange(len(own[0])), side="right")
        best = np.append(winners, 0)[last - 1]
        out[windows] = np.where(best >> depth > 0, every - (best & every), NONE)


def _changes(codes: Array, starts: Array, stops: Array) -> tuple[Array, Array, Array]:
    """Codes, in order, the windows from which on they are there how often."""
    count, rows = len(starts), np.arange(len(codes))
    comes = np.searchsorted(stops, rows, side="right")
    goes = np.searchsorted(starts, rows, side="right")
    seen = comes < goes
    leaves = seen & (goes < count)
    shift = count.bit_length()
    events = np.concatenate(
        [
            (codes[seen] << shift | comes[seen]) << 1 | 1,
            (codes[leaves] << shift | goes[leaves]) << 1,
        ]
    )
    events.sort()
    last = _is_new(events[::-1] >> 1)[::-1]  # of all in one window
    sums, places = np.cumsum(2 * (events & 1) - 1)[last], events[last] >> 1
    changed, at = places >> shift, places & ((1 << shift) - 1)
    first = _is_new(changed)
    before = np.append(0, sums)[:-1][first]
    counts = sums - before[np.cumsum(first) - 1]
    differs = first | _is_new(counts)
    return changed[differs], at[differs], counts[differs]


def _is_new(values: Array) -> Array:
    """Which values are not as the one before."""
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def _play(codes: Array, at: Array, winners: Array, depth: int) -> Array:
    """The winners of all codes after each change, in the order of windows."""
    codes = np.sort(at << depth | codes) & ((1 << depth) - 1)
    sides = []
    for bit in range(depth):
        low = (codes >> bit) & 1 == 0
        sides.append(low)
        order = np.concatenate([np.flatnonzero(low), np.flatnonzero(~low)])
        codes = codes.take(order)
    for bit in range(depth - 1, -1, -1):
        winners = _merge(sides[bit], winners, (1 << bit) - 1)
    return winners


def _merge(low: Array, winners: Array, node: int) -> Array:
    """The winners of nodes after each change of either half.

    Those of low halves stand before all others; codes of a node agree in the bits of
    `node`, and what stands last in the other half may be of another node.
    """
    lows = np.cumsum(low)
    if not len(low) or lows[-1] in (0, len(low)):
        return winners
    of_low = winners.take(np.maximum(lows - 1, 0))
    of_high = winners.take(np.arange(lows[-1], lows[-1] + len(lows)) - lows)
    alone = int(np.argmin(low) if low[0] else np.argmax(low))  # of one half, at first
    if low[0]:
        of_high[:alone] = of_low[:alone]
    else:
        of_low[:alone] = of_high[:alone]
    own = np.where(low, of_low, of_high)
    is_of_both = (of_low ^ of_high) & node == 0
    merged: Array = np.where(is_of_both, np.maximum(of_low, of_high), own)
    return merged
