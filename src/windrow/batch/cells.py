"""Folds the rows of a table where they stand, and gives the cells as slices.

    table --numbers of keys, instants--> cells --those that hold a row--> slices

What comes out is what sorting, cutting and folding would give: runs of slices, key by
key, of which each has its instant and its partial.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.kernels import KeyText, Product
from windrow.loops import in_threads, over_rows
from windrow.loops.sort import longest_step_in
from windrow.plan.aggregate import Plan
from windrow.plan.cells import CellFacts
from windrow.plan.facts import Facts
from windrow.plan.requests import Slots
from windrow.slicing import PART, CellRows, fold_cells

from .keys import KeyColumn, KeyNumbers, number_keys
from .loop_texts import NumberText
from .sorted_rows import SortedRows, check_room, times_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class LoopTexts:
    """What the loop does with row i beside folding it (`row_loop.py`).

    Texts read `columns`, by their numbers in braces, and call `functions`.  Rows for
    which one of `left_in` is false are left out, and then those for which one of the
    `tests` is; `keys` are joined or computed, and `numbers` are computed columns, by
    their names in the plan.
    """

    left_in: tuple[str, ...]
    tests: tuple[str, ...]
    functions: tuple[str, ...]
    keys: Mapping[str, KeyColumn]
    numbers: Mapping[str, NumberText]
    columns: tuple[Array, ...]


NO_TEXTS = LoopTexts((), (), (), {}, {}, ())


@dataclass(frozen=True)
class Place:
    """How a text reads a column in row i, and its `array` itself."""

    number: int

    @property
    def array(self) -> str:
        """The array of the column."""
        return f"source[{self.number}]"

    def __str__(self) -> str:
        return f"read({self.array}, i)"


@dataclass(frozen=True)
class UnsortedRows:
    """The rows of a table as they stand: their keys as numbers, and their times."""

    table: pa.Table
    plan: Plan
    threads: int
    texts: LoopTexts = NO_TEXTS

    @cached_property
    def keys(self) -> KeyNumbers:
        """The columns of the key as numbers."""
        others = self.texts.keys
        own = [name for name in self.plan.by if name not in others]
        found = number_keys(self.table, own, self.threads)
        known = {**dict(zip(own, found.columns, strict=True)), **others}
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

    def add_facts(self, known: Facts) -> Facts:
        """What is known of a table, with how large keys x slices would be.

        Of columns that are computed in the loop only bounds are known.
        """
        edges, rows = self.edges, len(self.table)
        slices = None if edges is None else len(edges) - 1
        cells = CellFacts(self.keys.size, slices, rows, self.in_order)
        numbers = self.texts.numbers.items()
        nulls = {name for name, number in numbers if number.valid is not None}
        magnitudes = {
            name: max(map(abs, number.bounds))
            for name, number in numbers
            if name in self.plan.sums and not number.is_float
        }
        return replace(
            known,
            nulls=(known.nulls or frozenset()) | nulls,
            magnitudes={**known.magnitudes, **magnitudes},
            cells=cells,
        )

    def fold(
        self, product: Product, source: tuple[Array, ...], slots: Slots, threads: int
    ) -> tuple[SortedRows, tuple[Array, ...]]:
        """The cells that hold a row as rows in order, and their partials."""
        edges, keys = self.edges, self.keys
        assert edges is not None
        rows = self._cell_rows(source, slots)
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

    def _cell_rows(self, source: tuple[Array, ...], slots: Slots) -> CellRows:
        """The rows as the loop reads them, with the text that numbers their keys."""
        times, has_time = self.clock
        columns, numbers = list(source), list[int]()

        def read(column: Array) -> str:
            columns.append(column)
            return str(Place(len(columns) - 1))

        texts = self.texts
        places = [Place(len(columns) + n) for n in range(len(texts.columns))]
        columns += texts.columns

        def written(texts: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(text.format(*places) for text in texts)

        def key_text(column: KeyColumn) -> KeyText:
            if column.texts is not None:
                value, valid = (t and t.format(*places) for t in column.texts)
            else:
                value = read(column.values)
                valid = None if column.valid is None else read(column.valid)
            rank = None
            low, size = len(numbers), len(numbers) + 1
            numbers.extend([column.low, column.size])
            if column.rank is not None:
                rank = len(columns)
                columns.append(column.rank)
            return KeyText(value or "", low, size, rank, valid)

        keys = tuple(map(key_text, self.keys.columns))
        left_in = [] if has_time is None else [read(has_time)]
        left_in += written(texts.left_in)
        computed = []
        for (name, _), slot in slots.columns.items():
            if name in texts.numbers:
                computed.append((slot, texts.numbers[name].value.format(*places)))
        for name, slot in slots.masks.items():
            if name in texts.numbers:
                valid = texts.numbers[name].valid or "True"
                computed.append((slot, f"({valid.format(*places)})"))
        return CellRows(
            tuple(columns),
            np.array(numbers, np.int64),
            times,
            keys,
            " & ".join(left_in) or None,
            written(texts.tests),
            tuple(computed),
            written(texts.functions),
        )
