"""Binds the tree of a query to the schemas of its inputs.

    rows      numbered?  ->  joined  ->  filtered by where       Relation
    columns   time, keys and what aggregates measure, computed   keys, measures
    windows   wr.sliding or wr.rows over those                   window
    result    having  ->  istream  ->  the select list           having, items

Every name and type is checked here, with a caret under what does not fit.  The bound
query is described in `bound.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from windrow.aggregates import Call, find
from windrow.errors import QueryError, WindrowError
from windrow.plan.bind import bind as bind_calls
from windrow.query.tree import (
    AggregateCall,
    Apply,
    ColumnName,
    Expression,
    Literal,
    Now,
    QueryTree,
    SelectItem,
    Star,
    Unbounded,
    columns_in,
    walk,
)
from windrow.query.unparse import text_of
from windrow.windows import Window

from .bound import BoundQuery, JoinedTable, Relation
from .scope import Scope, time_column
from .types import Operand, TypeChecker
from .windows import Windowing, windowing_of

WINDOW = "window"


def bind_query(
    text: str, query: QueryTree, schemas: Mapping[str, pa.Schema], time: str | None
) -> BoundQuery:
    """Check everything about one query; `time` is the time column if it was named."""
    return _Binder(text, query, schemas, time).bound()


class _Binder:
    def __init__(
        self,
        text: str,
        query: QueryTree,
        schemas: Mapping[str, pa.Schema],
        time: str | None,
    ) -> None:
        self._text = text
        self._query = query
        self._scope = Scope(text, query, schemas)
        self._time = time_column(self._scope.stream, time)
        self._in_rows = TypeChecker(text, self._row)
        self._in_results = TypeChecker(text, self._result)
        self._aliases: dict[str, Expression] = {}
        self._keys: dict[Expression, Operand] = {}
        self._measures: dict[str, tuple[Call, tuple[Expression, ...]]] = {}
        self._windowing: Windowing | None = None

    def bound(self) -> BoundQuery:
        query = self._query
        where = None
        if query.where is not None:
            where = self._in_rows.truth(query.where, "where")
        self._bind_keys()
        if query.is_aggregated:
            self._windowing = windowing_of(
                self._text, query, self._scope, self._time, self._plain_keys()
            )
            window: Window | None = self._windowing.window
            family, numbered = self._windowing.family, self._windowing.numbered
        else:
            window, family, numbered = None, "rows as they are", None
            self._check_rows_alone()
        items = self._items()
        having = None
        if query.having is not None:
            self._aliases = {
                item.alias: item.expression for item in query.items if item.alias
            }
            having = self._in_results.truth(query.having, "having")
        if query.is_aggregated and not self._measures:
            self._measures["count(*)"] = (find("count")(), ())
        return BoundQuery(
            query=query,
            rows=Relation(
                self._scope.stream.name, self._time, self._joins(), where, numbered
            ),
            family=family,
            window=window,
            keys=tuple(key.expression for key in self._keys.values()),
            measures=self._measures,
            having=having,
            items=items,
            compared=tuple(name for name, value in items if not self._says_when(value)),
        )

    # --- names ------------------------------------------------------------------

    def _row(self, expression: Expression) -> Operand | None:
        """The column that a name stands for before the aggregation."""
        if isinstance(expression, ColumnName):
            return self._scope.column(expression)
        if isinstance(expression, AggregateCall):
            raise self._error(
                expression,
                "no aggregate here",
                "aggregates stand in select and having, one not within another",
            )
        return None

    def _result(self, expression: Expression) -> Operand | None:
        """The column that an expression stands for after the aggregation."""
        if isinstance(expression, AggregateCall):
            return self._measure(expression)
        key = self._as_key(expression)
        if key is not None or not isinstance(expression, ColumnName):
            return key
        bounds = self._bounds(expression)
        if bounds is not None:
            return bounds
        if expression.source is None and expression.name in self._aliases:
            alias = self._aliases[expression.name]
            before, self._aliases = self._aliases, {}
            value = self._in_results.typed(alias)
            self._aliases = before
            return value
        if self._is_time(expression):
            return self._when(expression)
        self._scope.column(expression)  # an unknown one is refused by its name
        raise self._error(
            expression,
            "a column of group by, or an aggregate",
            f"add {expression.name} to group by, or write max({expression.name})",
        )

    def _as_key(self, expression: Expression) -> Operand | None:
        """The key column, if the expression is that of a key."""
        parts = list(walk(expression))
        if isinstance(expression, Literal) or not all(
            isinstance(part, (ColumnName, Literal, Apply)) for part in parts
        ):
            return None
        try:
            operand = self._in_rows.typed(expression)
        except QueryError:
            return None
        key = self._keys.get(operand.expression)
        if key is None:
            return None
        return Operand(ColumnName(text_of(key.expression), at=expression.at), key.type)

    def _bounds(self, column: ColumnName) -> Operand | None:
        """The operand of `window`, `window.start` or `window.end`."""
        assert self._windowing is not None
        instant = self._windowing.instant
        window = ColumnName(WINDOW, at=column.at)
        if column.source is None and column.name.lower() == WINDOW:
            kind = pa.struct([("start", instant), ("end", instant)])
            return Operand(window, kind)
        end = column.name.lower()
        if (column.source or "").lower() == WINDOW and end in ("start", "end"):
            return Operand(Apply(end, (window,), at=column.at), instant)
        return None

    def _is_time(self, column: ColumnName) -> bool:
        if self._time is None:
            return False
        try:
            expression = self._scope.column(column).expression
        except QueryError:
            return False
        return expression == ColumnName(self._scope.stream.called[self._time])

    def _when(self, column: ColumnName) -> Operand:
        """The time of a result: the end of its window, its instant, or its last row."""
        assert self._windowing is not None
        if self._windowing.when == "last":
            return self._measure(AggregateCall("max", (column,), at=column.at))
        window = ColumnName(WINDOW, at=column.at)
        bound = Apply(self._windowing.when, (window,), at=column.at)
        return Operand(bound, self._windowing.instant)

    def _says_when(self, expression: Expression) -> bool:
        time = f"max({text_of(ColumnName(self._time))})" if self._time else ""
        is_last = self._windowing is not None and self._windowing.when == "last"
        names = [column.name for column in columns_in(expression)]
        return WINDOW in names or (is_last and time in names)

    # --- parts ------------------------------------------------------------------

    def _measure(self, call: AggregateCall) -> Operand:
        operands = [self._in_rows.typed(part) for part in call.arguments]
        expressions = tuple(operand.expression for operand in operands)
        names = [text_of(expression) for expression in expressions]
        options: dict[str, Any] = dict(call.options)
        measure = find(call.name)(*names, **options)
        name = text_of(AggregateCall(call.name, expressions, call.options))
        types = dict(zip(names, [operand.type for operand in operands], strict=True))
        schema = pa.schema(list(types.items()))
        try:
            (bound,) = bind_calls({name: measure}, schema)
        except WindrowError as error:
            cause, _, hint = str(error).partition("\nHint: ")
            raise self._error(
                call, f"an aggregate that can be computed ({cause})", hint
            ) from error
        self._measures[name] = (measure, expressions)
        return Operand(ColumnName(name, at=call.at), bound.result)

    def _bind_keys(self) -> None:
        query = self._query
        aliases = {item.alias: item.expression for item in query.items if item.alias}
        for key in query.keys:
            if isinstance(key, Literal):
                raise self._error(
                    key, "a column or an expression", "name the column itself"
                )
            expression: Expression = key
            is_name = isinstance(key, ColumnName) and key.source is None
            if is_name and isinstance(key, ColumnName) and key.name in aliases:
                try:
                    self._scope.column(key)  # columns go before aliases, as in SQL
                except QueryError:
                    expression = aliases[key.name]
            operand = self._in_rows.typed(expression)
            self._keys[operand.expression] = operand

    def _plain_keys(self) -> tuple[str, ...]:
        """The names of the keys that are plain columns, not computed."""
        keys = [key.expression for key in self._keys.values()]
        return tuple(key.name for key in keys if isinstance(key, ColumnName))

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
            name = item.alias or self._name(item)
            if name in dict(items):
                raise self._error(
                    item.expression, "a name of its own", f"{name} is taken: add as"
                )
            items.append((name, names.typed(item.expression).expression))
        return tuple(items)

    def _name(self, item: SelectItem) -> str:
        if isinstance(item.expression, ColumnName):
            return item.expression.name
        return text_of(item.expression)

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
        query = self._query
        if not isinstance(query.window, (Now, Unbounded)):
            raise QueryError.at(
                self._text,
                *query.window.at,
                "[now] or no window, since nothing is aggregated",
                "each row would come out once for every window that holds it; "
                "collect(x) lists what is in a window",
            )
        if query.having is not None:
            raise self._error(
                query.having, "where, since nothing is aggregated", "write where"
            )

    def _error(self, at: Expression, expected: str, hint: str) -> QueryError:
        return QueryError.at(self._text, *at.at, expected, hint)
