"""Holds the windows of many keys in one array of words, in blocks by their capacity.

    flat     | free lists, top | block | block | block | ...... | room |
    where        slot 0 -------^         ^------ slot 1           ^ top
    due          the instant at which time changes something in each window

A slot is the number of a key.  A block is the memory of a window (`layout.py`), with
2**level places.  One that is no longer needed is the head of its level's free list, and
its first word is the next one there.  Loops take and give blocks without Python
(`key_loops.py`); where the array ends they stop, and Python makes it longer.  Values
that results point to stand beside it, in a ring for each slot.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .layout import Array, Layout, Memory
from .policies import FREE, HEAD, LEAST_ARENA, LEAST_KEY, MASK, NEVER, TOP

_ROWS = 1 << 14  # blocks that are copied at once


class Arena:
    """The memory of all windows of an operator; `count` slots have a block."""

    def __init__(self, layout: Layout, empty: Array) -> None:
        """`empty` is the block of a window without events."""
        self.layout, self.empty = layout.without_result(), empty
        self.flat: Array = np.zeros(HEAD + 16 * len(empty), np.int64)
        self.flat[TOP] = HEAD
        self.where: Array = np.zeros(16, np.int64)
        self.due: Array = np.zeros(16, np.int64)
        self.count = 0

    # --- for loops that run as plain Python

    @property
    def words(self) -> Any:
        """The array, as plain Python reads it fastest."""
        return self.flat.data

    def block(self, at: int) -> Memory:
        """The window whose block begins there."""
        places = int(self.flat[at + MASK]) + 1
        return Memory(self.layout, places, self.flat[at:])

    # --- room

    def open(self, count: int) -> None:
        """Windows without events for the slots up to `count`."""
        more = count - self.count
        if more <= 0:
            return
        if count > len(self.where):
            room = max(count, len(self.where) * 3 // 2)
            for array in (self.where, self.due):
                array.resize(room, refcheck=False)
        size = len(self.empty)
        self.make_room(more * size)
        top = int(self.flat[TOP])
        self.flat[top : top + more * size].reshape(more, size)[:] = self.empty
        self.where[self.count : count] = top + size * np.arange(more)
        self.due[self.count : count] = NEVER
        self.flat[TOP] = top + more * size
        self.count = count

    def make_room(self, words: int) -> None:
        """Have so many words free at the end; pages that nobody writes cost nothing."""
        need = int(self.flat[TOP]) + words
        if need > len(self.flat):
            self.flat.resize(max(need, len(self.flat) * 5 // 4), refcheck=False)

    def grow(self) -> None:
        """Room for the window that found none, whatever its size."""
        places = int(self.flat[self.where[: self.count] + MASK].max()) + 1
        self.make_room(2 * self.layout.words(2 * places))

    def tidy(self) -> None:
        """Copy blocks together where more than half of the array is free."""
        top = int(self.flat[TOP])
        free = int(self.flat[FREE]) + len(self.flat) - top
        if len(self.flat) > LEAST_ARENA and 2 * free > len(self.flat):
            self.keep(np.arange(self.count))

    def keep(self, slots: Array) -> None:
        """Forget all slots but those, which get the numbers 0, 1, ..., in order."""
        ends = np.cumsum(self.sizes(slots))
        fresh: Array = np.zeros(HEAD + int(ends[-1]) if len(ends) else HEAD, np.int64)
        starts = HEAD + np.append(0, ends[:-1])[: len(slots)]
        self._copy(slots, starts, fresh)
        fresh[TOP] = len(fresh)
        self.flat, self.where, self.due = fresh, starts, self.due[slots]
        self.count = len(slots)

    # --- all windows at once

    def sizes(self, slots: Array) -> Array:
        """Words of the blocks of those slots."""
        masks = self.flat[self.where[slots] + MASK]
        distinct, inverse = np.unique(masks, return_inverse=True)
        words = [self.layout.words(int(mask) + 1) for mask in distinct]
        return np.array(words, np.int64)[inverse]

    def blocks(self) -> tuple[Array, Array]:
        """All blocks in the order of slots without gaps, and where each ends."""
        slots = np.arange(self.count)
        ends = np.cumsum(self.sizes(slots)) if self.count else np.empty(0, np.int64)
        data: Array = np.zeros(int(ends[-1]) if self.count else 0, np.int64)
        self._copy(slots, np.append(0, ends[:-1])[: self.count], data)
        return data, ends

    def restore(self, data: Array, ends: Array, due: Array) -> None:
        """Have the blocks that `blocks` gave."""
        self.flat = np.concatenate([np.zeros(HEAD, np.int64), data])
        self.flat[TOP] = len(self.flat)
        self.count = len(ends)
        self.where = HEAD + np.append(0, ends[:-1])[: self.count]
        self.due = due.copy()

    def word(self, number: int) -> Array:
        """A word of the header of every window."""
        words: Array = self.flat[self.where[: self.count] + number]
        return words

    def _copy(self, slots: Array, starts: Array, target: Array) -> None:
        sizes, where = self.sizes(slots), self.where[slots]
        for size in np.unique(sizes):
            (alike,) = np.nonzero(sizes == size)
            offsets = np.arange(size)
            for at in range(0, len(alike), _ROWS):
                rows = alike[at : at + _ROWS, None]
                target[starts[rows] + offsets] = self.flat[where[rows] + offsets]

    # --- undoing a call that failed

    def snapshot(self) -> tuple[Array, Array, Array]:
        """All that a loop may change."""
        return self.flat.copy(), self.where.copy(), self.due.copy()

    def undo(self, before: tuple[Array, Array, Array]) -> None:
        """Have what `snapshot` gave."""
        for array, saved in zip((self.flat, self.where, self.due), before, strict=True):
            array[:] = saved


class PayloadRing:
    """The payloads of a window's events, by the numbers of events.

    `rows` are those of the events [first, first + len(rows)); the young end is that of
    the window, and the old end follows it when many are there that nobody needs.
    """

    def __init__(self, first: int = 0, rows: list[tuple[Any, ...]] | None = None):
        self.first, self.rows = first, rows or []

    def __getitem__(self, number: int) -> tuple[Any, ...]:
        return self.rows[number - self.first]

    def between(self, first: int, last: int) -> list[tuple[Any, ...]]:
        """Those of the events from the first to the last."""
        return self.rows[first - self.first : last + 1 - self.first]

    def keep(self, events: int) -> None:
        """Forget all but those of the youngest events, if that is half of them."""
        if len(self.rows) > 2 * events + 16:
            gone = len(self.rows) - events
            del self.rows[:gone]
            self.first += gone


class SlotPayloads:
    """What the events of one key had in a column, by the ring of its slot."""

    def __init__(self, rings: dict[int, PayloadRing], names: list[str]) -> None:
        self.rings, self.names, self.slot = rings, names, 0

    def of_slot(self, slot: int) -> SlotPayloads:
        """The same of another slot."""
        other = SlotPayloads(self.rings, self.names)
        other.slot = slot
        return other

    def payload_at(self, number: int, name: str) -> Any:
        """Of one event."""
        return self.rings[self.slot][number][self.names.index(name)]

    def payloads_between(self, first: int, last: int, name: str) -> list[Any]:
        """Of the events from one to another."""
        place = self.names.index(name)
        return [row[place] for row in self.rings[self.slot].between(first, last)]


@lru_cache(maxsize=256)
def arena_texts(layout: Layout, *, plain: bool) -> tuple[str, ...]:
    """Source of `words_of(arena)`, `block_words(n)` and `open_block(arena, at)`."""
    sections = layout.without_result().sections
    words = " + ".join([f"{layout.header}", *(own.words_text for own in sections)])
    if plain:
        return (
            "def words_of(arena):\n    return arena.words",
            f"def block_words(n):\n    return {words}",
            "def open_block(arena, at):\n    return open_memory(arena.block(at))",
        )
    size = f"block_words(arena[at + {MASK}] + 1)"
    block = f"arena[at : at + {size}]"
    return (
        "def words_of(arena):\n    return arena",
        f"def block_words(n):\n    return {words}",
        f"def open_block(arena, at):\n    return open_memory({block})",
    )


__all__ = ["LEAST_KEY", "Arena", "PayloadRing", "SlotPayloads", "arena_texts"]
