"""Executes a plan over windows by policy: bounds from the rows, then a kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import slide_arrays
from windrow.errors import BadInput
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.resolve import Facts, ResolvedPolicy
from windrow.windows import Frames
from windrow.windows.policy_numbers import EXACT, TIME, PolicyColumns, policy_frames

from .assemble import Answer, answer_columns
from .columns import numbers
from .kernel_inputs import facts_of, read_inputs
from .sorted_rows import SortedRows, check_room, sort_rows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class PolicyJob:
    """The rows of a table in stream order, and which of them each result is made of."""

    table: pa.Table
    plan: PolicyPlan
    stream: SortedRows
    frames: Frames

    @property
    def facts(self) -> Facts:
        """What the rows tell the planner; no window is longer than `longest`."""
        plan, frames = self.plan, self.frames
        longest = int((frames.stops - frames.starts).max(initial=0))
        facts = facts_of(self.table, self.stream, plan.reads, plan.sums)
        return replace(facts, longest=longest)

    def run(self, resolved: ResolvedPolicy) -> pa.Table:
        """One row per key and result."""
        plan, stream, request = self.plan, self.stream, resolved.request
        starts, stops = self.frames.starts, self.frames.stops
        inputs = read_inputs(self.table, stream, resolved.slots)
        out: tuple[Array, ...] = ()
        if resolved.choice is not None:
            algorithm = resolved.choice.algorithm
            out = slide_arrays(algorithm, request.product, inputs.arrays, starts, stops)
        answer = Answer(None, starts, self.frames.counts, starts, stops, out)
        results = answer_columns(
            self.table, stream, plan.calls, inputs.columns, request, answer
        )
        run = answer.runs
        base = stream.firsts[run] if len(run) else np.empty(0, np.int64)
        columns: dict[str, Any] = {
            name: stream.keys.column(name).take(pa.array(run)) for name in plan.by
        }
        columns["window"] = pa.StructArray.from_arrays(
            [pa.array(starts - base), pa.array(stops - base)], names=["start", "end"]
        )
        pairs = zip(plan.calls, results, strict=True)
        columns |= {bound.name: column for bound, column in pairs}
        return pa.table(columns).combine_chunks()


def open_policy(table: pa.Table, plan: PolicyPlan) -> PolicyJob:
    """Put the rows of a table in stream order, and let the policies go over them."""
    stream = sort_rows(table, plan.by, plan.clock, plan.ties)
    policies = plan.policies
    check_room(stream.times, policies.range if policies.evict == TIME else 0)
    columns = _columns(table, stream, plan)
    frames = policy_frames(policies, columns, stream.firsts, stream.lasts)
    return PolicyJob(table, plan, stream, frames)


def _columns(table: pa.Table, stream: SortedRows, plan: PolicyPlan) -> PolicyColumns:
    """The columns that policies look at, in stream order."""
    policies = plan.policies
    flags = np.zeros(0, np.uint8)
    if policies.flag is not None:
        column = numbers(table.column(policies.flag), policies.flag)
        flags = stream.gather(column.values.astype(np.uint8))
    return PolicyColumns(
        np.empty(0, np.int64) if stream.times is None else stream.times,
        _attribute(table, stream, policies.mark),
        _attribute(table, stream, policies.signal),
        flags,
    )


def _attribute(table: pa.Table, stream: SortedRows, name: str | None) -> Array:
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
    ordered = stream.gather(values)
    falls = np.flatnonzero(np.diff(ordered) < 0) + 1
    falls = falls[~np.isin(falls, stream.firsts)]
    if len(falls):
        raise BadInput.because(
            f"cannot go back to {ordered[falls[0]]:g} in {name!r}",
            "a column that a delta measures must never fall within a key",
            "order the rows by it: wr.window(..., on=...)",
        )
    return ordered


__all__ = ["PolicyJob", "open_policy"]
