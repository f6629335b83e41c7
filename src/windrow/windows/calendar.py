"""Calendar windows: days, weeks, months, quarters and years of a time zone.

wr.calendar("1 month", every="1 day", on="ts", tz="Europe/Berlin")

    1 March, 00:00 in Berlin                            1 April, 00:00 in Berlin
        |---------------------------- window ----------------------------|
        |- a day: 23, 24 or 25 hours -|------------------ window ------------------...

A window begins and ends with days of the zone (`zone_days.py`), so everything is
counted in whole days first (`civil.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from windrow.errors import WindowError

from .civil import Civil, days_of_months
from .clock import Clock
from .duration import CalendarLength, parse_calendar_length
from .rule import Array, Rule
from .spec import Ties, Window, check_no_gap, check_positive, find_zone, tie_names
from .zone_days import (
    DAY,
    FURTHEST,
    UTC,
    day_sql,
    days_of,
    start_sql,
    starts_of_days,
)

_WEEKDAYS = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"
)  # fmt: skip
_THURSDAY = 3  # 1970-01-01 was one
_MOST_MONTHS, _MOST_DAYS = 12 * 10_000, 366 * 10_000
_MOST_LEAD = 27  # every month has a 28th


@dataclass(frozen=True)
class Calendar(Window):
    """A window by the calendar: begins every `slide`, ends a `range` later.

    They are counted from 1970-01-01, weeks from the one that holds it; `offset` moves
    them on.
    """

    kind: ClassVar[str] = "calendar"

    range: CalendarLength
    slide: CalendarLength
    offset: CalendarLength
    on: str | None = None
    tz: str | None = None
    week_start: str = "monday"
    ties: tuple[str, ...] = ()
    name: str | None = None

    def __str__(self) -> str:
        has_offset = self.offset.months or self.offset.days
        offset = f" offset {self.offset.text}" if has_offset else ""
        is_usual = self.week_start == "monday" or not self.slide.counts_weeks
        week = "" if is_usual else f" from {self.week_start}"
        zone = f" in {self.tz}" if self.tz is not None else ""
        return f"range {self.range.text} slide {self.slide.text}{offset}{week}{zone}"

    @property
    def identity(self) -> Hashable:
        """The lengths as numbers, the zone, and the columns."""
        return self.kind, self._civil, self.tz or UTC, self.on, self.ties

    @property
    def _civil(self) -> Civil:
        shift = self.offset.months if self.slide.months else self.offset.days
        if self.slide.counts_weeks:
            shift -= (_THURSDAY - _WEEKDAYS.index(self.week_start)) % 7
        return Civil(
            self.range.months,
            self.range.days,
            self.slide.months,
            self.slide.days,
            shift % (self.slide.months or self.slide.days),
            self.offset.days if self.slide.months else 0,
        )

    def rule(self, name: str | int, clock: Clock | None) -> CalendarRule:
        """The window in ticks of a clock."""
        assert clock is not None
        if not clock.tick:
            raise WindowError.because(
                f"cannot place column {clock.column!r} in a {self}",
                "its numbers have no unit of time",
                "days of a calendar need a timestamp or date column: cast it to one",
            )
        second = 10**9 // clock.tick
        rule = CalendarRule(name, str(self), self._civil, self.tz or UTC, second)
        if rule.longest >= 2**62:
            raise WindowError.because(
                f"cannot slide a {self}",
                "it is too long for 64-bit time",
                "use a shorter one",
            )
        return rule


@dataclass(frozen=True)
class CalendarRule(Rule):
    """Calendar windows in ticks; there are `second` of them to a second.

    A window holds an instant where it holds the day of that instant.
    """

    name: str | int
    text: str
    civil: Civil
    zone: str
    second: int

    @property
    def longest(self) -> int:
        """The most days it takes, and as much as clocks may have gone back."""
        days = self.civil.range_days or days_of_months(self.civil.range_months)[1]
        return (days * DAY + (0 if self.zone == UTC else FURTHEST)) * self.second

    @property
    def step(self) -> int:
        """The fewest days of a slide, less an hour by which clocks go forward.

        Where a zone has left out a day, two windows begin at one instant.
        """
        days = self.civil.slide_days or days_of_months(self.civil.slide_months)[0]
        return (days * DAY - (0 if self.zone == UTC else 3600)) * self.second

    @property
    def overlap(self) -> int:
        """How many slides, at their shortest, the range takes at its longest."""
        civil = self.civil
        if civil.range_months and civil.slide_months:
            return -(-civil.range_months // civil.slide_months)
        range_ = civil.range_days or days_of_months(civil.range_months)[1]
        slide = civil.slide_days or days_of_months(civil.slide_months)[0]
        return -(-range_ // slide)

    def first_over(self, t: Any) -> Any:
        """The number of the first window that ends after an instant."""
        return _in_kind(lambda ticks: self.civil.first_over(self._day(ticks)), t)

    def last_over(self, t: Any) -> Any:
        """The number of the last window that begins at or before an instant."""
        return _in_kind(lambda ticks: self.civil.last_over(self._day(ticks)), t)

    def begin(self, k: Any) -> Any:
        """The first instant of a window."""
        return _in_kind(lambda number: self._start(self.civil.begin_day(number)), k)

    def end(self, k: Any) -> Any:
        """The first instant after a window."""
        return _in_kind(lambda number: self._start(self.civil.end_day(number)), k)

    def cut(self, t: Any) -> Any:
        """The start of the slice of an instant."""
        return _in_kind(
            lambda ticks: self._start(self.civil.cut_day(self._day(ticks))), t
        )

    def next_cut(self, t: Any) -> Any:
        """The start of the slice after that of an instant."""
        return _in_kind(
            lambda ticks: self._start(self.civil.next_cut_day(self._day(ticks))), t
        )

    def cut_sql(self, column: str) -> str:
        """The same as `cut` in Spark's SQL, over a column of microseconds."""
        assert self.second == 10**6
        start = start_sql(self.zone, self.civil.cut_day_sql(day_sql(self.zone, column)))
        # a day whose midnight clocks skipped from an earlier time on starts too late
        return start if self.zone == UTC else f"least({column}, {start})"

    def fingerprint(self) -> str:
        """Lengths and phase by the calendar, the zone, and the length of a tick."""
        civil = self.civil
        lead = f" and {civil.lead} days" if civil.lead else ""
        return (
            f"calendar range {_words(civil.range_months, civil.range_days)} "
            f"slide {_words(civil.slide_months, civil.slide_days)} "
            f"shift {civil.shift}{lead} in {self.zone}, {self.second} ticks a second"
        )

    def _day(self, ticks: Array) -> Array:
        return days_of(self.zone, ticks // self.second)

    def _start(self, days: Array) -> Array:
        """The first ticks of days, or the last that 64 bits can count."""
        most = (2**63 - 1) // self.second
        seconds = starts_of_days(self.zone, days)
        return np.clip(seconds, -most, most) * self.second


def calendar(
    range: object,
    *,
    every: object = None,
    on: str | None = None,
    tz: str | None = None,
    offset: object = None,
    week_start: str = "monday",
    ties: Ties = None,
    name: str | None = None,
) -> Calendar:
    """A window of days, weeks, months, quarters or years of the time zone `tz`.

    One begins `every` so often, by default where the last one ends.  It ends on the
    same day of a later month, or on that month's last; a day that has 23 or 25 hours
    is a day.  Weeks begin on `week_start`; `offset` moves the begins on, such as a
    fiscal year's by "3 months".  Without `tz` days are those of UTC.

    >>> str(calendar("1 month", every="1 day", on="ts", tz="Europe/Berlin"))
    'range 1 month slide 1 day in Europe/Berlin'
    """
    length = parse_calendar_length(range, what="a range")
    slide = length if every is None else parse_calendar_length(every, what="a slide")
    shift = (
        CalendarLength("0 days")
        if offset is None
        else parse_calendar_length(offset, what="an offset")
    )
    _check_length("range", length)
    _check_length("slide", slide)
    _check_cover(length, slide)
    _check_offset(shift, slide)
    if str(week_start).lower() not in _WEEKDAYS:
        raise WindowError.because(
            f"cannot begin weeks on {week_start!r}",
            "it is no day of the week",
            f"write one of {', '.join(_WEEKDAYS)}",
        )
    if tz is not None:
        find_zone(tz)
    return Calendar(
        length, slide, shift, on, tz, week_start.lower(), tie_names(ties), name
    )


def _check_length(label: str, length: CalendarLength) -> None:
    """Refuse a length that is not positive, of two families, or beyond all years."""
    if length.months and length.days:
        raise WindowError.because(
            f"cannot make a window with {label} {length.text}",
            "it mixes months and days",
            "give months, quarters and years, or days and weeks",
        )
    check_positive(label, length.text, length.months + length.days)
    if length.months > _MOST_MONTHS or length.days > _MOST_DAYS:
        raise WindowError.because(
            f"cannot make a window with {label} {length.text}",
            "the calendar has years 1 to 9999",
            "use a shorter one",
        )


def _check_cover(length: CalendarLength, slide: CalendarLength) -> None:
    """Refuse a slide that is longer than the range, be it in some months only."""
    if length.months and slide.months:
        check_no_gap(length.text, slide.text, length.months, slide.months)
        return
    shortest = length.days or days_of_months(length.months)[0]
    longest = slide.days or days_of_months(slide.months)[1]
    check_no_gap(length.text, slide.text, shortest, longest)


def _check_offset(offset: CalendarLength, slide: CalendarLength) -> None:
    """Refuse an offset that does not move every begin to a day that there is."""
    if slide.days and offset.months:
        raise WindowError.because(
            f"cannot move a slide of {slide.text} on by {offset.text}",
            "months are not whole numbers of days",
            "give the offset in days or weeks",
        )
    if slide.months and not 0 <= offset.days <= _MOST_LEAD:
        raise WindowError.because(
            f"cannot move a slide of {slide.text} on by {offset.text}",
            f"{offset.days} days do not lead to a day that every month has",
            f"give months, and 0 to {_MOST_LEAD} days",
        )


def _in_kind(question: Callable[[Array], Array], x: Any) -> Any:
    """The answer for an array, or for a number as a number."""
    if isinstance(x, np.ndarray):
        return question(x)
    return int(question(np.array([x], np.int64))[0])


def _words(months: int, days: int) -> str:
    return f"{months} months" if months else f"{days} days"


__all__ = ["Calendar", "CalendarRule", "calendar"]
