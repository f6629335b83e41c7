"""The policies of a window as numbers, and the rows that each result is made of.

    rows of a key    0   1   2   3   4   5   6
    evict            |-----------|                    the oldest row that is still there
    trigger                  ^       ^       ^        results: [0, 3), [2, 5), [3, 7)

Rows of a key leave from the old end only, so both bounds only ever rise.  Where time
triggers, the last rows are reported at the first instant after them.  An operator's
loop goes by the same numbers, one event at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import NamedTuple

import numpy as np

from windrow._later import dataclass
from windrow.loops import compiled

from .frames import Frames
from .rule import Array

BY_HAND, COUNT, TIME, DELTA, PUNCTUATION = range(5)
"""Kinds of policies, as the numbers that compiled loops branch on."""

_KINDS = ("by hand", "by rows", "by time", "by a delta", "by a punctuation")

EXACT = 2**53  # a delta is measured in floats, which are exact up to here


@dataclass(frozen=True)
class PolicyNumbers:
    """Both policies: their kinds, lengths, and the columns they look at.

    `numeric` says that instants are plain numbers; None where there are none.
    """

    evict: int
    trigger: int
    range: int = 0
    every: int = 0
    anchor: int = 0
    since: int = 0
    furthest: float = 0.0
    step: float = 0.0
    mark: str | None = None
    signal: str | None = None
    flag: str | None = None
    numeric: bool | None = None

    def words(self) -> list[str]:
        """All that the two policies say, for people who compare them."""
        usual = PolicyNumbers(self.evict, self.trigger)
        return [
            f"evict {_KINDS[self.evict]}",
            f"trigger {_KINDS[self.trigger]}",
            *(
                f"{field.name} {getattr(self, field.name)}"
                for field in fields(self)
                if getattr(self, field.name) != getattr(usual, field.name)
            ),
        ]

    @property
    def timed(self) -> bool:
        """Whether events need an instant."""
        return self.numeric is not None

    @property
    def aligned(self) -> bool:
        """Whether windows are [end - range, end) at ends `every` apart."""
        return self.evict == TIME and self.trigger == TIME

    @property
    def waits(self) -> bool:
        """Whether results wait to be taken; else only the newest is asked for."""
        each_event = self.trigger == COUNT and self.every == 1
        return self.trigger != BY_HAND and not each_event

    @property
    def every_row(self) -> bool:
        """Whether it is a window of rows that reports every row, once it is full."""
        count = self.evict == COUNT and self.trigger == COUNT and self.every == 1
        return count and self.since == 1 - self.range

    @property
    def punctuated(self) -> bool:
        """Whether a punctuation has a meaning."""
        return PUNCTUATION in (self.evict, self.trigger)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that policies look at."""
        names = (self.mark, self.signal, self.flag)
        return tuple(dict.fromkeys(name for name in names if name is not None))


def _bounds_columns(  # the same over whole columns
    times: Array,
    marks: Array,
    signals: Array,
    flags: Array,
    firsts: Array,
    lasts: Array,
    kinds: tuple[int, int],
    lengths: tuple[int, int],
    far: tuple[float, float],
) -> tuple[Array, Array, Array]:
    """Find the newest row of each result, and from it the oldest."""
    (evict, trigger), (range_, every) = kinds, lengths
    sizes = lasts - firsts
    runs = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.arange(len(runs)) + (lasts - np.cumsum(sizes))[runs]
    if trigger == COUNT:
        due = (rows - firsts[runs] + 1) % every == 0
    elif trigger == TIME:
        number = times // every
        due = rows + 1 == lasts[runs]
        due[~due] = number[rows[~due]] != number[rows[~due] + 1]
        if evict == PUNCTUATION:
            due &= flags[rows] == 0
    elif trigger == PUNCTUATION:
        due = flags[rows] != 0
    elif trigger == DELTA:
        due = _due_by_delta(signals, far[1], rows, firsts, lasts, runs)
    else:
        due = np.zeros(len(rows), bool)
    newest, runs = rows[due], runs[due]
    oldest = firsts[runs]
    if evict == COUNT:
        oldest = np.maximum(oldest, newest - range_ + 1)
    elif evict == TIME:
        oldest = _halve(oldest, newest, lambda j: times[j] <= times[newest] - range_)
    elif evict == DELTA:
        oldest = _halve(oldest, newest, lambda j: marks[newest] - marks[j] > far[0])
    elif evict == PUNCTUATION:
        behind = np.append(0, np.flatnonzero(flags) + 1)  # where rows begin anew
        last = np.searchsorted(behind, newest, side="right") - 1
        oldest = np.maximum(oldest, behind[last])
    return oldest, newest + 1, np.bincount(runs, minlength=len(firsts))


def _due_by_delta(
    signals: Array, step: float, rows: Array, firsts: Array, lasts: Array, runs: Array
) -> Array:
    """Whether each row is further than a step from the last one that was."""

    def near(j: Array) -> Array:
        within: Array = ~(signals[j] - signals[rows] > step)
        return within

    due = np.zeros(len(rows), bool)
    following = (_halve(rows + 1, lasts[runs], near) - rows).tolist()
    at = 0
    for size in (lasts - firsts).tolist():
        end = at + size
        place = at + following[at] if size else end
        while place < end:
            due[place] = True
            place += following[place]
        at = end
    return due


def _halve(low: Array, high: Array, before: Callable[[Array], Array]) -> Array:
    """The first place in each [low, high) that is not before; high if all are."""
    while (low < high).any():
        middle = (low + high) >> 1
        is_before = before(np.minimum(middle, high - 1))
        is_open = low < high
        low = np.where(is_open & is_before, middle + 1, low)
        high = np.where(is_open & ~is_before, middle, high)
    return low


@compiled(columns=_bounds_columns)
def _bounds(  # type: ignore[no-untyped-def]
    times, marks, signals, flags, firsts, lasts, kinds, lengths, far
):
    """Rows of each result, and how many results each key has: counted, then filled.

    `kinds` and `lengths` are of eviction and trigger, `far` their distances.
    """
    evict, trigger = kinds
    range_, every = lengths
    counts = np.zeros(len(firsts), np.int64)
    starts = stops = np.empty(0, np.int64)
    for fills in (False, True):
        made = 0
        for k in range(len(firsts)):
            begun = made
            first, last = firsts[k], lasts[k]
            low, since, end = first, 0, np.int64(0)
            for i in range(first, last + 1):
                if evict == PUNCTUATION and i > first and flags[i - 1]:
                    low = i
                if trigger == TIME and (i in (first, last) or times[i] >= end):
                    if since > 0 and low < i:
                        if fills:
                            starts[made], stops[made] = low, i
                        made += 1
                        since = 0
                    if i < last:
                        end = times[i] // every * every + every
                if i == last:
                    break
                if evict == COUNT:
                    low = max(low, i - range_ + 1)
                elif evict == TIME:
                    while times[low] <= times[i] - range_:
                        low += 1
                elif evict == DELTA:
                    while marks[i] - marks[low] > far[0]:
                        low += 1
                since += 1
                due = False
                if trigger == COUNT:
                    due = since == every
                elif trigger == PUNCTUATION:
                    due = flags[i] != 0
                elif trigger == DELTA:
                    if i == first:
                        seen = signals[i]
                    elif signals[i] - seen > far[1]:
                        seen = signals[i]
                        due = True
                if due:
                    if fills:
                        starts[made], stops[made] = low, i + 1
                    made += 1
                    since = 0
            counts[k] = made - begun
        if not fills:
            starts, stops = np.empty(made, np.int64), np.empty(made, np.int64)
    return starts, stops, counts


class PolicyColumns(NamedTuple):
    """What policies look at, row by row: empty arrays where they do not."""

    times: Array
    marks: Array
    signals: Array
    flags: Array


def policy_frames(
    policies: PolicyNumbers, columns: PolicyColumns, firsts: Array, lasts: Array
) -> Frames:
    """The rows of each result, run by run; results are numbered by their places."""
    starts, stops, counts = _bounds(
        *columns,
        firsts,
        lasts,
        (policies.evict, policies.trigger),
        (policies.range, policies.every),
        (policies.furthest, policies.step),
    )
    return Frames(starts, stops, starts, counts)
