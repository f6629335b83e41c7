"""Turns plain functions into loops that run at once, and compiled when it pays.

    text.py       the source of a kernel, from functions and generated text
    arrays.py     memory for results
    compute.py    Arrow's own functions, loaded with the first that is called
    cache.py      its files on disk, named by their content
    load.py       a module of it: compiled, interpreted, or over columns
    machine.py    its machine code, loaded and kept (imports numba)
    parts.py      functions that only machine code calls (imports numba)
    memory.py     the words of compiled kernels (imports numba)
    plain.py      those of interpreted kernels
    columns.py    those of kernels over whole columns
    choice.py     how a thread, or a task of a query, wants kernels to run
    lanes.py      which of them runs: rent or buy
    compiled.py   loops that are the same for every query
    search.py     places in many sorted runs at once
    sort.py       rows sorted by the codes of their keys
    spread.py     numbers repeated or counted on, run by run
    threads.py    pieces of work on several threads

Knows nothing of aggregates or windows.
"""

from .arrays import arrays, as_arrow, as_numpy, take
from .cache import cache_folder, digest, has_code, kernel_name
from .choice import (
    Lane,
    TaskLane,
    Unrecorded,
    Way,
    forced_lane,
    keep_way,
    pinned,
    recording,
    running,
    steadily,
    stop_record,
)
from .columns import highest_bit, lowest_bit, ordinals, peek, poke, read
from .compiled import compiled
from .lanes import PRICE, Laned
from .load import (
    compiled_content,
    interpreting,
    is_interpreting,
    kernel,
    run_with_user_lines,
)
from .search import lower_bound
from .spread import spread
from .text import ENTRY, INLINE, JIT, Text, defined_name, literal
from .threads import in_threads, limited, over_rows, spare_threads, thread_count

__all__ = [
    "ENTRY",
    "INLINE",
    "JIT",
    "PRICE",
    "Lane",
    "Laned",
    "TaskLane",
    "Text",
    "Unrecorded",
    "Way",
    "arrays",
    "as_arrow",
    "as_numpy",
    "cache_folder",
    "compiled",
    "compiled_content",
    "defined_name",
    "digest",
    "forced_lane",
    "has_code",
    "highest_bit",
    "in_threads",
    "interpreting",
    "is_interpreting",
    "keep_way",
    "kernel",
    "kernel_name",
    "limited",
    "literal",
    "lower_bound",
    "lowest_bit",
    "ordinals",
    "over_rows",
    "peek",
    "pinned",
    "poke",
    "read",
    "recording",
    "run_with_user_lines",
    "running",
    "spare_threads",
    "spread",
    "steadily",
    "stop_record",
    "take",
    "thread_count",
]
