"""Window specifications: what a user asks for, before any data is seen.

    wr.sliding("24 hours", every="1 minute", on="ts")

          start                          start + range
            |-------------- window ------------|
            |-- slide --|-------------- window ------------|

    wr.rows(1000, every=10)      the i-th window covers rows [10 i, 10 i + 1000)

    wr.sliding("15 minutes", every="5 minutes", span=("start", "end"))

          |---- window ----|
    ===========  ==   =  =======       events with a duration, [start, end): each
                                       counts in every window that it overlaps

All bounds are half-open.
"""

from __future__ import annotations

import datetime as dt
import numbers
import zoneinfo
from dataclasses import dataclass

from windrow.errors import WindowError

from .duration import Duration, parse_duration


@dataclass(frozen=True)
class Sliding:
    """A time window: starts at every multiple of `slide` plus `offset`.

    `on` names the instant of an event, `span` the start and the end of one that lasts.
    """

    range: Duration
    slide: Duration
    offset: Duration
    on: str | None = None
    tz: str | None = None
    ties: tuple[str, ...] = ()
    name: str | None = None
    span: tuple[str, str] | None = None

    def __str__(self) -> str:
        return f"range {self.range.text} slide {self.slide.text}"

    @property
    def shift(self) -> int:
        """How far the starts lie from the epoch, in the unit of the range."""
        local = _midnight_shift(self.tz) if self.tz is not None else 0
        return self.offset.amount + local


@dataclass(frozen=True)
class Rows:
    """A count window W[range, slide] over the rows of a key.

    `partial` answers every window that holds a row, clipped at both ends;
    otherwise only complete windows come out.
    """

    range: int
    slide: int
    partial: bool = False
    on: str | None = None
    ties: tuple[str, ...] = ()
    name: str | None = None

    def __str__(self) -> str:
        partial = " partial" if self.partial else ""
        return f"rows {self.range} slide {self.slide}{partial}"


Window = Sliding | Rows


def sliding(
    range: object,
    *,
    every: object = None,
    on: str | None = None,
    offset: object = None,
    tz: str | None = None,
    ties: str | list[str] | tuple[str, ...] | None = None,
    name: str | None = None,
    span: tuple[str, str] | list[str] | None = None,
) -> Sliding:
    """A time window of length `range`, one starting at every multiple of `every`.

    `every` defaults to the range (tumbling windows).  Starts are aligned to the
    epoch plus `offset`; with `tz` to the zone's own midnight of 1970-01-01, all
    durations staying absolute.  `on` names the time column; a numeric one takes
    whole numbers in its own unit.

    `span` names two columns in its place, of one type: an event is the interval
    [start, end) and counts in every window that it overlaps by an instant or more.
    Where both are equal it is a point.

    >>> sliding("24 hours", every="1 minute", on="ts").slide.nanoseconds
    60000000000
    """
    length = parse_duration(range, what="a range")
    slide = length if every is None else parse_duration(every, what="a slide")
    shift = (
        Duration("0", *_zero_like(length))
        if offset is None
        else parse_duration(offset, what="an offset")
    )
    _check_positive("range", length.text, length.amount)
    _check_positive("slide", slide.text, slide.amount)
    for label, other in (("slide", slide), ("offset", shift)):
        if other.is_time != length.is_time:
            raise WindowError.because(
                f"cannot slide a range of {length.text} with {label} {other.text}",
                "one is a time, the other a plain number",
                "give both as durations, or both as whole numbers",
            )
    _check_no_gap(length.text, slide.text, length.amount, slide.amount)
    if tz is not None:
        if not length.is_time:
            raise WindowError.because(
                f"cannot align to {tz}",
                "the range is a plain number",
                "give the range as a duration, or leave out tz",
            )
        _zone(tz)
    bounds = None if span is None else _span(span, on)
    return Sliding(length, slide, shift, on, tz, _names(ties), name, bounds)


def rows(
    range: int,
    *,
    every: int = 1,
    partial: bool = False,
    on: str | None = None,
    ties: str | list[str] | tuple[str, ...] | None = None,
    name: str | None = None,
) -> Rows:
    """A window of `range` rows, moved on by `every` rows.

    Rows stand in arrival order, or in the order of the column `on`.

    >>> str(rows(1000, every=10))
    'rows 1000 slide 10'
    """
    for label, value in (("range", range), ("slide", every)):
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise WindowError.because(
                f"cannot make a rows window with {label} {value!r}",
                f"it is of type {type(value).__name__}, not a whole number",
                "count rows, as in rows(1000, every=10); "
                "for time write sliding('1 hour', every='1 minute')",
            )
        _check_positive(label, str(value), int(value))
    _check_no_gap(str(range), str(every), int(range), int(every))
    return Rows(int(range), int(every), bool(partial), on, _names(ties), name)


def _span(given: object, on: str | None) -> tuple[str, str]:
    """The columns of an event's start and end."""
    if (
        not isinstance(given, (tuple, list))
        or len(given) != 2
        or not all(isinstance(name, str) for name in given)
    ):
        raise WindowError.because(
            f"cannot read a span from {given!r}",
            "a span is the names of two columns",
            "write span=('start', 'end')",
        )
    if on is not None:
        raise WindowError.because(
            f"cannot place events by column {on!r} and by their span",
            "on= is for events that are points, span= for those that last",
            "leave out one of them",
        )
    return given[0], given[1]


def _names(ties: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    if ties is None:
        return ()
    return (ties,) if isinstance(ties, str) else tuple(ties)


def _zero_like(length: Duration) -> tuple[int | None, int | None]:
    return (0, None) if length.is_time else (None, 0)


def _check_positive(label: str, text: str, amount: int) -> None:
    if amount <= 0:
        raise WindowError.because(
            f"cannot make a window with {label} {text}",
            f"a {label} must be more than zero",
            "use a positive length, such as '1 minute' or 60",
        )


def _check_no_gap(range_text: str, slide_text: str, range_: int, slide: int) -> None:
    if slide > range_:
        raise WindowError.because(
            f"cannot slide a range of {range_text} every {slide_text}",
            "the slide is longer than the range, so rows between windows would be lost",
            f"use a slide of at most {range_text}",
        )


def _zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError) as error:
        raise WindowError.because(
            f"cannot align to time zone {name!r}",
            "no such zone is known here",
            "use an IANA name such as 'Europe/Berlin'",
        ) from error


def _midnight_shift(tz: str) -> int:
    """Nanoseconds from the epoch to the zone's own midnight of 1970-01-01."""
    offset = dt.datetime(1970, 1, 1, tzinfo=_zone(tz)).utcoffset()
    assert offset is not None
    return -round(offset.total_seconds()) * 10**9
