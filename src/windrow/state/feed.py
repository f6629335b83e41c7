"""What a bucket is fed: slices that were folded on the way, or rows as they are.

slices    every aggregate commutes: rows are folded before they are shuffled, and
          pieces of a slice that come apart are combined whenever they meet
rows      order matters, or late rows are given back: rows wait in the bucket, and
          are sorted and folded when their slice is closed
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.fold_rows import PANE, ROWS, Folding
from windrow.batch.keys import key_codes
from windrow.batch.partials import Partials, read_partials, write_partials
from windrow.batch.sorted_rows import times_of
from windrow.slicing import fold

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Feed:
    """How tables of slices, or of rows, are read; `names` of the keys in them."""

    folding: Folding
    folded: bool

    @cached_property
    def keys(self) -> list[str]:
        """The key columns of slices."""
        return [f"k{number}" for number in range(len(self.folding.plan.by))]

    def marks(self, table: pa.Table) -> Array:
        """The instant by which each row is placed."""
        if self.folded:
            panes: Array = table.column(PANE).to_numpy()
            return panes
        assert self.folding.plan.clock is not None
        return times_of(table, self.folding.plan.clock)[0]

    def ends(self, marks: Array) -> Array:
        """The instant at which the slice of each mark is closed."""
        return self.folding.plan.cuts.ends(marks)

    def rows(self, table: pa.Table) -> int:
        """How many rows of the stream are in a table."""
        if not self.folded:
            return len(table)
        return int(table.column(ROWS).to_numpy().sum())

    def joined(self, tables: Sequence[pa.Table]) -> pa.Table:
        """Several tables as one, in the order in which they came."""
        table = pa.concat_tables(tables).combine_chunks()
        return self._combined(table) if self.folded and len(tables) > 1 else table

    def slices(self, tables: Sequence[pa.Table]) -> pa.Table:
        """The slices of those tables, by key and pane, each once."""
        table = pa.concat_tables(tables).combine_chunks()
        return self._combined(table) if self.folded else self.folding.fold(table)

    def _combined(self, table: pa.Table) -> pa.Table:
        """Pieces of one slice made one."""
        panes = table.column(PANE).to_numpy()
        codes = np.zeros(len(table), np.int32)
        keys = pa.table({})
        if self.keys:
            codes, keys = key_codes(table, self.keys)
        order = np.lexsort((panes, codes))
        panes, codes = panes[order], codes[order]
        table = table.take(pa.array(order))
        new = np.ones(len(table), bool)
        new[1:] = (panes[1:] != panes[:-1]) | (codes[1:] != codes[:-1])
        if new.all():
            return table
        starts = np.flatnonzero(new)
        stops = np.append(starts[1:], len(table))
        asked, fields = self.folding.asked, self.folding.fields
        partials: Partials = read_partials(asked, fields, table)
        arrays = fold(asked.product, partials.arrays, starts, stops, leaf="slices")
        rows = np.add.reduceat(table.column(ROWS).to_numpy(), starts)
        found = keys.take(pa.array(codes[starts]))
        return pa.table(
            {
                **{name: found.column(name) for name in self.keys},
                PANE: pa.array(panes[starts]),
                ROWS: pa.array(rows),
                **write_partials(replace(partials, arrays=arrays), arrays),
            }
        )


__all__ = ["Feed"]
