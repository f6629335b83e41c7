"""Calendar windows by plain `datetime` and `zoneinfo`, a day at a time.

Nothing here comes from the library; instants are microseconds of UTC.
"""

from __future__ import annotations

import calendar
import datetime as dt
import functools
import zoneinfo
from dataclasses import dataclass

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
MICROSECOND = dt.timedelta(microseconds=1)
WEEKDAYS = [name.lower() for name in calendar.day_name]
MONTHS = {"month": 1, "quarter": 3, "year": 12}
DAYS = {"day": 1, "week": 7}


def micros(instant: dt.datetime) -> int:
    return (instant - EPOCH) // MICROSECOND


@functools.cache
def start_of_day(zone: str, date: dt.date) -> int:
    """When the clocks of the zone first show the date's midnight, or more."""
    info = zoneinfo.ZoneInfo(zone)
    midnight = dt.datetime.combine(date, dt.time())
    shown = midnight.replace(tzinfo=info).astimezone(dt.UTC)
    if shown.astimezone(info).replace(tzinfo=None) == midnight:
        return micros(shown)
    instant = midnight.replace(tzinfo=dt.UTC) - DAY  # skipped: wait for it
    for step in (dt.timedelta(minutes=15), dt.timedelta(seconds=1)):
        while (instant + step).astimezone(info).replace(tzinfo=None) < midnight:
            instant += step
    return micros(instant + dt.timedelta(seconds=1))


@dataclass(frozen=True)
class PlainCalendar:
    """Windows of `count` units, begun every `step` others."""

    count: int
    unit: str
    step: int
    step_unit: str
    zone: str = "UTC"
    months: int = 0
    days: int = 0
    week_start: str = "monday"

    @property
    def arguments(self):
        """What `wr.calendar` is given for these windows."""
        offset = f"{self.months} months {self.days} days"
        return {
            "range": f"{self.count} {self.unit}s",
            "every": f"{self.step} {self.step_unit}s",
            "tz": self.zone,
            "offset": offset if self.months else f"{self.days} days",
            "week_start": self.week_start,
        }

    def begins_on(self, date: dt.date) -> bool:
        if self.step_unit in MONTHS:
            months = (date.year - 1970) * 12 + date.month - 1 - self.months
            period = self.step * MONTHS[self.step_unit]
            return date.day == 1 + self.days and months % period == 0
        first = dt.date(1970, 1, 1)
        while self.step_unit == "week" and WEEKDAYS[first.weekday()] != self.week_start:
            first -= DAY
        days = (date - first).days - self.days
        return days % (self.step * DAYS[self.step_unit]) == 0

    def end_of(self, begin: dt.date) -> dt.date:
        if self.unit in DAYS:
            return begin + self.count * DAYS[self.unit] * DAY
        months = begin.year * 12 + begin.month - 1 + self.count * MONTHS[self.unit]
        year, month = months // 12, months % 12 + 1
        last = calendar.monthrange(year, month)[1]
        return dt.date(year, month, min(begin.day, last))

    def longest(self) -> int:
        days = self.count * (DAYS | {u: 31 * n for u, n in MONTHS.items()})[self.unit]
        return days + 3

    def dates_over(self, first: dt.date, last: dt.date):
        """The dates of all windows that end after `first` and begin up to `last`."""
        date = first - self.longest() * DAY
        found = []
        while date <= last:
            if self.begins_on(date) and self.end_of(date) > first:
                found.append((date, self.end_of(date)))
            date += DAY
        return found

    def windows_over(self, instant: int) -> list[tuple[int, int]]:
        """Begin and end of each window that holds the instant."""
        date = (EPOCH + instant * MICROSECOND).date()
        found = [
            (start_of_day(self.zone, begin), start_of_day(self.zone, end))
            for begin, end in self.dates_over(date - 2 * DAY, date + 2 * DAY)
        ]
        return [(begin, end) for begin, end in found if begin <= instant < end]

    def edges(self, first: int, last: int) -> set[int]:
        """Every instant from `first` to `last` at which a window begins or ends."""
        dates = [(EPOCH + instant * MICROSECOND).date() for instant in (first, last)]
        found = self.dates_over(dates[0] - 2 * DAY, dates[1] + 2 * DAY)
        instants = {
            start_of_day(self.zone, date) for window in found for date in window
        }
        return {instant for instant in instants if first <= instant <= last}
