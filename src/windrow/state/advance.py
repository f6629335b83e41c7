"""Moves the windows of one rule on by a step, for all keys of a bucket.

1. prefixes   slices just closed are added to the partial of their chunk, key by key
2. suffixes   slices of complete chunks get the suffix behind them, as many as are due
3. walk       windows that fall due, each as at most three places
4. merge      their partials, lowered

Partials from the store, of slices and of pages stand in one set of arrays, so that they
can be combined; a place is a number in these arrays:

    places    partials of each key | slices just closed | pages that were read
              | prefixes | suffixes | wholes of chunks

What stays behind is the state of the windows: head, middle and newest of each key, the
suffix that is being built, and suffixes of slices that have not left yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms.pba_scans import merge, prefix_scan, suffix_scan
from windrow.batch.columns import array_runs
from windrow.batch.partials import (
    PANE,
    Folding,
    PartialLayout,
    read_partials,
    write_partials,
)
from windrow.windows.rule import Array

from .slice_pages import ID, SOME
from .walk import Chunks, SliceRuns, Walk, WindowParts

Fields = tuple[Array, ...]

SLOTS = 4
HEAD, MIDDLE, NEWEST, BUILDING = range(SLOTS)
SLAB = 1 << 18  # windows that are lowered in one go


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


@dataclass(frozen=True)
class WindowInputs:
    """What the windows of a rule start a step with; places are numbers in `pieces`.

    `parts[s]` has, for each key, the place of its partial in slot s; `closed` are the
    slices just closed; `leaving` and `raw` are places of what was read from pages.
    Suffixes of chunk `under` are being built.
    """

    pieces: Pieces
    parts: Sequence[Array]
    closed: SliceRuns
    leaving: Array
    raw: Array
    under: int
    before: int
    now: int


@dataclass(frozen=True)
class WindowOutputs:
    """What the windows of a rule end a step with; places count on behind the pieces.

    `suffixes` are those at slices that have not left yet, chunk by chunk.
    """

    source: Fields
    walk: Walk
    building: Array
    under: int
    suffixes: list[pa.Table]

    def parts(self) -> list[Array]:
        """The places of each key's partials, slot by slot, once windows are out."""
        return [*self.walk.after, self.building]

    def windows(self, pieces: Pieces) -> Iterator[tuple[WindowParts, Fields]]:
        """The windows that fell due, in slabs of whole keys."""
        slabs = (np.cumsum(self.walk.counts) - self.walk.counts) // SLAB
        firsts, lasts = array_runs(slabs)
        for first, last in zip(firsts, lasts, strict=True):
            due = self.walk.due(int(first), int(last))
            if len(due.keys):
                yield due, merge(pieces.product, self.source, *due.places)


def advance(chunks: Chunks, inputs: WindowInputs) -> WindowOutputs:
    """Move windows on from `before` to `now`."""
    pieces, closed = inputs.pieces, inputs.closed
    size, count = len(pieces.ids), len(closed.places)
    built = _suffixes(chunks, inputs, base=size + count)
    arrays = pieces.partials.arrays, _prefixes(chunks, inputs), built.scan, built.wholes
    source = tuple(np.concatenate(fields) for fields in zip(*arrays, strict=True))
    coming = closed._replace(places=size + np.arange(count))
    gone = pieces.panes[built.slices] < chunks.begin_due(inputs.now)
    read = np.where(pieces.some[inputs.leaving], inputs.leaving, -1)
    places = np.concatenate([read, np.where(built.some, built.places, -1)[gone]])
    slices = np.concatenate([inputs.leaving, built.slices[gone]])
    keys, panes = pieces.keys[slices], pieces.panes[slices]
    order = np.lexsort((panes, keys))
    lasts = np.cumsum(np.bincount(keys, minlength=len(inputs.parts[0])))
    firsts, panes = np.append(0, lasts[:-1]), panes[order]
    leaving = SliceRuns(firsts, lasts, panes, places[order], chunks.numbers(panes))
    heads = tuple(inputs.parts[:BUILDING])
    walk = Walk(chunks, inputs.before, inputs.now, heads, coming, leaving)
    staying = list(built.tables(pieces, source, ~gone))
    return WindowOutputs(source, walk, built.building, built.under, staying)


def _prefixes(chunks: Chunks, inputs: WindowInputs) -> Fields:
    """At each slice just closed, its chunk so far."""
    pieces, closed = inputs.pieces, inputs.closed
    keys = pieces.keys[closed.places]
    firsts, lasts = array_runs(keys, closed.chunks)
    oldest = chunks.last_due(inputs.before) // chunks.every
    ahead = closed.chunks[firsts] - oldest
    carries = np.full(len(firsts), -1)
    for slot in (HEAD, MIDDLE, NEWEST):
        mine = ahead == slot
        carries[mine] = inputs.parts[slot][keys[firsts][mine]]
    runs = closed.places, firsts, lasts, carries
    return prefix_scan(pieces.product, pieces.partials.arrays, *runs)


@dataclass(frozen=True)
class _Suffixes:
    """Suffixes at `slices` (places) behind which there is `some`, and their `places`.

    `wholes` are those of each key and chunk; `building` is for each key the place of
    the whole that goes on being built.
    """

    slices: Array
    chunks: Array
    some: Array
    places: Array
    scan: Fields
    wholes: Fields
    building: Array
    under: int

    def tables(self, pieces: Pieces, source: Fields, mask: Array) -> Iterator[pa.Table]:
        """The suffixes of those slices, chunk by chunk."""
        for chunk in np.unique(self.chunks[mask]):
            mine = mask & (self.chunks == chunk)
            slices = self.slices[mine]
            columns = {ID: pieces.ids[slices], PANE: pieces.panes[slices]}
            columns[SOME] = self.some[mine]
            yield pieces.table(columns, source, self.places[mine])


def _suffixes(chunks: Chunks, inputs: WindowInputs, *, base: int) -> _Suffixes:
    """Suffixes that are due, from the newest slice of a chunk down.

    They are placed from `base` on, and the wholes behind them.
    """
    pieces, closed = inputs.pieces, inputs.closed
    panes, keys = pieces.panes, pieces.keys
    under, since = chunks.building(inputs.now)
    slices = inputs.raw
    if chunks.has_suffixes:
        mine = (closed.chunks < under) | (
            (closed.chunks == under) & (closed.panes >= since)
        )
        slices = np.concatenate([slices, closed.places[mine]])
    slices = slices[np.lexsort((panes[slices], keys[slices]))]
    numbers = chunks.numbers(panes[slices])
    firsts, lasts = array_runs(keys[slices], numbers)
    old = inputs.parts[BUILDING]
    owners = keys[slices[firsts]]
    carries = np.where(numbers[firsts] == inputs.under, old[owners], -1)
    runs = slices, firsts, lasts, carries
    scan, wholes = suffix_scan(pieces.product, pieces.partials.arrays, *runs)
    some = np.ones(len(slices), bool)
    some[lasts - 1] = carries >= 0
    building = np.full(len(old), -1)
    if since > chunks.start(under):
        if inputs.under == under:
            building = old.copy()
        mine = np.flatnonzero(numbers[firsts] == under)
        building[owners[mine]] = base + len(slices) + mine
    places = base + np.arange(len(slices))
    return _Suffixes(slices, numbers, some, places, scan, wholes, building, under)
