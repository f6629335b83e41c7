"""What a text asks for around the aggregation, on Arrow tables.

    before   rows numbered, joined, filtered, columns computed      prepared
    after    complete windows, having, istream, the select list     finished

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
_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def prepared(inputs: Mapping[str, Any], one: Pass) -> pa.Table:
    """The columns that the aggregation of a pass reads."""
    rows, used = one.rows, one.reads
    own = {name for join in rows.joins for name, _ in join.columns}
    table = read(inputs[rows.stream], [name for name in used if name not in own])
    if rows.numbered is not None:
        table = _numbered(table, rows.time, rows.numbered)
    if rows.where is not None and rows.filters_first:
        table = table.filter(evaluate(rows.where, table))
    for join in rows.joins:
        table = _join(table, inputs[join.table], join, used)
    if rows.where is not None and not rows.filters_first:
        table = table.filter(evaluate(rows.where, table))
    return _computed(one.columns, table)


def finished(result: pa.Table, member: Member, keys: tuple[str, ...]) -> pa.Table:
    """The rows of one query, from those of its pass."""
    bound = member.bound
    if "query" in result.column_names:
        mine = pc.equal(result.column("query"), member.window)
        result = result.filter(mine)
    if bound.rows.numbered is not None:
        window = result.column("window")
        begun = pc.greater_equal(pc.struct_field(window, "start"), 0)
        ended = pc.struct_field(window, "end")
        whole = pc.less_equal(ended, result.column(TOTAL))
        result = result.filter(pc.and_(begun, whole))
    if bound.having is not None:
        result = result.filter(evaluate(bound.having, result))
    made = _computed(dict(bound.items), result)
    if bound.query.istream and bound.window is not None:
        made = made.filter(pa.array(_is_new(result, made, bound, keys)))
    return made


def kept(result: pa.Table) -> pa.Table:
    """What several queries read: a table is there already."""
    return result


def _computed(columns: Mapping[str, Expression], table: pa.Table) -> pa.Table:
    made = [evaluate(expression, table) for expression in columns.values()]
    return pa.table(made, names=list(columns))


# --- numbers ----------------------------------------------------------------------


def _numbered(table: pa.Table, time: str | None, within: tuple[str, ...]) -> pa.Table:
    """Each row's place in order of time, ties as they came, among those of its key."""
    if time is not None:
        table = table.filter(pc.is_valid(table.column(time)))
    count = table.num_rows
    order = np.arange(count)
    if time is not None:
        order = np.argsort(_ticks(table.column(time)), kind="stable")
    group = np.zeros(count, np.int64)
    for name in within:
        codes = _codes(table.column(name))
        both = group * (codes.max(initial=0) + 1) + codes
        group = np.unique(both, return_inverse=True)[1]
    order = order[np.argsort(group[order], kind="stable")]
    sizes = np.bincount(group, minlength=1)
    firsts = np.cumsum(sizes) - sizes
    place = np.empty(count, np.int64)
    place[order] = np.arange(count) - firsts[group[order]]
    table = table.append_column(ROW, pa.array(place))
    return table.append_column(TOTAL, pa.array(sizes[group].astype(np.int64)))


def _ticks(times: pa.ChunkedArray) -> Array:
    kind = times.type
    if pat.is_date32(kind):
        times = times.cast(pa.int32())
    found: Array = times.cast(pa.int64()).to_numpy()
    return found


def _codes(column: pa.ChunkedArray) -> Array:
    """A number for each value, 0 for null."""
    if pat.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    encoded = column.combine_chunks().dictionary_encode()
    codes: Array = pc.fill_null(encoded.indices.cast(pa.int64()), -1).to_numpy() + 1
    return codes


# --- joins ------------------------------------------------------------------------


def _join(table: pa.Table, other: Any, join: JoinedTable, used: list[str]) -> pa.Table:
    """The pairs of rows with equal keys, in the order of the rows, then of the table.

    Only keys and places are joined: the columns follow by `take`, whatever their types.
    """
    payload = [(called, own) for called, own in join.columns if called in used]
    keys = [own for _, own in join.pairs]
    names = list(dict.fromkeys([*keys, *(own for _, own in payload)]))
    right = read(other, names)
    lefts = [f"left {i}" for i in range(len(keys))]
    rights = [f"right {i}" for i in range(len(keys))]
    sides = [table.column(left) for left, _ in join.pairs]
    others = [right.column(own) for own in keys]
    met = [_meeting(a, b) for a, b in zip(sides, others, strict=True)]
    one = pa.table([a for a, _ in met], names=lefts).append_column(
        "here", pa.array(np.arange(table.num_rows))
    )
    two = pa.table([b for _, b in met], names=rights).append_column(
        "there", pa.array(np.arange(right.num_rows))
    )
    kind = "left outer" if join.is_left else "inner"
    pairs = one.join(two, lefts, rights, join_type=kind).sort_by(
        [("here", "ascending"), ("there", "ascending")]
    )
    table = table.take(pairs.column("here"))
    for called, own in payload:
        column = right.column(own).take(pairs.column("there"))
        table = table.append_column(called, column)
    return table


def _meeting(a: pa.ChunkedArray, b: pa.ChunkedArray) -> tuple[Any, Any]:
    """Two columns as one type."""
    kinds = [
        one.type.value_type if pat.is_dictionary(one.type) else one.type
        for one in (a, b)
    ]
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
    result: pa.Table, made: pa.Table, bound: BoundQuery, keys: tuple[str, ...]
) -> Array:
    """Which results the window just before, of the same key, did not have."""
    count = result.num_rows
    new = np.ones(count, bool)
    if count < 2:
        return new
    start = pc.struct_field(result.column("window"), "start")
    step = _follows(bound, start)
    for name in keys:
        step &= _same_as_before(result.column(name))
    for name in bound.compared:
        step &= _same_as_before(made.column(name))
    new[1:] = ~step
    return new


def _follows(bound: BoundQuery, starts: pa.ChunkedArray) -> Array:
    """Whether each window but the first is the next one after that before it."""
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
    whole = column.combine_chunks()
    if pat.is_dictionary(whole.type):
        whole = whole.cast(whole.type.value_type)
    after, before = whole[1:], whole[:-1]
    same = pc.fill_null(pc.equal(after, before), False)
    same = pc.or_(same, pc.and_(pc.is_null(after), pc.is_null(before)))
    if pat.is_floating(whole.type):
        both = pc.and_(pc.is_nan(after), pc.is_nan(before))
        same = pc.or_(same, pc.fill_null(both, False))
    found: Array = same.to_numpy(zero_copy_only=False)
    return found


__all__ = ["finished", "kept", "prepared", "schema_of"]
