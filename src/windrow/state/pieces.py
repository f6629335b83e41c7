"""Partials from several places in one set of arrays, so that they can be combined.

    table     partials of each key | slices just closed | pages that were read
    arrays    one per field, ranks and places of strings and payloads common to all
              and, behind them, what scans have made of these

A place is a number in these arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.partials import PANE, Folding, read_partials, write_partials

from .slice_pages import ID, SOME

Array = np.ndarray[Any, Any]
Fields = tuple[Array, ...]


class Pieces:
    """Groups of tables of partials, put under each other."""

    def __init__(
        self, folding: Folding, groups: Sequence[Sequence[pa.Table | None]]
    ) -> None:
        tables = [table for group in groups for table in group if table is not None]
        names = [name for field in folding.fields for name in field.columns]
        stacked = pa.concat_tables([table.select(names) for table in tables])
        self.partials = read_partials(
            folding.asked, folding.fields, stacked.combine_chunks()
        )
        self.ids = _column(tables, ID, 0)
        self.panes = _column(tables, PANE, 0)
        self.some = _column(tables, SOME, True).astype(bool)
        self._places: list[list[Array]] = []
        at = 0
        for group in groups:
            sizes = [0 if table is None else len(table) for table in group]
            ends = at + np.cumsum(sizes, dtype=np.int64)
            self._places.append(
                [np.arange(e - n, e) for n, e in zip(sizes, ends, strict=True)]
            )
            at += sum(sizes)

    def group(self, number: int, chosen: Sequence[bool] | None = None) -> Array:
        """The places of a group, or of the tables that are chosen from it."""
        found = self._places[number]
        if chosen is not None:
            found = [place for place, is_in in zip(found, chosen, strict=True) if is_in]
        return np.concatenate([np.empty(0, np.int64), *found])

    @property
    def arrays(self) -> Fields:
        """One array per field."""
        return self.partials.arrays

    def table(self, columns: dict[str, Any], arrays: Fields) -> pa.Table:
        """Columns, and partials that were made of these pieces."""
        return pa.table({**columns, **write_partials(self.partials, arrays)})


def _column(tables: Sequence[pa.Table], name: str, default: Any) -> Array:
    found = [
        table.column(name).to_numpy()
        if name in table.column_names
        else np.full(len(table), default)
        for table in tables
    ]
    return np.concatenate(found)


__all__ = ["Pieces"]
