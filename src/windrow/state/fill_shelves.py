"""Writes the shelves at the end of a step: tails, pages of full tails, fronts.

tail of level 1 + fresh slices      less those that no window to come holds
full?  pages of suffixes          and their totals, entries of the next level
tail of level 2 + totals            full?  pages ...
fronts                              what lies between grows by those totals
old pages                           rows that nobody needs are removed
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.columns import array_runs
from windrow.windows.rule import Array

from .pieces import Entries
from .positions import Front, PositionStep
from .shelves import (
    CHILD,
    KEYS,
    PAGE_ROWS,
    POSITION,
    RULE,
    TAIL,
    TIME,
    Shelf,
    column,
    run_starts,
)
from .slice_pages import ID, SOME

LOOKS = 3  # pages that are looked at for rows to remove when one is made


class Reach(Protocol):
    """Tells which slices windows to come can hold."""

    def needed(self, ids: Array, positions: Array, times: Array) -> Array:
        """0: no window to come holds it; 1: one may; 2: it is not complete either."""

    def slices_of(self, shelf: int) -> int | None:
        """How many slices of a shelf are needed; None: pages age as a whole."""


@dataclass(frozen=True)
class Filling:
    """Puts what a step brought on the shelves."""

    step: PositionStep
    reach: Reach

    def settle(self) -> None:
        """Write shelves: fresh slices go to tails, full tails become pages."""
        fronts = self._all_fronts()
        fresh = self.step.fresh.table
        columns = {n: fresh.column(n).to_numpy() for n in (ID, CHILD, POSITION, TIME)}
        for number, shelf in self.step.shelves.items():
            mine = np.flatnonzero(columns[ID] // KEYS == number)
            read = self.step.finder.read(number, 1, TAIL)
            table = read.table
            rows = [
                np.concatenate([table.column(name).to_numpy(), columns[name][mine]])
                for name in columns
            ]
            own = read.offset + np.arange(len(table))
            rows.append(np.concatenate([own, self.step.fresh_places[mine]]))
            order = np.lexsort((rows[2], rows[0]))
            entries = Entries(*(values[order] for values in rows))
            keep = self.reach.needed(entries.ids, entries.positions, entries.times)
            whole, left = entries.take(keep == 1), entries.take(keep > 0)
            own_fronts = Front(*(v[fronts.ids // KEYS == number] for v in fronts))
            if len(whole.ids) > PAGE_ROWS:
                left = entries.take(keep == 2)
                own_fronts = self._flush(shelf, 1, whole, own_fronts)
            shelf.write(self._table(left), self._front_table(own_fronts))

    def _all_fronts(self) -> Front:
        """The fronts of all keys of the shelves: those that moved, and the others."""
        fronts = list(self.step.moved)
        tables = [s.fronts for s in self.step.shelves.values() if s.fronts is not None]
        names = RULE, ID, CHILD, POSITION, TIME
        rule, ids, *rest = (column(tables, name).astype(np.int64) for name in names)
        still = np.ones(len(ids), bool)
        for number, frames in enumerate(self.step.frames):
            asked = self.step.fresh.ids[frames.runs]
            still &= ~((rule == number) & np.isin(ids, asked))
        values = rule, ids, *rest, self.step.front_places
        fronts.append(Front(*(value[still] for value in values)))
        return Front(*(np.concatenate(parts) for parts in zip(*fronts, strict=True)))

    def _flush(
        self, shelf: Shelf, level: int, entries: Entries, fronts: Front
    ) -> Front:
        """Make pages of a full tail, and entries of the next level of their totals."""
        starts, stops = array_runs(entries.ids)
        lengths = np.repeat(stops - starts, stops - starts)
        parts = max(len(entries.ids) // PAGE_ROWS, 1)
        part = (np.arange(len(lengths)) - np.repeat(starts, stops - starts)) * parts
        part //= lengths
        order = np.lexsort((entries.positions, entries.ids, part))
        entries, part = entries.take(order), part[order]
        firsts, lasts = array_runs(part, entries.ids)
        suffixes = self.step.partials.suffixes(entries.places, firsts, lasts)
        entries = entries._replace(places=suffixes)
        pages = []
        for number in range(parts):
            mine = self._table(entries.take(part == number))
            pages.append(shelf.add_page(level, mine))
        totals = Entries(
            entries.ids[firsts],
            np.array(pages)[part[firsts]],
            entries.positions[lasts - 1],
            entries.times[lasts - 1],
            suffixes[firsts],
        )
        if level == 1:
            chains = [fronts.between]
            for page in pages:
                made = totals.take(totals.children == page)
                at = run_starts(made.ids, fronts.ids)
                chains.append(np.append(made.places, -1)[at])
            between = self.step.partials.chain(np.stack(chains, axis=1))
            fronts = fronts._replace(between=between)
        above = totals
        if (shelf.number, level + 1, TAIL) in self.step.finder.tables:
            read = self.step.finder.read(shelf.number, level + 1, TAIL)
            names = ID, CHILD, POSITION, TIME
            old = [read.table.column(name).to_numpy() for name in names]
            old.append(read.offset + np.arange(len(read.table)))
            both = zip(old, totals, strict=True)
            above = Entries(*(np.concatenate(pair) for pair in both))
        above = above.take(np.lexsort((above.positions, above.ids)))
        if len(above.ids) > PAGE_ROWS:
            self._flush(shelf, level + 1, above, fronts)
            above = above.take(np.zeros(len(above.ids), bool))
        shelf.put(level + 1, TAIL, self._table(above))
        self._sweep(shelf, level, fronts)
        return fronts

    def _sweep(self, shelf: Shelf, number: int, fronts: Front) -> None:
        """Remove pages of a level that no window reaches: first ones, then in turn.

        In turn where pages have half as many rows again as are needed.
        """
        level = shelf.below[number - 1]
        while level.runs:
            first = level.runs[0][0]
            begins = number == 1 and (fronts.pages == first).any()
            if begins or self._trim(shelf, number, first):
                break
        most = self.reach.slices_of(shelf.number)
        for _ in range(LOOKS):
            if most is None or 2 * level.rows <= 3 * most + 4 * PAGE_ROWS:
                break
            page = level.after(level.looked)
            if page is None:
                break
            self._trim(shelf, number, page)
            level.looked = page

    def _trim(self, shelf: Shelf, level: int, page: int) -> bool:
        """Take what nobody needs out of a page; whether something is left."""
        table = shelf.table(level, page)
        names = ID, POSITION, TIME
        keep = self.reach.needed(*(table.column(name).to_numpy() for name in names)) > 0
        shelf.trim_page(level, page, table, keep)
        return bool(keep.any())

    def _table(self, entries: Entries) -> pa.Table:
        columns = {
            ID: entries.ids,
            CHILD: entries.children,
            POSITION: entries.positions,
            TIME: entries.times,
        }
        return self.step.pieces.table(
            columns, self.step.partials.fields, entries.places
        )

    def _front_table(self, fronts: Front) -> pa.Table:
        columns = {
            ID: fronts.ids,
            CHILD: fronts.pages,
            POSITION: fronts.positions,
            TIME: fronts.times,
            RULE: fronts.rule.astype(np.int32),
            SOME: fronts.between >= 0,
        }
        places = np.maximum(fronts.between, 0)
        return self.step.pieces.table(columns, self.step.partials.fields, places)
