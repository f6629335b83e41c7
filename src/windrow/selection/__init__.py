"""Finds values of windows by their order: medians, quantiles, ranks, the top few.

    by_index.py        rows by their index in the order of values, by any method
    sorted_blocks.py   windows of as many rows that move on by one
    block_order.py     sorts the blocks of these
    ranked_bits.py     windows of any lengths
    counting.py        whole numbers in a small range
    wavelet_tree.py    any range at any time, and all windows at once
    weighted_tree.py   where a share of the weight of any range is reached
    exact_weights.py   weights as whole numbers, so that nothing is rounded
    rank_tree.py       weighted medians and modes
    winners.py         modes of all windows at once
    _stretches.py      windows whose rows are worked on together
    distances.py       median distances from the median
    _bits.py           a set of whole numbers, with the neighbours of each
    _method.py         the card of a method

Knows nothing of tables: values are arrays without nulls, and a window is a range of
them.  Bounds never fall from one window to the next.
"""

from ._method import Method
from .by_index import dense_codes, index_table, select, small_codes
from .counting import COUNTING, MOST
from .distances import median_distances
from .exact_weights import limbs_of
from .rank_tree import RANK_TREE, most_frequent, weigh
from .ranked_bits import RANKED_BITS
from .sorted_blocks import NO_ROWS, SORTED_BLOCKS, walk_trains
from .wavelet_tree import WAVELET_TREE, below, grow, kth
from .weighted_tree import reach_weight

CATALOGUE: tuple[Method, ...] = (
    SORTED_BLOCKS,
    RANKED_BITS,
    COUNTING,
    WAVELET_TREE,
    RANK_TREE,
)

__all__ = [
    "CATALOGUE",
    "COUNTING",
    "MOST",
    "NO_ROWS",
    "RANKED_BITS",
    "RANK_TREE",
    "SORTED_BLOCKS",
    "WAVELET_TREE",
    "Method",
    "below",
    "dense_codes",
    "grow",
    "index_table",
    "kth",
    "limbs_of",
    "median_distances",
    "most_frequent",
    "reach_weight",
    "select",
    "small_codes",
    "walk_trains",
    "weigh",
]
