"""One window of a bucket, moved on by a step.

1. csa     slices just closed are added to the partial of their chunk, key by key
2. lcs     slices of complete chunks get the suffix behind them, as many as are due
3. walk    windows that fall due, each as at most three places
4. merge   their partials, lowered

What stays behind is the state of the window: head, middle and newest of each key,
the suffix that is being built, and suffixes of slices that have not left yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from windrow.algorithms.pba_scans import merge, prefix_scan, suffix_scan
from windrow.kernels import Product

from .chunks import Chunks
from .pieces import Fields, Pieces
from .walk import Due, Heads, Runs, Walk

Array = np.ndarray[Any, Any]

SLOTS = 4
HEAD, MIDDLE, NEWEST, BUILDING = range(SLOTS)
SLAB = 1 << 18  # windows that are lowered in one go


@dataclass(frozen=True)
class Given:
    """What a window starts a step with; places are numbers in `pieces`.

    `parts[s]` has, for each key, the place of its partial in slot s; slices just
    closed are runs of each key; `leaving` and `raw` are places of what was read from
    pages, and `keys` the key of each place.
    """

    pieces: Pieces
    keys: Array
    parts: list[Array]
    closed: Runs
    leaving: Array
    raw: Array
    under: int
    before: int
    now: int


@dataclass
class Moved:
    """What a window ends a step with; places count on behind those of the pieces."""

    source: Fields
    walk: Walk
    building: Array
    under: int
    stay: Array = field(default_factory=lambda: np.empty(0, np.int64))
    stay_from: Array = field(default_factory=lambda: np.empty(0, np.int64))
    stay_some: Array = field(default_factory=lambda: np.empty(0, bool))

    def parts(self) -> list[Array]:
        """The places of each key's partials, slot by slot."""
        after = self.walk.after
        return [after.head, after.middle, after.newest, self.building]

    def windows(self, product: Product) -> Iterator[tuple[Due, Fields]]:
        """The windows that fell due, in slabs of whole keys."""
        slabs = (np.cumsum(self.walk.counts) - self.walk.counts) // SLAB
        firsts = np.flatnonzero(np.diff(slabs, prepend=-1))
        for first, last in zip(firsts, [*firsts[1:], self.walk.keys], strict=True):
            due = self.walk.due(int(first), int(last))
            if len(due.keys):
                places = due.head, due.middle, due.newest
                yield due, merge(product, self.source, *places)


def advance(product: Product, chunks: Chunks, given: Given) -> Moved:
    """Move a window on from `before` to `now`."""
    first, last = chunks.last_due(given.before) + 1, chunks.last_due(given.now)
    size = len(given.pieces.ids)
    csa = _csa(product, chunks, given, first)
    count = len(given.closed.places)
    coming = Runs(
        given.closed.firsts,
        given.closed.lasts,
        given.closed.panes,
        size + np.arange(count),
    )
    built = _lcs(product, chunks, given)
    source = tuple(
        np.concatenate([old, one, two, three])
        for old, one, two, three in zip(
            given.pieces.arrays, csa, built.suffixes, built.wholes, strict=True
        )
    )
    base = size + count
    places = np.where(built.some, base + np.arange(len(built.of)), -1)
    begin = chunks.begin(last)
    panes = given.pieces.panes
    gone = panes[built.of] < begin
    kept = np.where(given.pieces.some[given.leaving], given.leaving, -1)
    leaving = _runs(
        len(given.parts[0]),
        np.concatenate([given.keys[given.leaving], given.keys[built.of[gone]]]),
        np.concatenate([panes[given.leaving], panes[built.of[gone]]]),
        np.concatenate([kept, places[gone]]),
    )
    heads = Heads(*given.parts[:BUILDING])
    walk = Walk(chunks, first, last, heads, coming, leaving)
    building = np.where(
        built.building >= 0, base + len(built.of) + built.building, built.carried
    )
    return Moved(
        source,
        walk,
        building,
        built.under,
        base + np.flatnonzero(~gone),
        built.of[~gone],
        built.some[~gone],
    )


def _csa(product: Product, chunks: Chunks, given: Given, first: int) -> Fields:
    """At each slice just closed, its chunk so far."""
    closed = given.closed
    chunk = (closed.panes - chunks.shift) // chunks.length
    key = given.keys[closed.places]
    firsts, lasts = _stretches(key, chunk)
    ahead = chunk[firsts] - (first - 1) // chunks.every
    carries = np.full(len(firsts), -1)
    for slot in (HEAD, MIDDLE, NEWEST):
        mine = ahead == slot
        carries[mine] = given.parts[slot][key[firsts][mine]]
    return prefix_scan(
        product, given.pieces.arrays, closed.places, firsts, lasts, carries
    )


@dataclass(frozen=True)
class _Built:
    """Suffixes at the places `of`, wholes of each key and chunk.

    `building` numbers the whole that goes on being built, key by key; `carried` is
    the place of one that nothing was added to.
    """

    of: Array
    some: Array
    suffixes: Fields
    wholes: Fields
    building: Array
    carried: Array
    under: int


def _lcs(product: Product, chunks: Chunks, given: Given) -> _Built:
    """Suffixes that are due, from the newest slice of a chunk down."""
    panes, keys = given.pieces.panes, given.keys
    under, since = chunks.building(given.now)
    of = given.raw
    if chunks.suffixes:
        closed = given.closed
        chunk = (closed.panes - chunks.shift) // chunks.length
        mine = (chunk < under) | ((chunk == under) & (closed.panes >= since))
        of = np.concatenate([of, closed.places[mine]])
    of = of[np.lexsort((panes[of], keys[of]))]
    chunk = (panes[of] - chunks.shift) // chunks.length
    firsts, lasts = _stretches(keys[of], chunk)
    old = given.parts[BUILDING]
    carries = np.where(chunk[firsts] == given.under, old[keys[of[firsts]]], -1)
    suffixes, wholes = suffix_scan(
        product, given.pieces.arrays, of, firsts, lasts, carries
    )
    some = np.ones(len(of), bool)
    some[lasts - 1] = carries >= 0
    building, carried = np.full(len(old), -1), np.full(len(old), -1)
    if since > chunks.start(under):
        if given.under == under:
            carried = old
        mine = np.flatnonzero(chunk[firsts] == under)
        building[keys[of[firsts[mine]]]] = mine
    return _Built(of, some, suffixes, wholes, building, carried, under)


def _stretches(key: Array, chunk: Array) -> tuple[Array, Array]:
    """Stretches of one key and chunk."""
    if not len(key):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    new = np.ones(len(key), bool)
    new[1:] = (key[1:] != key[:-1]) | (chunk[1:] != chunk[:-1])
    firsts = np.flatnonzero(new)
    return firsts, np.append(firsts[1:], len(key))


def _runs(size: int, keys: Array, panes: Array, places: Array) -> Runs:
    """Slices in order of key and time."""
    order = np.lexsort((panes, keys))
    counts = np.bincount(keys, minlength=size)
    lasts = np.cumsum(counts)
    return Runs(lasts - counts, lasts, panes[order], places[order])


__all__ = ["BUILDING", "SLOTS", "Given", "Moved", "advance"]
