"""Turns a window clause of CQL into a window of the library.

    [range 24 hours slide 1 minute]    wr.sliding("24 hours", every="1 minute", on=time)
    [range 1 month slide 1 day]        wr.calendar("1 month", every="1 day", on=time)
    [range 1 day in 'Asia/Tokyo']      wr.calendar("1 day", on=time, tz="Asia/Tokyo")
    [range 1 hour span start, end]     wr.sliding("1 hour", span=("start", "end"))
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

import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.errors import QueryError, WindrowError
from windrow.plan.spans import span_of
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
    if isinstance(clause, Range) and clause.span is not None:
        return _spanning(clause, scope)
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
    if query.compares:
        asks = "what is new" if query.output == "istream" else "what is gone"
        expected = f"a window that moves, since {query.output} asks {asks}"
        hint = f"give the stream a window, or leave out {query.output}"
        raise QueryError.at(scope.text, *clause.at, expected, hint)
    everything = rows(EVERYTHING, every=EVERYTHING, partial=True, on=on)
    return Windowing(everything, "everything", pa.int64(), "last")


def _spanning(clause: Range, scope: Scope) -> Windowing:
    """Windows over events with a duration, from one column to another."""
    assert clause.span is not None
    operands = [scope.column(column) for column in clause.span]
    names = [text_of(operand.expression) for operand in operands]
    own = scope.stream.called.values()
    for column, operand in zip(clause.span, operands, strict=True):
        assert isinstance(operand.expression, ColumnName)
        if operand.expression.name not in own:
            expected = f"a column of {scope.stream.name}"
            hint = "events are placed before tables are joined"
            raise QueryError.at(scope.text, *column.at, expected, hint)
    kinds = [operand.type for operand in operands]
    with pointing_at(scope.text, clause.at, "a window that fits the span"):
        window = _timed(clause, kinds[0], None, span=(names[0], names[1]))
        span_of([window], pa.schema(list(zip(names, kinds, strict=True))))
        clock = clock_of(names[1], kinds[1], window.lengths)
        window.rule(0, clock)
    family = f"{window.kind} {' '.join(names)}"
    return Windowing(window, family, clock.instant, "end")


def _timed(
    clause: Range | Now,
    kind: pa.DataType,
    on: str | None,
    span: tuple[str, str] | None = None,
) -> Window:
    if isinstance(clause, Now):
        day_or_tick = _TICKS[kind.unit] if pat.is_timestamp(kind) else "1 day"
        return sliding(1 if pat.is_integer(kind) else day_or_tick, on=on)
    length, slide = clause.range, clause.slide
    if clause.is_calendar:
        return calendar(length.text, every=slide.text, on=on, tz=clause.zone)
    durations = (length.duration, slide.duration)
    if not pat.is_integer(kind):
        return sliding(durations[0], every=durations[1], on=on, span=span)
    for duration in durations:
        if duration.amount % _SECOND:
            raise WindrowError.because(
                f"cannot slide {duration.text} over column {on or span!r}",
                f"it is of type {kind}, and whole numbers count seconds",
                "use whole seconds, or cast the column to timestamp",
            )
    seconds = [duration.amount // _SECOND for duration in durations]
    return sliding(seconds[0], every=seconds[1], on=on, span=span)


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
