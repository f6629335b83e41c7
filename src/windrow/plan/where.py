"""Filters single aggregates: `wr.sum("amount", where="kind = 'refund'")`.

    rows        amount  kind        amount where kind = 'refund'
                10      refund      10
                20      sale        null                          skipped, as all nulls

Every aggregate passes over nulls, so that a filter is a column which is null elsewhere:
an expression like any other, computed before all else.  What the aggregate is called
with is the name of that column, which plans and errors then show.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import Call
from windrow.errors import BadInput, WindrowError
from windrow.query.tree import ColumnName, Expression, columns_in

from .bind import column_type
from .cql.scope import Scope
from .cql.types import TypeChecker

_ROWS = "rows"


@dataclass(frozen=True)
class Mask:
    """A column of the values of `column`, or of true, where a condition holds."""

    name: str
    condition: Expression
    column: str | None
    type: pa.DataType

    @property
    def reads(self) -> list[str]:
        """The columns of the table that it is made of."""
        own = [] if self.column is None else [self.column]
        return [*own, *(column.name for column in columns_in(self.condition))]


def mask_calls(
    calls: Mapping[str, Call], schema: pa.Schema
) -> tuple[dict[str, Call], pa.Schema, tuple[Mask, ...]]:
    """Calls over masked columns, a schema that has these, and how they are made."""
    masks: dict[str, Mask] = {}
    plain: dict[str, Call] = {}
    for label, call in calls.items():
        plain[label] = call
        if call.where is not None:
            first = call.columns[0] if call.columns else None
            name = f"{'' if first is None else f'{first} '}where {call.where}"
            if name not in masks:
                kind = pa.bool_() if first is None else column_type(schema, first)
                masks[name] = Mask(name, _condition(call.where, schema), first, kind)
            columns = (name, *call.columns[1:])
            plain[label] = replace(call, columns=columns, where=None)
    for mask in masks.values():
        schema = schema.append(pa.field(mask.name, mask.type))
    return plain, schema, tuple(masks.values())


def unmasked(names: Sequence[str], masks: Sequence[Mask]) -> list[str]:
    """The columns of a table from which others, masks among them, can be had."""
    made = {mask.name: mask.reads for mask in masks}
    return list(dict.fromkeys(n for name in names for n in made.get(name, [name])))


def names_of(where: str) -> list[str]:
    """The columns that a condition reads, as it writes them."""
    return [column.name for column in columns_in(_read(where)[1].where)]


def load_parser() -> ModuleType:
    """The parser of the query language, and sqlglot, which nothing else needs."""
    if importlib.util.find_spec("sqlglot") is None:
        raise WindrowError.because(
            "cannot read a query",
            f"sqlglot cannot be imported by {sys.executable}",
            "run pip install 'pywindrow[cql]'",
        )
    return importlib.import_module("windrow.query.parse")


def _condition(where: str, schema: pa.Schema) -> Expression:
    """The condition of a text, typed; it is refused with a caret if it is none."""
    text, query = _read(where)
    scope = Scope(text, query, {_ROWS: schema})

    def column(expression: Expression):  # type: ignore[no-untyped-def]
        return scope.column(expression) if isinstance(expression, ColumnName) else None

    return TypeChecker(text, column).truth(query.where, "where")


def _read(where: str) -> tuple[str, Any]:
    """The query of a condition, and its text."""
    text = f"select * from {_ROWS} where {where}"  # noqa: S608 - parsed, not executed
    queries = load_parser().parse(text)
    query = queries[0]
    if len(queries) > 1 or query.keys or query.having is not None:
        raise BadInput.because(
            f"cannot filter by {where!r}",
            "it is more than a condition",
            "leave out what comes after it",
        )
    return text, query
