"""Time windows over a stream: a bucket whose state does not grow with the range.

    entry 0     header: who wrote it, the watermark, the keys, which pages there are
    entry 1     for each key and window: head, middle, newest, suffix being built
    others      pages: slices that are open, slices that are closed, suffixes

A step reads the first two, the open cells that the watermark has reached, the newest
raw page, and for each window the page of suffixes at which it begins and the page
that it builds next: a handful of blobs, whatever the range.  All keys of the bucket
are moved on in the same few calls.  A key of which no window holds anything is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.engine.folded import ROWS, Folding
from windrow.engine.keys import key_codes
from windrow.engine.panes import PANE
from windrow.engine.partials import partial_columns
from windrow.engine.runs import run_bounds

from .advance import SLOTS, Given, Moved, advance
from .blob import pack, unpack
from .cells import Cells
from .chunks import Chunks, chunks_of
from .feeds import Feed
from .pages import FIRST_PAGE, ID, SOME, Page, Pages
from .pieces import Pieces
from .spec import check_same
from .store import HEADER, Store, Told
from .walk import Runs

Array = np.ndarray[Any, Any]

PARTS = 1
_BUILT = -(2**63)


@dataclass
class State:
    """What a bucket remembers from step to step."""

    now: int
    keys: pa.Table
    ids: int
    under: list[int]
    cells: Cells
    pages: Pages
    fresh: bool = False


@dataclass(frozen=True)
class SliceBucket:
    """Windows over slices; `cell` is how long a cell of open slices is, in ticks."""

    folding: Folding
    folded: bool
    cell: int
    spec: dict[str, Any]
    keep_late: bool

    @cached_property
    def feed(self) -> Feed:
        """How what comes is read."""
        return Feed(self.folding, self.folded)

    @cached_property
    def chunks(self) -> list[Chunks]:
        """The chunks of each window."""
        return [chunks_of(query) for query in self.folding.plan.queries]

    def step(
        self, store: Store, fed: list[pa.Table], now: int, told: Told
    ) -> Iterator[pa.Table]:
        """Take in what came, move time on to `now`, give the windows that fell due."""
        state = self._read(store, now)
        now = max(now, state.now)
        due = state.cells.close(store, now)
        open_ = []
        for table in fed:
            there = self._in_time(table, state.now, told)
            closed, waiting = state.cells.split(there, now)
            due += [closed] if len(closed) else []
            open_ += [waiting] if len(waiting) else []
        if open_:
            table = self.feed.joined(open_)
            state.pages.next = state.cells.keep(store, table, state.pages.next)
        slices = self.feed.slices(due) if due else None
        moves = any(c.last_due(now) > c.last_due(state.now) for c in self.chunks)
        if slices is not None or (moves and len(state.keys)):
            yield from self._move(store, state, slices, now, told)
        state.now = now
        self._write(store, state)
        told.keys += len(state.keys)

    def _in_time(self, table: pa.Table, closed: int, told: Told) -> pa.Table:
        """The rows whose slice is not closed yet; the others are late."""
        told.rows_in += self.feed.rows(table)
        late = self.feed.ends(self.feed.marks(table)) <= closed
        if not late.any():
            return table
        gone = table.filter(pa.array(late))
        told.late_rows += self.feed.rows(gone)
        told.late += [gone] if self.keep_late else []
        return table.filter(pa.array(~late))

    # --- windows ----------------------------------------------------------------

    def _move(
        self,
        store: Store,
        state: State,
        slices: pa.Table | None,
        now: int,
        told: Told,
    ) -> Iterator[pa.Table]:
        parts = self._parts(store, state)
        runs = self._meet(state, slices)
        tables = [one for one in (parts, slices) if one is not None]
        leaving = [self._leaving(store, state, q, now) for q in range(len(self.chunks))]
        raw = [page for page in state.pages.raw if self._builders(page, now)]
        tables += [table for found in leaving for table in found]
        tables += [state.pages.read(store, page, "slices") for page in raw]
        if not tables:
            return
        pieces = Pieces(self.folding, tables)
        at = 0 if parts is None else len(parts)
        ids = pieces.ids
        if slices is not None:
            ids[at : at + len(slices)] = runs[2]
        known = state.keys.column(ID).to_numpy()
        keys = np.searchsorted(known, ids)
        keys[keys == len(known)] = 0
        alive = known[keys] == ids  # a key that went and came is another
        count = 0 if slices is None else len(slices)
        closed = Runs(
            runs[0], runs[1], pieces.panes[at : at + count], at + np.arange(count)
        )
        slots = self._slots(parts, keys, len(known))
        place = at + count
        numbers = iter(pieces.starts[2 - (parts is None) - (slices is None) :])
        left = [
            [range(n := next(numbers), n + len(table)) for table in found]
            for found in leaving
        ]
        pages = [range(n := next(numbers), n + page.rows) for page in raw]
        assert place <= len(ids)
        moved = []
        for q, chunks in enumerate(self.chunks):
            since = chunks.begin(chunks.last_due(state.now))
            until = chunks.begin(chunks.last_due(now))
            gone = _places(left[q])
            panes = pieces.panes[gone]
            gone = gone[(panes >= since) & (panes < until) & alive[gone]]
            build = [
                r
                for page, r in zip(raw, pages, strict=True)
                if q in self._builders(page, now)
            ]
            given = Given(
                pieces,
                keys,
                slots[q * SLOTS : (q + 1) * SLOTS],
                closed,
                gone,
                _places(build),
                state.under[q],
                state.now,
                now,
            )
            one = advance(self.folding.asked.product, chunks, given)
            yield from self._results(one, pieces, state, q, told)
            self._keep_suffixes(store, state, one, pieces, q)
            state.under[q] = one.under
            moved.append(one)
        for page in raw:
            for q in self._builders(page, now):
                page.chunks[q] = None
        self._drop_built(store, state)
        if slices is not None:
            self._keep_raw(store, state, slices, runs[2], now)
        self._keep_parts(store, state, moved, pieces)

    def _results(
        self, moved: Moved, pieces: Pieces, state: State, query: int, told: Told
    ) -> Iterator[pa.Table]:
        plan, asked = self.folding.plan, self.folding.asked
        for due, out in moved.windows(asked.product):
            columns = partial_columns(plan.calls, asked, pieces.partials, out)
            keys = state.keys.take(pa.array(due.keys))
            told.rows_out += len(due.keys)
            yield pa.table(
                {
                    **{name: keys.column(name) for name in self.feed.keys},
                    "q": pa.array(np.full(len(due.keys), query, np.int32)),
                    "start": pa.array(due.begins),
                    **{f"r{i}": column for i, column in enumerate(columns)},
                }
            )

    def _meet(
        self, state: State, slices: pa.Table | None
    ) -> tuple[Array, Array, Array]:
        """Runs of slices for each key, and the id of each slice; new keys get one."""
        if slices is None:
            none = np.zeros(len(state.keys), np.int64)
            return none, none, none
        names = self.feed.keys
        firsts, lasts = run_bounds(slices, names)
        came = slices.select(names).take(pa.array(firsts))
        known = state.keys.column(ID).to_numpy()
        if names:
            both = pa.concat_tables([state.keys.select(names), came]).combine_chunks()
            codes, _ = key_codes(both, names)
        else:
            codes = np.zeros(len(known) + 1, np.int32)
        place = np.full(int(codes.max(initial=-1)) + 1, -1)
        place[codes[: len(known)]] = np.arange(len(known))
        mine = place[codes[len(known) :]]
        new = mine < 0
        mine[new] = len(known) + np.arange(int(new.sum()))
        fresh = {ID: pa.array(state.ids + np.arange(int(new.sum())))}
        fresh |= {name: came.column(name).filter(pa.array(new)) for name in names}
        state.keys = pa.concat_tables([state.keys, pa.table(fresh)]).combine_chunks()
        state.ids += int(new.sum())
        starts, stops = np.zeros((2, len(state.keys)), np.int64)
        starts[mine], stops[mine] = firsts, lasts
        ids = state.keys.column(ID).to_numpy()[mine]
        return starts, stops, np.repeat(ids, lasts - firsts)

    def _slots(self, parts: pa.Table | None, keys: Array, count: int) -> list[Array]:
        """For each window and slot, the place of each key's partial."""
        slots = np.full((len(self.chunks) * SLOTS, count), -1)
        if parts is not None:
            number = parts.column(PANE).to_numpy()
            slots[number, keys[: len(parts)]] = np.arange(len(parts))
        return list(slots)

    # --- pages ------------------------------------------------------------------

    def _leaving(
        self, store: Store, state: State, query: int, now: int
    ) -> list[pa.Table]:
        """The suffixes at slices that leave a window; pages that are gone are removed."""
        chunks = self.chunks[query]
        until = chunks.begin(chunks.last_due(now))
        found, left = [], []
        for page in state.pages.suffixes[query]:
            if page.first < until:
                found.append(state.pages.read(store, page, "suffixes"))
            if page.last < until:
                store.remove(page.number)
            else:
                left.append(page)
        state.pages.suffixes[query] = left
        return found

    def _builders(self, page: Page, now: int) -> list[int]:
        """The windows that build suffixes of a page by then, and have not yet."""
        found = []
        for q, chunk in enumerate(page.chunks):
            if chunk is None:
                continue
            under, since = self.chunks[q].building(now)
            if chunk < under or (chunk == under and page.last >= since):
                found.append(q)
        return found

    def _keep_suffixes(
        self, store: Store, state: State, moved: Moved, pieces: Pieces, query: int
    ) -> None:
        if not len(moved.stay):
            return
        chunks = self.chunks[query]
        panes = pieces.panes[moved.stay_from]
        chunk = (panes - chunks.shift) // chunks.length
        for number in np.unique(chunk):
            mine = chunk == number
            columns = {
                ID: pa.array(pieces.ids[moved.stay_from[mine]]),
                PANE: pa.array(panes[mine]),
                SOME: pa.array(moved.stay_some[mine]),
            }
            taken = tuple(field[moved.stay[mine]] for field in moved.source)
            table = pieces.table(columns, taken)
            state.pages.add_suffixes(store, table, query)

    def _keep_raw(
        self, store: Store, state: State, slices: pa.Table, ids: Array, now: int
    ) -> None:
        """Slices that some window has yet to build, in pages that no chunk cuts."""
        panes = slices.column(PANE).to_numpy()
        chunk = np.full((len(self.chunks), len(panes)), _BUILT)
        for q, chunks in enumerate(self.chunks):
            if chunks.suffixes:
                under, since = chunks.building(now)
                mine = (panes - chunks.shift) // chunks.length
                later = (mine > under) | ((mine == under) & (panes < since))
                chunk[q] = np.where(later, mine, chunk[q])
        wanted = np.flatnonzero((chunk > _BUILT).any(axis=0))
        if not len(wanted):
            return
        wanted = wanted[np.argsort(panes[wanted], kind="stable")]
        chunk = chunk[:, wanted]
        cuts = np.flatnonzero((chunk[:, 1:] != chunk[:, :-1]).any(axis=0)) + 1
        plain = slices.drop_columns([*self.feed.keys, ROWS])
        plain = plain.append_column(ID, pa.array(ids)).take(pa.array(wanted))
        for start, stop in zip([0, *cuts], [*cuts, len(wanted)], strict=True):
            within = [None if c == _BUILT else c for c in chunk[:, start].tolist()]
            state.pages.add_raw(store, plain.slice(start, stop - start), within)

    def _drop_built(self, store: Store, state: State) -> None:
        left = [
            page for page in state.pages.raw if any(c is not None for c in page.chunks)
        ]
        for page in state.pages.raw:
            if page not in left:
                store.remove(page.number)
        state.pages.raw = left

    # --- header -----------------------------------------------------------------

    def _read(self, store: Store, now: int) -> State:
        blob = store.get(HEADER)
        if blob is None:
            plan = self.folding.plan
            kinds = {f"k{i}": plan.schema.field(n).type for i, n in enumerate(plan.by)}
            keys = pa.schema({ID: pa.int64(), **kinds}).empty_table()
            cells = Cells(self.feed, self.cell, self._kind)
            pages = Pages([], [[] for _ in self.chunks], FIRST_PAGE)
            return State(now, keys, 0, [0] * len(self.chunks), cells, pages, True)
        keys, facts = unpack(blob, "header")
        check_same(facts["spec"], self.spec)
        cells = Cells.known(self.feed, facts["cell"], self._kind, facts["cells"])
        pages = Pages.known(facts["pages"])
        return State(facts["now"], keys, facts["ids"], facts["under"], cells, pages)

    @property
    def _kind(self) -> str:
        return "slices" if self.folded else "rows"

    def _write(self, store: Store, state: State) -> None:
        if not len(state.keys) and not state.cells.pages:
            self._clear(store, state)
            return
        facts = {
            "spec": self.spec,
            "now": state.now,
            "ids": state.ids,
            "under": state.under,
            "cell": state.cells.length,
            "cells": state.cells.facts(),
            "pages": state.pages.facts(),
        }
        store.put(HEADER, pack(state.keys, "header", facts, small=True))

    def _clear(self, store: Store, state: State) -> None:
        """Nothing is left to remember."""
        pages = [*state.pages.raw, *(p for some in state.pages.suffixes for p in some)]
        for page in pages:
            store.remove(page.number)
        if not state.fresh:
            store.remove(HEADER)

    def _parts(self, store: Store, state: State) -> pa.Table | None:
        if not len(state.keys):
            return None
        blob = store.get(PARTS)
        return unpack(b"" if blob is None else blob, "slices")[0]

    def _keep_parts(
        self, store: Store, state: State, moved: list[Moved], pieces: Pieces
    ) -> None:
        """The partials of each key; a key without any is gone."""
        had = state.keys
        known = had.column(ID).to_numpy()
        tables = []
        alive = np.zeros(len(known), bool)
        for q, one in enumerate(moved):
            for slot, places in enumerate(one.parts()):
                there = np.flatnonzero(places >= 0)
                alive[there] = True
                columns = {
                    ID: pa.array(known[there]),
                    PANE: pa.array(np.full(len(there), q * SLOTS + slot)),
                }
                taken = tuple(field[places[there]] for field in one.source)
                tables.append(pieces.table(columns, taken))
        state.keys = had if alive.all() else had.filter(pa.array(alive))
        if alive.any():
            parts = pa.concat_tables(tables).combine_chunks()
            store.put(PARTS, pack(parts, "slices", small=True))
        elif store.get(PARTS) is not None:
            store.remove(PARTS)


def _places(ranges: list[range]) -> Array:
    if not ranges:
        return np.empty(0, np.int64)
    return np.concatenate([np.arange(one.start, one.stop) for one in ranges])


__all__ = ["SliceBucket"]
