"""What tasks have folded, many rows in one: partials travel as the bytes they are.

    keys | first | last | goes | p0 | p1       a row for each part of each slice
    keys | block | rows                         a row for at most PACK of them

A row that is shuffled is written field by field: out of Python, into the shuffle, out
of the sort, and into Python again (600,000 rows of 9 fields: 1.5 of 3.8 s).  Packed
they are one field.  A block is a length of time.  Rows of one key and block are
unpacked together, in any order: what comes after them begins later than all of them,
which is what a sweep asks for, and memory is bounded as it is without.  Only numbers
can be packed, and only where nobody has to look inside on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.columns import plain_array
from windrow.batch.partials import PartialField
from windrow.batch.runs import run_bounds
from windrow.plan.aggregate import Plan
from windrow.plan.tree import Tree

from .span_pieces import FIRST, GOES, LAST, instants
from .sweep import whole_runs

Array = np.ndarray[Any, Any]

BLOCK, PACKED = "__block", "__rows"

PACK = 64  # rows in one: Spark makes batches of 10,000, whatever their size
SLIDES = 256  # in a block


def packs(tree: Tree, fields: Sequence[PartialField]) -> bool:
    """Whether folded rows are packed on their way."""
    plain = all(field.ranked is None and not field.payloads for field in fields)
    return plain and tree.split == "none"


def pack(table: pa.Table, plan: Plan, fields: Sequence[PartialField]) -> pa.Table:
    """Rows that stand by key and first slice as few: keys, block, bytes."""
    firsts = instants(table, FIRST)
    block = firsts // (SLIDES * min(rule.step for rule in plan.rules))
    keys = [f"k{i}" for i in range(len(plan.by))]
    opens = _opens(run_bounds(table, keys)[0], block)
    names = [FIRST, LAST, GOES, *(field.name for field in fields)]
    rows = np.empty((len(table), len(names)), np.int64)
    for i, name in enumerate(names):
        values = table.column(name).combine_chunks().to_numpy(zero_copy_only=False)
        rows[:, i] = values.view(np.int64) if values.dtype == float else values
    edges = np.append(opens, len(table)) * (8 * len(names))
    assert edges[-1] < 1 << 31, "a stretch is shorter"
    buffers = [None, pa.py_buffer(edges.astype(np.int32)), pa.py_buffer(rows)]
    return pa.table(
        {
            **{name: table.column(name).take(pa.array(opens)) for name in keys},
            BLOCK: pa.array(block[opens]),
            PACKED: pa.Array.from_buffers(pa.binary(), len(opens), buffers),
        }
    )


def _opens(runs: Array, block: Array) -> Array:
    """Where a key, a block, or PACK rows begin."""
    new = np.ones(len(block), bool)
    new[1:] = block[1:] != block[:-1]
    new[runs] = True
    groups = np.flatnonzero(new)
    within = np.arange(len(block)) - np.repeat(groups, np.diff(groups, append=len(new)))
    return np.flatnonzero(within % PACK == 0)


def unpacked(
    batches: Iterable[pa.RecordBatch], by: Sequence[str], fields: Sequence[PartialField]
) -> Iterator[pa.RecordBatch]:
    """The rows again, by key and block, no block in two batches."""
    for table in whole_runs(batches, (*by, BLOCK), 1):
        yield from _unpack(table, by, fields).to_batches()


def _unpack(
    table: pa.Table, by: Sequence[str], fields: Sequence[PartialField]
) -> pa.Table:
    packed = plain_array(table.column(PACKED)).cast(pa.binary())
    _, offsets, held = packed.buffers()
    start = packed.offset
    edges = np.frombuffer(offsets, np.int32)[start : start + len(packed) + 1]
    width = 8 * (3 + len(fields))
    rows = np.frombuffer(held, np.int8)[edges[0] : edges[-1]].view(np.int64)
    rows = rows.reshape(-1, width // 8)
    of = np.repeat(np.arange(len(packed)), np.diff(edges) // width)
    columns: dict[str, Any] = {
        name: table.column(name).take(pa.array(of)) for name in by
    }
    kinds = ["int64", "int64", "bool", *(field.dtype for field in fields)]
    names = [FIRST, LAST, GOES, *(field.name for field in fields)]
    for i, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        values = np.ascontiguousarray(rows[:, i])
        as_float = kind == "float64"
        columns[name] = values.view(np.float64) if as_float else values.astype(kind)
    return pa.table(columns).combine_chunks()


__all__ = ["BLOCK", "PACKED", "pack", "packs", "unpacked"]
