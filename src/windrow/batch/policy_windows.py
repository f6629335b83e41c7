"""Windows by policy over a table: which rows each result is made of, then a kernel.

    rows of a key    0   1   2   3   4   5   6
    evict            |-----------|                    the oldest row that is still there
    trigger                  ^       ^       ^        results: [0, 3), [2, 5), [3, 7)

Rows of a key leave from the old end only, so both bounds only ever rise.  Where time
triggers, the last rows are reported at the first instant after them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._compiled import compiled
from windrow.algorithms import slide_arrays
from windrow.errors import BadInput
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.policies import EXACT
from windrow.plan.resolve import Facts, ResolvedPolicy
from windrow.windows.policy import COUNT, DELTA, PUNCTUATION, TIME

from .assemble import Answer, answer_columns
from .columns import numbers
from .kernel_inputs import facts_of, read_inputs
from .sorted_rows import Stream, check_room, stream_of

Array = np.ndarray[Any, Any]


@compiled
def _bounds(  # type: ignore[no-untyped-def]
    times, marks, signals, flags, firsts, lasts, kinds, lengths, far, starts, stops, at
):
    """Rows of each result; `at[k]` is where those of key k begin.  Gives their number.

    `kinds` and `lengths` are of eviction and trigger, `far` their distances.
    """
    evict, trigger = kinds
    range_, every = lengths
    made = 0
    fill = len(starts) > 0
    for k in range(len(firsts)):
        at[k] = made
        first, last = firsts[k], lasts[k]
        low, since, end = first, 0, np.int64(0)
        for i in range(first, last + 1):
            if evict == PUNCTUATION and i > first and flags[i - 1]:
                low = i
            due = False
            if trigger == TIME:
                if i > first and low < i and since > 0:
                    due = i == last or times[i] >= end
                if due or i == first or (i < last and times[i] >= end):
                    if due:
                        if fill:
                            starts[made], stops[made] = low, i
                        made += 1
                        since = 0
                    if i < last:
                        end = times[i] // every * every + every
                due = False
            if i == last:
                break
            if evict == COUNT:
                low = max(low, i - range_ + 1)
            elif evict == TIME:
                while times[low] <= times[i] - range_:
                    low += 1
            elif evict == DELTA:
                while marks[i] - marks[low] > far[0]:
                    low += 1
            since += 1
            if trigger == COUNT:
                due = since == every
            elif trigger == PUNCTUATION:
                due = flags[i] != 0
            elif trigger == DELTA:
                if i == first:
                    seen = signals[i]
                elif signals[i] - seen > far[1]:
                    seen = signals[i]
                    due = True
            if due:
                if fill:
                    starts[made], stops[made] = low, i + 1
                made += 1
                since = 0
    at[len(firsts)] = made
    return made


@dataclass(frozen=True)
class PolicyJob:
    """The rows of a table in stream order, and which of them each result is made of."""

    table: pa.Table
    plan: PolicyPlan
    stream: Stream
    starts: Array
    stops: Array
    counts: Array

    @property
    def facts(self) -> Facts:
        """What the rows tell the planner; no window is longer than `longest`."""
        plan, longest = self.plan, int((self.stops - self.starts).max(initial=0))
        facts = facts_of(self.table, self.stream, plan.reads, plan.sums)
        return replace(facts, longest=longest)

    def run(self, resolved: ResolvedPolicy) -> pa.Table:
        """One row per key and result."""
        plan, stream, asked = self.plan, self.stream, resolved.asked
        starts, stops, counts = self.starts, self.stops, self.counts
        inputs = read_inputs(self.table, stream, resolved.slots)
        out: tuple[Array, ...] = ()
        if resolved.choice is not None:
            algorithm = resolved.choice.algorithm
            out = slide_arrays(algorithm, asked.product, inputs.arrays, starts, stops)
        answer = Answer(None, starts, counts, starts, stops, out)
        results = answer_columns(
            self.table, stream, plan.calls, inputs.columns, asked, answer
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
    stream = stream_of(table, plan.by, plan.clock, plan.ties)
    rules = plan.rules
    check_room(stream.times, rules.range if rules.evict == TIME else 0)
    starts, stops, at = _results(table, stream, plan)
    return PolicyJob(table, plan, stream, starts, stops, np.diff(at))


def _results(
    table: pa.Table, stream: Stream, plan: PolicyPlan
) -> tuple[Array, Array, Array]:
    rules = plan.rules
    times = stream.times if stream.times is not None else np.empty(0, np.int64)
    flags = np.zeros(0, np.uint8)
    if rules.flag is not None:
        column = numbers(table.column(rules.flag), rules.flag)
        flags = stream.gather(column.values.astype(np.uint8))
    given = (
        times,
        _attribute(table, stream, rules.mark),
        _attribute(table, stream, rules.signal),
        flags,
        stream.firsts,
        stream.lasts,
        (rules.evict, rules.trigger),
        (rules.range, rules.every),
        (rules.furthest, rules.step),
    )
    at = np.zeros(len(stream.firsts) + 1, np.int64)
    none = np.empty(0, np.int64)
    made = _bounds(*given, none, none, at)
    starts, stops = np.empty(made, np.int64), np.empty(made, np.int64)
    if made:
        _bounds(*given, starts, stops, at)
    return starts, stops, at


def _attribute(table: pa.Table, stream: Stream, name: str | None) -> Array:
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
