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

from windrow.engine.folded import Folding
from windrow.engine.panes import PANE
from windrow.engine.partials import read_partials, write_partials

from .pages import ID, SOME

Array = np.ndarray[Any, Any]
Fields = tuple[Array, ...]


class Pieces:
    """Tables of partials put under each other."""

    def __init__(self, folding: Folding, tables: Sequence[pa.Table]) -> None:
        names = [name for field in folding.fields for name in field.columns]
        stacked = pa.concat_tables([table.select(names) for table in tables])
        self.partials = read_partials(
            folding.asked, folding.fields, stacked.combine_chunks()
        )
        sizes = [len(table) for table in tables]
        self.starts = (np.cumsum(sizes) - sizes).tolist()
        self.ids = _column(tables, ID, 0)
        self.panes = _column(tables, PANE, 0)
        self.some = _column(tables, SOME, True).astype(bool)

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
