"""The rule of calendar windows: counted in whole days, then placed on a clock.

    range 1 month slide 1 day     [30 January, 28 February)
    in a year without leap day    [31 January, 28 February)
                                  [ 1 February, 1 March)

Days count from 1970-01-01, months from that January.  A window of months ends on the
same day of a later month, or on that month's last: ends never fall as begins rise.
When a day of a zone starts, `zone_days.py` knows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, NamedTuple

import numpy as np

from windrow._later import dataclass

from .rule import Array, Rule
from .zone_days import DAY, FURTHEST, UTC, day_sql, days_of, start_sql, starts_of_days

_CYCLE = 4800  # months after which the calendar repeats: 400 years


class Civil(NamedTuple):
    """Windows in days; lengths are months or days, the other being 0.

    Window k begins on day `shift` + k * `slide_days`, or on day `lead` (from 0) of
    month `shift` + k * `slide_months`.
    """

    range_months: int
    range_days: int
    slide_months: int
    slide_days: int
    shift: int
    lead: int

    @property
    def longest(self) -> int:
        """The most days of a range."""
        return self.range_days or days_of_months(self.range_months)[1]

    @property
    def step(self) -> int:
        """The fewest days of a slide."""
        return self.slide_days or days_of_months(self.slide_months)[0]

    @property
    def has_long_slices(self) -> bool:
        """Whether begins and ends follow one rhythm, so that slices may take days."""
        return bool(self.slide_months or self.range_days)

    def begin_day(self, k: Array) -> Array:
        """The first day of window k."""
        if self.slide_months:
            return _first_day(self.shift + k * self.slide_months) + self.lead
        return self.shift + k * self.slide_days

    def end_day(self, k: Array) -> Array:
        """The first day after window k: a range later, or the last of that month."""
        day = self.begin_day(k)
        if self.range_days:
            return day + self.range_days
        month = _month(day)
        later = month + self.range_months
        same = day - _first_day(month) + _first_day(later)
        end: Array = np.minimum(same, _first_day(later + 1) - 1)
        return end

    def last_over(self, day: Array) -> Array:
        """The number of the last window that begins on or before a day."""
        if self.slide_months:
            return (_month(day - self.lead) - self.shift) // self.slide_months
        return (day - self.shift) // self.slide_days

    def first_over(self, day: Array) -> Array:
        """The number of the first window that ends after a day."""
        if self.range_days:
            return self.last_over(day - self.range_days) + 1
        # the first day from which a window ends after `day`: the same of an earlier
        # month, or the first of the next where that month is too short
        month = _month(day + 1)
        earlier = month - self.range_months
        same = day + 1 - _first_day(month) + _first_day(earlier)
        return self.last_over(np.minimum(same, _first_day(earlier + 1)) - 1) + 1

    def cut_day(self, day: Array) -> Array:
        """The first day of the slice that a day lies in."""
        if not self.has_long_slices:
            return day
        ended: Array = self.end_day(self.first_over(day) - 1)
        return np.maximum(self.begin_day(self.last_over(day)), ended)

    def next_cut_day(self, day: Array) -> Array:
        """The first day of the slice after that of a day."""
        if not self.has_long_slices:
            return day + 1
        ends: Array = self.end_day(self.first_over(day))
        return np.minimum(self.begin_day(self.last_over(day) + 1), ends)

    def cut_day_sql(self, day: str) -> str:
        """The same as `cut_day` in Spark's SQL."""
        if not self.has_long_slices:
            return day
        edges = [self._floor_sql(day, self.shift)]
        length = self.range_months or self.range_days
        if self.slide_months and self.range_days:
            ended = self._floor_sql(f"({day} - {length}L)", self.shift)
            edges.append(f"({ended} + {length}L)")
        elif length % (self.slide_months or self.slide_days):
            edges.append(self._floor_sql(day, self.shift + length))
        return edges[0] if len(edges) == 1 else f"greatest({', '.join(edges)})"

    def next_day_sql(self, day: str) -> str:
        """The first day of the window after that of a day, where windows tumble."""
        return self._floor_sql(day, self.shift, slides=1)

    def _floor_sql(self, day: str, phase: int, slides: int = 0) -> str:
        """The last day up to `day` at which a slide of that phase begins.

        With `slides`, the day so many slides later.
        """
        if self.slide_days:
            later = f" + {slides * self.slide_days}L" if slides else ""
            return f"({day} - pmod({day} - {phase}L, {self.slide_days}L){later})"
        date = f"date_from_unix_date(cast({day} - {self.lead}L as int))"
        month = f"(year({date}) * 12 + month({date}) - {1970 * 12 + 1})"
        floor = f"{month} - pmod({month} - {phase}, {self.slide_months})"
        floor += f" + {slides * self.slide_months}" if slides else ""
        return f"(unix_date(add_months(DATE '1970-01-01', {floor})) + {self.lead}L)"


def _in_kind(question: Callable[[Any, Array], Array]) -> Callable[[Any, Any], Any]:
    """Let a question about an array take a number too, and answer it by one."""

    @wraps(question)
    def ask(rule: Any, x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return question(rule, x)
        return int(question(rule, np.array([x], np.int64))[0])

    return ask


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
        back = 0 if self.zone == UTC else FURTHEST
        return (self.civil.longest * DAY + back) * self.second

    @property
    def step(self) -> int:
        """The fewest days of a slide, less an hour by which clocks go forward.

        Where a zone has left out a day, two windows begin at one instant.
        """
        forward = 0 if self.zone == UTC else 3600
        return (self.civil.step * DAY - forward) * self.second

    @property
    def overlap(self) -> int:
        """How many slides, at their shortest, the range takes at its longest."""
        civil = self.civil
        if civil.range_months and civil.slide_months:
            return -(-civil.range_months // civil.slide_months)
        return -(-civil.longest // civil.step)

    @_in_kind
    def first_over(self, t: Any) -> Any:
        return self.civil.first_over(self._day(t))

    @_in_kind
    def last_over(self, t: Any) -> Any:
        return self.civil.last_over(self._day(t))

    @_in_kind
    def begin(self, k: Any) -> Any:
        return self._start(self.civil.begin_day(k))

    @_in_kind
    def end(self, k: Any) -> Any:
        return self._start(self.civil.end_day(k))

    @_in_kind
    def cut(self, t: Any) -> Any:
        return self._start(self.civil.cut_day(self._day(t)))

    @_in_kind
    def next_cut(self, t: Any) -> Any:
        return self._start(self.civil.next_cut_day(self._day(t)))

    def cut_sql(self, column: str) -> str:
        assert self.second == 10**6  # Spark's instants are microseconds
        start = start_sql(self.zone, self.civil.cut_day_sql(day_sql(self.zone, column)))
        # a day whose midnight clocks skipped from an earlier time on starts too late
        return start if self.zone == UTC else f"least({column}, {start})"

    def end_sql(self, start: str) -> str:
        later = self.civil.next_day_sql(day_sql(self.zone, start))
        return start_sql(self.zone, later)

    def fingerprint(self) -> str:
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
        return np.clip(starts_of_days(self.zone, days), -most, most) * self.second


def _words(months: int, days: int) -> str:
    return f"{months} months" if months else f"{days} days"


@lru_cache(maxsize=64)
def days_of_months(months: int) -> tuple[int, int]:
    """The fewest and the most days that so many months have."""
    firsts = _first_day(np.arange(_CYCLE + months))
    lengths = firsts[months:] - firsts[:-months]
    return int(lengths.min()), int(lengths.max())


def _month(day: Array) -> Array:
    return day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def _first_day(month: Array) -> Array:
    return month.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
