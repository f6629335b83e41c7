"""The policies of a window as numbers, and the rows that each result is made of.

    rows of a key    0   1   2   3   4   5   6
    evict            |-----------|                    the oldest row that is still there
    trigger                  ^       ^       ^        results: [0, 3), [2, 5), [3, 7)

Rows of a key leave from the old end only, so both bounds only ever rise.  Where time
triggers, the last rows are reported at the first instant after them.  An operator's
loop goes by the same numbers, one event at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from windrow._compiled import compiled

from .frames import Frames
from .rule import Array

BY_HAND, COUNT, TIME, DELTA, PUNCTUATION = range(5)
"""Kinds of policies, as the numbers that compiled loops branch on."""

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


@compiled
def _bounds(  # type: ignore[no-untyped-def]
    times, marks, signals, flags, firsts, lasts, kinds, lengths, far, starts, stops, at
):
    """Rows of each result; `at[k]` is where those of key k begin.  Gives their number.

    `kinds` and `lengths` are of eviction and trigger, `far` their distances.
    """
    evict, trigger = kinds
    range_, every = lengths
    made = 0
    fill = len(starts) > 0
    for k in range(len(firsts)):
        at[k] = made
        first, last = firsts[k], lasts[k]
        low, since, end = first, 0, np.int64(0)
        for i in range(first, last + 1):
            if evict == PUNCTUATION and i > first and flags[i - 1]:
                low = i
            if trigger == TIME and (i in (first, last) or times[i] >= end):
                if since > 0 and low < i:
                    if fill:
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
                if fill:
                    starts[made], stops[made] = low, i + 1
                made += 1
                since = 0
    at[len(firsts)] = made
    return made


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
    fixed = (
        *columns,
        firsts,
        lasts,
        (policies.evict, policies.trigger),
        (policies.range, policies.every),
        (policies.furthest, policies.step),
    )
    at = np.zeros(len(firsts) + 1, np.int64)
    none = np.empty(0, np.int64)
    made = _bounds(*fixed, none, none, at)
    starts, stops = np.empty(made, np.int64), np.empty(made, np.int64)
    _bounds(*fixed, starts, stops, at)
    return Frames(starts, stops, starts, np.diff(at))
