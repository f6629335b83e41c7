"""Calendar windows: days, weeks, months, quarters and years of a time zone.

wr.calendar("1 month", every="1 day", on="ts", tz="Europe/Berlin")

    1 March, 00:00 in Berlin                            1 April, 00:00 in Berlin
        |---------------------------- window ----------------------------|
        |- a day: 23, 24 or 25 hours -|------------------ window ------------------...

A window begins and ends with days of the zone.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from windrow._later import dataclass
from windrow.errors import WindowError

from .calendar_rule import CalendarRule, Civil, days_of_months
from .clock import Clock
from .duration import CalendarLength, parse_calendar_length
from .spec import Ties, Window, check_no_gap, check_positive, find_zone, tie_names
from .zone_days import UTC

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
        assert clock is not None
        if not clock.tick:
            raise WindowError.because(
                f"cannot place column {clock.column!r} in a {self}",
                "its numbers have no unit of time",
                "days of a calendar need a timestamp or date column: cast it to one",
            )
        second = 10**9 // clock.tick
        rule = CalendarRule(name, str(self), self._civil, self.tz or UTC, second)
        self.check_ticks(rule.longest)
        return rule


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

    `range` is how long it is, a text such as "1 month", and `every` how often one
    begins, by default where the last one ends.  It ends on the same day of a later
    month, or on that month's last; a day that has 23 or 25 hours is a day.  Weeks begin
    on `week_start`; `offset` moves the begins on, such as a fiscal year's by "3
    months".  Without `tz` days are those of UTC.  For `on`, `ties` and `name` see
    `wr.sliding`.

    >>> str(calendar("1 month", every="1 day", on="ts", tz="Europe/Berlin"))
    'range 1 month slide 1 day in Europe/Berlin'
    """
    length = parse_calendar_length(range, what="a range")
    slide = length if every is None else parse_calendar_length(every, what="a slide")
    shift = parse_calendar_length(
        "0 days" if offset is None else offset, what="an offset"
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
    fact = f"cannot make a window with {label} {length.text}"
    if length.months and length.days:
        hint = "give months, quarters and years, or days and weeks"
        raise WindowError.because(fact, "it mixes months and days", hint)
    check_positive(label, length.text, length.months + length.days)
    if length.months > _MOST_MONTHS or length.days > _MOST_DAYS:
        cause = "the calendar has years 1 to 9999"
        raise WindowError.because(fact, cause, "use a shorter one")


def _check_cover(length: CalendarLength, slide: CalendarLength) -> None:
    """Refuse a slide that is longer than the range, be it in some months only."""
    shortest, longest = length.months, slide.months
    if length.days or slide.days:
        shortest = length.days or days_of_months(length.months)[0]
        longest = slide.days or days_of_months(slide.months)[1]
    check_no_gap(length.text, slide.text, shortest, longest)


def _check_offset(offset: CalendarLength, slide: CalendarLength) -> None:
    """Refuse an offset that does not move every begin to a day that there is."""
    fact = f"cannot move a slide of {slide.text} on by {offset.text}"
    if slide.days and offset.months:
        cause = "months are not whole numbers of days"
        raise WindowError.because(fact, cause, "give the offset in days or weeks")
    if slide.months and not 0 <= offset.days <= _MOST_LEAD:
        cause = f"{offset.days} days do not lead to a day that every month has"
        hint = f"give months, and 0 to {_MOST_LEAD} days"
        raise WindowError.because(fact, cause, hint)
