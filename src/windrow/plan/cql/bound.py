"""What will be done for a query: data, without any way to do it.

    Relation      which rows: numbered?  ->  joined  ->  filtered by where
    BoundQuery    keys, measures and window over them; having and items over the result

Expressions have their casts, and columns are called as in the joined rows; after the
aggregation a key or an aggregate is a column whose name is its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windrow.aggregates import Call
from windrow.query.tree import Expression, Query, columns_in
from windrow.windows import Window


@dataclass(frozen=True)
class Joined:
    """A table that is joined: `columns` are (name in the joined rows, its own)."""

    table: str
    pairs: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]
    is_left: bool


@dataclass(frozen=True)
class Relation:
    """What rows a query is about.  Queries with equal relations can share a pass.

    `numbered` are the columns within which rows are numbered before anything is
    filtered; none where that is not needed.
    """

    stream: str
    time: str | None
    joins: tuple[Joined, ...]
    where: Expression | None
    numbered: tuple[str, ...] | None

    @property
    def filters_first(self) -> bool:
        """Whether where needs no column of a table, and goes before the joins."""
        joined = {called for join in self.joins for called, _ in join.columns}
        return self.where is not None and not joined.intersection(
            one.name for one in columns_in(self.where)
        )


@dataclass(frozen=True)
class BoundQuery:
    """What will be done for one query.

    `window` is none where rows come out as they are.  `compared` are the results that
    istream looks at: all but those that say when.
    """

    query: Query
    rows: Relation
    family: str
    window: Window | None
    keys: tuple[Expression, ...]
    measures: Mapping[str, tuple[Call, tuple[Expression, ...]]]
    having: Expression | None
    items: tuple[tuple[str, Expression], ...]
    compared: tuple[str, ...]
