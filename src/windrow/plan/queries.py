"""From windows to queries: checked, put into ticks, on one clock.

wr.sliding("1 hour", every="1 minute", on="ts")   --clock of ts-->   range 3600e6
                                                                     slide   60e6
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from windrow.errors import BadInput, WindowError
from windrow.windows import Duration, Reactive, Rows, Sliding, Window

from .bind import column_type
from .clock import Clock, clock_of


@dataclass(frozen=True)
class Query:
    """A window in ticks (or rows): starts at shift + k * slide."""

    window: Window
    name: str | int
    range: int
    slide: int
    shift: int

    @property
    def triple(self) -> tuple[int, int, int]:
        """Range, slide and shift."""
        return self.range, self.slide, self.shift

    @property
    def is_rows(self) -> bool:
        """Whether it counts rows."""
        return isinstance(self.window, Rows)

    @property
    def is_complete(self) -> bool:
        """Whether only complete count windows come out."""
        return isinstance(self.window, Rows) and not self.window.partial


def check_windows(windows: Sequence[Any]) -> None:
    """Refuse what is no window, and mixtures of kinds."""
    if not windows:
        raise BadInput.because(
            "cannot aggregate over no window",
            "the list of windows is empty",
            "give a window such as wr.rows(1000) or wr.sliding('1 hour')",
        )
    for one in windows:
        if isinstance(one, Reactive):
            raise BadInput.because(
                f"cannot slide a window ({one}) here",
                "windows by policy run one at a time, and on tables in this process",
                "use wr.sliding or wr.rows, or collect the data first",
            )
        if not isinstance(one, (Sliding, Rows)):
            raise BadInput.because(
                f"cannot use {one!r} as a window",
                f"it is of type {type(one).__name__}",
                "make one with wr.sliding(...) or wr.rows(...)",
            )
    if len({type(one) for one in windows}) > 1:
        raise BadInput.because(
            "cannot slide count and time windows in one call",
            "they are not cut by the same clock",
            "call once for each kind",
        )


def order_of(
    windows: Sequence[Window], schema: pa.Schema, span: tuple[str, str] | None
) -> tuple[str | None, tuple[str, ...]]:
    """The one time column and the ties that all windows agree on."""
    columns = {one.on for one in windows if one.on is not None}
    if span is not None:
        columns = {span[1]}
    ties = {one.ties for one in windows if one.ties}
    if len(columns) > 1 or len(ties) > 1:
        raise BadInput.because(
            "cannot order the rows of one call in two ways",
            f"the windows name {' and '.join(sorted(columns))}",
            "use the same on= and ties= for all windows of a list",
        )
    for name in (*columns, *(name for tie in ties for name in tie)):
        column_type(schema, name)
    if not columns and isinstance(windows[0], Sliding):
        raise WindowError.because(
            f"cannot place rows in windows of {windows[0].range.text}",
            "the window names no time column",
            "say which, as in wr.sliding(..., on='ts')",
        )
    return (columns.pop() if columns else None), (ties.pop() if ties else ())


def queries_of(windows: Sequence[Window], clock: Clock | None) -> tuple[Query, ...]:
    """Windows in ticks of a clock, no two of one name."""
    queries = tuple(_query(one, i, clock) for i, one in enumerate(windows))
    _check_names(queries)
    return queries


def clock_for(
    windows: Sequence[Window], on: str | None, schema: pa.Schema
) -> Clock | None:
    """The clock that can tell all lengths of the windows; None without a time."""
    if on is None:
        return None
    lengths = [
        length
        for one in windows
        if isinstance(one, Sliding)
        for length in (one.range, one.slide, _shift(one))
    ]
    return clock_of(on, column_type(schema, on), lengths)


def _shift(window: Sliding) -> Duration:
    if window.range.is_time:
        return Duration("shift", nanoseconds=window.shift)
    return Duration("shift", number=window.shift)


def _query(window: Window, index: int, clock: Clock | None) -> Query:
    name = window.name if window.name is not None else index
    if isinstance(window, Rows):
        return Query(window, name, window.range, window.slide, 0)
    assert clock is not None
    lengths = [clock.ticks(d) for d in (window.range, window.slide, _shift(window))]
    if max(map(abs, lengths)) >= 2**62:
        raise WindowError.because(
            f"cannot slide a {window}",
            "it is too long for 64-bit time",
            "use a shorter one",
        )
    return Query(window, name, *lengths)


def _check_names(queries: Sequence[Query]) -> None:
    names = [str(query.name) for query in queries]
    for name in names:
        if names.count(name) > 1:
            raise BadInput.because(
                f"cannot tell the windows called {name!r} apart",
                "two windows of the list have that name",
                "give each its own name=",
            )


__all__ = ["Query", "check_windows", "clock_for", "order_of", "queries_of"]
