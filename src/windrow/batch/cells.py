"""Folds the rows of a table where they stand, and gives the cells as slices.

    table --numbers of keys, instants--> cells --those that hold a row--> slices

What comes out is what sorting, cutting and folding would give: runs of slices, key by
key, of which each has its instant and its partial.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.kernels import KeyText, Product
from windrow.loops import in_threads, over_rows
from windrow.loops.sort import longest_step_in
from windrow.plan.aggregate import Plan
from windrow.plan.cells import CellFacts
from windrow.slicing import PART, CellRows, fold_cells

from .keys import KeyNumbers, number_keys
from .sorted_rows import SortedRows, check_room, times_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class UnsortedRows:
    """The rows of a table as they stand: their keys as numbers, and their times."""

    table: pa.Table
    plan: Plan
    threads: int

    @cached_property
    def keys(self) -> KeyNumbers:
        """The columns of the key as numbers."""
        return number_keys(self.table, self.plan.by, self.threads)

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
        present = np.flatnonzero(cells.counts)
        codes, at = np.divmod(present, max(len(edges) - 1, 1))
        firsts = np.flatnonzero(np.diff(codes, prepend=-1))
        lasts = np.append(firsts[1:], len(codes))[: len(firsts)]
        runs = SortedRows(None, firsts, lasts, keys.keys(codes[firsts]), edges[at])
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
        columns, numbers, keys = list(source), list[int](), list[KeyText]()

        def read(column: Array) -> str:
            columns.append(column)
            return f"read(source[{len(columns) - 1}], i)"

        for column in self.keys.columns:
            value, rank, valid = read(column.values), None, None
            if column.rank is not None:
                rank = len(columns)
                columns.append(column.rank)
            if column.valid is not None:
                valid = read(column.valid)
            low, size = len(numbers), len(numbers) + 1
            keys.append(KeyText(value, low, size, rank, valid))
            numbers += [column.low - (valid is not None), column.size]
        left_in = None if has_time is None else read(has_time)
        words = np.array(numbers, np.int64)
        return CellRows(tuple(columns), words, times, tuple(keys), left_in)
