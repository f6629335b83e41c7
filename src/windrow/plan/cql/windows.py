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
from windrow.query.tree import ColumnName, Now, QueryTree, Range, RowCount
from windrow.query.unparse import text_of
from windrow.windows import Duration, Window, calendar, rows, sliding
from windrow.windows.clock import clock_of

from .scope import Scope, no_time
from .types import plain

EVERYTHING = 1 << 40
_SECOND = 10**9
_TICKS = {"s": "1 second", "ms": "1 ms", "us": "1 us", "ns": "1 ns"}
ROW, TOTAL = "row number", "rows in all"
"""Two columns of numbered rows: the place of a row, and how many places there are."""


@dataclass(frozen=True)
class Windowing:
    """The window of a query, and what its results are like.

    `family` says which windows can share a pass, `instant` is the type of a window's
    bounds, `when` is what stands for the time of a result: start or end of the window,
    or the last row's.  `numbered` as in `Relation`.
    """

    window: Window
    family: str
    instant: pa.DataType
    when: str
    numbered: tuple[str, ...] | None = None


def windowing_of(
    text: str, query: QueryTree, scope: Scope, time: str | None, keys: tuple[str, ...]
) -> Windowing:
    """The window of a query; `keys` are its key columns that are plain columns."""
    clause = query.window
    if isinstance(clause, RowCount):
        return _counted(text, query, clause, scope, time, keys)
    if isinstance(clause, (Range, Now)):
        if time is None:
            raise no_time(text, clause.at, scope.stream)
        kind = plain(scope.stream.schema.field(time).type)
        name = text_of(ColumnName(scope.stream.called[time]))
        try:
            window = _timed(clause, kind, name)
            clock = clock_of(time, kind, window.lengths)
            window.rule(0, clock)
            instant = clock.instant
        except WindrowError as error:
            cause, _, hint = str(error).partition("\nHint: ")
            raise QueryError.at(
                text, *clause.at, f"a window that fits the time ({cause})", hint
            ) from error
        if isinstance(clause, Now):
            return Windowing(window, "now", instant, "start")
        return Windowing(window, window.kind, instant, "end")
    if query.istream:
        raise QueryError.at(
            text,
            *clause.at,
            "a window that moves, since istream asks what is new",
            "give the stream a window, or leave out istream",
        )
    everything = rows(EVERYTHING, every=EVERYTHING, partial=True, on=_on(scope, time))
    return Windowing(everything, "everything", pa.int64(), "last")


def _timed(clause: Range | Now, kind: pa.DataType, on: str) -> Window:
    if isinstance(clause, Now):
        if pat.is_integer(kind):
            return sliding(1, on=on)
        return sliding(_TICKS[kind.unit] if pat.is_timestamp(kind) else "1 day", on=on)
    length, slide = clause.range, clause.slide
    if clause.is_calendar:
        return calendar(length.text, every=slide.text, on=on, tz=clause.zone)
    durations = [
        Duration(one.text, nanoseconds=one.nanoseconds) for one in (length, slide)
    ]
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
    text: str,
    query: QueryTree,
    clause: RowCount,
    scope: Scope,
    time: str | None,
    keys: tuple[str, ...],
) -> Windowing:
    partition = []
    for column in clause.partition:
        key = scope.column(column).expression
        assert isinstance(key, ColumnName)
        if key.name not in scope.stream.called.values():
            hint = "rows are counted before tables are joined"
            raise QueryError.at(
                text, *column.at, f"a column of {scope.stream.name}", hint
            )
        if key.name not in keys:
            raise QueryError.at(
                text,
                *column.at,
                "a column of group by",
                f"add {column.name} to group by: results come out for each of them",
            )
        partition.append(key.name)
    is_plain = not query.joins and query.where is None and len(keys) == len(query.keys)
    if is_plain and set(partition) == set(keys):
        window = rows(clause.range, every=clause.slide, on=_on(scope, time))
        return Windowing(window, "rows", pa.int64(), "last")
    window_ = sliding(clause.range, every=clause.slide, on=ROW)
    return Windowing(window_, "numbered", pa.int64(), "last", tuple(partition))


def _on(scope: Scope, time: str | None) -> str | None:
    return None if time is None else text_of(ColumnName(scope.stream.called[time]))
