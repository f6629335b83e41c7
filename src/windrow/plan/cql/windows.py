"""Turns a window clause of CQL into a window of the library.

    [range 24 hours slide 1 minute]    wr.sliding("24 hours", every="1 minute", on=time)
    [range 1 month slide 1 day]        wr.calendar("1 month", every="1 day", on=time)
    [range 1 day in 'Asia/Tokyo']      wr.calendar("1 day", on=time, tz="Asia/Tokyo")
    [now]                              wr.sliding(a tick of the time column, on=time)
    [range unbounded]                  wr.rows of more rows than there are, clipped
    [rows 1000 slide 10]               wr.rows(1000, every=10, on=time)
    [partition by k rows 100]          the same, by k
    rows, then where, join or others   wr.sliding(1000, every=10, on=the row's number)

CQL counts rows of the stream, or of each k, and filters and groups what is in the
window: a row that where leaves out has taken a place.  Such rows are numbered first,
and the window slides over their numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyarrow import types as pat

from windrow.errors import QueryError, WindrowError
from windrow.query.hints import pointing_at
from windrow.query.tree import ColumnName, Now, QueryTree, Range, RowCount
from windrow.query.unparse import text_of
from windrow.windows import Window, calendar, clock_of, rows, sliding

from .scope import Scope, no_time
from .types import plain

EVERYTHING = 1 << 40
_SECOND = 10**9
_TICKS = {"s": "1 second", "ms": "1 ms", "us": "1 us", "ns": "1 ns"}
ROW, TOTAL = "row number", "rows in all"
"""Two columns of numbered rows: the place of a row, and how many places there are."""


@dataclass(frozen=True)
class Windowing:
    """The window of a query, if it has one, and what its results are like.

    `family` says which windows can share a pass, `instant` is the type of a window's
    bounds, `when` is what stands for the time of a result: start or end of the window,
    or the last row's.  `numbered` as in `Relation`.
    """

    window: Window | None
    family: str
    instant: pa.DataType
    when: str
    numbered: tuple[str, ...] | None = None


def windowing_of(
    query: QueryTree, scope: Scope, time: str | None, keys: tuple[str, ...]
) -> Windowing:
    """The window of a query; `keys` are its key columns that are plain columns."""
    clause, stream = query.window, scope.stream
    on = None if time is None else text_of(ColumnName(stream.called[time]))
    if isinstance(clause, RowCount):
        return _counted(query, clause, scope, on, keys)
    if isinstance(clause, (Range, Now)):
        if time is None or on is None:
            raise no_time(scope, clause.at)
        kind = plain(stream.schema.field(time).type)
        with pointing_at(scope.text, clause.at, "a window that fits the time"):
            window = _timed(clause, kind, on)
            clock = clock_of(time, kind, window.lengths)
            window.rule(0, clock)
        if isinstance(clause, Now):
            return Windowing(window, "now", clock.instant, "start")
        return Windowing(window, window.kind, clock.instant, "end")
    if query.istream:
        expected = "a window that moves, since istream asks what is new"
        hint = "give the stream a window, or leave out istream"
        raise QueryError.at(scope.text, *clause.at, expected, hint)
    everything = rows(EVERYTHING, every=EVERYTHING, partial=True, on=on)
    return Windowing(everything, "everything", pa.int64(), "last")


def _timed(clause: Range | Now, kind: pa.DataType, on: str) -> Window:
    if isinstance(clause, Now):
        day_or_tick = _TICKS[kind.unit] if pat.is_timestamp(kind) else "1 day"
        return sliding(1 if pat.is_integer(kind) else day_or_tick, on=on)
    length, slide = clause.range, clause.slide
    if clause.is_calendar:
        return calendar(length.text, every=slide.text, on=on, tz=clause.zone)
    durations = (length.duration, slide.duration)
    if not pat.is_integer(kind):
        return sliding(durations[0], every=durations[1], on=on)
    for duration in durations:
        if duration.amount % _SECOND:
            raise WindrowError.because(
                f"cannot slide {duration.text} over column {on!r}",
                f"it is of type {kind}, and whole numbers count seconds",
                "use whole seconds, or cast the column to timestamp",
            )
    seconds = [duration.amount // _SECOND for duration in durations]
    return sliding(seconds[0], every=seconds[1], on=on)


def _counted(
    query: QueryTree,
    clause: RowCount,
    scope: Scope,
    on: str | None,
    keys: tuple[str, ...],
) -> Windowing:
    partition = []
    for column in clause.partition:
        key = scope.column(column).expression
        assert isinstance(key, ColumnName)
        if key.name not in scope.stream.called.values():
            hint = "rows are counted before tables are joined"
            expected = f"a column of {scope.stream.name}"
            raise QueryError.at(scope.text, *column.at, expected, hint)
        if key.name not in keys:
            hint = f"add {column.name} to group by: results come out for each of them"
            raise QueryError.at(scope.text, *column.at, "a column of group by", hint)
        partition.append(key.name)
    is_plain = not query.joins and query.where is None and len(keys) == len(query.keys)
    if is_plain and set(partition) == set(keys):
        counted = rows(clause.range, every=clause.slide, on=on)
        return Windowing(counted, "rows", pa.int64(), "last")
    window = sliding(clause.range, every=clause.slide, on=ROW)
    return Windowing(window, "numbered", pa.int64(), "last", tuple(partition))
