"""Reads one select statement of sqlglot's tree, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import Token
from sqlglot import expressions as exp

from windrow.aggregates import Aggregate
from windrow.errors import QueryError

from .clauses import place_of
from .translate import Translator
from .tree import (
    Apply,
    Clause,
    ColumnName,
    Expression,
    Join,
    Place,
    QueryTree,
    SelectItem,
    SourceName,
    Star,
    Unbounded,
)

SHAPE = (
    "a query is select ... from a stream [window], then join, where, group by, having"
)
_CLAUSES = {"expressions", "from_", "joins", "where", "group", "having", "distinct"}
_STREAMS = {
    "istream": "put the whole list into it: select istream(caller, max(len)) from",
    "dstream": "put the whole list into it: select dstream(caller, max(len)) from",
    "rstream": "put the whole list into it: select rstream(caller, max(len)) from",
}
_INSTEAD = {
    "limit": "slice the result",
    "offset": "slice the result",
    "order": "sort the result: a stream's rows are ordered by time",
    "with_": "put the inner query into from: from (select ...) [now] as R",
    "qualify": "put the condition into where or having",
    "windows": "the window stands in brackets behind the stream",
}


class StatementReader(Translator):
    """Reads one statement, and takes its window clause from `windows`."""

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        windows: dict[Place, Clause],
        aggregates: Mapping[str, Aggregate],
    ) -> None:
        super().__init__(text, aggregates)
        self._tokens = tokens
        self._windows = windows

    def query(self, node: exp.Expr) -> QueryTree:
        """The query of a node."""
        if isinstance(node, (exp.Subquery, exp.Paren)) and not node.args.get("alias"):
            node = node.this
        if isinstance(node, exp.SetOperation):
            hint = "write two queries with a semicolon between, and put them together"
            raise self._refused_clause(type(node).__name__, node, hint)
        if not isinstance(node, exp.Select):
            at = place_of(self._tokens[0])
            raise QueryError.at(self._text, *at, "select", SHAPE)
        for name, value in node.args.items():
            if value and name not in _CLAUSES:
                hint = _INSTEAD.get(name, SHAPE)
                raise self._refused_clause(name, value, hint)
        items = tuple(self._item(item) for item in self._columns(node))
        stream = node.args.get("from_")
        if stream is None:
            end = self.place(node)[1]
            raise QueryError.at(self._text, end, end, "from and a stream", SHAPE)
        source, window = self._source(stream.this)
        joins = tuple(self._join(join, source) for join in node.args.get("joins") or ())
        where, having = node.args.get("where"), node.args.get("having")
        query = QueryTree(
            items=items,
            stream=source,
            window=window or Unbounded(at=(source.at[1], source.at[1])),
            joins=joins,
            where=None if where is None else self.read(where.this),
            keys=self._keys(node.args.get("group")),
            having=None if having is None else self.read(having.this),
        )
        return query if node.args.get("distinct") is None else self._distinct(query)

    def _distinct(self, query: QueryTree) -> QueryTree:
        """Make each different row of a window one group, as `select distinct` asks."""
        expressions = tuple(item.expression for item in query.items)
        at = self._clause_place("distinct", None)
        if not query.is_aggregated:
            if any(isinstance(expression, Star) for expression in expressions):
                hint = "write select distinct a, b"
                wanted = "columns by name behind distinct"
                raise QueryError.at(self._text, *at, wanted, hint)
            return replace(query, keys=expressions)
        aliases = {item.alias for item in query.items}
        named = [key.name for key in query.keys if isinstance(key, ColumnName)]
        loose = [name for name in named if name not in aliases]
        whole = len(named) == len(query.keys)
        if not whole or any(ColumnName(name) not in expressions for name in loose):
            wanted = "no distinct where a key is not in the select list"
            hint = "select every key: then results are distinct by themselves"
            raise QueryError.at(self._text, *at, wanted, hint)
        return query

    def _columns(self, node: exp.Select) -> list[exp.Expr]:
        """The select list; an istream or dstream around all of it has been removed."""
        items: list[exp.Expr] = node.expressions
        if not items:
            words = [token.text.lower() for token in self._tokens]
            end = self._tokens[words.index("select")].end + 1
            raise QueryError.at(self._text, end, end, "a select list", SHAPE)
        for call in node.find_all(exp.Anonymous):
            name = str(call.this).lower()
            if name in _STREAMS:
                wanted = f"{name} around the whole list"
                raise self.refused(call, wanted, _STREAMS[name])
        return items

    def _item(self, node: exp.Expr) -> SelectItem:
        if isinstance(node, exp.Alias):
            return SelectItem(self.read(node.this), str(node.alias))
        return SelectItem(self.read(node, star=True))

    def _keys(self, node: Any) -> tuple[Expression, ...]:
        if node is None:
            return ()
        extra = [name for name, value in node.args.items() if value]
        if extra != ["expressions"]:
            start, stop = self._clause_place("group", node)
            at, hint = (start if extra else stop, stop), "write group by a, b"
            raise QueryError.at(self._text, *at, "columns or expressions", hint)
        return tuple(self.read(key) for key in node.expressions)

    def _source(self, node: exp.Expr) -> tuple[SourceName, Clause | None]:
        if isinstance(node, exp.Subquery):
            return self._inner(node)
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            hint = "write from Calls [range 1 hour], or from (select ...) [now] as R"
            raise self.refused(node, "the name of a stream or an inner query", hint)
        for name, value in node.args.items():
            if value and name not in ("this", "alias"):
                hint = "give the stream under a plain name: wr.cql(text, Calls=calls)"
                raise self.refused(node, "a plain name", hint)
        alias = node.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            raise self.refused(alias, "an alias without columns", SHAPE)
        name = str(node.this.this)
        source = SourceName(name, str(node.alias or name), at=self.place(node.this))
        window: Clause | None = None
        for part in (node.this, alias):
            if part is not None:
                window = self._windows.pop(self.place(part), window)
        return source, window

    def _inner(self, node: exp.Subquery) -> tuple[SourceName, Clause | None]:
        """An inner query, which has a window of its own; its results are a stream."""
        inner = self.query(node.this)
        at, closing = self.place(node.this), self._closing_of(node)
        start, stop = inner.window.at
        if isinstance(inner.window, Unbounded) and start == stop:  # none is written
            wanted = "an inner query whose stream has a window"
            hint = "give it one: (select ... from Calls [range 30 slide 1]) or [now]"
            raise QueryError.at(self._text, *inner.stream.at, wanted, hint)
        alias = node.args.get("alias")
        name = str(node.alias or "inner query")
        window = self._windows.pop(closing, None)
        if alias is not None:
            window = self._windows.pop(self.place(alias), window)
        return SourceName(name, name, inner, at=at), window

    def _closing_of(self, node: exp.Subquery) -> Place:
        """The place of the bracket that closes an inner query."""
        first = self.place(node.this)[0]
        opens = [t.text == "(" and t.start < first for t in self._tokens]
        opened = [i for i, is_open in enumerate(opens) if is_open]
        depth = 0
        for token in self._tokens[opened[-1] :]:
            depth += (token.text == "(") - (token.text == ")")
            if depth == 0:
                return place_of(token)
        return first, first

    def _join(self, node: exp.Join, stream: SourceName) -> Join:
        table, window = self._source(node.this)
        if window is not None:
            wanted = "a table that stands still, without a window"
            hint = "one stream has a window; join two streams with Spark, then give it"
            raise QueryError.at(self._text, *window.at, wanted, hint)
        side = str(node.args.get("side") or "").lower()
        kind = str(node.args.get("kind") or "").lower()
        on, using = node.args.get("on"), node.args.get("using")
        plain = side in ("", "left") and kind in ("", "inner", "outer")
        hint = "write join Table on Stream.id = Table.id, or join Table using (id)"
        if not plain or (side == "" and kind == "outer") or node.args.get("method"):
            raise self.refused(node.this, "join or left join before it", hint)
        if using:
            names = [
                ColumnName(str(column.name), at=self.place(column)) for column in using
            ]
            pairs = [
                (replace(name, source=stream.alias), replace(name, source=table.alias))
                for name in names
            ]
        elif on is not None:
            pairs = self._pairs(self.read(on))
        else:
            end = self.place(node)[1]
            raise QueryError.at(self._text, end, end, "on or using", hint)
        return Join(table, tuple(pairs), side == "left")

    def _pairs(self, on: Expression) -> list[tuple[ColumnName, ColumnName]]:
        if isinstance(on, Apply) and on.name == "and":
            return [pair for part in on.arguments for pair in self._pairs(part)]
        if isinstance(on, Apply) and on.name == "=":
            left, right = on.arguments
            if isinstance(left, ColumnName) and isinstance(right, ColumnName):
                return [(left, right)]
        wanted = "equal columns, as in a.id = b.id"
        hint = "put other conditions into where"
        raise QueryError.at(self._text, *on.at, wanted, hint)

    def _refused_clause(self, name: str, value: Any, hint: str) -> QueryError:
        at = self._clause_place(name, value)
        return QueryError.at(self._text, *at, "the end or another clause", hint)

    def _clause_place(self, name: str, value: Any) -> Place:
        """The word that opens a clause, by its name in sqlglot's tree."""
        word = name.rstrip("_").lower()
        for token in self._tokens:
            if token.text.lower().startswith(word):
                return place_of(token)
        node = value[0] if isinstance(value, list) else value
        if isinstance(node, exp.Expr):
            return self.place(node)
        return 0, 1
