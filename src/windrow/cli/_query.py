"""Turns the options of `windrow run` and `windrow explain` into a query.

    --window "1 hour" --every "1 minute" --window "24 hours" --every "1 minute"
        -> [wr.sliding("1 hour", ...), wr.sliding("24 hours", ...)]
    --window "1 month" --every "1 day" --tz Europe/Berlin
        -> wr.calendar("1 month", every="1 day", tz="Europe/Berlin", ...)
    --rows 1000 --every 10
        -> wr.rows(1000, every=10)

The i-th --every belongs to the i-th window; a single one belongs to all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windrow.aggregates import Call
from windrow.errors import BadInput, UnknownName
from windrow.windows import Window, calendar, names_months, rows, sliding

from ._calls import parse_calls

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class QuerySpec:
    """Windows, keys and aggregates of a query, before any data is seen."""

    window: Window | list[Window]
    by: tuple[str, ...]
    calls: Mapping[str, Call]
    hints: Mapping[str, Any]
    where: str | None = None

    def filtered(self, frame: DataFrame) -> DataFrame:
        """The rows that the query reads."""
        return frame if self.where is None else frame.where(self.where)

    @property
    def arguments(self) -> dict[str, Any]:
        """As `wr.aggregate` and `wr.explain` take them, after the data."""
        return {
            "window": self.window,
            "by": list(self.by),
            "aggregates": self.calls,
            **self.hints,
        }


def make_query(
    *,
    window: Sequence[str] | None,
    rows_: Sequence[int] | None,
    every: Sequence[str] | None,
    on: str | None,
    tz: str | None,
    ties: Sequence[str] | None,
    by: Sequence[str] | None,
    agg: Sequence[str],
    hot: bool,
    keys: int | None,
    where: str | None,
) -> QuerySpec:
    """Check the options and put them together."""
    windows = _windows(
        list(window or ()),
        list(rows_ or ()),
        list(every or ()),
        on,
        tz,
        tuple(ties or ()),
    )
    hints: dict[str, Any] = {"hot": hot, "keys": keys}
    return QuerySpec(
        windows[0] if len(windows) == 1 else windows,
        tuple(by or ()),
        parse_calls(agg),
        hints,
        where,
    )


def check_names(query: QuerySpec, frame: DataFrame) -> None:
    """Refuse unknown columns before the planner does, in the command's words."""
    windows = query.window if isinstance(query.window, list) else [query.window]
    order = [name for window in windows for name in (window.on, *window.ties) if name]
    for name in dict.fromkeys([*order, *query.by]):
        if name not in frame.columns:
            raise UnknownName.among("column", name, frame.columns)


def _windows(
    ranges: list[str],
    counts: list[int],
    every: list[str],
    on: str | None,
    tz: str | None,
    ties: tuple[str, ...],
) -> list[Window]:
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
    if counts and tz is not None:
        raise BadInput.because(
            f"cannot count rows of {tz}",
            "a time zone is for windows of days, weeks, months and years",
            'leave out --tz, or use --window "1 month"',
        )
    if ranges and on is None:
        raise BadInput.because(
            "cannot slide over time",
            "no time column is given",
            "name it with --on",
        )
    slides: list[str | None] = list(every)
    if len(slides) <= 1:
        slides = (slides or [None]) * number
    if len(slides) != number:
        raise BadInput.because(
            f"cannot pair {number} windows with {len(slides)} slides",
            "the i-th --every belongs to the i-th window",
            "give one --every for all windows, or one for each",
        )
    if counts:
        return [
            _rows_window(count, slide, on, ties, named=number > 1)
            for count, slide in zip(counts, slides, strict=True)
        ]
    distinct = len(set(ranges)) == number
    return [
        _timed_window(length, slide, tz).replaced(
            on=on,
            ties=ties,
            name=_name(length, slide, distinct) if number > 1 else None,
        )
        for length, slide in zip(ranges, slides, strict=True)
    ]


def _timed_window(length: str, slide: str | None, tz: str | None) -> Window:
    """Months and whatever names a zone go by the calendar, all else by the clock."""
    if tz is not None or names_months(length) or names_months(slide or ""):
        return calendar(length, every=slide, tz=tz)
    return sliding(_amount(length), every=None if slide is None else _amount(slide))


def _rows_window(
    count: int, slide: str | None, on: str | None, ties: tuple[str, ...], *, named: bool
) -> Window:
    step = 1 if slide is None else _amount(slide)
    if not isinstance(step, int):
        raise BadInput.because(
            f"cannot move {count} rows on by {slide!r}",
            "it is not a whole number of rows",
            f"write --rows {count} --every 10",
        )
    name = f"{count} rows every {step}" if named else None
    return rows(count, every=step, on=on, ties=ties, name=name)


def _name(length: str, slide: str | None, distinct: bool) -> str:
    return length if distinct or slide is None else f"{length} every {slide}"


def _amount(text: str) -> str | int:
    """Text without a unit counts in the unit of a numeric time column."""
    plain = text.strip()
    return int(plain) if plain.lstrip("-").isdigit() else text
