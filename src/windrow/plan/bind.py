"""Binds calls to a schema, and checks every name, type and option.

    {"who": wr.arg_max("len", "caller")}  +  schema   ->   BoundCall(name, call, types)

After this nothing can be refused for its names or types.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates import Aggregate, Call
from windrow.aggregates.quantiles import check_quantiles
from windrow.aggregates.types import check_accepts, result_type
from windrow.errors import BadInput, UnknownName, UnsupportedType
from windrow.sketches import Sketch, sketch_of


@dataclass(frozen=True)
class BoundCall:
    """A call of an aggregate that is checked against a schema.

    `columns` are those that `lift` reads; `payload` is the column that the result, a
    position, is looked up in.
    """

    name: str
    call: Call
    columns: tuple[str, ...]
    types: tuple[pa.DataType, ...]
    payload: str | None
    result: pa.DataType

    @property
    def aggregate(self) -> Aggregate:
        """The aggregate that is called."""
        return self.call.aggregate

    @cached_property
    def sketch(self) -> Sketch:
        """The sketch that is the partial of an approximate aggregate."""
        return sketch_of(self.aggregate.name, self.call.options, self.types[0])

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that the call reads, once each."""
        extra = () if self.payload is None else (self.payload,)
        return tuple(dict.fromkeys((*self.columns, *extra)))


def bind(
    calls: Mapping[str, Call], schema: pa.Schema, *, of_rows: bool = False
) -> tuple[BoundCall, ...]:
    """Check every call against the schema; `of_rows` if each result is a row's own."""
    for name, call in calls.items():
        if "own" in call.aggregate.takes and not of_rows:
            raise BadInput.because(
                f"cannot compute {name!r}",
                f"{call.aggregate.name} is that of a row in its frame, and a window or "
                "a label is no row",
                f"use wr.over(..., r=wr.{call.aggregate.name}(column, last=...))",
            )
    return tuple(_bind(name, call, schema) for name, call in calls.items())


def column_type(schema: pa.Schema, column: str) -> pa.DataType:
    """The type of a column, or of the values in its dictionary; it must exist."""
    if column not in schema.names:
        words = re.findall(r"[^\W\d]\w*", column)
        if set(words) & set(schema.names):
            raise UnknownName.because(
                f"no column called {column!r}",
                "it is an expression, and aggregates take names of columns",
                f"add it to the table as a column first, or write it as a text of "
                f"wr.cql, which takes expressions: sum({column})",
            )
        raise UnknownName.among("column", column, schema.names)
    if schema.names.count(column) > 1:
        raise BadInput.because(
            f"cannot read column {column!r}",
            "the table has more than one of that name",
            "rename all but one",
        )
    kind = schema.field(column).type
    return kind.value_type if pat.is_dictionary(kind) else kind


def check_new_names(names: Sequence[str], taken: Sequence[str]) -> None:
    """Refuse results that have the name of another column of the output."""
    for name in names:
        if name in taken:
            raise BadInput.because(
                f"cannot add a result called {name!r}",
                "the output has a column of that name already",
                "choose another name for the result",
            )


def _bind(name: str, call: Call, schema: pa.Schema) -> BoundCall:
    aggregate = call.aggregate
    least = aggregate.columns[0]
    if len(call.columns) < least:
        raise BadInput.because(
            f"cannot compute {name!r}",
            f"{aggregate.name} needs {least} column{'s' if least > 1 else ''}, "
            f"and has {len(call.columns)}",
            f"name the column, as in wr.{aggregate.name}('len')",
        )
    kinds = [column_type(schema, column) for column in call.columns]
    is_position = aggregate.result == "position"
    inputs = call.columns[:1] if is_position else call.columns
    for column, kind in zip(inputs, kinds, strict=False):
        check_accepts(call, column, kind)
        if aggregate.is_users and pat.is_decimal(kind):
            raise UnsupportedType.because(
                f"cannot compute {call.label}",
                f"column {column!r} is of type {kind}, and your own functions take "
                "ints and floats",
                "cast the column to double, or to a whole number of units",
            )
    if call.options.get("quantiles") is not None:
        check_quantiles(call.options["quantiles"])
    payload = call.columns[-1] if is_position else None
    result = result_type(call, *((kinds[0], kinds[-1]) if kinds else (None, None)))
    return BoundCall(name, call, inputs, tuple(kinds[: len(inputs)]), payload, result)
