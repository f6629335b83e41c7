"""Reads one select statement of sqlglot's tree, clause by clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import Token
from sqlglot import expressions as exp

from windrow.errors import QueryError

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
    Unbounded,
)

_SHAPE = (
    "a query is select ... from a stream [window], then join, where, group by, having"
)
_CLAUSES = {"expressions", "from_", "joins", "where", "group", "having"}
_STREAMS = {
    "istream": "put the whole list into it: select istream(caller, max(len)) from",
    "dstream": "results that are gone are not kept",
    "rstream": "leave it out: every window's result comes out",
}
_INSTEAD = {
    "distinct": "group by the columns instead: each group comes out once",
    "limit": "slice the result",
    "offset": "slice the result",
    "order": "sort the result: a stream's rows are ordered by time",
    "with_": "write the inner query by itself, and give its result as a stream",
    "qualify": "put the condition into where or having",
    "windows": "the window stands in brackets behind the stream",
}


class StatementReader:
    """Reads one statement; `used` collects the window clauses that it takes."""

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        windows: Mapping[Place, Clause],
        used: set[Place],
    ) -> None:
        self._text = text
        self._tokens = tokens
        self._windows = windows
        self._used = used
        self._expressions = Translator(text)

    def query(self, node: exp.Expr) -> QueryTree:
        """The query of a node."""
        if isinstance(node, (exp.Subquery, exp.Paren)) and not node.args.get("alias"):
            node = node.this
        if isinstance(node, exp.SetOperation):
            at = self._clause_place(type(node).__name__, node)
            hint = "write two queries with a semicolon between, and put them together"
            raise QueryError.at(self._text, *at, "the end or another clause", hint)
        if not isinstance(node, exp.Select):
            first = self._tokens[0]
            raise QueryError.at(
                self._text, first.start, first.end + 1, "select", _SHAPE
            )
        return self._select(node)

    def _select(self, node: exp.Select) -> QueryTree:
        for name, value in node.args.items():
            if value and name not in _CLAUSES:
                hint = _INSTEAD.get(name, _SHAPE)
                raise self._refused_clause(name, value, hint)
        items = tuple(self._item(item) for item in self._columns(node))
        stream = node.args.get("from_")
        if stream is None:
            end = self._expressions.place(node)[1]
            raise QueryError.at(self._text, end, end, "from and a stream", _SHAPE)
        source, window = self._source(stream.this)
        joins = tuple(self._join(join, source) for join in node.args.get("joins") or ())
        where, having = node.args.get("where"), node.args.get("having")
        return QueryTree(
            items=items,
            stream=source,
            window=window or Unbounded((source.at[1], source.at[1])),
            joins=joins,
            where=None if where is None else self._expressions.read(where.this),
            keys=self._keys(node.args.get("group")),
            having=None if having is None else self._expressions.read(having.this),
            at=self._expressions.place(node),
        )

    def _columns(self, node: exp.Select) -> list[exp.Expr]:
        """The select list; an istream around all of it has been removed."""
        items: list[exp.Expr] = node.expressions
        if not items:
            words = [token.text.lower() for token in self._tokens]
            end = self._tokens[words.index("select")].end + 1
            raise QueryError.at(self._text, end, end, "a select list", _SHAPE)
        for call in node.find_all(exp.Anonymous):
            name = str(call.this).lower()
            if name in _STREAMS:
                wanted = "istream around the whole list"
                raise self._refused(call, wanted, _STREAMS[name])
        return items

    def _item(self, node: exp.Expr) -> SelectItem:
        if isinstance(node, exp.Alias):
            return SelectItem(self._expressions.read(node.this), str(node.alias))
        return SelectItem(self._expressions.read(node, star=True))

    def _keys(self, node: Any) -> tuple[Expression, ...]:
        if node is None:
            return ()
        extra = [name for name, value in node.args.items() if value]
        if extra != ["expressions"]:
            at = self._clause_place("group", node)
            stop = at[1]
            if not extra:
                at = (stop, stop)
            raise QueryError.at(
                self._text, *at, "columns or expressions", "write group by a, b"
            )
        return tuple(self._expressions.read(key) for key in node.expressions)

    def _source(self, node: exp.Expr) -> tuple[SourceName, Clause | None]:
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            hint = "write the inner query by itself, and give its result as a stream"
            raise self._refused(node, "the name of a stream or table", hint)
        for name, value in node.args.items():
            if value and name not in ("this", "alias"):
                hint = "give the stream under a plain name: wr.cql(text, Calls=calls)"
                raise self._refused(node, "a plain name", hint)
        alias = node.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            raise self._refused(alias, "an alias without columns", _SHAPE)
        here = self._expressions.place(node.this)
        name = str(node.this.this)
        source = SourceName(name, str(node.alias or name), here)
        window = None
        for part in (node.this, alias):
            after = None if part is None else self._expressions.place(part)
            if after is not None and after in self._windows:
                window = self._windows[after]
                self._used.add(after)
        return source, window

    def _join(self, node: exp.Join, stream: SourceName) -> Join:
        table, window = self._source(node.this)
        if window is not None:
            raise QueryError.at(
                self._text,
                *window.at,
                "a table that stands still, without a window",
                "one stream has a window; join two streams with Spark, then give it",
            )
        side = str(node.args.get("side") or "").lower()
        kind = str(node.args.get("kind") or "").lower()
        on, using = node.args.get("on"), node.args.get("using")
        plain = side in ("", "left") and kind in ("", "inner", "outer")
        hint = "write join Table on Stream.id = Table.id, or join Table using (id)"
        if not plain or (side == "" and kind == "outer") or node.args.get("method"):
            raise self._refused(node.this, "join or left join before it", hint)
        if using:
            names = [self._expressions.identifier(column) for column in using]
            pairs = tuple(
                (
                    ColumnName(column.name, stream.alias, at=column.at),
                    ColumnName(column.name, table.alias, at=column.at),
                )
                for column in names
            )
        elif on is not None:
            pairs = tuple(self._pairs(self._expressions.read(on)))
        else:
            end = self._expressions.place(node)[1]
            raise QueryError.at(self._text, end, end, "on or using", hint)
        return Join(table, pairs, side == "left")

    def _pairs(self, on: Expression) -> list[tuple[ColumnName, ColumnName]]:
        if isinstance(on, Apply) and on.name == "and":
            return [pair for part in on.arguments for pair in self._pairs(part)]
        if isinstance(on, Apply) and on.name == "=":
            left, right = on.arguments
            if isinstance(left, ColumnName) and isinstance(right, ColumnName):
                return [(left, right)]
        raise QueryError.at(
            self._text,
            *on.at,
            "equal columns, as in a.id = b.id",
            "put other conditions into where",
        )

    def _refused_clause(self, name: str, value: Any, hint: str) -> QueryError:
        at = self._clause_place(name, value)
        return QueryError.at(self._text, *at, "the end or another clause", hint)

    def _clause_place(self, name: str, value: Any) -> Place:
        """The word that opens a clause, by its name in sqlglot's tree."""
        word = name.rstrip("_").lower()
        for token in self._tokens:
            if token.text.lower().startswith(word):
                return token.start, token.end + 1
        node = value[0] if isinstance(value, list) else value
        if isinstance(node, exp.Expr):
            return self._expressions.place(node)
        return 0, 1

    def _refused(self, node: exp.Expr, wanted: str, hint: str) -> QueryError:
        return QueryError.at(self._text, *self._expressions.place(node), wanted, hint)
