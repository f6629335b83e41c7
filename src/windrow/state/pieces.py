"""Partials of a step in one set of arrays, wherever they came from.

    places    partials of each key | slices just closed | pages that were read | ...
              ... | prefixes, suffixes and chains made of them

What stands in one set of arrays can be combined; a place is a number in these arrays,
which may grow as partials are combined.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from windrow.algorithms.pba_scans import prefix_scan, suffix_scan
from windrow.batch.partials import (
    PANE,
    Folding,
    PartialLayout,
    read_partials,
    write_partials,
)
from windrow.kernels import Product
from windrow.windows.rule import Array

from .slice_pages import ID, SOME

Fields = tuple[Array, ...]


class Pieces:
    """Groups of tables of partials, put under each other.

    `keys` says of each piece where in `key_ids` its key stands; slices of expired keys
    are ignored, wherever that is.
    """

    def __init__(
        self,
        layout: PartialLayout | Folding,
        groups: Sequence[Sequence[pa.Table | None]],
        key_ids: Array,
    ) -> None:
        tables = [table for group in groups for table in group if table is not None]
        names = [name for field in layout.fields for name in field.columns]
        stacked = pa.concat_tables([table.select(names) for table in tables])
        self.product = layout.request.product
        stacked = stacked.combine_chunks()
        self.partials = read_partials(layout.request, layout.fields, stacked)
        self.ids = _stack(tables, ID, 0)
        self.keys = np.minimum(np.searchsorted(key_ids, self.ids), len(key_ids) - 1)
        self.key_ids = key_ids
        self.panes = _stack(tables, PANE, 0)
        self.some = _stack(tables, SOME, True).astype(bool)
        self._places: list[list[Array]] = []
        at = 0
        for group in groups:
            sizes = [0 if table is None else len(table) for table in group]
            edges = np.cumsum([at, *sizes])
            self._places.append([np.arange(*edge) for edge in pairwise(edges)])
            at = edges[-1]

    def group(self, number: int, chosen: Sequence[bool] | None = None) -> Array:
        """The places of a group, or of the tables that are chosen from it."""
        places = self._places[number]
        if chosen is not None:
            places = [p for p, is_in in zip(places, chosen, strict=True) if is_in]
        return np.concatenate([np.empty(0, np.int64), *places])

    def table(self, columns: dict[str, Array], source: Fields, at: Array) -> pa.Table:
        """Columns, and the partials at places of arrays that begin with the pieces."""
        partials = write_partials(self.partials, tuple(field[at] for field in source))
        arrays = {name: pa.array(column) for name, column in columns.items()}
        return pa.table({**arrays, **partials})


def _stack(tables: Sequence[pa.Table], name: str, default: Any) -> Array:
    """A column of all tables, one under the other; a default where it is missing."""
    return np.concatenate(
        [
            table.column(name).to_numpy()
            if name in table.column_names
            else np.full(len(table), default)
            for table in tables
        ]
    )


def stack(above: Fields, below: Fields) -> Fields:
    """Two sets of arrays, one under the other."""
    return tuple(np.concatenate(pair) for pair in zip(above, below, strict=True))


class PartialPlaces:
    """Arrays of partials, which grow; a place is a number in them."""

    def __init__(self, product: Product, fields: Fields) -> None:
        self.product, self.fields = product, fields

    def add(self, *more: Fields) -> int:
        """Put partials behind; the place of the first."""
        base = len(self.fields[0]) if self.fields else 0
        pairs = zip(self.fields, *more, strict=True)
        self.fields = tuple(np.concatenate(parts) for parts in pairs)
        return base

    def chain(self, places: Array) -> Array:
        """Combine the places of each row, older first; -1 where there is none."""
        some = places >= 0
        counts = some.sum(axis=1)
        lasts = np.cumsum(counts)
        firsts, none = lasts - counts, np.full(len(counts), -1)
        rows = places[some]
        runs = firsts[counts > 0], lasts[counts > 0], none[counts > 0]
        base = self.add(prefix_scan(self.product, self.fields, rows, *runs))
        return np.where(counts > 0, base + lasts - 1, -1)

    def prefixes(self, rows: Array, firsts: Array, lasts: Array) -> int:
        """At each row, its run so far; the place of the first."""
        none = np.full(len(firsts), -1)
        scan = prefix_scan(self.product, self.fields, rows, firsts, lasts, none)
        return self.add(scan)

    def suffixes(self, rows: Array, firsts: Array, lasts: Array) -> Array:
        """The places, row by row, of what is left of its run, itself included."""
        none = np.full(len(firsts), -1)
        runs = rows, firsts, lasts, none
        scan, wholes = suffix_scan(self.product, self.fields, *runs)
        base = self.add(scan)
        whole = self.add(wholes)
        places = base - 1 + np.arange(len(rows))
        places[firsts] = whole + np.arange(len(firsts))
        return places


class Entries(NamedTuple):
    """Rows of a page or a tail, by key and position, and where their partials are."""

    ids: Array
    children: Array
    positions: Array
    times: Array
    places: Array

    def take(self, rows: Array) -> Entries:
        """Some rows."""
        return Entries(*(values[rows] for values in self))
