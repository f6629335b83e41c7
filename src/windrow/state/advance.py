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

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.algorithms.pba_scans import merge, prefix_scan, suffix_scan
from windrow.batch.columns import array_runs
from windrow.batch.partials import PANE
from windrow.windows import Rule
from windrow.windows.rule import Array

from .late_parts import LateParts, TailParts
from .pieces import Fields, Pieces
from .slice_pages import ID, SOME
from .walk import Chunks, SliceRuns, Walk, WindowParts

SLOTS = 4
HEAD, MIDDLE, NEWEST, BUILDING = range(SLOTS)
SLAB = 1 << 18  # windows that are lowered in one go
FEW = 2  # windows alike, on average: below, each is a row of its own


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

    def windows(
        self, rule: Rule, pieces: Pieces, *more: LateParts | TailParts | None
    ) -> Iterator[tuple[WindowParts, Fields]]:
        """The windows that fell due with `more` parts, in slabs of whole keys.

        Where few have the parts of the one before, each stands for itself.
        """
        slabs = (np.cumsum(self.walk.counts) - self.walk.counts) // SLAB
        firsts, lasts = array_runs(slabs)
        for first, last in zip(firsts, lasts, strict=True):
            keys = int(first), int(last)
            due, source = self.walk.due(*keys), self.source
            for parts in more:
                if parts is not None:
                    source, due = parts.add_to(source, due, keys)
            if len(due.keys):
                due = due if FEW * len(due.keys) <= due.counts.sum() else due.each(rule)
                yield due, merge(pieces.product, source, *due.places)


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
