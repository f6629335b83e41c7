"""Durations: `"24 hours"`, `"1h30m"`, a `timedelta`, or a bare number.

A duration is a whole number of nanoseconds, or, for numeric time columns, a
plain integer in the column's own unit.

    >>> parse_duration("1 minute").nanoseconds
    60000000000
    >>> parse_duration("1h30m").text
    '1h30m'
    >>> parse_duration(15).number
    15

Months, quarters and years have no fixed length; a calendar counts them, and days:

    >>> parse_calendar_length("1 year").months, parse_calendar_length("2w").days
    (12, 14)
"""

from __future__ import annotations

import datetime as dt
import numbers
import re

import numpy as np

from windrow._later import dataclass
from windrow.errors import WindowError

_UNITS = {
    "ns": 1, "nanosecond": 1, "nanoseconds": 1,
    "us": 10**3, "µs": 10**3, "microsecond": 10**3, "microseconds": 10**3,
    "ms": 10**6, "millisecond": 10**6, "milliseconds": 10**6,
    "s": 10**9, "sec": 10**9, "secs": 10**9, "second": 10**9, "seconds": 10**9,
    "m": 60 * 10**9, "min": 60 * 10**9, "mins": 60 * 10**9,
    "minute": 60 * 10**9, "minutes": 60 * 10**9,
    "h": 3600 * 10**9, "hr": 3600 * 10**9, "hrs": 3600 * 10**9,
    "hour": 3600 * 10**9, "hours": 3600 * 10**9,
    "d": 86400 * 10**9, "day": 86400 * 10**9, "days": 86400 * 10**9,
    "w": 7 * 86400 * 10**9, "week": 7 * 86400 * 10**9, "weeks": 7 * 86400 * 10**9,
}  # fmt: skip
_MONTHS = {
    "mo": 1, "month": 1, "months": 1,
    "q": 3, "quarter": 3, "quarters": 3,
    "y": 12, "year": 12, "years": 12,
}  # fmt: skip
_WEEKS = {"w": 7, "week": 7, "weeks": 7}
_DAYS = {"d": 1, "day": 1, "days": 1, **_WEEKS}
_TERM = re.compile(r"\s*(-?\d+)\s*([A-Za-zµ]+)\s*")


@dataclass(frozen=True)
class Duration:
    """A length of time: nanoseconds, or a number in the time column's unit.

    Exactly one of `nanoseconds` and `number` is set.
    """

    text: str
    nanoseconds: int | None = None
    number: int | None = None

    @property
    def amount(self) -> int:
        """The length, in whichever of the two units it was given."""
        value = self.nanoseconds if self.nanoseconds is not None else self.number
        assert value is not None
        return value

    @property
    def is_time(self) -> bool:
        """Whether this is real time, not a number in the column's unit."""
        return self.nanoseconds is not None

    def alike(self, text: str, amount: int) -> Duration:
        """Another length in the same unit."""
        return Duration(text, amount) if self.is_time else Duration(text, None, amount)


@dataclass(frozen=True)
class CalendarLength:
    """Whole months and days of a calendar: a year is 12 months, a week 7 days."""

    text: str
    months: int = 0
    days: int = 0
    counts_weeks: bool = False


def names_months(text: str) -> bool:
    """Whether a text speaks of months, quarters or years, which a calendar counts."""
    return any(word.lower() in _MONTHS for word in re.findall(r"[A-Za-zµ]+", text))


def parse_calendar_length(
    value: object, *, what: str = "a calendar length"
) -> CalendarLength:
    """Read months and days from text."""
    if isinstance(value, CalendarLength):
        return value
    fact = f"cannot read {what} from {value!r}"
    hint = "write '1 day', '2 weeks', '1 month', '1 quarter' or '1 year'"
    time_hint = f"{hint}; for hours and less use wr.sliding"
    if not isinstance(value, str):
        raise WindowError.because(
            fact,
            f"it is of type {type(value).__name__}, and a calendar counts days, "
            "weeks, months, quarters and years",
            time_hint,
        )
    terms = _terms(value, fact, hint)
    for _, unit in terms:
        if unit.lower() in _MONTHS or unit.lower() in _DAYS:
            continue
        if unit in _UNITS or unit.lower() in _UNITS:
            cause = f"{unit!r} is shorter than a day"
            raise WindowError.because(fact, cause, time_hint)
        raise WindowError.because(fact, f"unknown unit {unit!r}", hint)
    units = [(number, unit.lower()) for number, unit in terms]
    return CalendarLength(
        value.strip(),
        sum(number * _MONTHS.get(unit, 0) for number, unit in units),
        sum(number * _DAYS.get(unit, 0) for number, unit in units),
        all(unit in _WEEKS for _, unit in units),
    )


def parse_duration(value: object, *, what: str = "a duration") -> Duration:
    """Read a duration from text, a timedelta or a whole number."""
    if isinstance(value, Duration):
        return value
    if isinstance(value, np.timedelta64):
        return exact_duration(int(value.astype("timedelta64[ns]").astype(np.int64)))
    if isinstance(value, dt.timedelta):
        exact = (value.days * 86400 + value.seconds) * 10**6 + value.microseconds
        rest = int(getattr(value, "nanoseconds", 0))  # of a pandas.Timedelta
        return exact_duration(exact * 1000 + rest)
    if isinstance(value, bool) or not isinstance(value, (str, numbers.Integral)):
        raise WindowError.because(
            f"cannot read {what} from {value!r}",
            f"it is of type {type(value).__name__}",
            "write text such as '24 hours', a timedelta, "
            "or a whole number in the unit of the time column",
        )
    if isinstance(value, numbers.Integral):
        return Duration(str(int(value)), number=int(value))
    return _parse_text(value, what)


def exact_duration(nanoseconds: int) -> Duration:
    """A duration with a text that can be read again, in the largest unit that fits.

    >>> parse_duration(dt.timedelta(minutes=90)).text
    '90 minutes'
    """
    units = ("day", "hour", "minute", "second", "millisecond", "microsecond")
    unit = next((u for u in units if nanoseconds % _UNITS[u] == 0), "nanosecond")
    count = nanoseconds // _UNITS[unit]
    ending = "" if abs(count) == 1 else "s"
    return Duration(f"{count} {unit}{ending}", nanoseconds=nanoseconds)


def _parse_text(text: str, what: str) -> Duration:
    fact = f"cannot read {what} from {text!r}"
    hint = "write a whole number and a unit, such as '24 hours', '90s' or '1h30m'"
    total = 0
    for number, unit in _terms(text, fact, hint):
        name = unit if unit in _UNITS else unit.lower()
        if name in _MONTHS:
            calendar_hint = (
                "use days or weeks, or wr.calendar for windows by the calendar"
            )
            cause = f"a {unit} has no fixed length"
            raise WindowError.because(fact, cause, calendar_hint)
        if name not in _UNITS:
            raise WindowError.because(fact, f"unknown unit {unit!r}", hint)
        total += number * _UNITS[name]
    return Duration(text.strip(), nanoseconds=total)


def _terms(text: str, fact: str, hint: str) -> list[tuple[int, str]]:
    """The numbers and units of a text, at least one."""
    position = 0
    terms: list[tuple[int, str]] = []
    while position < len(text):
        term = _TERM.match(text, position)
        if term is None:
            cause = f"{text[position:].strip()!r} is not a number and a unit"
            raise WindowError.because(fact, cause, hint)
        terms.append((int(term[1]), term[2]))
        position = term.end()
    if not terms:
        raise WindowError.because(fact, "it is empty", hint)
    return terms
