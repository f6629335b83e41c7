"""Opens a job whose rows are filtered and joined in the loop that folds them.

    stream   ts, ad, event_type         the columns themselves, and computed ones
    table    ad --> campaign            codes of campaigns, by the number of the ad

A joined table must have each key once, and its keys lie close together; else nothing is
opened, and rows are prepared one step after the other (`relation.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.errors import BadInput
from windrow.loops import as_numpy, thread_count
from windrow.loops import compute as pc
from windrow.plan.aggregate import Plan
from windrow.plan.cql import JoinedTable, Pass
from windrow.query.tree import ColumnName, Expression, columns_in

from .aggregate import WindowJob
from .cells import UnsortedRows
from .columns import numbers as read_numbers
from .columns import plain_array
from .conditions import condition_text
from .expressions import evaluate
from .keys import KeyColumn, most_codes, number_keys
from .tables import read

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class LoopFilter:
    """What leaves rows out: a condition on `raw` columns, and joins.

    `keys` are columns of joined tables, by their names among the keys of the plan.
    """

    where: Expression | None
    raw: pa.Table
    keys: Mapping[str, KeyColumn]

    def texts(self, add: Callable[[Array], str]) -> list[str]:
        """The text of the condition, if there is one."""
        if self.where is None:
            return []
        texts: dict[str, tuple[str, str | None]] = {}

        def read_column(name: str) -> tuple[str, str | None]:
            if name not in texts:
                column = read_numbers(self.raw.column(name), name)
                valid = None if column.valid is None else add(column.valid)
                texts[name] = add(column.values), valid
            return texts[name]

        text = condition_text(self.where, self.raw.schema, read_column)
        if text is not None:
            return [text]
        holds = evaluate(self.where, self.raw).cast(pa.bool_())
        return [add(as_numpy(plain_array(pc.fill_null(holds, False))))]


@dataclass(frozen=True)
class LoopRows:
    """The rows of a pass as they stand, and what the loop does with them."""

    table: pa.Table
    schema: pa.Schema
    filter: LoopFilter

    def open(self, plan: Plan) -> WindowJob:
        """A job for a plan over `schema`."""
        threads = thread_count(None, len(self.table))
        unsorted = UnsortedRows(self.table, plan, threads, self.filter)
        return WindowJob(self.table, plan, threads, unsorted)


def loop_rows(inputs: Mapping[str, Any], pass_: Pass) -> LoopRows | None:
    """The rows of a pass for the loop, if its tables fit."""
    relation = pass_.rows
    joined = {name for join in relation.joins for name, _ in join.columns}
    names = [name for name in pass_.reads if name not in joined]
    raw = read(inputs[relation.stream], names)
    columns, kinds = {}, {}
    try:
        for name, value in pass_.columns.items():
            if not joined.intersection(column.name for column in columns_in(value)):
                columns[name] = evaluate(value, raw)
                kinds[name] = columns[name].type
    except BadInput:  # perhaps of a row that where leaves out
        return None
    keys: dict[str, KeyColumn] = {}
    for join in relation.joins:
        table = read(inputs[join.table], [own for _, own in join.columns])
        looked_up = _looked_up(raw.column(join.pairs[0][0]), table, join, pass_)
        if looked_up is None:
            return None
        keys |= looked_up
        kinds |= {name: table.schema.field(own).type for name, own in join.columns}
    schema = pa.schema([(name, kinds[_source(pass_, name)]) for name in pass_.columns])
    own = LoopFilter(relation.where, raw, keys)
    return LoopRows(pa.table(columns), schema, own)


def _source(pass_: Pass, name: str) -> str:
    """The column that a key of a joined table is, or the computed one of that name."""
    value = pass_.columns[name]
    return value.name if isinstance(value, ColumnName) and name in pass_.keys else name


def _looked_up(
    left: pa.ChunkedArray, table: pa.Table, join: JoinedTable, pass_: Pass
) -> dict[str, KeyColumn] | None:
    """The codes of keys of a joined table by the number of the row that it meets.

    Without such a key, the column that rows meet it by has codes: rows that meet no
    row of it are left out.
    """
    here, there = plain_array(left), plain_array(table.column(join.pairs[0][1]))
    whole = [
        pat.is_integer(c.type) and not pat.is_uint64(c.type) for c in (here, there)
    ]
    if not all(whole) or there.null_count or not len(there):
        return None
    bounds = pc.min_max(there)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    if high - low >= most_codes(len(here) + len(there)):
        return None
    places = as_numpy(there).astype(np.int64) - low
    rank = np.full(high - low + 1, -1, np.int32)
    rank[places] = np.arange(len(places))
    if np.count_nonzero(rank >= 0) < len(places):  # a key stands there twice
        return None
    valid = as_numpy(pc.is_valid(here)) if here.null_count else None
    values = as_numpy(pc.fill_null(here, 0) if here.null_count else here)
    names = dict(join.columns)
    own = {name: names.get(_source(pass_, name)) for name in pass_.keys}
    columns = [(name, column) for name, column in own.items() if column is not None]
    found: dict[str, KeyColumn] = {}
    for name, column in columns or [(f"join {join.table}", join.pairs[0][1])]:
        key = number_keys(table, [column], 1).columns[0]
        codes = np.full(high - low + 1, -1, np.int32)
        codes[places] = key.codes(1)
        meets = (low, valid, codes)
        found[name] = KeyColumn(values, key.size, key.words, *meets, is_joined=True)
    return found
