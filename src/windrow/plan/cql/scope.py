"""Resolves the names of a query to streams, tables and columns.

    from Calls c join Antennas a on c.antenna = a.id

    c.len, len     ->  column len of Calls
    a.id, id       ->  column id of Antennas, called id in the joined rows
    a.len          ->  column len of Antennas, called `a.len` there: len is taken

A name matches as it is written; failing that, without regard to case if only one column
matches, as in Spark.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import types as pat

from windrow.errors import BadInput, QueryError
from windrow.query.tree import ColumnName, Join, Place, QueryTree, SourceName

from .types import Operand, plain

TIMES = ("timestamp", "ts", "time")


@dataclass(frozen=True)
class Input:
    """A stream or table of a query: its name among the inputs, and its columns.

    `called` has, for each of its own columns, the name in the joined rows.
    """

    name: str
    source: SourceName
    schema: pa.Schema
    called: Mapping[str, str]


class Scope:
    """The inputs of one query, the stream first, and the names that they define."""

    def __init__(
        self, text: str, query: QueryTree, schemas: Mapping[str, pa.Schema]
    ) -> None:
        self._text = text
        self.inputs: list[Input] = []
        taken: set[str] = set()
        for source in (query.stream, *(join.table for join in query.joins)):
            if source.alias in self._aliases:
                raise QueryError.at(
                    text, *source.at, "another name", "give one of them an alias"
                )
            name = self._input_name(source, schemas)
            schema = schemas[name]
            called = {}
            for column in schema.names:
                free = column if column not in taken else f"{source.alias}.{column}"
                while free in taken:
                    free += "'"
                called[column] = free
                taken.add(free)
            self.inputs.append(Input(name, source, schema, called))
        # a column that is joined by its own name is the same one in both
        self._shared = {
            left.name
            for join in query.joins
            for left, right in join.pairs
            if left.name == right.name
        }

    @property
    def stream(self) -> Input:
        """The stream of the query, which is the input that has the window."""
        return self.inputs[0]

    @property
    def _aliases(self) -> list[str]:
        return [source.source.alias for source in self.inputs]

    def column(self, column: ColumnName) -> Operand:
        """The column of the joined rows that a name stands for."""
        matches = []
        for candidate in self._candidates(column):
            own = _match(column.name, candidate.schema.names)
            if own is not None:
                matches.append((candidate, own))
        if not matches:
            raise self._unknown(column)
        table, own = matches[0]
        if len(matches) > 1 and own not in self._shared:
            ways = " or ".join(f"{t.source.alias}.{name}" for t, name in matches)
            raise QueryError.at(
                self._text, *column.at, f"one column: {ways}", "say which is meant"
            )
        kind = plain(table.schema.field(own).type)
        return Operand(ColumnName(table.called[own], at=column.at), kind)

    def pairs(self, join: Join) -> tuple[tuple[str, str], ...]:
        """The columns that a join compares: in the rows so far, and in its table."""
        place = [t.source for t in self.inputs].index(join.table)
        table = self.inputs[place]
        pairs = []
        for pair in join.pairs:
            sides = [(c, self._owner(c)) for c in pair]
            inner = [c for c, owner in sides if owner is table]
            outer = [c for c, owner in sides if owner in self.inputs[:place]]
            if len(inner) != 1 or len(outer) != 1:
                raise QueryError.at(
                    self._text,
                    min(c.at[0] for c in pair),
                    max(c.at[1] for c in pair),
                    f"a column of {table.source.alias} and one from before it",
                    "write join Table on SortedRows.id = Table.id",
                )
            left = self.column(outer[0]).expression
            assert isinstance(left, ColumnName)
            own = _match(inner[0].name, table.schema.names)
            assert own is not None
            pairs.append((left.name, own))
        return tuple(pairs)

    def _owner(self, column: ColumnName) -> Input:
        for candidate in self._candidates(column):
            if _match(column.name, candidate.schema.names) is not None:
                return candidate
        raise self._unknown(column)

    def _candidates(self, column: ColumnName) -> list[Input]:
        """The inputs that may have a column, by the source that is written with it."""
        if column.source is None:
            return self.inputs
        aliases = self._aliases
        alias = _match(column.source, aliases)
        if alias is None:
            start = column.at[0]
            raise QueryError.at(
                self._text,
                start,
                start + len(column.source),
                f"a stream of this query ({', '.join(aliases)})",
                near_hint(column.source, aliases),
            )
        return [table for table in self.inputs if table.source.alias == alias]

    def _unknown(self, column: ColumnName) -> QueryError:
        inputs = self._candidates(column)
        columns = [name for table in inputs for name in table.schema.names]
        owners = " or ".join(table.source.name for table in inputs)
        return QueryError.at(
            self._text,
            *column.at,
            f"a column of {owners}",
            near_hint(column.name, columns),
        )

    def _input_name(self, source: SourceName, schemas: Mapping[str, pa.Schema]) -> str:
        name = _match(source.name, schemas)
        if name is None:
            raise QueryError.at(
                self._text,
                *source.at,
                "the name of a stream or table that was given",
                near_hint(source.name, schemas)
                if schemas
                else f"give it: wr.cql(text, {source.name}=...)",
            )
        return name


def near_hint(name: str, candidates: Iterable[str]) -> str:
    """A hint that lists the candidates nearest to a name, or all of them."""
    names = list(dict.fromkeys(candidates))
    by_lower = {name.lower(): name for name in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(by_lower[name] for name in near)}?"
    return f"known are {', '.join(names)}" if names else "there is none"


def time_column(stream: Input, name: str | None) -> str | None:
    """The time column: the one named, or the only timestamp, or one called `ts`."""
    schema = stream.schema
    if name is not None:
        column = _match(name, schema.names)
        if column is None:
            raise BadInput.because(
                f"cannot order {stream.name} by column {name!r}",
                "it has no such column",
                near_hint(name, schema.names),
            )
        return column
    instants = [str(f.name) for f in schema if _is_instant(f.type)]
    if len(instants) == 1:
        return instants[0]
    for usual in TIMES:
        column = _match(usual, schema.names)
        if column is not None:
            kind = plain(schema.field(column).type)
            if _is_instant(kind) or pat.is_integer(kind):
                return column
    return None


def no_time(text: str, at: Place, stream: Input) -> QueryError:
    """The error for a window over time whose stream has no time column."""
    instants = [f.name for f in stream.schema if _is_instant(f.type)]
    choice = instants[0] if instants else "ts"
    return QueryError.at(
        text,
        *at,
        f"a stream with one time column ({stream.name} has "
        f"{', '.join(instants) if instants else 'none'})",
        f'say which: wr.cql(text, time="{choice}", ...)',
    )


def _is_instant(kind: pa.DataType) -> bool:
    return bool(pat.is_timestamp(kind) or pat.is_date(kind))


def _match(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is the name, or the only one that differs in case alone."""
    names = list(candidates)
    if name in names:
        return name
    matches = [other for other in names if other.lower() == name.lower()]
    return matches[0] if len(matches) == 1 else None
