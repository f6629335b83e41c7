"""Slides count windows without a key, block by block.

    rows of the stream    0 ........ at ......... start ........ stop ....... total
    a block               |          |== halo ==|=== its own ===|

A window of rows [b, b + range) is a result of the block that holds its last row.  The
halo begins a range and a slide before the block's own rows, so that there is room to
begin at a multiple of every slide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from windrow.batch.aggregate import solve_windows
from windrow.batch.assemble import Answer, select_windows
from windrow.batch.columns import run_bounds
from windrow.batch.sorted_rows import SortedRows, rows_in_order
from windrow.plan.resolved import Resolved

from .sweep import Batches, WindowRows, whole_runs

if TYPE_CHECKING:  # which has this step in its table
    from .task import Task

BLOCK, HALO, AT, TOTAL = "__block", "__halo", "__at", "__total"


def slide_blocks(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Slide the windows of each block, over rows sorted by block and time."""
    for table in whole_runs(batches, (BLOCK,), task.enough):
        for first, last in zip(*run_bounds(table, (BLOCK,)), strict=True):
            rows = table.slice(first, last - first)
            yield from task.windows(_slide_block(rows, task.tree.resolved))


def _slide_block(rows: pa.Table, resolved: Resolved) -> Iterator[WindowRows]:
    plan = resolved.plan
    at, total = (int(rows.column(name)[0].as_py()) for name in (AT, TOTAL))
    step = math.lcm(*(rule.step for rule in plan.rules))
    skip = -at % step
    base, rows = at + skip, rows.slice(skip)
    halo = int(rows.column(HALO).to_numpy().sum()) if len(rows) else 0
    start, stop = base + halo, base + len(rows)
    if start >= stop:
        return

    def trim(_: SortedRows, answers: list[Answer]) -> list[Answer]:
        ends = [np.minimum(answer.ends + base, total) for answer in answers]
        masks = [(end > start) & (end <= stop) for end in ends]
        return [select_windows(*pair) for pair in zip(answers, masks, strict=True)]

    without_key = replace(resolved, plan=replace(plan, by=()))
    stream = rows_in_order(rows, (), plan.clock)
    _, answers, columns = solve_windows(rows, without_key, stream, trim=trim)
    for answer, results in zip(answers, columns, strict=True):
        assert answer.rule is not None
        begins = np.maximum(answer.begins + base, 0)
        ends = np.minimum(answer.ends + base, total)
        runs = np.zeros(len(begins), np.int64)
        yield WindowRows(answer.rule, runs, pa.table({}), begins, ends, results)
