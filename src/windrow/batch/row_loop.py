"""Opens a job whose rows are filtered, joined and computed in the loop that folds them.

    stream   ts, ad, event_type         the columns themselves
    texts    event_type = 0             what is true of row i, or computed of it
    table    ad --> campaign            codes of campaigns, by the number of the ad

What has no text (`loop_texts.py`) is computed by Arrow before.  A joined table must
have each key once, and its keys lie close together; else nothing is opened, and rows
are prepared one step after the other (`relation.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
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
from windrow.query.tree import Apply, ColumnName, Expression, columns_in

from .aggregate import WindowJob
from .cells import LoopTexts, UnsortedRows
from .columns import plain_array
from .expressions import evaluate
from .keys import KeyColumn, computed_key, most_codes, number_keys
from .loop_texts import LoopColumns, NumberText, computed_text, condition_text
from .tables import read

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class LoopRows:
    """The rows of a pass as they stand, and what the loop does with them."""

    table: pa.Table
    schema: pa.Schema
    texts: LoopTexts

    def open(self, plan: Plan) -> WindowJob:
        """A job for a plan over `schema`."""
        threads = thread_count(None, len(self.table))
        unsorted = UnsortedRows(self.table, plan, threads, self.texts)
        return WindowJob(self.table, plan, threads, unsorted)


def loop_rows(inputs: Mapping[str, Any], pass_: Pass) -> LoopRows | None:
    """The rows of a pass for the loop, if its tables fit."""
    relation = pass_.rows
    raw = read(inputs[relation.stream], pass_.own_reads)
    keys: dict[str, KeyColumn] = {}
    joined: dict[str, pa.DataType] = {}
    for join in relation.joins:
        table = read(inputs[join.table], [own for _, own in join.columns])
        looked_up = _looked_up(raw.column(join.pairs[0][0]), table, join, pass_)
        if looked_up is None:
            return None
        keys |= looked_up
        joined |= {name: table.schema.field(own).type for name, own in join.columns}
    loop = LoopColumns(raw)
    columns: dict[str, Any] = {}
    computed: dict[str, NumberText] = {}
    kinds: dict[str, pa.DataType] = {}
    try:
        for name, value in pass_.columns.items():
            if isinstance(value, ColumnName) and value.name in joined:
                kinds[name] = joined[value.name]
            elif (text := _text(name, value, pass_, loop)) is not None:
                kinds[name], computed[name] = text.kind, text
            else:
                columns[name] = evaluate(value, raw)
                kinds[name] = columns[name].type
        left_in = _condition(relation.where, loop)
    except BadInput:  # perhaps of a row that where leaves out
        return None
    keys |= {
        name: computed_key(computed[name]) for name in pass_.keys if name in computed
    }
    texts = LoopTexts(left_in, keys, computed, tuple(loop.arrays))
    return LoopRows(pa.table(columns), pa.schema(kinds), texts)


def _text(
    name: str, value: Expression, pass_: Pass, loop: LoopColumns
) -> NumberText | None:
    """How the loop computes a column; None where it reads it, or Arrow computes it."""
    if not isinstance(value, Apply) or name in pass_.looked_at or not columns_in(value):
        return None
    text = computed_text(value, loop)
    if text is None or name not in pass_.keys:
        return text
    if text.is_float or text.codes > most_codes(len(loop.table)):
        return None
    return text


def _condition(where: Expression | None, loop: LoopColumns) -> tuple[str, ...]:
    """The text of a condition, or of a column that Arrow computes of it."""
    if where is None:
        return ()
    text = condition_text(where, loop)
    if text is None:
        holds = evaluate(where, loop.table).cast(pa.bool_())
        text = loop.add(as_numpy(plain_array(pc.fill_null(holds, False))))
    return (text,)


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
    plain = {n: v for n, v in pass_.columns.items() if isinstance(v, ColumnName)}
    columns = [
        (name, names[plain[name].name])
        for name in pass_.keys
        if name in plain and plain[name].name in names
    ]
    found: dict[str, KeyColumn] = {}
    for name, column in columns or [(f"join {join.table}", join.pairs[0][1])]:
        key = number_keys(table, [column], 1).columns[0]
        codes = np.full(high - low + 1, -1, np.int32)
        codes[places] = key.codes(1)
        meets = (low, valid, codes)
        found[name] = KeyColumn(values, key.size, key.words, *meets, is_joined=True)
    return found
