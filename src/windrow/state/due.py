"""Which windows fall due when the watermark moves from `closed` to `now`.

By time, a window whose end is passed:

    range 30, slide 10      closed       now
                               |----------|
    out already     |----------]
    due                 |----------]
    due                     |----------]
    not yet                     |----------]

By count, a window whose last row has become final: of a key that had `before` final
rows and has `known` of them now

    before < end <= known

Windows are found from rows, never by stepping through time: row i is the first of
those windows that it is in and the row before it is not, and the last of those that
the row after it is not in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from windrow.batch.sorted_rows import Stream
from windrow.windows import Rule

Array = np.ndarray[Any, Any]

LEAST, MOST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class Due:
    """Window i of key `runs[i]` is [begins[i], ends[i]), rows [starts[i], stops[i])."""

    runs: Array
    begins: Array
    ends: Array
    starts: Array
    stops: Array

    def __len__(self) -> int:
        return len(self.runs)


def due_numbers(query: Rule, closed: int, now: int) -> tuple[int, int] | None:
    """First and last k of the windows [shift + k slide, + range) that end in
    (closed, now]; None if there is none.
    """
    low = (closed - query.even.shift - query.even.range) // query.even.slide + 1
    high = (now - query.even.shift - query.even.range) // query.even.slide
    return (low, high) if low <= high else None


def due_span(query: Rule, closed: int, now: int) -> tuple[int, int] | None:
    """From where to where those windows reach."""
    found = due_numbers(query, closed, now)
    if found is None:
        return None
    low, high = found
    start = query.even.shift + low * query.even.slide
    stop = query.even.shift + high * query.even.slide + query.even.range
    return max(start, LEAST), min(stop, MOST)


def due_by_time(stream: Stream, query: Rule, closed: int, now: int) -> Due:
    """The time windows that hold one of the rows and end in (closed, now]."""
    found = due_numbers(query, closed, now)
    assert stream.times is not None
    assert found is not None
    low, high = max(found[0], LEAST), min(found[1], MOST)
    since = stream.times - query.even.shift
    oldest, newest = (
        (since - query.even.range) // query.even.slide + 1,
        since // query.even.slide,
    )
    after_last = np.empty_like(newest)  # the first window without the row before
    after_last[1:] = newest[:-1] + 1
    after_last[stream.firsts] = LEAST
    before_next = np.empty_like(oldest)  # the last window without the row after
    before_next[:-1] = oldest[1:] - 1
    before_next[stream.lasts - 1] = MOST
    oldest, newest = np.maximum(oldest, low), np.minimum(newest, high)
    starts, numbers = _listed(np.maximum(oldest, after_last), newest)
    lasts, _ = _listed(oldest, np.minimum(newest, before_next))
    begins = query.even.shift + numbers * query.even.slide
    runs = np.searchsorted(stream.lasts, starts, side="right")
    return Due(runs, begins, begins + query.even.range, starts, lasts + 1)


def due_by_count(stream: Stream, query: Rule, before: Array, known: Array) -> Due:
    """The count windows whose last row is now final.

    A run of the stream holds the last final rows of its key.
    """
    low = first_due(query, before)
    runs, numbers = _listed(low, (known - query.even.range) // query.even.slide)
    begins = np.maximum(numbers * query.even.slide, 0)
    ends = numbers * query.even.slide + query.even.range
    zero = (stream.lasts - known)[runs]  # where row 0 of the key would stand
    return Due(runs, begins, ends, zero + begins, zero + ends)


def first_due(query: Rule, known: Array) -> Array:
    """The number of the first window that is not out: its end lies past `known`."""
    first: Array = (known - query.even.range) // query.even.slide + 1
    return np.maximum(first, 0) if query.is_complete else first


def least_needed(queries: Sequence[Rule], known: Array) -> Array:
    """The first row of a key that a window which is not out can hold."""
    firsts = [first_due(query, known) * query.even.slide for query in queries]
    least: Array = np.maximum(np.min(firsts, axis=0), 0)
    return least


def out_of_reach(queries: Sequence[Rule], times: Array, now: int) -> Array:
    """Whether every window of an instant ends at or before `now`."""
    ends = [
        times - (times - q.even.shift) % q.even.slide + q.even.range for q in queries
    ]
    out: Array = np.max(ends, axis=0) <= now
    return out


def _listed(lows: Array, highs: Array) -> tuple[Array, Array]:
    """lows[i], ..., highs[i] for each i, one behind the other, and their i."""
    counts = np.maximum(highs - lows + 1, 0)
    owners = np.repeat(np.arange(len(counts)), counts)
    nth = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    return owners, lows[owners] + nth


__all__ = [
    "LEAST",
    "Due",
    "due_by_count",
    "due_by_time",
    "due_span",
    "least_needed",
    "out_of_reach",
]
