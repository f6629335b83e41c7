"""Executes a plan over windows by policy: bounds from the rows, then a kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import slide_arrays
from windrow.errors import BadInput
from windrow.loops import as_arrow
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.resolve import Facts, ResolvedPolicy
from windrow.windows import Frames
from windrow.windows.policy_numbers import EXACT, TIME, PolicyColumns, policy_frames

from .assemble import Answer, answer_columns
from .columns import numbers
from .kernel_inputs import TableJob, read_inputs
from .sorted_rows import SortedRows, check_room, sort_rows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class PolicyJob(TableJob):
    """Computes one row per key and result, from the rows in `frames`."""

    plan: PolicyPlan
    frames: Frames

    @property
    def facts(self) -> Facts:
        """The facts that complete the plan; no window is longer than `longest`."""
        lengths = self.frames.stops - self.frames.starts
        return replace(super().facts, longest=int(lengths.max(initial=0)))

    def run(self, resolved: ResolvedPolicy) -> pa.Table:
        """The results as a table; `window` holds numbers of rows within the key."""
        table, plan, rows = self.table, self.plan, self.rows
        request, starts, stops = resolved.request, self.frames.starts, self.frames.stops
        inputs = read_inputs(table, rows, resolved.slots)
        out: tuple[Array, ...] = ()
        if resolved.choice is not None:
            work = resolved.choice.algorithm, request.product, inputs.arrays
            out = slide_arrays(*work, starts, stops, lane=resolved.choice.lane)
        answer = Answer(None, starts, self.frames.counts, starts, stops, out)
        results = answer_columns(
            table, rows, plan.calls, inputs.columns, request, answer
        )
        first = np.repeat(rows.firsts, answer.counts)
        runs = as_arrow(answer.runs)
        columns: dict[str, Any] = {
            name: rows.keys.column(name).take(runs) for name in plan.by
        }
        columns["window"] = pa.StructArray.from_arrays(
            [as_arrow(starts - first), as_arrow(stops - first)], names=["start", "end"]
        )
        columns.update(zip((b.name for b in plan.calls), results, strict=True))
        return pa.table(columns).combine_chunks()


def open_policy(table: pa.Table, plan: PolicyPlan) -> PolicyJob:
    """Sort the rows of a table, and let the policies go over them."""
    rows = sort_rows(table, plan.by, plan.clock, plan.ties)
    policies = plan.policies
    check_room(rows.extremes, policies.range if policies.evict == TIME else 0)
    flags = np.zeros(0, np.uint8)
    if policies.flag is not None:
        column = numbers(table.column(policies.flag), policies.flag)
        flags = rows.gather(column.values.astype(np.uint8))
    columns = PolicyColumns(
        np.empty(0, np.int64) if rows.times is None else rows.times,
        _attribute(table, rows, policies.mark),
        _attribute(table, rows, policies.signal),
        flags,
    )
    frames = policy_frames(policies, columns, rows.firsts, rows.lasts)
    return PolicyJob(table, plan, rows, frames)


def _attribute(table: pa.Table, rows: SortedRows, name: str | None) -> Array:
    """A column that a delta measures: numbers that never fall within a key."""
    if name is None:
        return np.empty(0)
    column = numbers(table.column(name), name)
    values = column.values.astype(np.float64)
    known = values if column.valid is None else values[column.valid]
    if column.valid is not None or not (np.abs(known) <= EXACT).all():
        raise BadInput.because(
            f"cannot measure how far {name!r} has moved on",
            "it holds a null, a NaN or a number past 2**53",
            "leave such rows out",
        )
    ordered = rows.gather(values)
    falls = np.flatnonzero(np.diff(ordered) < 0) + 1
    falls = falls[~np.isin(falls, rows.firsts)]
    if len(falls):
        raise BadInput.because(
            f"cannot go back to {ordered[falls[0]]:g} in {name!r}",
            "a column that a delta measures must never fall within a key",
            "order the rows by it: wr.window(..., on=...)",
        )
    return ordered
