"""Writes expressions and queries as text: for column names in a plan, and `explain`.

    >>> from windrow.query.tree import Apply, ColumnName, Literal
    >>> text_of(Apply("div", (Apply("+", (Literal(1), ColumnName("b c"))), Literal(2))))
    '(1 + `b c`) div 2'

Different expressions have different texts, so that a text can name a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .operators import BY_NAME, CASTS
from .tree import (
    AggregateCall,
    Apply,
    Clause,
    ColumnName,
    Expression,
    Literal,
    Now,
    QueryTree,
    Range,
    RowCount,
    SourceName,
    Star,
)

_PLAIN = re.compile(r"[^\W\d]\w*\Z")
_RESERVED = {"window", "query", *BY_NAME}  # columns of results, and words


def name_text(name: str) -> str:
    """A column's name, in backticks where it could be read as something else."""
    if _PLAIN.match(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def text_of(expression: Expression, *, bare: bool = False) -> str:
    """An expression as CQL; `bare` leaves column names without backticks."""
    match expression:
        case ColumnName(name=name, source=source):
            name = name if bare else name_text(name)
            return name if source is None else f"{source}.{name}"
        case Literal(value=value):
            return _literal(value)
        case Star():
            return "*"
        case AggregateCall(name="count", arguments=()):
            return "count(*)"
        case AggregateCall(name=name, arguments=arguments, options=options):
            inner = [text_of(argument, bare=bare) for argument in arguments]
            inner += [f"{key}={_literal(value)}" for key, value in options.items()]
            return f"{name}({', '.join(inner)})"
        case Apply(name=name, arguments=arguments):
            return _apply_text(name, arguments, bare)
    raise AssertionError(expression)


def _apply_text(name: str, arguments: tuple[Expression, ...], bare: bool) -> str:
    operator = BY_NAME[name]
    if operator.form == "infix":
        left, right = arguments
        # a chain of one operator reads from the left: a - b - c is (a - b) - c
        before, after = operator.rank, operator.rank + 1
        return f"{_within(left, before, bare)} {name} {_within(right, after, bare)}"
    if operator.form in ("prefix", "suffix"):
        words = [name, _within(arguments[0], operator.rank + 1, bare)]
        return " ".join(words if operator.form == "prefix" else words[::-1])
    inner = [text_of(argument, bare=bare) for argument in arguments]
    if name in ("start", "end"):
        return f"window.{name}"
    if name in CASTS:
        return f"cast({inner[0]} {name})"
    if name == "in":
        return f"{_within(arguments[0], 5, bare)} in ({', '.join(inner[1:])})"
    if name == "case":
        whens = zip(inner[:-1:2], inner[1:-1:2], strict=True)
        branches = " ".join(f"when {test} then {value}" for test, value in whens)
        return f"case {branches} else {inner[-1]} end"
    return f"{'-' if name == 'negative' else name}({', '.join(inner)})"


def _within(expression: Expression, rank: int, bare: bool) -> str:
    text = text_of(expression, bare=bare)
    looser = isinstance(expression, Apply) and BY_NAME[expression.name].rank < rank
    return f"({text})" if looser else text


def _literal(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, tuple):
        return f"array({', '.join(map(_literal, value))})"
    return f"{'timestamp' if hasattr(value, 'hour') else 'date'} '{value}'"


def window_text(window: Clause) -> str:
    """A window clause as CQL, without its brackets."""
    match window:
        case Range(range=length, slide=slide, zone=zone):
            place = "" if zone is None else f" in {_literal(zone)}"
            if window.span is not None:
                place += f" span {', '.join(text_of(column) for column in window.span)}"
            return f"range {length.text} slide {slide.text}{place}"
        case RowCount(range=rows, slide=step, partition=partition):
            keys = ", ".join(text_of(column) for column in partition)
            return f"{f'partition by {keys} ' if keys else ''}rows {rows} slide {step}"
        case Now():
            return "now"
    return "range unbounded"


def tree_text(query: QueryTree) -> str:
    """The tree, one line for each part, expressions laid out below it."""
    return "\n".join(_lines(query))


def _lines(query: QueryTree) -> Iterator[str]:
    yield "query" if query.output is None else f"query ({query.output})"
    yield f"  stream {_source(query.stream)}"
    if query.stream.inner is not None:
        yield from (f"    {line}" for line in _lines(query.stream.inner))
    yield f"    window {window_text(query.window)}"
    for join in query.joins:
        kind = "left join" if join.is_left else "join"
        yield f"  {kind} {_source(join.table)}"
        for left, right in join.pairs:
            yield f"    on {text_of(left)} = {text_of(right)}"
    clauses = {
        "where": (query.where,),
        "group by": query.keys,
        "having": (query.having,),
    }
    for clause, expressions in clauses.items():
        for place, expression in enumerate(expressions):
            if expression is not None:
                yield from [] if place else [f"  {clause}"]
                yield from _nodes(expression, 2)
    yield "  select"
    for item in query.items:
        lines = list(_nodes(item.expression, 2))
        lines[0] += f" as {name_text(item.alias)}" if item.alias is not None else ""
        yield from lines


def _nodes(expression: Expression, depth: int) -> Iterator[str]:
    arguments: tuple[Expression, ...] = ()
    match expression:
        case Apply(name=name, arguments=arguments):
            label = f"apply {name}"
        case AggregateCall(name=name, arguments=arguments, options=options):
            words = [f" {key}={_literal(value)}" for key, value in options.items()]
            label = "".join([f"aggregate {name}", *words])
        case Star():
            label = "all columns"
        case _:
            kind = "literal" if isinstance(expression, Literal) else "column"
            label = f"{kind} {text_of(expression)}"
    yield "  " * depth + label
    for argument in arguments:
        yield from _nodes(argument, depth + 1)


def _source(source: SourceName) -> str:
    alias = "" if source.alias == source.name else f" as {source.alias}"
    return source.name + alias
