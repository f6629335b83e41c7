"""Chooses how aggregates find values by their order, from what is known of the rows.

    counting        whole numbers in a small range         nothing is sorted
    sorted_blocks   as many rows a window, moved on by one, no null among them
    ranked_bits     any other windows                      sorted once
    wavelet_tree    questions that no cursor can follow: ranks, distances
    rank_tree       sums and winners over values in order

The first three are walked by cursors, which take a compiler; before that, and on the
first call, all windows ask a wavelet tree of the same codes at once.  So does a
weighted median in place of its rank tree, and a mode plays that tree level by level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates.order_functions import is_continuous

from .bind import BoundCall

if TYPE_CHECKING:
    from windrow.selection import Method

LEAST_WIDTH = 8  # rows of a block that are worth sorting by themselves

_BY_INDEX = ("median", "quantile", "percentile_disc", "top_k", "bottom_k")
_FIXED = {
    "mad": ("WAVELET_TREE", "distances are found by halving over values in order"),
    "rank": ("WAVELET_TREE", "each row asks for its own value"),
    "percent_rank": ("WAVELET_TREE", "each row asks for its own value"),
    "mode": ("RANK_TREE", "a winner for each part of the values in order"),
    "weighted_median": ("RANK_TREE", "sums of weights over values in order"),
}


@dataclass(frozen=True)
class Selection:
    """The method of a call, and why."""

    method: Method
    reason: str

    def gives_numbers(self, bound: BoundCall) -> bool:
        """Whether the call is one quantile between values, by sorted blocks."""
        options = bound.call.options
        is_one = not isinstance(options.get("q"), tuple)
        between = bound.aggregate.name == "median" or is_continuous(options)
        return self.method.name == "sorted_blocks" and is_one and between

    def __str__(self) -> str:
        return f"{self.method.name} ({self.method.title}): {self.reason}"


@dataclass(frozen=True)
class EvenWindows:
    """Windows of `width` rows that move on by one, over keys of so many rows each."""

    width: int
    run: float


def choose_selections(
    calls: Sequence[BoundCall],
    ranges: Mapping[str, int] | None = None,
    nulls: frozenset[str] | None = None,
    even: EvenWindows | None = None,
) -> dict[str, Selection]:
    """The methods of calls that need values in order, by the names of their results.

    `ranges` are the numbers of values that columns of whole numbers may have, `nulls`
    the columns that hold some (None: all may).
    """
    found = {}
    for bound in calls:
        name = bound.aggregate.name
        if name in _FIXED:
            method, reason = _FIXED[name]
            found[bound.name] = Selection(_methods(method), reason)
        elif name in _BY_INDEX:
            found[bound.name] = _by_index(bound, ranges or {}, nulls, even)
    return found


def _methods(name: str) -> Any:
    """A name of `windrow.selection`, which calls without an order never load."""
    return getattr(import_module("windrow.selection"), name)


def _by_index(
    bound: BoundCall,
    ranges: Mapping[str, int],
    nulls: frozenset[str] | None,
    even: EvenWindows | None,
) -> Selection:
    column = bound.columns[0]
    values = ranges.get(column, _values_of_type(bound.types[0]))
    ranked: Method = _methods("RANKED_BITS")
    if values is not None and values <= _methods("MOST"):
        return Selection(
            _methods("COUNTING"), f"{values:,} values at most, so none is sorted"
        )
    if nulls is None or column in nulls:
        return Selection(ranked, "values may be null: windows of any lengths")
    if even is None:
        return Selection(ranked, "windows hold any number of rows")
    if even.width < LEAST_WIDTH:
        return Selection(ranked, f"blocks of {even.width} rows would be too short")
    if even.run < even.width:
        few = f"keys are not known to have {even.width:,} rows on average"
        return Selection(ranked, few)
    return Selection(
        _methods("SORTED_BLOCKS"), f"blocks of {even.width:,} rows, one after another"
    )


def _values_of_type(kind: pa.DataType) -> int | None:
    """How many values a type of whole numbers has; None if it has none, or many."""
    if pat.is_boolean(kind):
        return 2
    return 1 << kind.bit_width if pat.is_integer(kind) and kind.bit_width < 32 else None


def ranged_columns(calls: Sequence[BoundCall]) -> list[str]:
    """The columns of whole numbers whose range decides on a method."""
    return list(
        dict.fromkeys(
            bound.columns[0]
            for bound in calls
            if bound.aggregate.name in _BY_INDEX
            and (pat.is_integer(bound.types[0]) or pat.is_date32(bound.types[0]))
            and bound.types[0].bit_width >= 32
        )
    )
