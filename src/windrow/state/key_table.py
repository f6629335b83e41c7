"""The keys of a bucket, and whole numbers that are kept for each of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.keys import key_codes
from windrow.plan.table import TablePlan
from windrow.windows.rule import Array

from .codec import Store, pack, unpack
from .due import MOST
from .shelves import KEYS, TIME
from .slice_pages import ID

KEY_TABLE = 1  # its number in the store
KNOWN = "known"


def place_keys(
    old: pa.Table, keys: pa.Table, names: Sequence[str]
) -> tuple[Array, Array]:
    """Where distinct keys stand in a table, and which are not in it.

    Those get the places behind it, in their order.  Without names there is one key.
    """
    count = len(old)
    codes = np.zeros(count + len(keys) if names else count + 1, np.int64)
    if names:
        mine, theirs = keys.select(names), old.select(names)
        both = pa.concat_tables([theirs, mine.cast(theirs.schema)])
        codes, _ = key_codes(both.combine_chunks(), names)
    place = np.full(int(codes.max(initial=-1)) + 1, -1)
    place[codes[:count]] = np.arange(count)
    found = place[codes[count:]]
    new = found < 0
    found[new] = count + np.arange(int(new.sum()))
    return found, new


@dataclasses.dataclass
class KeyTally:
    """Numbers that are kept for each key of a bucket; `usual` are those of a new key.

    `counts` has a row for each of them, and a column for each key.
    """

    usual: Mapping[str, int]
    keys: pa.Table
    counts: Array = dataclasses.field(
        default_factory=lambda: np.empty((0, 0), np.int64)
    )

    @classmethod
    def read(cls, store: Store, plan: TablePlan, usual: Mapping[str, int]) -> Self:
        """The numbers of a bucket, which may have no key yet."""
        types = [plan.schema.field(name).type for name in plan.by]
        names = [f"k{i}" for i in range(len(plan.by))]
        blob = store.get(KEY_TABLE)
        schema = pa.schema(dict(zip(names, types, strict=True)))
        if blob is None:
            none = np.empty((len(usual), 0), np.int64)
            return cls(usual, schema.empty_table(), none)
        table, _ = unpack(blob, "rows")
        counts = np.stack([table.column(name).to_numpy() for name in usual])
        return cls(usual, table.select(names).cast(schema), counts)

    def find(self, keys: pa.Table) -> Array:
        """The places of keys; those that are new come behind the others."""
        names = self.keys.column_names
        if names:
            keys = keys.rename_columns(names)
            places, new = place_keys(self.keys, keys, names)
            fresh = keys.filter(pa.array(new)).cast(self.keys.schema)
            self.keys = pa.concat_tables([self.keys, fresh])
        else:
            places, new = np.zeros(1, np.int64), np.array([not self.counts.size])
        usual = np.array([*self.usual.values()], np.int64)[:, None]
        added = np.repeat(usual, new.sum(), axis=1)
        self.counts = np.concatenate([self.counts, added], axis=1)
        return places

    def write(self, store: Store) -> None:
        """Keep the numbers of all keys."""
        numbers = dict(zip(self.usual, map(pa.array, self.counts), strict=True))
        names = self.keys.column_names
        table = pa.table({name: self.keys.column(name) for name in names} | numbers)
        store.put(KEY_TABLE, pack(table.combine_chunks(), "rows", small=True))


@dataclasses.dataclass
class KeyTable:
    """The keys of a bucket: their numbers, how many rows are final, the last time.

    `ids` keys have been numbered, of which some may be gone; a number is never given
    again.
    """

    store: Store
    table: pa.Table
    ids: int
    stored: bool

    @classmethod
    def read(cls, store: Store, plan: TablePlan) -> KeyTable:
        """The keys of a bucket, which may be none."""
        names = [f"k{i}" for i in range(len(plan.by))]
        types = [plan.schema.field(name).type for name in plan.by]
        blob = store.get(KEY_TABLE)
        if blob is None:
            numbers = dict.fromkeys((ID, KNOWN, TIME), pa.int64())
            fields = numbers | dict(zip(names, types, strict=True))
            return cls(store, pa.schema(fields).empty_table(), 0, False)
        table, facts = unpack(blob, "slices")
        return cls(store, table, facts["ids"], True)

    def column(self, name: str) -> Array:
        """A column of whole numbers, in the order of the keys' numbers."""
        return self.table.column(name).to_numpy()  # type: ignore[no-any-return]

    def add(self, keys: pa.Table, counts: Array, times: Array) -> tuple[Array, Array]:
        """Count rows of keys; their numbers, and how many rows they had before."""
        old, names = self.table, keys.column_names
        known = self.column(KNOWN)
        mine, new = place_keys(old, keys, names)
        added = self.ids + np.arange(int(new.sum()))
        fresh = {ID: added, KNOWN: np.zeros_like(added), TIME: np.zeros_like(added)}
        fresh |= {name: keys.column(name).filter(pa.array(new)) for name in names}
        table = pa.concat_tables([old, pa.table(fresh)]).combine_chunks()
        known = np.append(known, np.zeros(len(added), np.int64))
        last = table.column(TIME).to_numpy().copy()
        before = known[mine]
        known[mine] += counts
        last[mine] = times
        self.ids += len(added)
        self._set(table, KNOWN, known)
        self._set(self.table, TIME, last)
        return self.column(ID)[mine], before

    def _set(self, table: pa.Table, name: str, values: Array) -> None:
        at = table.column_names.index(name)
        self.table = table.set_column(at, name, pa.array(values))

    def keep(self, alive: Array) -> Array:
        """Forget all other keys; their numbers."""
        gone = self.column(ID)[~alive]
        self.table = self.table.filter(pa.array(alive))
        return gone

    def write(self) -> None:
        """Write the keys, if there are any."""
        if len(self.table):
            facts = {"ids": self.ids}
            self.store.put(KEY_TABLE, pack(self.table, "slices", facts, small=True))
        elif self.stored:
            self.store.remove(KEY_TABLE)


@dataclass(frozen=True)
class PastReach:
    """Which slices of the keys windows to come can hold.

    Those from position `since[k]` on of key `ids[k]`, counted in slices, and those not
    before an instant.  Of `complete[k]` slices all rows are there.
    """

    ids: Array
    since: Array
    complete: Array
    instant: int

    def needed(self, ids: Array, positions: Array, times: Array) -> Array:
        """0: no window to come holds it; 1: one may; 2: it is not complete either."""
        if not len(self.ids):
            return np.zeros(len(ids), np.int64)
        at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        held = (positions >= self.since[at]) | (times >= self.instant)
        held &= self.ids[at] == ids
        return held * (1 + (positions >= self.complete[at]))

    def slices_of(self, shelf: int) -> int | None:
        """How many slices of a shelf are needed; None: pages age as a whole."""
        mine = self.ids // KEYS == shelf
        if (self.since[mine] == MOST).all():
            return None
        return int(np.maximum(self.complete - self.since, 0)[mine].sum())
