r"""Rank tree: a tree over values in order, whose leaves are filled and emptied.

                 sum or winner of all
              /                       \
        of the lower half        of the upper half
        /     \                     /      \
      1.0     2.0                 3.0      7.5          leaves: values in order

    weighted median   a leaf has its row's weight, a node the sum of both below it;
                      the way down goes where half of the whole weight lies
    mode              a leaf has how often its value is there, a node the leaf that
                      wins below it: the most frequent, the smallest of these

A node is made anew from its children, and nothing is subtracted: a weight that has left
cannot be seen again.
"""

from __future__ import annotations

import numpy as np

from windrow.loops import compiled

from ._method import Method

NONE = -1
PLAIN = 50_000  # rows: plain Python takes 10 us for each


def _weigh_lists(ranks, weights, starts, stops, out, after):
    """The same over lists, which plain Python reads five times as fast as arrays."""
    leaves = _count_leaves(len(ranks))
    sums, found, following = [0.0] * (2 * leaves), [NONE] * len(out), [NONE] * len(out)
    ranks, weights = ranks.tolist(), weights.tolist()
    bounds = starts.tolist(), stops.tolist()
    _weigh_windows(sums, leaves, ranks, weights, bounds[0], bounds[1], found, following)
    out[:], after[:] = found, following


@compiled(columns=_weigh_lists, most=PLAIN)
def weigh(ranks, weights, starts, stops, out, after):
    """Write the rank at which half of each window's weight is reached to `out`.

    `after` has the next rank of a weight where exactly half is reached, else the same;
    both are -1 where there is no weight.
    """
    leaves = _count_leaves(len(ranks))
    sums = np.zeros(2 * leaves)
    _weigh_windows(sums, leaves, ranks, weights, starts, stops, out, after)


def _count_leaves(rows):
    leaves = 1
    while leaves < rows:
        leaves *= 2
    return leaves


def _weigh_windows(sums, leaves, ranks, weights, starts, stops, out, after):
    start = stop = 0
    for k in range(len(starts)):
        for i in range(start, min(starts[k], stop)):
            _fill(sums, leaves + ranks[i], 0.0)
        start = starts[k]
        for i in range(max(stop, start), stops[k]):
            _fill(sums, leaves + ranks[i], weights[i])
        stop = max(stop, stops[k])
        out[k] = after[k] = NONE
        if sums[1] > 0.0:
            half, reached, node = sums[1] / 2.0, 0.0, 1
            while node < leaves:
                low = sums[2 * node]
                if (reached + low >= half and low > 0.0) or sums[2 * node + 1] == 0.0:
                    node = 2 * node
                else:
                    reached += low
                    node = 2 * node + 1
            out[k] = after[k] = node - leaves
            if reached + sums[node] == half:
                after[k] = _next_leaf(sums, leaves, node) - leaves


def _fill(sums, node, weight):
    sums[node] = weight
    node >>= 1
    while node > 0:
        sums[node] = sums[2 * node] + sums[2 * node + 1]
        node >>= 1


def _next_leaf(sums, leaves, node):
    """The next leaf with a weight; there is one."""
    while node % 2 == 1 or sums[node + 1] == 0.0:
        node >>= 1
    node += 1
    while node < leaves:
        node = 2 * node if sums[2 * node] > 0.0 else 2 * node + 1
    return node


@compiled(most=PLAIN)
def most_frequent(codes, kinds, starts, stops, out):
    """Write the most frequent code of each window, the least of several; -1: none."""
    leaves = 1
    while leaves < kinds:
        leaves *= 2
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
    time="log2(n) sums a row, or as many winners as change",
    space="2 n sums",
    source="FlatFAT (RA 4.1) over ranks in place of positions",
)
