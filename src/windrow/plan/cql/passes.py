"""Describes bound queries, and groups them into passes over the same rows.

    q1  avg(len) from Calls [range 1 hour slide 1 minute] group by caller
    q2  max(len) from Calls [range 24 hours slide 1 minute] group by caller

    one pass over Calls, by caller: windows of 1 hour and of 24 hours, mean and max of
    both; q1 and q2 each take their windows and their columns

Queries share a pass, one call of `wr.aggregate`, if they have the same relation, the
same keys and the same kind of window.  Expressions have their casts, and columns their
names in the joined rows; after the aggregation a key or an aggregate is a column whose
name is its text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from windrow._later import dataclass
from windrow.aggregates import Call, find
from windrow.query.tree import ColumnName, Expression, Literal, QueryTree, columns_in
from windrow.query.unparse import text_of
from windrow.windows import Window

from .windows import ROW, TOTAL


@dataclass(frozen=True)
class JoinedTable:
    """A table to join: `columns` are (name in the joined rows, name in the table)."""

    table: str
    pairs: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]
    is_left: bool


@dataclass(frozen=True)
class Relation:
    """The rows that a query reads.  Queries with equal relations can share a pass.

    `numbered` are the columns within which rows are numbered before anything is
    filtered; none where that is not needed.
    """

    stream: str
    time: str | None
    joins: tuple[JoinedTable, ...]
    where: Expression | None
    numbered: tuple[str, ...] | None

    @cached_property
    def filters_first(self) -> bool:
        """Whether `where` reads no joined column, and so goes before the joins."""
        joined = {called for join in self.joins for called, _ in join.columns}
        return self.where is not None and not joined.intersection(
            column.name for column in columns_in(self.where)
        )


@dataclass(frozen=True)
class BoundQuery:
    """A query whose names and types are checked against its inputs.

    `window` is none where rows come out as they are; `span` are the columns of start
    and end of events with a duration.  `compared` are the results that istream and
    dstream compare: all but those that hold a time.
    """

    query: QueryTree
    rows: Relation
    family: str
    window: Window | None
    keys: tuple[Expression, ...]
    measures: Mapping[str, tuple[Call, tuple[Expression, ...]]]
    having: Expression | None
    items: tuple[tuple[str, Expression], ...]
    compared: tuple[str, ...]
    span: tuple[ColumnName, ...] = ()


@dataclass(frozen=True)
class Member:
    """A query of a pass: its place in the text, and the name of its window."""

    place: int
    bound: BoundQuery
    window: str | None


@dataclass(frozen=True, eq=False)
class Pass:
    """One reading of the rows for one or more queries, by which its plan is kept.

    `columns` are computed from the joined and filtered rows; `windows` is empty where
    rows come out as they are.
    """

    rows: Relation
    keys: tuple[str, ...]
    columns: dict[str, Expression]
    windows: tuple[Window, ...]
    calls: dict[str, Call]
    members: tuple[Member, ...]

    @cached_property
    def reads(self) -> list[str]:
        """Every column of the joined rows that the pass reads."""
        rows = self.rows
        parts = [*self.columns.values(), *([rows.where] if rows.where else [])]
        names = [column.name for part in parts for column in columns_in(part)]
        names += [left for join in rows.joins for left, _ in join.pairs]
        if rows.numbered is not None:
            names += [*rows.numbered, *([rows.time] if rows.time is not None else [])]
        return [name for name in dict.fromkeys(names) if name not in (ROW, TOTAL)]

    @cached_property
    def own_reads(self) -> list[str]:
        """The columns of the stream that the pass reads."""
        joined = {name for join in self.rows.joins for name, _ in join.columns}
        return [name for name in self.reads if name not in joined]

    @cached_property
    def computed(self) -> list[str]:
        """The columns that are computed of others."""
        return [n for n, v in self.columns.items() if not isinstance(v, ColumnName)]

    @cached_property
    def measured(self) -> set[str]:
        """The columns that aggregates are of."""
        return {name for call in self.calls.values() for name in call.columns}

    @cached_property
    def looked_at(self) -> set[str]:
        """Those that results are looked up in, or a user's functions are tried on."""
        calls = [(call.aggregate, call.columns) for call in self.calls.values()]
        return {
            name
            for aggregate, columns in calls
            if aggregate.is_users or aggregate.result == "position"
            for name in columns
        }

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `wr.aggregate` and `wr.explain`, after the data."""
        windows = self.windows
        return {
            "window": windows[0] if len(windows) == 1 else list(windows),
            "by": list(self.keys),
            "aggregates": self.calls,
        }


def passes_of(bound: Sequence[BoundQuery], *, alone: bool = False) -> list[Pass]:
    """The passes that queries share; with `alone` each query has its own."""
    groups: dict[Any, list[tuple[int, BoundQuery]]] = {}
    for place, query in enumerate(bound):
        key: tuple[Any, ...] = (query.rows, query.family, frozenset(query.keys))
        if alone or query.window is None:
            key = (place,)
        groups.setdefault(key, []).append((place, query))
    return [_pass(group) for group in groups.values()]


def _pass(group: list[tuple[int, BoundQuery]]) -> Pass:
    first = group[0][1]
    columns: dict[str, Expression] = {}
    if first.window is not None and first.window.on not in (None, ROW):
        assert first.rows.time is not None
        columns[str(first.window.on)] = ColumnName(first.rows.time)
    columns |= {text_of(column): column for column in first.span}
    columns |= {text_of(key): key for key in first.keys}
    calls: dict[str, Call] = {}
    windows: dict[Any, Window] = {}
    members = []
    for place, query in group:
        for name, (call, arguments) in query.measures.items():
            calls[name] = call
            columns |= {text_of(value): value for value in arguments}
        window_name = None
        if query.window is not None:
            key = query.window.identity
            windows.setdefault(key, query.window.replaced(name=str(query.window)))
            window_name = windows[key].name
        members.append(Member(place, query, window_name))
    if first.rows.numbered is not None:
        columns |= {ROW: ColumnName(ROW), TOTAL: ColumnName(TOTAL)}
        calls[TOTAL] = find("max")(TOTAL)
    if first.window is None:
        parts = [expression for _, expression in first.items]
        columns = {c.name: c for part in parts for c in columns_in(part)}
    if not columns:
        columns["1"] = Literal(1)
    keys = tuple(text_of(key) for key in first.keys)
    all_windows = tuple(windows.values())
    return Pass(first.rows, keys, columns, all_windows, calls, tuple(members))
