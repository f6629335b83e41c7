"""Strategies of events with a duration, and the public API asked about them."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from plain_spans import Span

import menus
import strategies
import windrow as wr
from strategies import range_and_slide


@st.composite
def events(draw: Any, n: int, window: Span, *, nulls: bool = False) -> Any:
    """n starts and ends: points, shorter and longer than step and range, on edges."""
    near = window.offset + window.slide * draw(st.integers(-3, 3))
    start = st.one_of(
        st.integers(-20, 40),
        st.integers(-4, 8).map(lambda k: near + k * window.slide),
        st.sampled_from([near + 10**9, near - 10**6]),  # a gap of years, in seconds
    )
    length = st.one_of(
        st.sampled_from([0, 1, window.slide, window.range, window.range + 1]),
        st.integers(0, 3 * window.range),
        st.integers(0, 12).map(lambda k: k * window.slide),
    )
    starts, ends = [], []
    for _ in range(n):
        one = draw(start)
        starts.append(one)
        ends.append(one + draw(length))
    if nulls:
        for column in (starts, ends):
            for i in draw(
                st.lists(st.integers(0, n - 1), max_size=2) if n else st.just([])
            ):
                column[i] = None
    return {"start": starts, "end": ends}


@st.composite
def spans(draw: Any) -> Span:
    """A window: steps that divide the range or do not, moved off the epoch or not."""
    length, slide = draw(range_and_slide(20))
    return Span(length, slide, draw(st.sampled_from([0, 0, 3, -7])))


@st.composite
def tables(
    draw: Any, wanted: Any, window: Span, *, most: int = 12, nulls: bool = True
) -> dict[str, list[Any]]:
    """Columns for the calls, with keys and bounds."""
    n = draw(st.integers(0, most))
    return {
        "key": draw(strategies.keys)[:n],
        **draw(events(n, window, nulls=nulls and draw(st.booleans()))),
        **draw(menus.columns(wanted, n)),
    }


def arrow(columns: dict[str, list[Any]], bound: pa.DataType | None = None) -> pa.Table:
    """The table, with bounds of that type: whole numbers, or seconds on a clock."""
    bound = bound or pa.int64()
    plain = {n: v for n, v in columns.items() if n not in ("start", "end")}
    table = menus.table_of(plain, {"key": pa.string()})
    for name in ("start", "end"):
        values = pa.array(columns[name], pa.int64())
        if pa.types.is_timestamp(bound):
            values = values.cast(pa.timestamp("s")).cast(bound)
        table = table.append_column(name, values.cast(bound))
    return table


def window_of(spec: Span, *, seconds: bool = False, **more: Any) -> Any:
    """The oracle's window in the words of the public API."""
    lengths: list[Any] = [spec.range, spec.slide, spec.offset]
    if seconds:
        lengths = [dt.timedelta(seconds=one) for one in lengths]
    return wr.sliding(
        lengths[0],
        every=lengths[1],
        offset=lengths[2],
        span=("start", "end"),
        name=spec.query,
        **more,
    )


def asked(calls: Any) -> dict[str, Any]:
    """The oracle's calls in the words of the public API."""
    return {label: menus.asked(call) for label, call in calls.items()}


def single(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The oracle's rows for one window: without `query`."""
    return [{k: v for k, v in row.items() if k != "query"} for row in rows]
