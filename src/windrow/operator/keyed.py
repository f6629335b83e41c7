"""Keeps the windows of an operator's keys, a million of them if need be.

    insert ->  pending  --flush-->  arena  --look-->  one result
               events of            blocks of all keys, `call_*_keys` of the kernel
               all keys

A key is a number, its slot: 0, 1, ... in the order in which keys came.  Python keeps a
dict of slots and the newest instant of each; all else stands in the arena, so that a
new key is a line in a dict, and a tick one loop over an array of instants.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from windrow.loops import arrays
from windrow.windows.policy_numbers import DELTA, PUNCTUATION, TIME

from .arena import Arena, PayloadRing, SlotPayloads
from .inputs import Events, Source
from .keys import check_key, hashable
from .layout import Array
from .policies import INTS, LEAST_KEY, NEVER, SHORT, TOP, TOTAL
from .read_results import payloads_at, reader_of, same_rows, values_of
from .results import (
    NOBODY,
    Result,
    ResultBatch,
    Results,
    joined_batches,
    part_of_batch,
)
from .runtime import WindowProgram
from .waiting import WaitingEvents
from .window import MOST

Column = Any  # an array of the module array
NO_INSTANT = -(2**63)


class KeyedWindows:
    """All windows of an operator that has one for each key, in one arena.

    `lasts` are the last mark and signal of each slot, where deltas rule.
    """

    def __init__(self, program: WindowProgram, places: int = LEAST_KEY) -> None:
        self.program = program
        self.slots: dict[Any, int] = {}
        self.newest: Column = array("q")
        self.lasts: tuple[Column, Column] = (array("d"), array("d"))
        policies = program.policies
        self._by_deltas = DELTA in (policies.evict, policies.trigger)
        self.pending = WaitingEvents(program.columns, program.policies)
        self.waiting = array("q")  # the slots of events that wait
        self.events = 0  # that ever came
        size = program.kernel.layout.without_result().words(places)
        empty = program.memory(places).flat[:size].copy()
        self.arena = Arena(program.kernel.layout, empty)
        self.untaken: list[ResultBatch] = []
        self.reported: tuple[Array, list[Array]] | None = None
        self.payloads: dict[int, PayloadRing] = {}
        dtypes = program.kernel.product.out_dtypes
        self.out, self._asked = arrays(dtypes, 1), np.zeros(1, np.int64)
        self._size = np.zeros(1, np.int64)
        request = program.columns.request
        names = program.columns.payloads
        self._shown = SlotPayloads(self.payloads, names)  # of the slot that was asked
        self.read = reader_of(request, list(self.out), self._shown)

    @property
    def takes_numbers(self) -> bool:
        """Whether an event is numbers and an instant, and no more."""
        columns, policies = self.program.columns, self.program.policies
        other = policies.columns or policies.punctuated
        return columns.only_numbers and not other

    # --- events

    def insert(
        self,
        key: Any,
        numbers: list[Any],
        tick: int | None,
        others: tuple[float, float, int],
        payload: tuple[Any, ...],
    ) -> Any:
        """Let an event wait that was checked; gives its handle."""
        slot = self.slots.get(key)
        if slot is None:
            slot = self.open(key)
        self.pending.add(numbers, tick, others)
        self.waiting.append(slot)
        if tick is not None:
            self.newest[slot] = tick
        if self._by_deltas:
            self.lasts[0][slot], self.lasts[1][slot], _ = others
        if payload:
            self._payload_ring(slot).rows.append(payload)
        self.events += 1
        if len(self.waiting) >= MOST:
            self.flush()
        return key, tick, self.events - 1

    def open(self, key: Any) -> int:
        """A slot for a new key."""
        slot = self.slots[key] = len(self.slots)
        self.newest.append(NO_INSTANT)
        if self._by_deltas:
            for lasts in self.lasts:
                lasts.append(-np.inf)
        return slot

    def slot(self, key: Any) -> int | None:
        """The slot of a key; None if there is none, or refused."""
        try:
            slot = self.slots.get(key)
        except TypeError:
            hashable(key)
            raise
        if slot is None:
            check_key(key)
        return slot

    def state_of(self, slot: int) -> tuple[int | None, float, float]:
        """The newest instant, mark and signal of a slot."""
        newest = self.newest[slot]
        known = None if newest == NO_INSTANT else newest
        if not self._by_deltas:
            return known, -np.inf, -np.inf
        return known, self.lasts[0][slot], self.lasts[1][slot]

    def last_of(self, slots: list[int | None]) -> tuple[Array, Array, Array]:
        """The same of many slots, with the least of numbers for what is not known."""
        known = np.array([-1 if slot is None else slot for slot in slots], np.int64)
        nothing = (NO_INSTANT, -np.inf, -np.inf)
        lasts = []
        for column, least in zip((self.newest, *self.lasts), nothing, strict=True):
            least_too = np.append(np.array(column), np.array(least, column.typecode))
            lasts.append(least_too[known] if column else least_too[0 * known])
        return lasts[0], lasts[1], lasts[2]

    def flush(self) -> None:
        """Let in all that wait; results that fall due wait in their turn."""
        if self.waiting:
            slots = np.array(self.waiting, np.int64)
            del self.waiting[:]
            batches = self._let_in(slots, *self.pending.take_all())
            if self.program.policies.waits:
                self.untaken += batches

    def _let_in(
        self, slots: Array, source: Source, events: Events
    ) -> list[ResultBatch]:
        arena, steps, count = self.arena, self.program.steps, len(slots)
        arena.open(len(self.slots))
        base, batches, i = np.zeros(1, np.int64), [], 0
        room = min(count, 1 << 16) + 64
        while i < count:
            out, owners = self._room_for(room)
            keys = (slots, arena.where, arena.due, owners)
            i, made, full = steps.call_feed_keys(
                arena, (*source, base), events, i, count, keys, *out
            )
            if made:
                batches.append(self._batch(made, owners, *out))
            if full:
                arena.grow()
        self._tidy(slots)
        return batches

    def feed(
        self,
        slots: Array,
        source: Source,
        events: Events,
        payloads: list[tuple[Any, ...]] | None,
    ) -> list[ResultBatch]:
        """Let a checked batch in; all results of its keys, each key by itself."""
        self.flush()
        ticks, marks, signals, _ = events
        for slot, payload in zip(slots.tolist(), payloads or (), strict=False):
            self._payload_ring(slot).rows.append(payload)
        for column, values in zip(
            (self.newest, *self.lasts), (ticks, marks, signals), strict=True
        ):
            if len(values):  # the last event of a slot counts
                np.frombuffer(column, values.dtype)[slots] = values
        self.events += len(slots)
        fresh = self._let_in(slots, source, events)
        distinct, first = np.unique(slots, return_index=True)
        rank = np.full(len(self.slots), -1, np.int64)
        rank[distinct] = first
        mine, self.untaken = part_of_batch(
            joined_batches([*self.untaken, *fresh]), rank
        )
        return self._named(mine, rank)

    def drop(self, slot: int, many: int) -> None:
        """Evict the oldest events of a slot."""
        self.flush()
        arena = self.arena
        self.program.steps.call_drop_key(arena, arena.where, arena.due, slot, many)
        self._tidy(np.array([slot]))

    def punctuate(self, key: Any) -> None:
        """A punctuation for a key, or for all: a result falls due, all leave."""
        policies, sizes = self.program.policies, self.sizes()
        slots = range(len(self.slots)) if key is None else [self.slots.get(key)]
        for slot in slots:
            size = 0 if slot is None else int(sizes[slot])
            if slot is None or not size:
                continue
            if policies.trigger == PUNCTUATION:
                self._look(slot)
                end = self.arena.word(TOTAL)[slot : slot + 1]
                out = tuple(array.copy() for array in self.out)
                owners = np.array([slot])
                self.untaken.append(self._batch(1, owners, out, end - size, end))
            if policies.evict == PUNCTUATION:
                self.drop(slot, size)

    # --- results

    def query(self, key: Any, tick: int | None) -> Any:
        """The result of a key as it stands, at an instant; None if it has no events."""
        slot = self.slots.get(hashable(key))
        if slot is None:
            return None
        if tick is not None:
            self.flush()
            self._elapse(tick, slot, slot + 1)
            self.newest[slot] = max(self.newest[slot], tick)
        if len(self.waiting) == 1 and self._insert_and_look(slot):
            return self.read()
        self.flush()
        return self.read() if self._look(slot) else None

    def _look(self, slot: int) -> int:
        """Write the result of a slot; gives its size."""
        self._asked[0] = self._shown.slot = slot
        arena = self.arena
        arena.open(len(self.slots))
        self.program.steps.call_look_keys(
            arena, 0, arena.where, 0, 1, self._asked, self.out, self._size
        )
        return int(self._size[0])

    def _insert_and_look(self, slot: int) -> bool:
        """The one event that waits and its result at once, where nothing falls due."""
        arena, policies = self.arena, self.program.policies
        if self.waiting[0] != slot or slot >= arena.count or self.payloads:
            return False
        tick, mark, numbers = self.pending.only()
        due = arena.due[slot]
        if policies.waits and (policies.trigger != TIME or due == NEVER or due <= tick):
            return False
        arguments = (arena, arena.where, arena.due, slot, tick, mark, self.out)
        size = self.program.steps.call_one_key(*arguments, *numbers)
        if size < 0:
            return False
        self.pending.clear()
        del self.waiting[:]
        if not size:
            self.give_back()
        return True

    def trigger(self, tick: int | None) -> list[Result]:
        """What fell due and nobody has taken, and what changed."""
        self.flush()
        if tick is not None:
            self._elapse(tick, 0, len(self.slots))
            newest = np.frombuffer(self.newest, np.int64)
            np.maximum(newest, tick, out=newest)
        if self.program.policies.waits:
            mine, self.untaken = joined_batches(self.untaken), []
            batches = self._named(mine, np.arange(len(self.slots)))
            program = self.program
            results = Results(program.columns.request, batches, program.bounds)
            return results.to_list()
        return self._changed()

    def _elapse(self, tick: int, slot: int, count: int) -> None:
        arena, nobody = self.arena, np.empty(0, np.int64)
        arena.open(len(self.slots))
        opened = np.flatnonzero(arena.due[slot:count] <= tick) + slot
        while slot < count:
            due = int(np.count_nonzero(arena.due[slot:count] <= tick))
            out, owners = self._room_for(min(due, 1 << 20) + 64)
            keys = (nobody, arena.where, arena.due, owners)
            slot, made = self.program.steps.call_elapse_keys(
                arena, tick, 0, slot, count, keys, *out
            )
            if made:
                self.untaken.append(self._batch(made, owners, *out))
        self._tidy(opened)

    def _changed(self) -> list[Result]:
        """Results that are others than those that were reported before (IStream)."""
        sizes = self.sizes()
        slots = np.flatnonzero(sizes)
        out = arrays(self.program.kernel.product.out_dtypes, len(slots))
        arena, i = self.arena, 0
        while i < len(slots):
            i = self.program.steps.call_look_keys(
                arena, 0, arena.where, i, len(slots), slots, out, np.empty_like(slots)
            )
        request = self.program.columns.request
        payloads = self._payloads_of(out, slots)
        rows = same_rows(request, out, payloads)
        before = np.zeros(len(self.slots), bool)
        kept = [np.zeros(len(self.slots), row.dtype) for row in rows]
        if self.reported is not None:
            known, saved = self.reported
            before[: len(known)] = known
            for array_, row in zip(kept, saved, strict=True):
                array_[: len(row)] = row
        changed = ~before[slots]
        for array_, row in zip(kept, rows, strict=True):
            last = array_[slots]
            changed |= (last != row) & ~((last != last) & (row != row))
            array_[slots] = row
        before[slots] = True
        self.reported = before, kept
        values = values_of(request, out, payloads)
        ends = self.arena.word(TOTAL)[slots]
        keys = list(self.slots)
        return [
            Result(keys[slot], end - size, end, values[k])
            for k, (slot, size, end) in enumerate(
                zip(slots.tolist(), sizes[slots].tolist(), ends.tolist(), strict=True)
            )
            if changed[k]
        ]

    # --- keys

    def sizes(self) -> Array:
        """How many events each window holds."""
        self.flush()
        self.arena.open(len(self.slots))
        return self.arena.word(INTS + 1) - self.arena.word(INTS)

    def expire(self, tick: int | None) -> list[Any]:
        """Forget keys without events, or whose last event came before an instant."""
        sizes = self.sizes()
        newest = np.array(self.newest)
        idle = np.zeros(len(self.slots), bool)
        if tick is not None:
            idle = (newest < tick) & (newest != NO_INSTANT)
            self._elapse(tick, 0, len(self.slots))
            newest[idle] = tick
            np.frombuffer(self.newest, np.int64)[:] = newest
            sizes = self.sizes()
        gone = idle | (sizes == 0)
        for batch in self.untaken:
            gone[batch.owners] = False
        if not gone.any():
            return []
        keys, stay = list(self.slots), np.flatnonzero(~gone)
        self._keep(stay, newest)
        self.slots.clear()
        self.slots.update((keys[slot], k) for k, slot in enumerate(stay.tolist()))
        return [keys[slot] for slot in np.flatnonzero(gone).tolist()]

    def _keep(self, stay: Array, newest: Array) -> None:
        """Renumber what stays."""
        number = np.full(len(newest), -1, np.int64)
        number[stay] = np.arange(len(stay))
        self.arena.keep(stay)
        lasts = [np.array(column)[stay] if column else NOBODY for column in self.lasts]
        columns = (self.newest, *self.lasts)
        for column, values in zip(columns, (newest[stay], *lasts), strict=True):
            del column[:]
            column.frombytes(values.tobytes())
        for batch in self.untaken:
            batch.owners[:] = number[batch.owners]
        rings = list(self.payloads.items())
        self.payloads.clear()
        self.payloads.update(
            (int(number[slot]), ring) for slot, ring in rings if number[slot] >= 0
        )
        if self.reported is not None:
            known, rows = self.reported
            stay = stay[stay < len(known)]  # later keys have not been reported
            self.reported = known[stay], [row[stay] for row in rows]

    # --- payloads and results

    def _payload_ring(self, slot: int) -> PayloadRing:
        ring = self.payloads.get(slot)
        if ring is None:
            ring = self.payloads[slot] = PayloadRing()
        return ring

    def _payloads_of(
        self, out: tuple[Array, ...], owners: Array
    ) -> dict[str, list[Any]] | None:
        """By call, what the positions in `out` point to, slot by slot."""
        columns = self.program.columns
        if not columns.payloads:
            return None
        windows = map(self._shown.of_slot, owners.tolist())
        return payloads_at(columns.request, out, windows)

    def _room_for(self, count: int) -> tuple[tuple[Any, Array, Array], Array]:
        """Arrays for results, begins and ends of windows; and for their slots."""
        out = arrays(self.program.kernel.product.out_dtypes, count)
        begins, ends, owners = (np.empty(count, np.int64) for _ in range(3))
        return (out, begins, ends), owners

    def _batch(
        self, count: int, owners: Array, out: Any, begins: Array, ends: Array
    ) -> ResultBatch:
        """Results as they were written, with the payloads that they point to."""
        results = tuple(array[:count].copy() for array in out)
        payloads = self._payloads_of(results, owners[:count])
        bounds = begins[:count].copy(), ends[:count].copy()
        return ResultBatch(None, *bounds, results, payloads, owners[:count].copy())

    def _named(self, batch: ResultBatch | None, rank: Array) -> list[ResultBatch]:
        """A batch in the order of ranks of slots, with its keys."""
        if batch is None:
            return []
        batch = batch.take(np.argsort(rank[batch.owners], kind="stable"))
        keys = list(self.slots)
        return [batch._replace(key=[keys[slot] for slot in batch.owners.tolist()])]

    def give_back(self) -> None:
        """Give back memory: windows that found no smaller block find one now.

        New blocks are half as long as the old ones at most.
        """
        arena, slot = self.arena, 0
        if arena.flat[SHORT]:
            arena.flat[SHORT] = 0
            arena.make_room(int(arena.flat[TOP]) // 2)
            keys = (NOBODY, arena.where, arena.due, NOBODY)
            while slot < arena.count:
                slot = self.program.steps.call_settle_keys(
                    arena, 0, 0, slot, arena.count, keys
                )
        arena.tidy()

    def _tidy(self, slots: Array) -> None:
        """Give back memory and payloads that nobody needs any more."""
        self.give_back()
        if self.payloads:
            arena = self.arena
            for slot in np.unique(slots).tolist():
                at = arena.where[slot] + INTS
                self.payloads[slot].keep(int(arena.flat[at + 1] - arena.flat[at]))
