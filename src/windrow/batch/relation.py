"""Computes the parts of a CQL query around its windows, on Arrow tables.

    prepared   before: number, join and filter rows, compute columns
    finished   after: complete windows, having, istream, the select list

`spark/relation.py` has the same two functions for DataFrames.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types as pat

from windrow.plan.cql import ROW, TOTAL, BoundQuery, JoinedTable, Member, Pass
from windrow.query.tree import Expression
from windrow.windows import clock_of

from .expressions import evaluate
from .tables import read, schema_of

Array = np.ndarray[Any, Any]


def prepared(inputs: Mapping[str, Any], pass_: Pass) -> pa.Table:
    """The columns that the aggregation of a pass reads."""
    rows, names = pass_.rows, pass_.reads
    others = {name for join in rows.joins for name, _ in join.columns}
    table = read(inputs[rows.stream], [name for name in names if name not in others])
    if rows.numbered is not None:
        table = _number_rows(table, rows.time, rows.numbered)
    if rows.where is not None and rows.filters_first:
        table = table.filter(evaluate(rows.where, table))
    for join in rows.joins:
        table = _join(table, inputs[join.table], join, names)
    if rows.where is not None and not rows.filters_first:
        table = table.filter(evaluate(rows.where, table))
    return _compute(pass_.columns, table)


def finished(result: pa.Table, member: Member, keys: tuple[str, ...]) -> pa.Table:
    """The rows of one query, from the results of its pass."""
    bound = member.bound
    if "query" in result.column_names:
        result = result.filter(pc.equal(result.column("query"), member.window))
    if bound.rows.numbered is not None:
        window = result.column("window")
        starts, ends = pc.struct_field(window, "start"), pc.struct_field(window, "end")
        in_time = pc.less_equal(ends, result.column(TOTAL))
        result = result.filter(pc.and_(pc.greater_equal(starts, 0), in_time))
    if bound.having is not None:
        result = result.filter(evaluate(bound.having, result))
    rows = _compute(dict(bound.items), result)
    if bound.query.istream and bound.window is not None:
        rows = rows.filter(pa.array(_is_new(result, rows, bound, keys)))
    return rows


def kept(result: pa.Table) -> pa.Table:
    """The result itself: in process it is computed already."""
    return result


def _compute(columns: Mapping[str, Expression], table: pa.Table) -> pa.Table:
    arrays = [evaluate(expression, table) for expression in columns.values()]
    return pa.table(arrays, names=list(columns))


# --- numbers ----------------------------------------------------------------------


def _number_rows(
    table: pa.Table, time: str | None, within: tuple[str, ...]
) -> pa.Table:
    """Add each row's place by time within its key, and the number of rows there."""
    if time is not None:
        table = table.filter(pc.is_valid(table.column(time)))
    count = table.num_rows
    order = np.arange(count)
    if time is not None:
        order = np.argsort(_ticks(table.column(time)), kind="stable")
    group = np.zeros(count, np.int64)
    for name in within:
        codes = _codes(table.column(name))
        pairs = group * (codes.max(initial=0) + 1) + codes
        group = np.unique(pairs, return_inverse=True)[1]
    order = order[np.argsort(group[order], kind="stable")]
    sizes = np.bincount(group, minlength=1)
    firsts = np.cumsum(sizes) - sizes
    place = np.empty(count, np.int64)
    place[order] = np.arange(count) - firsts[group[order]]
    table = table.append_column(ROW, pa.array(place))
    return table.append_column(TOTAL, pa.array(sizes[group].astype(np.int64)))


def _ticks(times: pa.ChunkedArray) -> Array:
    if pat.is_date32(times.type):
        times = times.cast(pa.int32())
    ticks: Array = times.cast(pa.int64()).to_numpy()
    return ticks


def _codes(column: pa.ChunkedArray) -> Array:
    """A number for each value, 0 for null."""
    if pat.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    encoded = column.combine_chunks().dictionary_encode()
    codes: Array = pc.fill_null(encoded.indices.cast(pa.int64()), -1).to_numpy() + 1
    return codes


# --- joins ------------------------------------------------------------------------


def _join(table: pa.Table, other: Any, join: JoinedTable, reads: list[str]) -> pa.Table:
    """The pairs of rows with equal keys, in the order of the rows, then of the table.

    Only keys and places are joined: the columns follow by `take`, whatever their types.
    """
    payload = [(alias, name) for alias, name in join.columns if alias in reads]
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
    if kinds[0] == kinds[1]:
        common = kinds[0]
    elif all(map(pat.is_integer, kinds)):
        common = pa.int64()
    elif any(map(pat.is_floating, kinds)):
        common = pa.float64()
    else:
        common = kinds[0]
    return a.cast(common), b.cast(common)


# --- istream ----------------------------------------------------------------------


def _is_new(
    result: pa.Table, rows: pa.Table, bound: BoundQuery, keys: tuple[str, ...]
) -> Array:
    """Which rows differ from that of the previous window of the same key."""
    count = result.num_rows
    new = np.ones(count, bool)
    if count < 2:
        return new
    start = pc.struct_field(result.column("window"), "start")
    step = _follows(bound, start)
    for name in keys:
        step &= _same_as_before(result.column(name))
    for name in bound.compared:
        step &= _same_as_before(rows.column(name))
    new[1:] = ~step
    return new


def _follows(bound: BoundQuery, starts: pa.ChunkedArray) -> Array:
    """Whether each window but the first has the next number after the one above it."""
    window = bound.window
    assert window is not None
    clock = None
    if window.is_timed:
        clock = clock_of("start", starts.type, window.lengths)
    numbers: Array = window.rule(0, clock).last_over(_ticks(starts))
    following: Array = np.diff(numbers) == 1
    return following


def _same_as_before(column: pa.ChunkedArray) -> Array:
    if pat.is_nested(column.type):
        values = column.to_pylist()
        pairs = zip(values[1:], values[:-1], strict=True)
        return np.array([a == b for a, b in pairs], bool)
    array = column.combine_chunks()
    if pat.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    after, before = array[1:], array[:-1]
    same = pc.fill_null(pc.equal(after, before), False)
    same = pc.or_(same, pc.and_(pc.is_null(after), pc.is_null(before)))
    if pat.is_floating(array.type):
        nans = pc.and_(pc.is_nan(after), pc.is_nan(before))
        same = pc.or_(same, pc.fill_null(nans, False))
    mask: Array = same.to_numpy(zero_copy_only=False)
    return mask


__all__ = ["finished", "kept", "prepared", "schema_of"]
