"""Time windows: one of length `range` begins at every multiple of `slide`.

wr.sliding("24 hours", every="1 minute", on="ts")

      begin                          begin + range
        |-------------- window ------------|
        |-- slide --|-------------- window ------------|

wr.sliding("15 minutes", every="5 minutes", span=("start", "end"))

      |---- window ----|
===========  ==   =  =======       events with a duration, [start, end): each
                                   counts in every window that it overlaps
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable
from functools import lru_cache
from typing import ClassVar

from windrow._later import dataclass
from windrow.errors import BadInput, WindowError

from .clock import Clock
from .duration import Duration, parse_duration
from .policy_numbers import TIME, PolicyNumbers
from .rule import Even, EvenRule
from .spec import Ties, Window, check_no_gap, check_positive, find_zone, tie_names

DAY = 86400 * 10**9  # in nanoseconds
_FORTNIGHTS = range(1750)  # from 1970 to 2037


@dataclass(frozen=True)
class Sliding(Window):
    """A time window: begins at every multiple of `slide` plus `offset`.

    `on` names the instant of an event, `span` the start and the end of one that lasts.
    """

    kind: ClassVar[str] = "time"

    range: Duration
    slide: Duration
    offset: Duration
    on: str | None = None
    tz: str | None = None
    ties: tuple[str, ...] = ()
    name: str | None = None
    span: tuple[str, str] | None = None

    def __str__(self) -> str:
        offset = f" offset {self.offset.text}" if self.offset.amount else ""
        zone = f" in {self.tz}" if self.tz is not None else ""
        return f"range {self.range.text} slide {self.slide.text}{offset}{zone}"

    @property
    def shift(self) -> Duration:
        """How far the begins lie from the epoch."""
        local = _midnight_shift(self.tz) if self.tz is not None else 0
        return self.range.alike("shift", self.offset.amount + local)

    @property
    def lengths(self) -> tuple[Duration, ...]:
        return self.range, self.slide, self.shift

    @property
    def step(self) -> Duration:
        return self.slide

    @property
    def identity(self) -> Hashable:
        amounts = tuple(length.amount for length in self.lengths)
        return self.kind, amounts, self.on, self.ties, self.span

    def policies(self) -> PolicyNumbers:
        """Events leave and results fall due by time, at ends that are aligned."""
        if self.span is not None:
            raise BadInput.because(
                "cannot keep events with a duration beside other windows",
                "a window with span= keeps slices of its own, not events",
                "give it an operator of its own: wr.Operator(window, ...)",
            )
        return PolicyNumbers(
            TIME,
            TIME,
            self.range.amount,
            self.slide.amount,
            anchor=self.shift.amount + self.range.amount,
            numeric=not self.range.is_time,
        )

    def rule(self, name: str | int, clock: Clock | None) -> Periodic:
        assert clock is not None
        even = Even(*(clock.ticks(length) for length in self.lengths))
        self.check_ticks(max(even.range, even.slide, abs(even.shift)))
        return Periodic(name, str(self), even, self.span)


@dataclass(frozen=True)
class Periodic(EvenRule):
    """Time windows in ticks; `span` names the bounds of events that last."""

    span: tuple[str, str] | None = None

    def fingerprint(self) -> str:
        range_, slide, shift = self.even
        span = f" over {self.span[0]} to {self.span[1]}" if self.span else ""
        return f"time range {range_} slide {slide} shift {shift % slide}{span}"


def sliding(
    range: object,
    *,
    every: object = None,
    on: str | None = None,
    offset: object = None,
    tz: str | None = None,
    ties: Ties = None,
    name: str | None = None,
    span: tuple[str, str] | list[str] | None = None,
) -> Sliding:
    """A time window of length `range`, one starting at every multiple of `every`.

    `every` defaults to the range (tumbling windows).  Starts are aligned to the
    epoch plus `offset`; with `tz` to the zone's own midnight of 1970-01-01, all
    durations staying absolute: for days of a zone whose clocks change write
    `wr.calendar`.  `on` names the time column; a numeric one takes whole numbers in
    its own unit.

    `span` names two columns in its place, of one type: an event is the interval
    [start, end) and counts in every window that it overlaps by an instant or more.
    Where both are equal it is a point.

    `ties` names the columns that order rows at one instant; `name` is what the column
    `query` of a list of windows says.

    >>> sliding("24 hours", every="1 minute", on="ts").slide.nanoseconds
    60000000000
    """
    length = parse_duration(range, what="a range")
    slide = length if every is None else parse_duration(every, what="a slide")
    zero = length.alike("0", 0)
    shift = zero if offset is None else parse_duration(offset, what="an offset")
    check_positive("range", length.text, length.amount)
    check_positive("slide", slide.text, slide.amount)
    for label, other in (("slide", slide), ("offset", shift)):
        if other.is_time != length.is_time:
            raise WindowError.because(
                f"cannot slide a range of {length.text} with {label} {other.text}",
                "one is a time, the other a plain number",
                "give both as durations, or both as whole numbers",
            )
    check_no_gap(length.text, slide.text, length.amount, slide.amount)
    if tz is not None:
        _check_zone(tz, length, slide)
    columns = None if span is None else _span_columns(span, on)
    return Sliding(length, slide, shift, on, tz, tie_names(ties), name, columns)


def _check_zone(tz: str, length: Duration, slide: Duration) -> None:
    """Refuse a zone where it has no meaning, or another one than a user expects."""
    if not length.is_time:
        raise WindowError.because(
            f"cannot align to {tz}",
            "the range is a plain number",
            "give the range as a duration, or leave out tz",
        )
    find_zone(tz)
    whole_days = length.amount % DAY == 0 or slide.amount % DAY == 0
    if whole_days and _clocks_change(tz):
        raise WindowError.because(
            f"cannot count days of {tz} by a range of {length.text} every {slide.text}",
            "clocks change there, and 24 hours are not always a day",
            f"write wr.calendar(..., tz={tz!r}) for days of that zone, or leave out tz "
            "for days of UTC",
        )


def _span_columns(span: object, on: str | None) -> tuple[str, str]:
    """The columns of an event's start and end."""
    names = list(span) if isinstance(span, (tuple, list)) else []
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise WindowError.because(
            f"cannot read a span from {span!r}",
            "a span is the names of two columns",
            "write span=('start', 'end')",
        )
    if on is not None:
        raise WindowError.because(
            f"cannot place events by column {on!r} and by their span",
            "on= is for events that are points, span= for those that last",
            "leave out one of them",
        )
    return names[0], names[1]


@lru_cache(maxsize=64)
def _midnight_shift(tz: str) -> int:
    """Nanoseconds from the epoch to the zone's own midnight of 1970-01-01."""
    offset = dt.datetime(1970, 1, 1, tzinfo=find_zone(tz)).utcoffset()
    assert offset is not None
    return -round(offset.total_seconds()) * 10**9


@lru_cache(maxsize=64)
def _clocks_change(tz: str) -> bool:
    """Whether the zone's distance from UTC has changed since 1970, or will."""
    zone, fortnight = find_zone(tz), dt.timedelta(days=14)
    start = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    offsets = {
        (start + n * fortnight).astimezone(zone).utcoffset() for n in _FORTNIGHTS
    }
    return len(offsets) > 1
