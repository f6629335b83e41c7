"""Finds the windows that fall due, and the three partials that each is made of.

A window is cut into chunks, each as many windows long as half of those that hold one
instant, rounded up.  So a window never touches more than three chunks:

    chunk          |   a       |   a + 1   |   a + 2   |
    window j              |----|-----------|-----|
                           head   middle     newest        places of partials, -1: none

While j grows

    slices come     head, middle or newest becomes the prefix at the slice's place
    slices leave    head becomes the suffix at the slice's place: what is left of it
    j // every      grows by one: head <- middle <- newest <- none

A chunk is complete when the watermark passes its end.  Its suffixes are wanted when
windows begin to open in it, which is about a chunk later:

    chunk            |   c       |   c + 1   |
    suffixes of c      . . . < < < < < <                      from its newest slice down
    watermark                    |--------->                  as fast as time goes on

so a step builds as many as it moves time on, and no step pays for a whole chunk unless
it moves time on by one.

Only places are moved about here; the partials at them are merged afterwards.  Windows
are found from slices, never by stepping through time, so a gap of years costs nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from windrow._later import dataclass
from windrow.loops import compiled, ordinals
from windrow.windows import Rule, list_windows
from windrow.windows.rule import Array

from .stretches import walk_columns

DENSE, SPARE = 16, 4096  # windows for each slice, and besides, that may hold none


@dataclass(frozen=True)
class Chunks:
    """The windows of a rule, in chunks of `every` windows: chunk 0 begins as window 0.

    An instant belongs to the chunk of the last window that begins at or before it.
    """

    rule: Rule

    @cached_property
    def every(self) -> int:
        """Half of the windows that hold one instant, rounded up."""
        return -(-self.rule.overlap // 2)

    @property
    def has_suffixes(self) -> bool:
        """Whether slices leave one by one, and not chunk by chunk."""
        return self.every > 1

    def numbers(self, times: Array) -> Array:
        """The chunk of each instant."""
        numbers: Array = self.rule.last_over(times) // self.every
        return numbers

    def start(self, chunk: int) -> int:
        """The instant at which a chunk begins."""
        return int(self.rule.begin(chunk * self.every))

    def last_due(self, now: int) -> int:
        """The number of the last window that ends at or before an instant."""
        return int(self.rule.first_over(now)) - 1

    def begin_due(self, now: int) -> int:
        """The instant at which that window begins."""
        return int(self.rule.begin(self.last_due(now)))

    def building(self, now: int) -> tuple[int, int]:
        """The last complete chunk, and from which instant on its suffixes are built."""
        chunk = int(self.rule.last_over(now)) // self.every - 1
        start, end = self.start(chunk), self.start(chunk + 1)
        if self.begin_due(now) > start:  # slices of it have left
            return chunk, start
        passed, next_length = now - end, self.start(chunk + 2) - end
        return chunk, max(start, end - passed * (end - start) // next_length)


class SliceRuns(NamedTuple):
    """Slices of key k: [firsts[k], lasts[k]), in order of their panes.

    `places` are those of their partials (-1: nothing is left), `chunks` the chunks in
    which they lie.
    """

    firsts: Array
    lasts: Array
    panes: Array
    places: Array
    chunks: Array


@compiled(columns=walk_columns)
def _walk(  # type: ignore[no-untyped-def]
    since, until, every, windows, heads, coming, leaving, keys, wanted, out, after,
    counts,
):  # fmt: skip
    """Fill `counts`; where `out` is wanted, its stretches, and `after` the heads.

    `since` is the chunk in which the heads stand, `until` is the last window that is
    due and where it begins.  The number of stretches comes back.
    """
    numbers, begins, ends = windows
    come_first, come_last, come_pane, come_place, come_chunk, come_open = coming
    leave_first, leave_last, leave_pane, leave_place, leave_chunk = leaving
    at = 0
    for k in range(keys[0], keys[1]):
        found, following = 0, -1
        head, middle, newest = heads[0][k], heads[1][k], heads[2][k]
        chunk = since
        come, leave = come_first[k], leave_first[k]
        i = 0
        while True:
            due = i < len(numbers)
            now = numbers[i] if due else until[0]
            start = begins[i] if due else until[1]
            while chunk < now // every:
                if head < 0 and middle < 0 and newest < 0:
                    chunk = now // every
                    break
                head, middle, newest = middle, newest, -1
                chunk += 1
            while leave < leave_last[k] and leave_pane[leave] < start:
                if leave_chunk[leave] == chunk:
                    head = leave_place[leave]
                leave += 1
            while come < come_last[k] and (not due or come_pane[come] < ends[i]):
                ahead = come_chunk[come] - chunk
                if ahead == 0:
                    head = come_place[come]
                elif ahead == 1:
                    middle = come_place[come]
                else:
                    newest = come_place[come]
                come += 1
            if not due:
                break
            if head >= 0 or middle >= 0 or newest >= 0:
                if wanted:
                    alike = i == following and head == out[2][at - 1]
                    alike = alike and middle == out[3][at - 1]
                    if alike and newest == out[4][at - 1]:
                        out[5][at - 1] += 1
                    else:
                        out[0][at], out[1][at], out[5][at] = k, i, 1
                        out[2][at], out[3][at], out[4][at] = head, middle, newest
                        at += 1
                found += 1
                i += 1
                following = i
            elif come < come_last[k]:
                i = max(i + 1, come_open[come])
            else:
                i = len(numbers)
        counts[k] = found
        if wanted:
            after[0][k], after[1][k], after[2][k] = head, middle, newest
    return at


@dataclass(frozen=True)
class WindowParts:
    """Stretches of windows of a key, one after the other, that have the same parts.

    Stretch i is `counts[i]` windows of key `keys[i]`, of which the first is
    [begins[i], ends[i]).  `places` are those of their head, middle and newest partial.
    """

    keys: Array
    begins: Array
    ends: Array
    places: tuple[Array, ...]
    counts: Array

    def each(self, rule: Rule) -> WindowParts:
        """The same with a window in each stretch."""
        if len(self.counts) == self.counts.sum():
            return self
        rows = np.repeat(np.arange(len(self.counts)), self.counts)
        later = ordinals(self.counts) * rule.step
        begins, ends = self.begins[rows] + later, self.ends[rows] + later
        places = tuple(place[rows] for place in self.places)
        one_each = np.ones(len(rows), np.int64)
        return WindowParts(self.keys[rows], begins, ends, places, one_each)


class Walk:
    """The windows of one rule that end in (before, now], for all keys of a bucket.

    `heads`, and `after` the walk, are the places of head, middle and newest of each
    key.
    """

    def __init__(
        self,
        chunks: Chunks,
        before: int,
        now: int,
        heads: tuple[Array, ...],
        coming: SliceRuns,
        leaving: SliceRuns,
    ) -> None:
        rule = chunks.rule
        first, last = chunks.last_due(before) + 1, chunks.last_due(now)
        opens = rule.first_over(coming.panes)
        if last - first < DENSE * len(opens) + SPARE:
            numbers = np.arange(first, last + 1)
            opens = np.maximum(opens - first, 0)
        else:  # a gap: only windows that hold a slice are listed
            numbers = _list_due(rule, before, coming.panes, first, last)
            opens = np.searchsorted(numbers, opens)
        self._is_even = rule.is_even and len(numbers) == last - first + 1
        self._begins, self._ends = rule.begin(numbers), rule.end(numbers)
        self._inputs = (
            (first - 1) // chunks.every,
            (last, chunks.begin_due(now)),
            chunks.every,
            (numbers, self._begins, self._ends),
            heads,
            (*coming, opens),
            tuple(leaving),
        )
        self.keys = len(heads[0])
        self.after = tuple(np.full(self.keys, -1) for _ in heads)
        self.counts = np.zeros(self.keys, np.int64)
        self._run((0, self.keys), False, (np.empty(0, np.int64),) * 6)

    def _run(self, keys: tuple[int, int], wanted: bool, out: tuple[Array, ...]) -> int:
        found: int = _walk(*self._inputs, keys, wanted, out, self.after, self.counts)
        return found

    def due(self, first: int, last: int) -> WindowParts:
        """The windows of keys [first, last), whose heads stand in `after` then.

        Windows that are no arithmetic have a stretch each.
        """
        most = int(self.counts[first:last].sum())
        room = tuple(np.empty(most, np.int64) for _ in range(6))
        found = self._run((first, last), True, room)
        out = [column[:found] for column in room]
        if not self._is_even:
            rows = np.repeat(np.arange(found), out[-1])
            later = ordinals(out[-1])
            out = [column[rows] for column in out]
            out[1] += later
            out[-1] = np.ones(len(rows), np.int64)
        keys, windows, *places, counts = out
        begins, ends = self._begins[windows], self._ends[windows]
        return WindowParts(keys, begins, ends, tuple(places), counts)


def _list_due(rule: Rule, before: int, panes: Array, first: int, last: int) -> Array:
    """The windows from `first` to `last` that hold a slice of some key.

    One that holds a slice from before the step also holds the instant `before`.
    """
    times = np.unique(np.append(panes, before))
    whole = np.array([0]), np.array([len(times)])
    return list_windows(rule, times, *whole, first, last)[2]
