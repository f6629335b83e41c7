"""Turns plain functions into loops that run at once, and compiled when it pays.

    text.py       the source of a kernel, from functions and generated text
    arrays.py     memory for results
    cache.py      its file on disk, named by its content
    load.py       a module of it: compiled, interpreted, or over columns
    memory.py     the words of compiled kernels (imports numba)
    plain.py      those of interpreted kernels
    columns.py    those of kernels over whole columns
    lanes.py      which of them runs: rent or buy
    compiled.py   loops that are the same for every query
    search.py     places in many sorted runs at once
    spread.py     numbers repeated or counted on, run by run

Knows nothing of aggregates or windows.
"""

from .arrays import arrays
from .cache import cache_folder, has_machine_code
from .columns import ordinals, poke, read
from .compiled import compiled
from .lanes import PRICE, Lane, Laned, forced_lane, pinned, query_lane
from .load import (
    cached_content,
    interpreting,
    is_interpreting,
    kernel,
    run_with_user_lines,
)
from .search import lower_bound
from .spread import spread
from .text import ENTRY, INLINE, JIT, Text, literal

__all__ = [
    "ENTRY",
    "INLINE",
    "JIT",
    "PRICE",
    "Lane",
    "Laned",
    "Text",
    "arrays",
    "cache_folder",
    "cached_content",
    "compiled",
    "forced_lane",
    "has_machine_code",
    "interpreting",
    "is_interpreting",
    "kernel",
    "literal",
    "lower_bound",
    "ordinals",
    "pinned",
    "poke",
    "query_lane",
    "read",
    "run_with_user_lines",
    "spread",
]
