r"""The most frequent code of all windows at once: a tree of winners, played level by level.

    windows      0    1    2    3
    code 0       1    .    0    .         how often it is there, where that changes
    code 1       .    2    1    .
    code 2       .    1    .    2
    codes 0, 2   1:0  1:0  1:2  2:2       merged: the winner wherever one of them changes
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
        if not len(at):
            out[windows] = NONE
            continue
        winners = _play(changed, at, count << depth | every - changed, depth)
        last = np.searchsorted(np.sort(at), np.arange(len(own[0])), side="right")
        best = np.append(winners, 0)[last - 1]
        out[windows] = np.where(best >> depth > 0, every - (best & every), NONE)


def _changes(codes: Array, starts: Array, stops: Array) -> tuple[Array, Array, Array]:
    """Codes, in order, the windows from which on they are there how often."""
    count = len(starts)
    comes = np.searchsorted(stops, np.arange(len(codes)), side="right")
    goes = np.searchsorted(starts, np.arange(len(codes)), side="right")
    seen = comes < goes
    codes, comes, goes = codes[seen], comes[seen], goes[seen]
    leaves = goes < count
    shift = count.bit_length()
    events = np.concatenate(
        [
            (codes << shift | comes) << 1 | 1,
            (codes[leaves] << shift | goes[leaves]) << 1,
        ]
    )
    events.sort()
    place = events >> 1
    last = np.ones(len(events), bool)
    last[:-1] = place[1:] != place[:-1]
    sums = np.cumsum(2 * (events & 1) - 1)[last]
    changed, at = place[last] >> shift, place[last] & ((1 << shift) - 1)
    first = np.ones(len(changed), bool)
    first[1:] = changed[1:] != changed[:-1]
    before = np.append(0, sums)[:-1]
    counts = sums - before[first].repeat(np.diff(np.flatnonzero(np.append(first, True))))
    is_new = first.copy()
    is_new[1:] |= counts[1:] != counts[:-1]
    return changed[is_new], at[is_new], counts[is_new]


def _play(codes: Array, at: Array, winners: Array, depth: int) -> Array:
    """The winners of all codes after each change, in the order of windows."""
    shift = max(int(depth), 1)
    codes = np.sort(at << shift | codes) & ((1 << shift) - 1)
    sides = []
    for bit in range(depth):
        low = (codes >> bit) & 1 == 0
        sides.append(low)
        codes = np.concatenate([codes[low], codes[~low]])
    for bit in range(depth - 1, -1, -1):
        winners = _merge(sides[bit], winners, (1 << bit) - 1)
    return winners


def _merge(low: Array, winners: Array, node: int) -> Array:
    """The winners of nodes after each change of either half.

    Those of low halves stand before all others; codes of a node agree in the bits of
    `node`, and what stands last in the other half may be of another node.
    """
    lows = np.cumsum(low)
    if lows[-1] in (0, len(lows)):
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
    return np.where(is_of_both, np.maximum(of_low, of_high), own)
