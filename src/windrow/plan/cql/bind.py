"""Binds the tree of a query to the schemas of its inputs.

    rows      numbered?  ->  joined  ->  filtered by where       Relation
    columns   time, keys and what aggregates measure, computed   keys, measures
    windows   wr.sliding or wr.rows over those                   window
    result    having  ->  istream  ->  the select list           having, items

Every name and type is checked here, with a caret under what does not fit.  The bound
query is described in `passes.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from windrow.aggregates import Aggregate, Call, find
from windrow.errors import QueryError
from windrow.plan.bind import bind as bind_calls
from windrow.query.hints import pointing_at
from windrow.query.tree import (
    AggregateCall,
    Apply,
    Clause,
    ColumnName,
    Expression,
    Literal,
    Now,
    QueryTree,
    Range,
    Star,
    Unbounded,
    columns_in,
)
from windrow.query.unparse import text_of

from .passes import BoundQuery, JoinedTable, Relation
from .scope import Scope, time_column
from .types import Operand, TypeChecker
from .windows import Windowing, windowing_of

WINDOW = "window"


def bind_query(
    text: str,
    query: QueryTree,
    schemas: Mapping[str, pa.Schema],
    time: str | None,
    aggregates: Mapping[str, Aggregate] | None = None,
) -> BoundQuery:
    """Check everything about one query; `time` is the time column if it was named.

    `aggregates` are a user's own, by the names that they have in the text.
    """
    scope = Scope(text, query, schemas)
    return _Binder(query, scope, time, aggregates or {}).bound()


class _Binder:
    """Binds one query; `_aliases` are those that names may stand for just now."""

    def __init__(
        self,
        query: QueryTree,
        scope: Scope,
        time: str | None,
        aggregates: Mapping[str, Aggregate],
    ) -> None:
        self._query = query
        self._own = aggregates
        self._scope = scope
        self._time = time_column(scope.stream, time)
        self._in_rows = TypeChecker(scope.text, self._row)
        self._in_results = TypeChecker(scope.text, self._result)
        self._aliases: dict[str, Expression] = {}
        self._keys: dict[Expression, Operand] = {}
        self._measures: dict[str, tuple[Call, tuple[Expression, ...]]] = {}
        self._windowing = Windowing(None, "rows as they are", pa.null(), "")

    def bound(self) -> BoundQuery:
        query, scope = self._query, self._scope
        where = having = None
        if query.where is not None:
            where = self._in_rows.truth(query.where, "where")
        aliases = {item.alias: item.expression for item in query.items if item.alias}
        self._bind_keys(aliases)
        keys = tuple(key.expression for key in self._keys.values())
        if query.is_aggregated:
            plain = tuple(key.name for key in keys if isinstance(key, ColumnName))
            self._windowing = windowing_of(query, scope, self._time, plain)
        else:
            self._check_rows_alone()
        items = self._items()
        if query.having is not None:
            self._aliases = aliases
            having = self._in_results.truth(query.having, "having")
        if query.is_aggregated and not self._measures:
            self._measures["count(*)"] = (find("count")(), ())
        numbered = self._windowing.numbered
        return BoundQuery(
            query=query,
            rows=Relation(
                scope.stream.name, self._time, self._joins(), where, numbered
            ),
            family=self._windowing.family,
            window=self._windowing.window,
            keys=keys,
            measures=self._measures,
            having=having,
            items=items,
            compared=tuple(name for name, value in items if not self._says_when(value)),
            span=self._span(),
        )

    def _span(self) -> tuple[ColumnName, ...]:
        """The columns of start and end, as the rows have them."""
        window = self._query.window
        if not isinstance(window, Range) or window.span is None:
            return ()
        columns = [self._scope.column(column).expression for column in window.span]
        return tuple(column for column in columns if isinstance(column, ColumnName))

    # --- names ------------------------------------------------------------------

    def _row(self, expression: Expression) -> Operand | None:
        """The column that a name stands for before the aggregation."""
        if isinstance(expression, ColumnName):
            return self._scope.column(expression)
        if isinstance(expression, AggregateCall):
            hint = "aggregates stand in select and having, one not within another"
            raise self._error(expression, "no aggregate here", hint)
        return None

    def _result(self, expression: Expression) -> Operand | None:
        """The column that an expression stands for after the aggregation."""
        if isinstance(expression, AggregateCall):
            return self._measure(expression)
        operand = self._as_key(expression)
        if operand is not None or not isinstance(expression, ColumnName):
            return operand
        if (operand := self._bounds(expression)) is not None:
            return operand
        if expression.source is None and expression.name in self._aliases:
            alias = self._aliases[expression.name]
            before, self._aliases = self._aliases, {}
            value = self._in_results.typed(alias)
            self._aliases = before
            return value
        if self._is_time(expression):
            return self._time_of_result(expression)
        self._scope.column(expression)  # an unknown one is refused by its name
        hint = f"add {expression.name} to group by, or write max({expression.name})"
        raise self._error(expression, "a column of group by, or an aggregate", hint)

    def _as_key(self, expression: Expression) -> Operand | None:
        """The key column, if the expression is that of a key."""
        if isinstance(expression, Literal):
            return None
        try:
            key = self._keys[self._in_rows.typed(expression).expression]
        except (QueryError, KeyError):
            return None
        return Operand(ColumnName(text_of(key.expression), at=expression.at), key.type)

    def _bounds(self, column: ColumnName) -> Operand | None:
        """The operand of `window`, `window.start` or `window.end`."""
        instant, name = self._windowing.instant, column.name.lower()
        window = ColumnName(WINDOW, at=column.at)
        if column.source is None and name == WINDOW:
            return Operand(window, pa.struct([("start", instant), ("end", instant)]))
        if (column.source or "").lower() == WINDOW and name in ("start", "end"):
            return Operand(Apply(name, (window,), at=column.at), instant)
        return None

    def _is_time(self, column: ColumnName) -> bool:
        if self._time is None:
            return False
        try:
            expression = self._scope.column(column).expression
        except QueryError:
            return False
        return expression == ColumnName(self._scope.stream.called[self._time])

    def _time_of_result(self, column: ColumnName) -> Operand | None:
        """The time of a result: the end of its window, its instant, or its last row."""
        if self._windowing.when == "last":
            return self._measure(AggregateCall("max", (column,), at=column.at))
        return self._bounds(ColumnName(self._windowing.when, WINDOW, at=column.at))

    def _says_when(self, expression: Expression) -> bool:
        time = f"max({text_of(ColumnName(self._time))})" if self._time else ""
        names = [column.name for column in columns_in(expression)]
        return WINDOW in names or (self._windowing.when == "last" and time in names)

    # --- parts ------------------------------------------------------------------

    def _measure(self, call: AggregateCall) -> Operand:
        operands = [self._in_rows.typed(part) for part in call.arguments]
        expressions = tuple(operand.expression for operand in operands)
        names = [text_of(expression) for expression in expressions]
        options: dict[str, Any] = dict(call.options)
        aggregate = self._own[call.name] if call.name in self._own else find(call.name)
        text, expected = self._scope.text, "an aggregate that can be computed"
        with pointing_at(text, call.at, expected):
            measure = aggregate(*names, **options)
        name = text_of(AggregateCall(call.name, expressions, call.options))
        types = dict(zip(names, [operand.type for operand in operands], strict=True))
        with pointing_at(text, call.at, expected):
            (bound,) = bind_calls({name: measure}, pa.schema(list(types.items())))
        self._measures[name] = (measure, expressions)
        return Operand(ColumnName(name, at=call.at), bound.result)

    def _bind_keys(self, aliases: Mapping[str, Expression]) -> None:
        for key in self._query.keys:
            if isinstance(key, Literal):
                hint = "name the column itself"
                raise self._error(key, "a column or an expression", hint)
            expression = key
            if isinstance(key, ColumnName) and key.source is None:
                try:
                    self._scope.column(key)  # columns go before aliases, as in SQL
                except QueryError:
                    expression = aliases.get(key.name, key)
            operand = self._in_rows.typed(expression)
            self._keys[operand.expression] = operand

    def _joins(self) -> tuple[JoinedTable, ...]:
        joins = []
        for join, table in zip(self._query.joins, self._scope.inputs[1:], strict=True):
            columns = tuple((called, own) for own, called in table.called.items())
            pairs = self._scope.pairs(join)
            joins.append(JoinedTable(table.name, pairs, columns, join.is_left))
        return tuple(joins)

    def _items(self) -> tuple[tuple[str, Expression], ...]:
        names = self._in_results if self._query.is_aggregated else self._in_rows
        items: list[tuple[str, Expression]] = []
        for item in self._query.items:
            if isinstance(item.expression, Star):
                items += self._all_columns(item.expression)
                continue
            value = item.expression
            own = value.name if isinstance(value, ColumnName) else text_of(value)
            name = item.alias or own
            if name in dict(items):
                hint = f"{name} is taken: add as"
                raise self._error(value, "a name of its own", hint)
            items.append((name, names.typed(value).expression))
        return tuple(items)

    def _all_columns(self, star: Star) -> list[tuple[str, Expression]]:
        if self._query.is_aggregated:
            hint = "name keys, aggregates, the time or window"
            raise self._error(star, "columns by name in a query of groups", hint)
        return [
            (called, ColumnName(called))
            for source in self._scope.inputs
            for called in source.called.values()
        ]

    def _check_rows_alone(self) -> None:
        window, having = self._query.window, self._query.having
        if not isinstance(window, (Now, Unbounded)):
            expected = "[now] or no window, since nothing is aggregated"
            why = "each row would come out once for every window that holds it"
            hint = f"{why}; collect(x) lists what is in a window"
            raise self._error(window, expected, hint)
        if self._query.output == "dstream":
            expected = "an aggregate or distinct within dstream"
            hint = "rows that come out as they are never leave a window"
            raise self._error(self._query.items[0].expression, expected, hint)
        if having is not None:
            expected = "where, since nothing is aggregated"
            raise self._error(having, expected, "write where")

    def _error(self, at: Expression | Clause, expected: str, hint: str) -> QueryError:
        return QueryError.at(self._scope.text, *at.at, expected, hint)
