"""Names of a query: which stream, table or column a word stands for.

    from Calls c join Antennas a on c.antenna = a.id

    c.len, len     ->  column len of Calls
    a.id, id       ->  column id of Antennas, called id in the joined rows
    a.len          ->  column len of Antennas, called `a.len` there: len is taken

A name is found as it is written, or else in other letters of the same word where only
one column has it, as Spark does.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import types as pat

from windrow.errors import BadInput, QueryError
from windrow.query.tree import Column, Join, Place, Query, Source

from .types import Typed, plain

TIMES = ("timestamp", "ts", "time")


@dataclass(frozen=True)
class Input:
    """A stream or table: the name it was given under, and its columns.

    `called` has, for each of its own columns, the name in the joined rows.
    """

    name: str
    source: Source
    schema: pa.Schema
    called: Mapping[str, str]


class Scope:
    """The inputs of one query, the stream first."""

    def __init__(
        self, text: str, query: Query, schemas: Mapping[str, pa.Schema]
    ) -> None:
        self._text = text
        self.inputs: list[Input] = []
        taken: set[str] = set()
        for source in (query.stream, *(join.table for join in query.joins)):
            if source.alias in [one.source.alias for one in self.inputs]:
                raise QueryError.at(
                    text, *source.at, "another name", "give one of them an alias"
                )
            name = self._given(source, schemas)
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
        self._met = {
            one.name
            for join in query.joins
            for one, other in join.pairs
            if one.name == other.name
        }

    @property
    def stream(self) -> Input:
        """The one that has the window."""
        return self.inputs[0]

    def column(self, column: Column) -> Typed:
        """What a name stands for, in the joined rows."""
        found = []
        for one in self._named(column):
            own = _near(column.name, one.schema.names)
            if own is not None:
                found.append((one, own))
        if not found:
            raise self._unknown(column)
        if len(found) > 1 and found[0][1] not in self._met:
            ways = " or ".join(f"{one.source.alias}.{own}" for one, own in found)
            raise QueryError.at(
                self._text, *column.at, f"one column: {ways}", "say which is meant"
            )
        one, own = found[0]
        kind = plain(one.schema.field(own).type)
        return Typed(Column(one.called[own], at=column.at), kind)

    def pairs(self, join: Join) -> tuple[tuple[str, str], ...]:
        """The columns that must be equal: in the rows so far, and in the table."""
        place = next(i for i, one in enumerate(self.inputs) if one.source is join.table)
        table = self.inputs[place]
        made = []
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
                    "write join Table on Stream.id = Table.id",
                )
            left = self.column(outer[0]).expression
            assert isinstance(left, Column)
            own = _near(inner[0].name, table.schema.names)
            assert own is not None
            made.append((left.name, own))
        return tuple(made)

    def _owner(self, column: Column) -> Input:
        for one in self._named(column):
            if _near(column.name, one.schema.names) is not None:
                return one
        raise self._unknown(column)

    def _named(self, column: Column) -> list[Input]:
        if column.source is None:
            return self.inputs
        alias = _near(column.source, [one.source.alias for one in self.inputs])
        if alias is None:
            known = [one.source.alias for one in self.inputs]
            start = column.at[0]
            raise QueryError.at(
                self._text,
                start,
                start + len(column.source),
                f"a stream of this query ({', '.join(known)})",
                near_hint(column.source, known),
            )
        return [one for one in self.inputs if one.source.alias == alias]

    def _unknown(self, column: Column) -> QueryError:
        inputs = self._named(column)
        known = [name for one in inputs for name in one.schema.names]
        whose = " or ".join(one.source.name for one in inputs)
        return QueryError.at(
            self._text,
            *column.at,
            f"a column of {whose}",
            near_hint(column.name, known),
        )

    def _given(self, source: Source, schemas: Mapping[str, pa.Schema]) -> str:
        found = _near(source.name, schemas)
        if found is None:
            raise QueryError.at(
                self._text,
                *source.at,
                "the name of a stream or table that was given",
                near_hint(source.name, schemas)
                if schemas
                else f"give it: wr.cql(text, {source.name}=...)",
            )
        return found


def near_hint(name: str, known: Iterable[str]) -> str:
    """The nearest names, or all of them."""
    known = list(dict.fromkeys(known))
    small = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), small, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(small[one] for one in near)}?"
    return f"known are {', '.join(known)}" if known else "there is none"


def time_column(stream: Input, given: str | None) -> str | None:
    """The time column: named, or the only one it can be, or called so; else none."""
    schema = stream.schema
    if given is not None:
        found = _near(given, schema.names)
        if found is None:
            raise BadInput.because(
                f"cannot order {stream.name} by column {given!r}",
                "it has no such column",
                near_hint(given, schema.names),
            )
        return found
    instants = [str(f.name) for f in schema if _is_instant(f.type)]
    if len(instants) == 1:
        return instants[0]
    for name in TIMES:
        found = _near(name, schema.names)
        if found is not None:
            kind = plain(schema.field(found).type)
            if _is_instant(kind) or pat.is_integer(kind):
                return found
    return None


def no_time(text: str, at: Place, stream: Input) -> QueryError:
    """That a window over time has no time to go by."""
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


def _near(name: str, known: Iterable[str]) -> str | None:
    """The name as it is written, or the only one in other letters."""
    known = list(known)
    if name in known:
        return name
    same = [one for one in known if one.lower() == name.lower()]
    return same[0] if len(same) == 1 else None
