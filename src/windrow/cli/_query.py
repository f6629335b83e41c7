"""Turns the options of `windrow run` and `windrow explain` into a query.

    --window "1 hour" --every "1 minute" --window "24 hours" --every "1 minute"
        -> [wr.sliding("1 hour", ...), wr.sliding("24 hours", ...)]
    --window "1 month" --every "1 day" --tz Europe/Berlin
        -> wr.calendar("1 month", every="1 day", tz="Europe/Berlin", ...)
    --rows 1000 --every 10
        -> wr.rows(1000, every=10)
    --window "15 minutes" --every "5 minutes" --span start,end
        -> wr.sliding("15 minutes", every="5 minutes", span=("start", "end"))

The i-th --every belongs to the i-th window; a single one belongs to all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windrow.errors import BadInput, UnknownName
from windrow.query.calls import parse_calls
from windrow.windows import Window, calendar, names_months, rows, sliding

from ._options import QueryOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class QuerySpec:
    """A query before any data is seen.

    `arguments` are those of `wr.aggregate` and `wr.explain`, after the data.
    """

    windows: list[Window]
    arguments: Mapping[str, Any]
    where: str | None

    def rows_of(self, frame: DataFrame) -> DataFrame:
        """The rows that the query reads; columns it has not are refused by name."""
        frame = frame if self.where is None else frame.where(self.where)
        order = [name for window in self.windows for name in (window.on, *window.ties)]
        order += [name for window in self.windows for name in window.span or ()]
        for name in [*order, *self.arguments["by"]]:
            if name is not None and name not in frame.columns:
                raise UnknownName.among("column", name, frame.columns)
        return frame


def make_query(options: QueryOptions) -> QuerySpec:
    """The query, checked as far as it can be without data."""
    if options.from_:
        raise BadInput.because(
            "cannot use --from",
            f"{options.source} is no text of queries",
            "give a file that ends in .cql, or leave out --from",
        )
    windows = _windows(options)
    arguments = {
        "window": windows[0] if len(windows) == 1 else windows,
        "by": options.by or [],
        "aggregates": parse_calls(options.agg or ()),
        "hot": options.hot,
        "keys": options.keys,
    }
    return QuerySpec(windows, arguments, options.where)


def _windows(options: QueryOptions) -> list[Window]:
    ranges, counts = options.window or [], options.rows or []
    number = len(ranges) + len(counts)
    if number == 0:
        raise BadInput.because(
            "cannot make a query",
            "no window is given",
            'add --window "24 hours" --every "1 minute", or --rows 1000 --every 10',
        )
    if ranges and counts:
        raise BadInput.because(
            "cannot put time windows and row windows into one query",
            "both --window and --rows are given",
            "ask for them in two commands",
        )
    if counts and options.tz is not None:
        raise BadInput.because(
            f"cannot count rows of {options.tz}",
            "a time zone is for windows of days, weeks, months and years",
            'leave out --tz, or use --window "1 month"',
        )
    span = span_of(options)
    if ranges and options.on is None and span is None:
        raise BadInput.because(
            "cannot slide over time", "no time column is given", "name it with --on"
        )
    slides: list[str | None] = [*(options.every or ())] or [None]
    slides = slides * number if len(slides) == 1 else slides
    if len(slides) != number:
        raise BadInput.because(
            f"cannot pair {number} windows with {len(slides)} slides",
            "the i-th --every belongs to the i-th window",
            "give one --every for all windows, or one for each",
        )
    windows: list[tuple[str, Window]] = []  # one of the two loops has nothing to do
    for count, slide in zip(counts, slides, strict=False):
        step = _step(count, slide)
        windows.append((f"{count} rows every {step}", rows(count, every=step)))
    for length, slide in zip(ranges, slides, strict=False):
        is_enough = slide is None or len(set(ranges)) == number
        name = length if is_enough else f"{length} every {slide}"
        windows.append((name, _timed_window(length, slide, options.tz, span)))
    return [
        window.replaced(
            on=options.on,
            ties=tuple(options.ties or ()),
            name=name if number > 1 else None,
        )
        for name, window in windows
    ]


def span_of(options: QueryOptions) -> tuple[str, str] | None:
    """The columns of start and end that --span names."""
    if options.span is None:
        return None
    names = [name.strip() for name in options.span.split(",")]
    cause = None
    if len(names) != 2 or not all(names):
        cause = "it is not the names of two columns with a comma between"
    elif options.rows:
        cause = "events with a duration have windows of time, not of rows"
    elif options.on is not None:
        cause = "--on is for events that are points, --span for those that last"
    if cause is not None:
        hint = 'write --window "15 minutes" --span start,end, without --on'
        raise BadInput.because(f"cannot use --span {options.span}", cause, hint)
    return names[0], names[1]


def time_column(options: QueryOptions) -> str:
    """The column that a stream's watermark is on: the time, or the ends of events."""
    span = span_of(options)
    return str(options.on) if span is None else span[1]


def _timed_window(
    length: str, slide: str | None, tz: str | None, span: tuple[str, str] | None
) -> Window:
    """Months and whatever names a zone go by the calendar, all else by the clock."""
    if tz is not None or names_months(length) or names_months(slide or ""):
        if span is not None:
            raise BadInput.because(
                f"cannot lay events with a duration over {length} of a calendar",
                "months and days of a zone are not equally long",
                "leave out --tz, and give a range of hours, days or weeks",
            )
        return calendar(length, every=slide, tz=tz)
    every = None if slide is None else _amount(slide)
    return sliding(_amount(length), every=every, span=span)


def _step(count: int, slide: str | None) -> int:
    step = 1 if slide is None else _amount(slide)
    if isinstance(step, int):
        return step
    raise BadInput.because(
        f"cannot move {count} rows on by {slide!r}",
        "it is not a whole number of rows",
        f"write --rows {count} --every 10",
    )


def _amount(text: str) -> str | int:
    """Text without a unit counts in the unit of a numeric time column."""
    plain = text.strip()
    return int(plain) if plain.lstrip("-").isdigit() else text
