r"""Rank tree: a tree over codes in order, whose leaves are filled and emptied.

                 sum or winner of all
              /                       \
        of the lower half        of the upper half
        /     \                     /      \
      1.0     2.0                 3.0      7.5          leaves: values in order

    weighted median   a leaf has its value's weight, a node the sum of both below it;
                      the way down goes where half of the whole weight lies
    mode              a leaf has how often its value is there, a node the leaf that
                      wins below it: the most frequent, the smallest of these

Weights are whole numbers in limbs (`exact_weights.py`): nothing is rounded, and one
that has left is seen no more.  Over whole columns `weighted_tree.py` and `winners.py`
give the same.
"""

from __future__ import annotations

import numpy as np

from windrow.loops import compiled

from ._method import Method
from .weighted_tree import weigh_columns
from .winners import NONE, winners_columns


@compiled(columns=weigh_columns)
def weigh(codes, kinds, parts, gaps, starts, stops, out, after):
    """Write the code at which half of each window's weight is reached to `out`.

    `after` has the next code with a weight where exactly half is reached, else the
    same; both are -1 where there is no weight.
    """
    leaves, limbs = _count_leaves(kinds), len(parts)
    sums = np.zeros((2 * leaves, limbs), np.int64)
    wanted = np.zeros(limbs, np.int64)
    start = stop = 0
    for k in range(len(starts)):
        for i in range(start, min(starts[k], stop)):
            _weigh_more(sums, leaves + codes[i], parts, i, -1)
        start = starts[k]
        for i in range(max(stop, start), stops[k]):
            _weigh_more(sums, leaves + codes[i], parts, i, 1)
        stop = max(stop, stops[k])
        out[k] = after[k] = NONE
        _want_more_than_half(sums, wanted)
        if _reaches(sums, 1, wanted, gaps):  # there is a weight
            wanted[0] -= 1
            out[k] = after[k] = _descend(sums, leaves, wanted, gaps)
            wanted[0] += 1
            if not _reaches(sums, leaves + out[k], wanted, gaps):
                _want_more_than_half(sums, wanted)
                after[k] = _descend(sums, leaves, wanted, gaps)


def _count_leaves(kinds):
    leaves = 1
    while leaves < kinds:
        leaves *= 2
    return leaves


def _weigh_more(sums, node, parts, row, by):
    """Add the weight of a row to a leaf and all nodes above, or take it off."""
    while node > 0:
        for limb in range(len(parts)):
            sums[node, limb] += by * parts[limb, row]
        node >>= 1


def _want_more_than_half(sums, wanted):
    for limb in range(len(wanted)):
        wanted[limb] = sums[1, limb]
    wanted[0] += 1


def _descend(sums, leaves, wanted, gaps):
    """The first code up to which twice the weight is as much as is wanted.

    What is wanted of its leaf is left in `wanted`.
    """
    node = 1
    while node < leaves:
        node = 2 * node
        if not _reaches(sums, node, wanted, gaps):
            for limb in range(len(wanted)):
                wanted[limb] -= 2 * sums[node, limb]
            node += 1
    return node - leaves


def _reaches(sums, node, wanted, gaps):
    """Whether twice the weight of a node is as much as is wanted."""
    above = 2 * sums[node, 0] - wanted[0]
    for limb in range(1, len(wanted)):
        above = 2 * sums[node, limb] - wanted[limb] + (above >> gaps[limb])
    return above >= 0


@compiled(columns=winners_columns)
def most_frequent(codes, kinds, starts, stops, out):
    """Write the most frequent code of each window, the least of several; -1: none."""
    leaves = _count_leaves(kinds)
    counts = np.zeros(leaves, np.int64)
    best = np.empty(2 * leaves, np.int64)
    for node in range(2 * leaves - 1, 0, -1):
        best[node] = node - leaves if node >= leaves else best[2 * node]
    start = stop = 0
    for k in range(len(starts)):
        for i in range(start, min(starts[k], stop)):
            _change(counts, best, leaves, codes[i], -1)
        start = starts[k]
        for i in range(max(stop, start), stops[k]):
            _change(counts, best, leaves, codes[i], 1)
        stop = max(stop, stops[k])
        out[k] = best[1] if counts[best[1]] > 0 else NONE


def _change(counts, best, leaves, code, by):
    """Count a code once more or less; only nodes that it wins or won can change."""
    counts[code] += by
    node = (leaves + code) >> 1
    while node > 0:
        low, high = best[2 * node], best[2 * node + 1]
        winner = high if counts[high] > counts[low] else low
        if winner == best[node] and winner != code:
            return
        best[node] = winner
        node >>= 1


RANK_TREE = Method(
    name="rank_tree",
    title="Rank tree",
    serves="weighted medians and modes",
    time="log2(d) sums a row, or as many winners as change",
    space="2 d sums",
    source="FlatFAT (RA 4.1) over codes in place of positions",
)
