"""Checks windows, and gives them one clock and rules in ticks.

wr.sliding("1 hour", every="1 minute", on="ts")   --clock of ts-->   range 3600e6
                                                                     slide   60e6
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from windrow.errors import BadInput, WindowError
from windrow.windows import Clock, Rule, Window, clock_of

from .bind import column_type


def check_windows(windows: Sequence[Any]) -> None:
    """Refuse an empty list, what is no window, and windows of several kinds."""
    if not windows:
        raise BadInput.because(
            "cannot aggregate over no window",
            "the list of windows is empty",
            "give a window such as wr.rows(1000) or wr.sliding('1 hour')",
        )
    for window in windows:
        if not isinstance(window, Window):
            raise BadInput.because(
                f"cannot use {window!r} as a window",
                f"it is of type {type(window).__name__}",
                "make one with wr.sliding(...) or wr.rows(...)",
            )
        if not window.is_numbered:
            raise BadInput.because(
                f"cannot slide a window ({window}) here",
                "windows by policy run one at a time, and not within a list",
                "give it alone, or use wr.sliding or wr.rows",
            )
    kinds = sorted({window.kind for window in windows})
    if len(kinds) > 1:
        raise BadInput.because(
            f"cannot slide {' and '.join(kinds)} windows in one call",
            "they are not cut by the same clock",
            "call once for each kind",
        )


def order_of(
    windows: Sequence[Window], schema: pa.Schema, span: tuple[str, str] | None
) -> tuple[Clock | None, tuple[str, ...]]:
    """The clock and the ties that all windows of a list agree on.

    The clock's ticks divide all lengths of windows; there is none without a time.
    """
    columns = {window.on for window in windows if window.on is not None}
    columns = columns if span is None else {span[1]}
    ties = {window.ties for window in windows if window.ties}
    if len(columns) > 1 or len(ties) > 1:
        raise BadInput.because(
            "cannot order the rows of one call in two ways",
            f"the windows name {' and '.join(sorted(columns))}",
            "use the same on= and ties= for all windows of a list",
        )
    for name in (*columns, *(name for tie in ties for name in tie)):
        column_type(schema, name)
    if not columns and windows[0].is_timed:
        raise WindowError.because(
            f"cannot place rows in windows ({windows[0]})",
            "the window names no time column",
            "say which, as in wr.sliding(..., on='ts')",
        )
    lengths = [length for window in windows for length in window.lengths]
    clocks = [clock_of(on, column_type(schema, on), lengths) for on in columns]
    return (clocks[0] if clocks else None), (ties.pop() if ties else ())


def rules_of(windows: Sequence[Window], clock: Clock | None) -> tuple[Rule, ...]:
    """The rules of windows on one clock; no two of them have the same name."""
    names = [i if w.name is None else w.name for i, w in enumerate(windows)]
    texts = [str(name) for name in names]
    for text in texts:
        if texts.count(text) > 1:
            raise BadInput.because(
                f"cannot tell the windows called {text!r} apart",
                "two windows of the list have that name",
                "give each its own name=",
            )
    pairs = zip(windows, names, strict=True)
    return tuple(window.rule(name, clock) for window, name in pairs)
