"""Defines the tree of a query: small, immutable, and without any data in it.

    select caller, max(len) as longest
    from Calls [range 24 hours slide 1 minute]
    where len > 0 group by caller having longest > 60

    QueryTree
    ├── items    ColumnName caller; AggregateCall max(ColumnName len) as longest
    ├── stream   SourceName Calls, window Range("24 hours", "1 minute")
    ├── where    Apply(">", (ColumnName len, Literal 0))
    ├── keys     (ColumnName caller,)
    └── having   Apply(">", (ColumnName longest, Literal 60))

There are four kinds of expression: a column, a literal, an operator or function
applied to expressions, an aggregate over expressions.  Expressions are compared
without `at`, their place in the text.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import field
from types import MappingProxyType

from windrow._later import dataclass
from windrow.windows import Duration

Place = tuple[int, int]
"""A place in the text: half-open."""

Value = bool | int | float | str | dt.datetime | dt.date | None


@dataclass(frozen=True)
class Placed:
    """Anything with a place in the text, which says nothing about its meaning."""

    at: Place = field(default=(0, 0), compare=False, repr=False, kw_only=True)


class Expression(Placed):
    """Anything that has a value."""


@dataclass(frozen=True)
class ColumnName(Expression):
    """A column by its name, and that of its stream or table if it is written."""

    name: str
    source: str | None = None


@dataclass(frozen=True)
class Literal(Expression):
    """A number, text, a truth value, an instant, a day, or null."""

    value: Value

    def __eq__(self, other: object) -> bool:
        """The same value of the same type: 1, 1.0 and true are three literals."""
        return (
            isinstance(other, Literal)
            and type(self.value) is type(other.value)
            and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True)
class Apply(Expression):
    """An operator or a function of `operators.py`, by its name there."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class AggregateCall(Expression):
    """An aggregate of the catalogue; `options` are literals."""

    name: str
    arguments: tuple[Expression, ...]
    options: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))

    def __hash__(self) -> int:
        return hash((self.name, self.arguments, tuple(sorted(self.options.items()))))


@dataclass(frozen=True)
class Star(Expression):
    """All columns: `*`."""


@dataclass(frozen=True)
class Length:
    """The length of a range or a slide: as written, and in nanoseconds.

    Months, quarters and years have no nanoseconds.
    """

    text: str
    nanoseconds: int | None

    @property
    def duration(self) -> Duration:
        """The length as a duration; that of months is read from text instead."""
        return Duration(self.text, nanoseconds=self.nanoseconds)


@dataclass(frozen=True)
class Range(Placed):
    """`[range 24 hours slide 1 minute]`; without a slide the window tumbles.

    `zone` is that of `[range 1 day in 'Europe/Berlin']`, `span` the columns of start
    and end of events with a duration: `[range 1 hour slide 1 minute span start, end]`.
    """

    range: Length
    slide: Length
    zone: str | None = None
    span: tuple[ColumnName, ColumnName] | None = None

    @property
    def is_calendar(self) -> bool:
        """Whether days and months of a calendar count, and not nanoseconds."""
        lengths = (self.range, self.slide)
        return self.zone is not None or any(
            part.nanoseconds is None for part in lengths
        )


@dataclass(frozen=True)
class RowCount(Placed):
    """`[rows 1000 slide 10]`, `[partition by k rows 100]`: of each k the last 100."""

    range: int
    slide: int
    partition: tuple[ColumnName, ...] = ()


@dataclass(frozen=True)
class Now(Placed):
    """`[now]`: the rows of one instant."""


@dataclass(frozen=True)
class Unbounded(Placed):
    """`[range unbounded]`, or no window: everything."""


Clause = Range | RowCount | Now | Unbounded


@dataclass(frozen=True)
class SourceName(Placed):
    """A stream or a table, under its own name and the one it has in the query.

    It may be the result of an `inner` query, which has a window of its own.
    """

    name: str
    alias: str
    inner: QueryTree | None = None


@dataclass(frozen=True)
class Join:
    """A static table, joined to the stream where pairs of columns are equal."""

    table: SourceName
    pairs: tuple[tuple[ColumnName, ColumnName], ...]
    is_left: bool = False


@dataclass(frozen=True)
class SelectItem:
    """One column of the result."""

    expression: Expression
    alias: str | None = None


@dataclass(frozen=True)
class QueryTree:
    """One query, as it was written; `output` is istream, dstream or rstream."""

    items: tuple[SelectItem, ...]
    stream: SourceName
    window: Clause
    joins: tuple[Join, ...] = ()
    where: Expression | None = None
    keys: tuple[Expression, ...] = ()
    having: Expression | None = None
    output: str | None = None

    @property
    def compares(self) -> bool:
        """Whether results are compared with those of the window before or after."""
        return self.output in ("istream", "dstream")

    @property
    def is_aggregated(self) -> bool:
        """Whether it gives results of groups rather than rows."""
        parts = [item.expression for item in self.items]
        parts += [] if self.having is None else [self.having]
        return bool(self.keys) or any(
            isinstance(node, AggregateCall) for part in parts for node in walk(part)
        )


def walk(expression: Expression) -> Iterator[Expression]:
    """An expression and all within it, from the outside in."""
    yield expression
    if isinstance(expression, (Apply, AggregateCall)):
        for argument in expression.arguments:
            yield from walk(argument)


def columns_in(expression: Expression) -> list[ColumnName]:
    """Every column that an expression reads."""
    return [node for node in walk(expression) if isinstance(node, ColumnName)]
