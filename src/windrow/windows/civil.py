"""Windows counted in whole days of the calendar, whatever the clocks show.

    range 1 month slide 1 day     [30 January, 28 February)
    in a year without leap day    [31 January, 28 February)
                                  [ 1 February, 1 March)

Days count from 1970-01-01, months from that January.  A window of months ends on the
same day of a later month, or on that month's last: ends never fall as begins rise.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .rule import Array

_CYCLE = 4800  # months after which the calendar repeats: 400 years


class Civil(NamedTuple):
    """Windows as numbers of days, whatever the clocks: days count from 1970-01-01.

    Lengths are months or days, the other being 0.  Window k begins on day `shift` + k *
    `slide_days`, or on day `lead` (from 0) of month `shift` + k * `slide_months`.
    """

    range_months: int
    range_days: int
    slide_months: int
    slide_days: int
    shift: int
    lead: int

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
            day += self.range_days
            return day
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

    def _floor_sql(self, day: str, phase: int) -> str:
        """The last day up to `day` at which a slide of that phase begins."""
        if self.slide_days:
            return f"({day} - pmod({day} - {phase}L, {self.slide_days}L))"
        date = f"date_from_unix_date(cast({day} - {self.lead}L as int))"
        month = f"(year({date}) * 12 + month({date}) - {1970 * 12 + 1})"
        floor = f"{month} - pmod({month} - {phase}, {self.slide_months})"
        return f"(unix_date(add_months(DATE '1970-01-01', {floor})) + {self.lead}L)"


@lru_cache(maxsize=64)
def days_of_months(months: int) -> tuple[int, int]:
    """The fewest and the most days that so many months have."""
    firsts = _first_day(np.arange(_CYCLE + months))
    lengths = firsts[months:] - firsts[:-months]
    return int(lengths.min()), int(lengths.max())


def _month(day: Array) -> Array:
    """The month of a day."""
    return day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def _first_day(month: Array) -> Array:
    """The first day of a month."""
    return month.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


__all__ = ["Civil", "days_of_months"]
