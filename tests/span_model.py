"""Models slices as the paper defines them: lift*, combine*, lower* and their callers.

It is plain Python over one aggregate, an event at a time.  The compiled loops must
give the same, and the paper's running example is replayed with it.

    level 3     [40, 55)    [45, 60)    [50, 65)         level k of slice i covers
    level 2     [45, 55)    [50, 60)    [55, 65)         slices i - k + 1 to i
    level 1     [50, 55)    [55, 60)    [60, 65)         the slice itself

A slice level has two parts, of events that end in it and of events that go on beyond.

Three lines of the paper are mended, as its own example demands.  In Table 3 the
continuing part of `combine*` is b's alone where b follows a, else both are combined;
one that is combined whenever u(a) <= u(b) gives 117 for its 91.  Algorithm 7 combines
`lift*` with what is there, and does not put it in its place.  The intervals of `lift*`
are those of the slice, whatever the level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from windrow.aggregates import Aggregate

Partial = tuple[Any, ...]
Interval = tuple[int, int]


@dataclass(frozen=True)
class SliceLevel:
    """The partials of events that end in an interval, and of those that go on."""

    ends: Partial
    goes: Partial
    span: Interval


def ends_in(event: Interval, span: Interval) -> bool:
    """Whether the interval of an event ends in another interval."""
    return span[0] < event[1] <= span[1]


def goes_beyond(event: Interval, span: Interval) -> bool:
    """Whether the interval of an event overlaps another and goes beyond its end."""
    return event[0] < span[1] < event[1]


def overlaps(a: Interval, b: Interval) -> bool:
    """Whether two intervals have an instant in common."""
    return a[0] < b[1] and b[0] < a[1]


@dataclass
class MultiLevelSlices:
    """The slices of an aggregate, each of `height` levels.

    The first slices have no more levels than there are slices before them.
    """

    aggregate: Aggregate
    height: int
    identity: Partial
    slices: list[list[SliceLevel]] = field(default_factory=list)

    def lift(self, value: Sequence[Any], event: Interval, span: Interval) -> SliceLevel:
        """Turn an event into a slice level, in the part that it belongs to (lift*)."""
        partial = self.aggregate.lift(*value)
        ends = partial if ends_in(event, span) else self.identity
        goes = partial if goes_beyond(event, span) else self.identity
        return SliceLevel(ends, goes, span)

    def combine(self, a: SliceLevel, b: SliceLevel) -> SliceLevel:
        """Combine a and b; if b follows a, its `goes` counts for both (combine*)."""
        follows = a.span[1] == b.span[0]
        ends = self.aggregate.combine(a.ends, b.ends)
        goes = b.goes if follows else self.aggregate.combine(a.goes, b.goes)
        return SliceLevel(ends, goes, (a.span[0], b.span[1]) if follows else a.span)

    def lower(self, level: SliceLevel) -> Any:
        """Combine both parts of a level and lower them (lower*)."""
        return self.aggregate.lower(self.aggregate.combine(level.ends, level.goes))

    def add_slice(self, start: int, stop: int) -> None:
        """Add a slice with its levels, which reach back over the slices before it."""
        starts = [start, *(levels[0].span[0] for levels in reversed(self.slices))]
        self.slices.append(
            [
                SliceLevel(self.identity, self.identity, (since, stop))
                for since in starts[: self.height]
            ]
        )

    def insert_event(self, value: Sequence[Any], event: Interval) -> None:
        """Insert an event into the highest levels that it fills, from its end back."""
        crossed = [
            i for i, levels in enumerate(self.slices) if overlaps(event, levels[0].span)
        ]
        left = len(crossed)
        i = crossed[-1] if crossed else -1
        while left > 0:
            levels = self.slices[i]
            level = min(left, self.height) - 1
            lifted = self.lift(value, event, levels[0].span)
            levels[level] = self.combine(levels[level], lifted)
            i, left = i - self.height, left - self.height

    def release_window(self, first: int, count: int) -> SliceLevel:
        """Combine all levels that overlap the slices [first, first + count)."""
        window = SliceLevel(self.identity, self.identity, self.slices[first][0].span)
        for levels in self.slices[first : first + count]:
            for level in levels:
                window = self.combine(window, level)
        later = self.slices[first + count :]
        for k in range(1, self.height):
            for levels in later[:k]:
                window = self.combine(window, levels[k])
        return window


__all__ = [
    "MultiLevelSlices",
    "SliceLevel",
    "ends_in",
    "goes_beyond",
    "overlaps",
]
