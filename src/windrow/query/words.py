"""Expressions and queries as text: the names of columns in a plan, and the tree.

    >>> from windrow.query.tree import Apply, Column, Literal
    >>> text(Apply("div", (Apply("+", (Column("a"), Column("b c"))), Literal(2))))
    '(a + `b c`) div 2'

Different expressions have different texts, so that a text can name a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .operators import BY_NAME, CASTS
from .tree import (
    Aggregation,
    Apply,
    Clause,
    Column,
    Expression,
    Literal,
    Now,
    Query,
    Range,
    RowCount,
    Source,
    Star,
)

_PLAIN = re.compile(r"[^\W\d]\w*\Z")
_RESERVED = {"window", "query", *BY_NAME}  # columns of results, and words


def name_text(name: str) -> str:
    """A column's name, in backticks where it could be taken for something else."""
    if _PLAIN.match(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def text(expression: Expression, *, bare: bool = False) -> str:
    """An expression, as one would write it; `bare`: columns as they are called."""
    match expression:
        case Column(name=name, source=source):
            said = name if bare else name_text(name)
            return said if source is None else f"{source}.{said}"
        case Literal(value=value):
            return _literal(value)
        case Star():
            return "*"
        case Aggregation(name="count", arguments=()):
            return "count(*)"
        case Aggregation(name=name, arguments=arguments, options=options):
            inner = [text(one, bare=bare) for one in arguments]
            inner += [f"{key}={_literal(value)}" for key, value in options.items()]
            return f"{name}({', '.join(inner)})"
        case Apply(name=name, arguments=arguments):
            return _applied(name, arguments, bare)
    raise AssertionError(expression)


def _applied(name: str, arguments: tuple[Expression, ...], bare: bool) -> str:
    operator = BY_NAME[name]
    if operator.form == "infix":
        left, right = arguments
        # a chain of one operator reads from the left: a - b - c is (a - b) - c
        before, after = operator.rank, operator.rank + 1
        return f"{_within(left, before, bare)} {name} {_within(right, after, bare)}"
    if operator.form == "prefix":
        return f"{name} {_within(arguments[0], operator.rank + 1, bare)}"
    if operator.form == "suffix":
        return f"{_within(arguments[0], operator.rank + 1, bare)} {name}"
    inner = [text(one, bare=bare) for one in arguments]
    if name in ("start", "end"):
        return f"window.{name}"
    if name in CASTS:
        return f"cast({inner[0]} {name})"
    if name == "in":
        return f"{_within(arguments[0], 5, bare)} in ({', '.join(inner[1:])})"
    if name == "case":
        whens = zip(inner[:-1:2], inner[1:-1:2], strict=True)
        said = " ".join(f"when {one} then {value}" for one, value in whens)
        return f"case {said} else {inner[-1]} end"
    return f"{'-' if name == 'negative' else name}({', '.join(inner)})"


def _within(expression: Expression, rank: int, bare: bool) -> str:
    said = text(expression, bare=bare)
    looser = isinstance(expression, Apply) and BY_NAME[expression.name].rank < rank
    return f"({said})" if looser else said


def _literal(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, (int, float)):
        return repr(value)
    return f"{'timestamp' if hasattr(value, 'hour') else 'date'} '{value}'"


def window_text(window: Clause) -> str:
    """A window clause, in words of the grammar."""
    match window:
        case Range(range=length, slide=slide, zone=zone):
            place = "" if zone is None else f" in {_literal(zone)}"
            return f"range {length.text} slide {slide.text}{place}"
        case RowCount(range=rows, slide=step, partition=partition):
            keys = ", ".join(text(one) for one in partition)
            return f"{f'partition by {keys} ' if keys else ''}rows {rows} slide {step}"
        case Now():
            return "now"
    return "range unbounded"


def tree_text(query: Query) -> str:
    """The tree, one line for each part, expressions laid out below it."""
    return "\n".join(_lines(query))


def _lines(query: Query) -> Iterator[str]:
    yield "query (istream)" if query.istream else "query"
    yield f"  stream {_source(query.stream)}"
    yield f"    window {window_text(query.window)}"
    for join in query.joins:
        kind = "left join" if join.is_left else "join"
        yield f"  {kind} {_source(join.table)}"
        for one, other in join.pairs:
            yield f"    on {text(one)} = {text(other)}"
    if query.where is not None:
        yield "  where"
        yield from _nodes(query.where, 2)
    if query.keys:
        yield "  group by"
        for key in query.keys:
            yield from _nodes(key, 2)
    if query.having is not None:
        yield "  having"
        yield from _nodes(query.having, 2)
    yield "  select"
    for item in query.items:
        lines = list(_nodes(item.expression, 2))
        lines[0] += f" as {name_text(item.alias)}" if item.alias is not None else ""
        yield from lines


def _nodes(expression: Expression, depth: int) -> Iterator[str]:
    label = {
        Column: "column ",
        Literal: "literal ",
        Star: "all columns",
        Apply: "apply ",
        Aggregation: "aggregate ",
    }[type(expression)]
    if isinstance(expression, (Apply, Aggregation)):
        options = getattr(expression, "options", {})
        told = "".join(f" {key}={_literal(value)}" for key, value in options.items())
        yield "  " * depth + label + expression.name + told
        for one in expression.arguments:
            yield from _nodes(one, depth + 1)
    else:
        said = "" if isinstance(expression, Star) else text(expression)
        yield "  " * depth + label + said


def _source(source: Source) -> str:
    return (
        source.name
        if source.alias == source.name
        else f"{source.name} as {source.alias}"
    )
