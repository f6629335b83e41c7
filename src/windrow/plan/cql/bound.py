"""Describes a bound query: its rows, its window, and its select list.

    Relation      which rows: numbered?  ->  joined  ->  filtered by where
    BoundQuery    keys, measures and window over them; having and items over the result

Expressions have their casts, and columns their names in the joined rows; after the
aggregation a key or an aggregate is a column whose name is its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windrow.aggregates import Call
from windrow.query.tree import Expression, QueryTree, columns_in
from windrow.windows import Window


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

    @property
    def filters_first(self) -> bool:
        """Whether `where` reads no joined column, and so goes before the joins."""
        joined = {called for join in self.joins for called, _ in join.columns}
        return self.where is not None and not joined.intersection(
            column.name for column in columns_in(self.where)
        )


@dataclass(frozen=True)
class BoundQuery:
    """A query whose names and types are checked against its inputs.

    `window` is none where rows come out as they are.  `compared` are the results that
    istream compares: all but those that hold a time.
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
