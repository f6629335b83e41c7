"""Lists the algorithms that slide windows: one file and one line here for each.

To add one, write its picture, its invariants, its functions and its card in a file
named as in the literature, and add it to `CATALOGUE`.  The agreement tests, the
benchmarks, the planner and the tables in the docs read this tuple.
"""

from windrow.errors import UnknownName

from ._algorithm import Algorithm, FormCosts
from ._doubling import slide_columns
from ._kernel import Shape, compile_kernel, kernel_text
from ._parts import range_words
from ._ranges import (
    Q_ANCHOR,
    Q_EVERY,
    Q_NEXT,
    Q_RANGE,
    Q_START,
    Q_WAITS,
    RULE,
    begin_first,
    begin_later,
    drop_oldest,
)
from ._run import (
    count_regular,
    slide_arrays,
    slide_back,
    slide_numbers,
    slide_regular,
)
from ._stepwise import AnyPlace, Stepwise
from ._stretches import ROOM
from ._two_threads import LEAST_STREAM, LEAST_WINDOW
from .b_int import B_INT
from .daba import DABA
from .daba_lite import DABA_LITE
from .flat_fat import FLAT_FAT
from .flat_fit import FLAT_FIT
from .pba import PBA, best_chunk
from .recompute import RECOMPUTE
from .sba import SBA
from .slick_deque import SLICK_DEQUE
from .slick_deque_inv import SLICK_DEQUE_INV
from .slide_side import SLIDE_SIDE
from .slide_side_inv import SLIDE_SIDE_INV
from .subtract_on_evict import SUBTRACT_ON_EVICT
from .two_stacks import TWO_STACKS
from .two_stacks_lite import TWO_STACKS_LITE

CATALOGUE: tuple[Algorithm, ...] = (
    RECOMPUTE,
    SUBTRACT_ON_EVICT,
    TWO_STACKS,
    TWO_STACKS_LITE,
    DABA,
    DABA_LITE,
    FLAT_FAT,
    B_INT,
    FLAT_FIT,
    SLICK_DEQUE_INV,
    SLICK_DEQUE,
    SLIDE_SIDE_INV,
    SLIDE_SIDE,
    SBA,
    PBA,
)

BY_NAME = {algorithm.name: algorithm for algorithm in CATALOGUE}


def find(name: str) -> Algorithm:
    """The algorithm of that name, or an error with the nearest names."""
    if name not in BY_NAME:
        raise UnknownName.among("algorithm", name, ["auto", *BY_NAME])
    return BY_NAME[name]


__all__ = [
    "BY_NAME",
    "CATALOGUE",
    "LEAST_STREAM",
    "LEAST_WINDOW",
    "Q_ANCHOR",
    "Q_EVERY",
    "Q_NEXT",
    "Q_RANGE",
    "Q_START",
    "Q_WAITS",
    "ROOM",
    "RULE",
    "Algorithm",
    "AnyPlace",
    "FormCosts",
    "Shape",
    "Stepwise",
    "begin_first",
    "begin_later",
    "best_chunk",
    "compile_kernel",
    "count_regular",
    "drop_oldest",
    "find",
    "kernel_text",
    "range_words",
    "slide_arrays",
    "slide_back",
    "slide_columns",
    "slide_numbers",
    "slide_regular",
]
