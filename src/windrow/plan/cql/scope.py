"""Resolves the names of a query to streams, tables and columns.

    from Calls c join Antennas a on c.antenna = a.id

    c.len, len     ->  column len of Calls
    a.id, id       ->  column id of Antennas, called id in the joined rows
    a.len          ->  column len of Antennas, called `a.len` there: len is taken

A name matches as it is written; failing that, without regard to case if only one column
matches, as in Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.errors import BadInput, QueryError
from windrow.query.hints import near_hint
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
        self.text = text
        self.inputs: list[Input] = []
        taken: set[str] = set()
        for source in (query.stream, *(join.table for join in query.joins)):
            if source.alias in (table.source.alias for table in self.inputs):
                hint = "give one of them an alias"
                raise QueryError.at(text, *source.at, "another name", hint)
            name = _match(source.name, schemas)
            if name is None:
                hint = f"give it: wr.cql(text, {source.name}=...)"
                hint = near_hint(source.name, schemas) if schemas else hint
                expected = "the name of a stream or table that was given"
                raise QueryError.at(text, *source.at, expected, hint)
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

    def column(self, column: ColumnName) -> Operand:
        """The column of the joined rows that a name stands for."""
        matches = self._matches(column)
        table, own = matches[0]
        if len(matches) > 1 and own not in self._shared:
            ways = " or ".join(f"{t.source.alias}.{name}" for t, name in matches)
            expected = f"one column: {ways}"
            raise QueryError.at(self.text, *column.at, expected, "say which is meant")
        kind = plain(table.schema.field(own).type)
        return Operand(ColumnName(table.called[own], at=column.at), kind)

    def pairs(self, join: Join) -> tuple[tuple[str, str], ...]:
        """The columns that a join compares: in the rows so far, and in its table."""
        place = [t.source for t in self.inputs].index(join.table)
        table = self.inputs[place]
        pairs = []
        for pair in join.pairs:
            owners = [(c, *self._matches(c)[0]) for c in pair]
            inner = [own for _, owner, own in owners if owner is table]
            outer = [c for c, owner, _ in owners if owner in self.inputs[:place]]
            if len(inner) != 1 or len(outer) != 1:
                raise QueryError.at(
                    self.text,
                    min(c.at[0] for c in pair),
                    max(c.at[1] for c in pair),
                    f"a column of {table.source.alias} and one from before it",
                    "write join Table on Stream.id = Table.id",
                )
            left = self.column(outer[0]).expression
            assert isinstance(left, ColumnName)
            pairs.append((left.name, inner[0]))
        return tuple(pairs)

    def _matches(self, column: ColumnName) -> list[tuple[Input, str]]:
        """The inputs that have a column of the name, and its own name there."""
        inputs = self._candidates(column)
        owns = [_match(column.name, table.schema.names) for table in inputs]
        pairs = zip(inputs, owns, strict=True)
        if matches := [(table, own) for table, own in pairs if own is not None]:
            return matches
        columns = [name for table in inputs for name in table.schema.names]
        expected = f"a column of {' or '.join(table.source.name for table in inputs)}"
        hint = near_hint(column.name, columns)
        raise QueryError.at(self.text, *column.at, expected, hint)

    def _candidates(self, column: ColumnName) -> list[Input]:
        """The inputs that may have a column, by the source that is written with it."""
        if column.source is None:
            return self.inputs
        aliases = [table.source.alias for table in self.inputs]
        alias = _match(column.source, aliases)
        if alias is None:
            at = (column.at[0], column.at[0] + len(column.source))
            expected = f"a stream of this query ({', '.join(aliases)})"
            hint = near_hint(column.source, aliases)
            raise QueryError.at(self.text, *at, expected, hint)
        return [table for table in self.inputs if table.source.alias == alias]


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
    columns = [c for usual in TIMES if (c := _match(usual, schema.names)) is not None]
    kinds = {column: plain(schema.field(column).type) for column in columns}
    times = (
        c for c, kind in kinds.items() if _is_instant(kind) or pat.is_integer(kind)
    )
    return next(times, None)


def no_time(scope: Scope, at: Place) -> QueryError:
    """The error for a window over time whose stream has no time column."""
    stream = scope.stream
    instants = [f.name for f in stream.schema if _is_instant(f.type)]
    names = ", ".join(instants) if instants else "none"
    expected = f"a stream with one time column ({stream.name} has {names})"
    choice = instants[0] if instants else "ts"
    hint = f'say which: wr.cql(text, time="{choice}", ...)'
    return QueryError.at(scope.text, *at, expected, hint)


def _is_instant(kind: pa.DataType) -> bool:
    return bool(pat.is_timestamp(kind) or pat.is_date(kind))


def _match(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is the name, or the only one that differs in case alone."""
    names = list(candidates)
    if name in names:
        return name
    matches = [other for other in names if other.lower() == name.lower()]
    return matches[0] if len(matches) == 1 else None
