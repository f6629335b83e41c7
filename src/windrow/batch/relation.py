"""Computes the parts of a CQL query around its windows, on Arrow tables.

`spark/relation.py` has the same functions for DataFrames; `_cql_passes.py` calls them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow.loops import as_arrow
from windrow.loops import compute as pc
from windrow.plan.cql import ROW, TOTAL, BoundQuery, JoinedTable
from windrow.query.tree import Expression
from windrow.windows import clock_of

from .columns import changes, plain_array
from .expressions import evaluate
from .sorted_rows import in_order
from .tables import read

Array = np.ndarray[Any, Any]


def filter_rows(table: pa.Table, condition: Expression) -> pa.Table:
    """The rows for which a condition is true."""
    return table.filter(evaluate(condition, table))


def select_columns(table: pa.Table, columns: Mapping[str, Expression]) -> pa.Table:
    """The values of expressions, as columns of the names given."""
    arrays = [evaluate(expression, table) for expression in columns.values()]
    return pa.table(arrays, names=list(columns))


def persist(result: pa.Table) -> pa.Table:
    """The result itself: in process it is computed already."""
    return result


def number_rows(table: pa.Table, time: str | None, within: tuple[str, ...]) -> pa.Table:
    """Add each row's place by time within its key, and the number of rows there."""
    order = None
    if time is not None:
        table = table.filter(pc.is_valid(table.column(time)))
        order = np.argsort(_ticks(table.column(time)), kind="stable")
    rows = in_order(table, within, order)
    place = np.arange(len(rows)) if rows.place is None else rows.place
    firsts, sizes = (np.repeat(a, rows.lengths) for a in (rows.firsts, rows.lengths))
    table = table.append_column(ROW, as_arrow(place - firsts[place]))
    return table.append_column(TOTAL, as_arrow(sizes[place]))


def _ticks(times: pa.ChunkedArray) -> Array:
    if pat.is_date32(times.type):
        times = times.cast(pa.int32())
    ticks: Array = times.cast(pa.int64()).to_numpy()
    return ticks


def join_table(
    table: pa.Table, other: Any, join: JoinedTable, payload: list[tuple[str, str]]
) -> pa.Table:
    """The pairs of rows with equal keys, in the order of the rows, then of the table.

    Only keys and places are joined: the columns of `payload`, as in `join.columns`,
    follow by `take`, whatever their types.
    """
    names = [name for _, name in (*join.pairs, *payload)]
    right = read(other, list(dict.fromkeys(names)))
    keys = [_common(table.column(a), right.column(b)) for a, b in join.pairs]
    lefts = {f"left {i}": key for i, (key, _) in enumerate(keys)}
    rights = {f"right {i}": key for i, (_, key) in enumerate(keys)}
    here = pa.table({**lefts, "here": np.arange(table.num_rows)})
    there = pa.table({**rights, "there": np.arange(right.num_rows)})
    kind = "left outer" if join.is_left else "inner"
    pairs = here.join(there, list(lefts), list(rights), join_type=kind).sort_by(
        [("here", "ascending"), ("there", "ascending")]
    )
    table = table.take(pairs.column("here"))
    for alias, name in payload:
        column = right.column(name).take(pairs.column("there"))
        table = table.append_column(alias, column)
    return table


def _common(a: pa.ChunkedArray, b: pa.ChunkedArray) -> tuple[Any, Any]:
    """Two columns cast to a common type."""
    types = (a.type, b.type)
    kinds = [kind.value_type if pat.is_dictionary(kind) else kind for kind in types]
    common = kinds[0]
    if kinds[0] != kinds[1]:
        if all(map(pat.is_integer, kinds)):
            common = pa.int64()
        elif any(map(pat.is_floating, kinds)):
            common = pa.float64()
    return a.cast(common), b.cast(common)


def new_results(result: pa.Table, bound: BoundQuery, keys: tuple[str, ...]) -> pa.Table:
    """The results that differ from that of the previous window of the same key."""
    if result.num_rows < 2:
        return result
    return result.filter(as_arrow(np.append(True, ~_stays(result, bound, keys))))


def gone_results(
    result: pa.Table, bound: BoundQuery, keys: tuple[str, ...]
) -> pa.Table:
    """The results that the next window of the same key does not have, at its time."""
    if result.num_rows == 0:
        return result
    gone = np.append(~_stays(result, bound, keys), True)
    result = result.filter(as_arrow(gone))
    windows = result.column("window").combine_chunks()
    starts = windows.field("start")
    assert bound.window is not None
    clock = None
    if bound.window.is_timed:
        clock = clock_of("start", starts.type, bound.window.lengths)
    rule = bound.window.rule(0, clock)
    numbers = rule.last_over(_ticks(pa.chunked_array([starts]))) + 1
    bounds = [
        pa.array(side(numbers), pa.int64()).cast(_whole(starts.type)).cast(starts.type)
        for side in (rule.begin, rule.end)
    ]
    moved = pa.StructArray.from_arrays(bounds, names=["start", "end"])
    return result.set_column(result.schema.get_field_index("window"), "window", moved)


def _whole(kind: pa.DataType) -> pa.DataType:
    """The type of whole numbers that a type of instants is cast from."""
    return pa.int32() if pat.is_date32(kind) else pa.int64()


def _stays(result: pa.Table, bound: BoundQuery, keys: tuple[str, ...]) -> Array:
    """Whether each result but the first is that of the window before, of its key."""
    items = dict(bound.items)
    same = _follows(bound, pc.struct_field(result.column("window"), "start"))
    compared = [evaluate(items[name], result) for name in bound.compared]
    for column in (*(result.column(name) for name in keys), *compared):
        same &= ~changes(_alike_floats(plain_array(column)))
    return same


def _follows(bound: BoundQuery, starts: pa.ChunkedArray) -> Array:
    """Whether each window but the first has the next number after the one above it."""
    window = bound.window
    assert window is not None
    clock = clock_of("start", starts.type, window.lengths) if window.is_timed else None
    numbers: Array = window.rule(0, clock).last_over(_ticks(starts))
    following: Array = np.diff(numbers) == 1
    return following


def _alike_floats(array: pa.Array) -> pa.Array:
    """The array with one NaN and one zero, so that equal floats have equal bits."""
    if not pat.is_floating(array.type):
        return array
    nan, zero = (pa.scalar(value, array.type) for value in (float("nan"), 0.0))
    return pc.if_else(pc.is_nan(array), nan, pc.add(array, zero))
