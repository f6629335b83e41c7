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
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms.pba_scans import merge, prefix_scan, suffix_scan
from windrow.batch.partials import PANE, Folding, read_partials, write_partials
from windrow.kernels import Product

from .slice_pages import ID, SOME
from .walk import Chunks, Heads, SliceRuns, Walk, WindowParts

Array = np.ndarray[Any, Any]
Fields = tuple[Array, ...]

SLOTS = 4
HEAD, MIDDLE, NEWEST, BUILDING = range(SLOTS)
SLAB = 1 << 18  # windows that are lowered in one go


class Pieces:
    """Groups of tables of partials, put under each other."""

    def __init__(
        self, folding: Folding, groups: Sequence[Sequence[pa.Table | None]]
    ) -> None:
        tables = [table for group in groups for table in group if table is not None]
        names = [name for field in folding.fields for name in field.columns]
        stacked = pa.concat_tables([table.select(names) for table in tables])
        self.partials = read_partials(
            folding.request, folding.fields, stacked.combine_chunks()
        )
        self.ids = _stack(tables, ID, 0)
        self.panes = _stack(tables, PANE, 0)
        self.some = _stack(tables, SOME, True).astype(bool)
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
        places = self._places[number]
        if chosen is not None:
            places = [p for p, is_in in zip(places, chosen, strict=True) if is_in]
        return np.concatenate([np.empty(0, np.int64), *places])

    @property
    def arrays(self) -> Fields:
        """One array per field."""
        return self.partials.arrays

    def table(self, columns: dict[str, Any], arrays: Fields) -> pa.Table:
        """Columns, and partials that were made of these pieces."""
        return pa.table({**columns, **write_partials(self.partials, arrays)})


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
    slices just closed; `leaving` and `raw` are places of what was read from pages, and
    `keys` the key of each place.  Suffixes of chunk `under` are being built.
    """

    pieces: Pieces
    keys: Array
    parts: list[Array]
    closed: SliceRuns
    leaving: Array
    raw: Array
    under: int
    before: int
    now: int


@dataclass
class WindowOutputs:
    """What the windows of a rule end a step with; places count on behind the pieces.

    Suffixes at places `stay` are those of the slices at places `stay_slices`.
    """

    source: Fields
    walk: Walk
    building: Array
    under: int
    stay: Array
    stay_slices: Array
    stay_some: Array

    def parts(self) -> list[Array]:
        """The places of each key's partials, slot by slot."""
        after = self.walk.after
        return [after.head, after.middle, after.newest, self.building]

    def windows(self, product: Product) -> Iterator[tuple[WindowParts, Fields]]:
        """The windows that fell due, in slabs of whole keys."""
        slabs = (np.cumsum(self.walk.counts) - self.walk.counts) // SLAB
        firsts = np.flatnonzero(np.diff(slabs, prepend=-1))
        for first, last in zip(firsts, [*firsts[1:], self.walk.keys], strict=True):
            due = self.walk.due(int(first), int(last))
            if len(due.keys):
                places = due.head, due.middle, due.newest
                yield due, merge(product, self.source, *places)

    def suffixes(self, pieces: Pieces, chunks: Chunks) -> Iterator[pa.Table]:
        """Suffixes at slices that have not left yet, chunk by chunk."""
        panes = pieces.panes[self.stay_slices]
        numbers = chunks.numbers(panes)
        for number in np.unique(numbers):
            mine = numbers == number
            columns = {
                ID: pa.array(pieces.ids[self.stay_slices[mine]]),
                PANE: pa.array(panes[mine]),
                SOME: pa.array(self.stay_some[mine]),
            }
            taken = tuple(field[self.stay[mine]] for field in self.source)
            yield pieces.table(columns, taken)


def advance(product: Product, chunks: Chunks, inputs: WindowInputs) -> WindowOutputs:
    """Move windows on from `before` to `now`."""
    pieces, closed = inputs.pieces, inputs.closed
    size, count = len(pieces.ids), len(closed.places)
    prefixes = _prefixes(product, chunks, inputs)
    coming = SliceRuns(
        closed.firsts, closed.lasts, closed.panes, size + np.arange(count),
        closed.chunks,
    )  # fmt: skip
    built = _suffixes(product, chunks, inputs)
    source = tuple(
        np.concatenate(arrays)
        for arrays in zip(
            pieces.arrays, prefixes, built.suffixes, built.wholes, strict=True
        )
    )
    base = size + count
    places = np.where(built.some, base + np.arange(len(built.slices)), -1)
    gone = pieces.panes[built.slices] < chunks.begin_due(inputs.now)
    read = np.where(pieces.some[inputs.leaving], inputs.leaving, -1)
    leaving = _runs_of(
        chunks,
        len(inputs.parts[0]),
        inputs.keys[np.concatenate([inputs.leaving, built.slices[gone]])],
        pieces.panes[np.concatenate([inputs.leaving, built.slices[gone]])],
        np.concatenate([read, places[gone]]),
    )
    heads = Heads(*inputs.parts[:BUILDING])
    walk = Walk(chunks, inputs.before, inputs.now, heads, coming, leaving)
    building = np.where(
        built.building >= 0, base + len(built.slices) + built.building, built.carried
    )
    return WindowOutputs(
        source,
        walk,
        building,
        built.under,
        base + np.flatnonzero(~gone),
        built.slices[~gone],
        built.some[~gone],
    )


def _prefixes(product: Product, chunks: Chunks, inputs: WindowInputs) -> Fields:
    """At each slice just closed, its chunk so far."""
    closed = inputs.closed
    keys = inputs.keys[closed.places]
    firsts, lasts = _stretches(keys, closed.chunks)
    oldest = chunks.last_due(inputs.before) // chunks.every
    ahead = closed.chunks[firsts] - oldest
    carries = np.full(len(firsts), -1)
    for slot in (HEAD, MIDDLE, NEWEST):
        mine = ahead == slot
        carries[mine] = inputs.parts[slot][keys[firsts][mine]]
    arrays = inputs.pieces.arrays
    return prefix_scan(product, arrays, closed.places, firsts, lasts, carries)


@dataclass(frozen=True)
class _Suffixes:
    """Suffixes at `slices` (places), and the whole of each key and chunk.

    `building` numbers the whole that goes on being built, key by key; `carried` is
    the place of one that nothing was added to.
    """

    slices: Array
    some: Array
    suffixes: Fields
    wholes: Fields
    building: Array
    carried: Array
    under: int


def _suffixes(product: Product, chunks: Chunks, inputs: WindowInputs) -> _Suffixes:
    """Suffixes that are due, from the newest slice of a chunk down."""
    panes, keys, closed = inputs.pieces.panes, inputs.keys, inputs.closed
    under, since = chunks.building(inputs.now)
    slices = inputs.raw
    if chunks.has_suffixes:
        mine = (closed.chunks < under) | (
            (closed.chunks == under) & (closed.panes >= since)
        )
        slices = np.concatenate([slices, closed.places[mine]])
    slices = slices[np.lexsort((panes[slices], keys[slices]))]
    numbers = chunks.numbers(panes[slices])
    firsts, lasts = _stretches(keys[slices], numbers)
    old = inputs.parts[BUILDING]
    owners = keys[slices[firsts]]
    carries = np.where(numbers[firsts] == inputs.under, old[owners], -1)
    suffixes, wholes = suffix_scan(
        product, inputs.pieces.arrays, slices, firsts, lasts, carries
    )
    some = np.ones(len(slices), bool)
    some[lasts - 1] = carries >= 0
    building, carried = np.full(len(old), -1), np.full(len(old), -1)
    if since > chunks.start(under):
        if inputs.under == under:
            carried = old
        mine = np.flatnonzero(numbers[firsts] == under)
        building[owners[mine]] = mine
    return _Suffixes(slices, some, suffixes, wholes, building, carried, under)


def _stretches(keys: Array, chunks: Array) -> tuple[Array, Array]:
    """Stretches of one key and chunk."""
    if not len(keys):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    new = np.ones(len(keys), bool)
    new[1:] = (keys[1:] != keys[:-1]) | (chunks[1:] != chunks[:-1])
    firsts = np.flatnonzero(new)
    return firsts, np.append(firsts[1:], len(keys))


def _runs_of(
    chunks: Chunks, size: int, keys: Array, panes: Array, places: Array
) -> SliceRuns:
    """Slices in order of key and time."""
    order = np.lexsort((panes, keys))
    counts = np.bincount(keys, minlength=size)
    lasts = np.cumsum(counts)
    panes = panes[order]
    return SliceRuns(lasts - counts, lasts, panes, places[order], chunks.numbers(panes))


__all__ = ["BUILDING", "SLOTS", "Pieces", "WindowInputs", "WindowOutputs", "advance"]
