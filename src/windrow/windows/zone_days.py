"""The days of a time zone: the first instant of each, and the day of an instant.

Days are numbered from 1970-01-01.  A day starts when the clocks of the zone first show
its midnight, or anything later:

    midnight is skipped    23:59:59 | 01:00:00           it starts at 01:00
    midnight comes twice   00:00:59 | 23:01:00 ...       it starts at the first one
    the day is left out    29th 23:59:59 | 31st 00:00    the 30th starts with the 31st

So starts never fall, and every instant lies in one day: the last that has started.
Instants are whole seconds of UTC here.  Zone data is read a page of days at a time, on
demand, and kept; a zone's rules repeat every 400 years where history has ended, and
before it began nothing ever changes, so far years share the pages of near ones.
"""

from __future__ import annotations

import datetime as dt
from functools import lru_cache
from typing import Any

import numpy as np

from .rule import Array
from .spec import find_zone

UTC = "UTC"
DAY = 86400
FURTHEST = 26 * 3600
"""Seconds that the clocks of one zone have differed at most from what they were."""

_PAGE = 9  # a page has 2**9 days
_CYCLE = 146097  # days in 400 years, which are whole weeks
_OLDEST, _NEWEST = -135140, 157054  # the first days of 1600 and of 2400
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECONDS = f"{DAY * 10**6}L"


def starts_of_days(zone: str, days: Array) -> Array:
    """The first second of each of those days."""
    starts: Array = days * DAY
    return starts if zone == UTC or not days.size else starts + _lags(zone, days)


def days_of(zone: str, seconds: Array) -> Array:
    """The day of each of those seconds: the last one that has started."""
    days: Array = seconds // DAY
    if zone == UTC or not days.size:
        return days
    # no zone is a day or more away from UTC
    has_started = days * DAY + _lags(zone, days) <= seconds
    next_has = (days + 1) * DAY + _lags(zone, days + 1) <= seconds
    return days - 1 + has_started + next_has


def day_sql(zone: str, column: str) -> str:
    """The day of an instant in Spark's SQL, over a column of microseconds.

    Timestamps are numbers here: these functions do not ask for the session's zone.
    """
    if zone == UTC:
        return f"({column} - pmod({column}, {_MICROSECONDS})) div {_MICROSECONDS}"
    shown = f"unix_micros(from_utc_timestamp(timestamp_micros({column}), '{zone}'))"
    day = f"(({shown} - pmod({shown}, {_MICROSECONDS})) div {_MICROSECONDS})"
    # where midnight comes twice, the clocks show the day before once more
    return f"({day} + if({start_sql(zone, f'({day} + 1L)')} <= {column}, 1L, 0L))"


def start_sql(zone: str, day: str) -> str:
    """The first microsecond of a day in Spark's SQL."""
    if zone == UTC:
        return f"{day} * {_MICROSECONDS}"
    midnight = f"timestamp_micros({day} * {_MICROSECONDS})"
    return f"unix_micros(to_utc_timestamp({midnight}, '{zone}'))"


def _lags(zone: str, days: Array) -> Array:
    """Seconds from the midnight of UTC to that of the zone, on each of those days."""
    if days.min() < _OLDEST or days.max() >= _NEWEST:
        before = _OLDEST - 1 - (_OLDEST - 1 - days) % _CYCLE
        after = _NEWEST + (days - _NEWEST) % _CYCLE
        days = np.where(days < _OLDEST, before, np.where(days < _NEWEST, days, after))
    pages = days >> _PAGE
    first = int(pages.min())
    pages -= first
    table = np.zeros((int(pages.max()) + 1, 1 << _PAGE), np.int64)
    for page in np.flatnonzero(np.bincount(pages)):
        table[page] = _page(zone, first + int(page))
    lags: Array = table.ravel()[days - (first << _PAGE)]
    return lags


@lru_cache(maxsize=4096)
def _page(zone: str, page: int) -> Array:
    """Seconds from the midnight of UTC to that of the zone, for a page of days."""
    info, first = find_zone(zone), page << _PAGE
    midnights = (
        dt.datetime.fromordinal(_EPOCH.toordinal() + day)
        for day in range(first, first + (1 << _PAGE))
    )
    lags = np.array([_lag(midnight.replace(tzinfo=info)) for midnight in midnights])
    lags.flags.writeable = False
    return lags


def _lag(midnight: dt.datetime) -> int:
    """Seconds from the midnight of UTC to the first instant of the zone's day."""
    before = _seconds(midnight.utcoffset())
    after = _seconds(midnight.replace(fold=1).utcoffset())
    if before >= after:
        return -before  # the same, or midnight comes twice
    # clocks skip midnight, and the day starts when they do: in most cases at midnight,
    # but in 1919 those of Toronto went from 23:30 to 00:30
    day = (midnight.replace(tzinfo=dt.UTC) - _EPOCH).days * DAY
    low, high = -after, -before
    while high - low > 1:
        middle = (low + high) // 2
        instant = _EPOCH + dt.timedelta(seconds=day + middle)
        shown = instant.astimezone(midnight.tzinfo)
        if middle + _seconds(shown.utcoffset()) >= 0:
            high = middle
        else:
            low = middle
    return high


def _seconds(length: Any) -> int:
    return int(length.days * DAY + length.seconds)
