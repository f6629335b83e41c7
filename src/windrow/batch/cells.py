"""Folds the rows of a table where they stand, and gives the cells as slices.

    table --numbers of keys, instants--> cells --those that hold a row--> slices

What comes out is what sorting, cutting and folding would give: runs of slices, key by
key, of which each has its instant and its partial.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.kernels import KeyText, Product
from windrow.loops import in_threads, over_rows
from windrow.loops.sort import longest_step_in
from windrow.plan.aggregate import Plan
from windrow.plan.cells import CellFacts
from windrow.slicing import PART, CellRows, fold_cells

from .keys import KeyColumn, KeyNumbers, number_keys
from .sorted_rows import SortedRows, check_room, times_of

Array = np.ndarray[Any, Any]


class RowFilter(Protocol):
    """What leaves rows out (`row_loop.py`)."""

    @property
    def keys(self) -> Mapping[str, KeyColumn]:
        """Columns of joined tables, by their names among the keys of the plan."""

    def texts(self, add: Callable[[Array], str]) -> list[str]:
        """What must be true of row i, over columns that are added."""


@dataclass(frozen=True)
class UnsortedRows:
    """The rows of a table as they stand: their keys as numbers, and their times.

    With a `filter` some rows are left out, and keys may come from joined tables.
    """

    table: pa.Table
    plan: Plan
    threads: int
    filter: RowFilter | None = None

    @cached_property
    def keys(self) -> KeyNumbers:
        """The columns of the key as numbers."""
        joined = {} if self.filter is None else dict(self.filter.keys)
        own = [name for name in self.plan.by if name not in joined]
        found = number_keys(self.table, own, self.threads)
        known = dict(zip(own, found.columns, strict=True)) | joined
        schema = pa.schema([self.plan.schema.field(name) for name in self.plan.by])
        return KeyNumbers(schema, tuple(known[name] for name in self.plan.by))

    @cached_property
    def clock(self) -> tuple[Array, Array | None]:
        """The times in ticks, and their validity (None: all are valid)."""
        assert self.plan.clock is not None
        return times_of(self.table, self.plan.clock)

    @cached_property
    def in_order(self) -> bool:
        """Whether no time is before that of the row above it."""
        times, has_time = self.clock
        if has_time is not None:
            times = times[has_time]
        look = partial(longest_step_in, times)
        return min(over_rows(look, len(times), self.threads)) >= 0

    @cached_property
    def edges(self) -> Array | None:
        """The edges of all slices; None where there are too many."""
        times, has_time = self.clock
        times = times if has_time is None else times[has_time]
        if not len(times):
            return np.zeros(1, np.int64)
        ends = times[[0, -1]] if self.in_order else np.array([times.min(), times.max()])
        check_room(ends, self.plan.longest)
        most = self.plan.most_cells(len(times)) // max(self.keys.size, 1)
        return self.plan.cuts.edges(int(ends[0]), int(ends[1]), most)

    @property
    def facts(self) -> CellFacts:
        """How large a table of keys x slices would be."""
        edges, rows = self.edges, len(self.table)
        slices = None if edges is None else len(edges) - 1
        return CellFacts(self.keys.size, slices, rows, self.in_order)

    def fold(
        self, product: Product, source: tuple[Array, ...], threads: int
    ) -> tuple[SortedRows, tuple[Array, ...]]:
        """The cells that hold a row as rows in order, and their partials."""
        edges, keys = self.edges, self.keys
        assert edges is not None
        rows = self._cell_rows(source)
        pieces = self._pieces(edges)
        cells, work = fold_cells(product, rows, edges, keys.size, pieces)
        in_threads(lambda piece: work[piece](), len(pieces), threads)
        present, slices = np.flatnonzero(cells.counts > 0), len(edges) - 1
        begins = np.searchsorted(present, np.arange(keys.size + 1) * slices)
        codes = np.flatnonzero(np.diff(begins))
        firsts, lasts = begins[codes], begins[codes + 1]
        at = present - np.repeat(codes * slices, lasts - firsts)
        runs = SortedRows(None, firsts, lasts, keys.keys(codes), edges[at])
        return runs, tuple(field[present] for field in cells.partials)

    def _pieces(self, edges: Array) -> list[slice]:
        """Pieces of rows without a common slice, for threads; rows must be in order."""
        times, has_time = self.clock
        rows = len(times)
        if not self.in_order or has_time is not None or rows < 2 * PART:
            return [slice(0, rows)]
        wished = times[PART : rows - PART // 2 : PART]
        cuts = edges[np.searchsorted(edges, wished, side="right") - 1]
        bounds = np.unique([0, *np.searchsorted(times, cuts), rows]).tolist()
        return [slice(*pair) for pair in pairwise(bounds)]

    def _cell_rows(self, source: tuple[Array, ...]) -> CellRows:
        """The rows as the loop reads them, with the text that numbers their keys."""
        times, has_time = self.clock
        columns, numbers = list(source), list[int]()

        def read(column: Array) -> str:
            columns.append(column)
            return f"read(source[{len(columns) - 1}], i)"

        def key_text(column: KeyColumn) -> KeyText:
            value, rank, length = read(column.values), None, None
            shift = not column.is_joined and column.valid is not None
            low, size = len(numbers), len(numbers) + 1
            numbers.extend([column.low - shift, column.size])
            if column.rank is not None:
                rank = len(columns)
                columns.append(column.rank)
                length = len(numbers) if column.is_joined else None
                numbers.append(len(column.rank))
            valid = None if column.valid is None else read(column.valid)
            return KeyText(value, low, size, rank, valid, length)

        keys = tuple(map(key_text, self.keys.columns))
        left_in = [] if has_time is None else [read(has_time)]
        tests: tuple[KeyText, ...] = ()
        if self.filter is not None:
            left_in += self.filter.texts(read)
            others = self.filter.keys.items()
            tests = tuple(key_text(c) for n, c in others if n not in self.plan.by)
        words = np.array(numbers, np.int64)
        texts = " & ".join(left_in) or None
        return CellRows(tuple(columns), words, times, keys, texts, tests)
