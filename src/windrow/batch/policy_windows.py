"""Executes a plan over windows by policy: bounds from the rows, then a kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.algorithms import slide_arrays
from windrow.errors import BadInput
from windrow.loops import as_arrow
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.facts import Facts
from windrow.plan.resolved import ResolvedPolicy
from windrow.windows import Frames
from windrow.windows.policy_numbers import (
    COUNT,
    DELTA,
    EXACT,
    PUNCTUATION,
    TIME,
    PolicyColumns,
    policy_frames,
)

from .assemble import Answer, answer_columns
from .columns import numbers
from .kernel_inputs import TableJob, read_inputs
from .sorted_rows import SortedRows, check_room, sort_rows

Array = np.ndarray[Any, Any]


class PolicyPlaces(NamedTuple):
    """Results over sorted rows: result i, of run `runs[i]`, is of rows [start, stop).

    Run k begins at place `bases[k]` of its key; its results up to place `dones[k]` are
    out; from row `carried[k]` of the run on rows must be kept, where more may come.
    """

    runs: Array
    starts: Array
    stops: Array
    bases: Array
    dones: Array
    carried: Array


@dataclass(frozen=True)
class PolicyJob(TableJob):
    """Computes one row per key and result, from the rows in `frames`."""

    plan: PolicyPlan
    frames: Frames
    seen: PolicyColumns

    @property
    def facts(self) -> Facts:
        """The facts that complete the plan; no window is longer than `longest`."""
        lengths = self.frames.stops - self.frames.starts
        return replace(super().facts, longest=int(lengths.max(initial=0)))

    def run(self, resolved: ResolvedPolicy) -> pa.Table:
        """The results as a table; `window` holds numbers of rows within the key."""
        none = np.zeros(len(self.rows.firsts), np.int64)
        places = self.results_after(none, none, none > 0)
        keys = [f"k{i}" for i in range(len(self.plan.by))]
        columns = self.columns(resolved, places)
        named: dict[str, Any] = {
            name: columns.pop(key) for name, key in zip(self.plan.by, keys, strict=True)
        }
        bounds = [columns.pop("start"), columns.pop("end")]
        named["window"] = pa.StructArray.from_arrays(bounds, names=["start", "end"])
        calls = self.plan.calls
        named.update(zip((b.name for b in calls), columns.values(), strict=True))
        return pa.table(named).combine_chunks()

    def columns(self, resolved: ResolvedPolicy, places: PolicyPlaces) -> dict[str, Any]:
        """Results: k0, ..., start, end (places within the key), r0, ..."""
        table, plan, rows = self.table, self.plan, self.rows
        request, starts, stops = resolved.request, places.starts, places.stops
        inputs = read_inputs(table, rows, resolved.slots)
        out: tuple[Array, ...] = ()
        if resolved.choice is not None:
            work = resolved.choice.algorithm, request.product, inputs.arrays
            out = slide_arrays(*work, starts, stops, lane=resolved.choice.lane)
        counts = np.bincount(places.runs, minlength=len(rows.firsts))
        answer = Answer(None, starts, counts, starts, stops, out)
        results = answer_columns(
            table, rows, plan.calls, inputs.columns, request, answer
        )
        zero = (rows.firsts - places.bases)[places.runs]
        runs = as_arrow(places.runs)
        columns: dict[str, Any] = {
            f"k{i}": rows.keys.column(name).take(runs) for i, name in enumerate(plan.by)
        }
        columns |= {"start": as_arrow(starts - zero), "end": as_arrow(stops - zero)}
        return columns | {f"r{i}": column for i, column in enumerate(results)}

    def results_after(self, bases: Array, dones: Array, is_open: Array) -> PolicyPlaces:
        """Results behind place `dones[k]` of keys whose rows begin at `bases[k]`.

        If `is_open[k]`, more rows may come before the instant at which time triggers a
        result of the last ones.
        """
        rows, frames = self.rows, self.frames
        runs = np.repeat(np.arange(len(rows.firsts)), frames.counts)
        stops = frames.stops - rows.firsts[runs] + bases[runs]
        keep = stops > dones[runs]
        if self.plan.policies.trigger == TIME:
            keep &= ~(is_open[runs] & (frames.stops == rows.lasts[runs]))
        after = dones.copy()
        np.maximum.at(after, runs[keep], stops[keep])
        carried = self._carried(bases)
        bounds = frames.starts[keep], frames.stops[keep]
        return PolicyPlaces(runs[keep], *bounds, bases, after, carried)

    def _carried(self, bases: Array) -> Array:
        """From which row on each key must be kept, for policies to go on."""
        rows, policies = self.rows, self.plan.policies
        last = rows.lasts - 1
        always = replace(policies, trigger=COUNT, every=1)
        held = policy_frames(always, self.seen, rows.firsts, rows.lasts).starts
        low = held[last]
        if policies.evict == PUNCTUATION:
            low = np.where(self.seen.flags[last] != 0, last, low)
        if policies.trigger == COUNT:
            place = low - rows.firsts + bases
            low = low - np.minimum(place % policies.every, low - rows.firsts)
        elif policies.trigger == DELTA:
            due = np.concatenate([rows.firsts, self.frames.stops - 1])
            due.sort()
            low = due[np.searchsorted(due, low, side="right") - 1]
        carried: Array = low - rows.firsts
        return carried


def open_policy(table: pa.Table, plan: PolicyPlan) -> PolicyJob:
    """Sort the rows of a table, and let the policies go over them."""
    return open_sorted(table, plan, sort_rows(table, plan.by, plan.clock, plan.ties))


def open_sorted(table: pa.Table, plan: PolicyPlan, rows: SortedRows) -> PolicyJob:
    """Let the policies go over sorted rows."""
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
    return PolicyJob(table, plan, rows, frames, columns)


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
