"""Translates expressions of sqlglot's tree to ours, and refuses all others."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqlglot import expressions as exp

from windrow.aggregates import BY_NAME, Aggregate, find
from windrow.errors import QueryError

from .hints import near_hint
from .operators import BY_NAME as OPERATORS
from .operators import FUNCTIONS, MANY
from .tree import AggregateCall, Apply, ColumnName, Expression, Literal, Place, Star

_CLOSING = re.compile(r"\s*\)")
_EMPTY = re.compile(r"\s*\(\s*\)")
_INSTEAD: dict[type[exp.Expr], str] = {
    exp.Window: "the window stands in brackets behind the stream; for a value in each "
    "row call wr.over",
    exp.Filter: "write sum(case when y > 1 then x end)",
    exp.Interval: "durations stand in windows only",
    exp.Subquery: "an inner query stands in from: from (select ...) [now] as R",
    exp.In: "write in (1, 2, 3), or join with the table",
    exp.Star: "name the columns",
}
_BINARY: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "div",
    exp.Mod: "%",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.And: "and",
    exp.Or: "or",
    exp.Like: "like",
    exp.DPipe: "||",
}
_CASTS = {
    **dict.fromkeys(("INT", "INTEGER", "BIGINT", "LONG"), "as bigint"),
    **dict.fromkeys(("DOUBLE", "FLOAT"), "as double"),
    **dict.fromkeys(("TEXT", "VARCHAR", "STRING"), "as string"),
}
_SQL_NAMES = {"bool_or": "any", "some": "any", "bool_and": "all", "every": "all"}
_NAMES = BY_NAME | {name: find(canonical) for name, canonical in _SQL_NAMES.items()}
_AGGREGATES = {name.replace("_", ""): aggregate for name, aggregate in _NAMES.items()}
"""Aggregates by name in lower case without underscores: RA's MaxCount too."""


def is_taken(name: str) -> bool:
    """Whether a function or an aggregate of the language has that name already."""
    plain = name.lower()
    return plain in FUNCTIONS or plain.replace("_", "") in _AGGREGATES


class Translator:
    """Translates the expressions of one text."""

    def __init__(self, text: str, aggregates: Mapping[str, Aggregate]) -> None:
        self._text = text
        self._own = {name.lower(): (name, own) for name, own in aggregates.items()}

    def place(self, node: exp.Expr) -> Place:
        """The place of a node, from its first word with a place to its last."""
        places = [part.meta for part in node.walk() if "start" in part.meta]
        if not places:
            parent = node.parent
            return self.place(parent) if parent is not None else (0, len(self._text))
        start = min(meta["start"] for meta in places)
        stop = max(meta["end"] for meta in places) + 1
        if isinstance(node, exp.Anonymous) and not node.expressions:
            empty = _EMPTY.match(self._text, stop)
            stop = stop if empty is None else empty.end()
        inside = self._text[start:stop]
        for _ in range(inside.count("(") - inside.count(")")):
            closing = _CLOSING.match(self._text, stop)
            stop = stop if closing is None else closing.end()
        return start, stop

    def read(self, node: exp.Expr, *, star: bool = False) -> Expression:
        """The expression of a node; `star` where * may stand by itself."""
        at = self.place(node)
        if type(node) in _BINARY:
            both = (self.read(node.args["this"]), self.read(node.args["expression"]))
            return Apply(_BINARY[type(node)], both, at=at)
        match node:
            case exp.Paren():
                return self.read(node.this)
            case exp.Column():
                return self._column(node, at, star)
            case exp.Star() if star:
                return Star(at=at)
            case exp.Literal():
                return Literal(self._literal(node), at=at)
            case exp.Boolean() | exp.Null():
                return Literal(node.args.get("this"), at=at)
            case exp.Neg():
                return self._negative(node, at)
            case exp.Not():
                return Apply("not", (self.read(node.this),), at=at)
            case exp.Is() if isinstance(node.expression, exp.Null):
                return Apply("is null", (self.read(node.this),), at=at)
            case exp.In() if node.expressions:
                options = [node.this, *node.expressions]
                return Apply("in", tuple(self.read(part) for part in options), at=at)
            case exp.Between():
                sides = ((">=", node.args["low"]), ("<=", node.args["high"]))
                value = self.read(node.this)
                tests = [Apply(sign, (value, self.read(x)), at=at) for sign, x in sides]
                return Apply("and", tuple(tests), at=at)
            case exp.Case():
                return self._case(node, at)
            case exp.Cast():
                return self._cast(node, at)
            case exp.Anonymous():
                return self._call(node, at)
            case exp.WithinGroup():
                return self._within_group(node, at)
        hint = _INSTEAD.get(type(node), "docs/query-language.md lists what there is")
        raise self.refused(node, "an expression that is supported", hint)

    def _literal(self, node: exp.Literal) -> str | int | float:
        text = str(node.this)
        if node.is_string:
            return text
        try:
            number = int(text) if text.isdecimal() else float(text)
        except ValueError as error:
            raise self.refused(node, "a number", "write 12 or 1.5e3") from error
        if isinstance(number, int) and number >= 2**63:
            hint = "write it with a point, as a double"
            raise self.refused(node, "a whole number of 64 bits", hint)
        return number

    def _column(self, node: exp.Column, at: Place, star: bool) -> Expression:
        if isinstance(node.this, exp.Star):
            if star and not node.table:
                return Star(at=at)
            hint = "name the columns, or write * by itself"
            raise self.refused(node, "a column", hint)
        if node.args.get("db"):
            raise self.refused(node, "stream.column", "leave out what stands before")
        return ColumnName(str(node.name), str(node.table) or None, at=at)

    def _negative(self, node: exp.Neg, at: Place) -> Expression:
        inner = self.read(node.this)
        at = (at[0] - 1, at[1]) if self._text[at[0] - 1 : at[0]] == "-" else at
        value = inner.value if isinstance(inner, Literal) else None
        if isinstance(node.this, exp.Literal) and isinstance(value, (int, float)):
            return Literal(-value, at=at)
        return Apply("negative", (inner,), at=at)

    def _case(self, node: exp.Case, at: Place) -> Expression:
        subject = None if node.this is None else self.read(node.this)
        parts: list[Expression] = []
        for branch in node.args["ifs"]:
            condition = self.read(branch.this)
            if subject is not None:
                condition = Apply("=", (subject, condition), at=condition.at)
            parts += [condition, self.read(branch.args["true"])]
        otherwise = node.args.get("default")
        parts.append(Literal(None) if otherwise is None else self.read(otherwise))
        return Apply("case", tuple(parts), at=at)

    def _cast(self, node: exp.Cast, at: Place) -> Expression:
        kind = str(node.to.this.value if node.to.this is not None else "").upper()
        if isinstance(node.this, exp.Literal) and node.this.is_string:
            if kind.startswith("TIMESTAMP") or kind == "DATETIME":
                return Literal(self._instant(node.this), at=at)
            if kind == "DATE":
                return Literal(self._instant(node.this).date(), at=at)
        if kind not in _CASTS or node.args.get("format") or node.args.get("action"):
            hint = "casts are to bigint, double or string"
            raise self.refused(node, "a cast that is supported", hint)
        return Apply(_CASTS[kind], (self.read(node.this),), at=at)

    def _instant(self, node: exp.Literal) -> dt.datetime:
        try:
            instant = dt.datetime.fromisoformat(str(node.this))
        except ValueError as error:
            hint = "write timestamp '2024-01-31 12:30:00'"
            raise self.refused(node, "a date and a time of day", hint) from error
        if instant.tzinfo is not None:
            instant = instant.astimezone(dt.UTC).replace(tzinfo=None)
        return instant

    def _call(self, node: exp.Anonymous, at: Place) -> Expression:
        written = str(node.this)
        name = written.lower()
        if name in FUNCTIONS:
            arguments = tuple(self.read(part) for part in node.expressions)
            least, most = OPERATORS[FUNCTIONS[name]].takes
            if not least <= len(arguments) <= most:
                wanted = _count_words(name, least, most)
                raise self.refused(node, wanted, f"write {name}(column)")
            return Apply(FUNCTIONS[name], arguments, at=at)
        if name in self._own:
            return self._aggregate_call(*self._own[name], node, at)
        aggregate = _AGGREGATES.get(name.replace("_", ""))
        if aggregate is None:
            functions = f"functions are {', '.join(FUNCTIONS)}"
            otherwise = f"{functions}; wr.aggregates() lists the aggregates"
            names = sorted({*FUNCTIONS, *_NAMES, *self._own})
            hint = near_hint(name, names, otherwise)
            start = int(node.meta.get("start", at[0]))
            place = (start, start + len(written))
            raise QueryError.at(self._text, *place, "a function", hint)
        return self._aggregate_call(aggregate.name, aggregate, node, at)

    def _aggregate_call(
        self, name: str, aggregate: Aggregate, node: exp.Anonymous, at: Place
    ) -> Expression:
        arguments: list[Any] = node.expressions
        if len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
            if aggregate.name != "count" or len(arguments[0].expressions) != 1:
                hint = "only count(distinct x) is there; collect_distinct(x) lists them"
                raise self.refused(node, "an aggregate without distinct", hint)
            name, aggregate = "count_distinct", find("count_distinct")
            arguments = arguments[0].expressions
        if aggregate.name == "count" and [part.is_star for part in arguments] == [True]:
            arguments = []
        least, most = aggregate.columns
        columns, rest = arguments[:most], arguments[most:]
        if len(columns) < least or len(rest) > len(aggregate.options):
            names = ", ".join(("value", "other")[:most])
            wanted = _count_words(name, least, most)
            raise self.refused(node, wanted, f"write {name}({names})")
        options = {
            option: self._option(aggregate, option, part)
            for option, part in zip(aggregate.options, rest, strict=False)
        }
        values = tuple(self.read(column) for column in columns)
        return AggregateCall(name, values, MappingProxyType(options), at=at)

    def _within_group(self, node: exp.WithinGroup, at: Place) -> Expression:
        """A percentile as SQL writes it: its share, and then the column."""
        call, order = node.this, node.expression
        name = str(call.this).lower() if isinstance(call, exp.Anonymous) else ""
        aggregate = _AGGREGATES.get(name.replace("_", ""))
        columns = order.expressions if isinstance(order, exp.Order) else []
        wanted = "percentile_cont or percentile_disc within group"
        hint = "write percentile_cont(0.5) within group (order by x)"
        if aggregate is None or "q" not in aggregate.options:
            raise self.refused(node, wanted, hint)
        if len(call.expressions) != 1 or len(columns) != 1:
            raise self.refused(node, "one share and one column", hint)
        if columns[0].args.get("desc"):
            hint = "a share of q from the largest is one of 1 - q from the smallest"
            raise self.refused(columns[0], "ascending order", hint)
        q = self._option(aggregate, "q", call.expressions[0])
        value = self.read(columns[0].this)
        return AggregateCall(
            aggregate.name, (value,), MappingProxyType({"q": q}), at=at
        )

    def _option(self, aggregate: Aggregate, name: str, node: exp.Expr) -> Any:
        if isinstance(node, exp.Anonymous) and str(node.this).lower() == "array":
            return tuple(self._option(aggregate, name, e) for e in node.expressions)
        value = self.read(node)
        if not isinstance(value, Literal):
            hint = f"{aggregate.name} takes its {name} as it is written"
            raise self.refused(node, f"a literal for {name}", hint)
        return value.value

    def refused(self, node: exp.Expr, wanted: str, hint: str) -> QueryError:
        """The error for a node that is not what was expected there."""
        return QueryError.at(self._text, *self.place(node), wanted, hint)


def _count_words(name: str, least: int, most: int) -> str:
    more = f"{least} or more" if most >= MANY else f"{least} to {most}"
    words = f"{least}" if least == most else more
    return f"{words} argument{'s' if words != '1' else ''} to {name}"
