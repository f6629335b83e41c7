"""Executes a resolved plan of `wr.as_of` over two tables in one process.

    labels   sorted by key and instant     runs of asks
    events   sorted by key and time        runs of rows, one for each run of asks

The frame of each label is found by cursors over the events of its key, as that of a row
in `wr.over` is.  A label whose key has no event has a run of no rows, and one without
an instant stands so far before all events that it sees none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.algorithms import slide_arrays, slide_back
from windrow.loops import in_threads, limited, steadily, thread_count
from windrow.plan.as_of import AsOfPlan
from windrow.plan.resolved import ResolvedFrame, ResolvedOver
from windrow.slicing import PART, Part, Runs
from windrow.windows import find_frames

from .assemble import Answer, answer_columns, frame_columns, join_columns
from .columns import plain_array, run_bounds
from .kernel_inputs import KernelInputs, TableJob, prepare_parts, read_inputs
from .keys import key_codes
from .sorted_rows import SortedRows, check_room, in_order, sort_rows, times_of

Array = np.ndarray[Any, Any]
Bounds = tuple[Array, Array]

_NO_KEYS = pa.table({})


@dataclass(frozen=True)
class Asks:
    """The instants of labels, sorted: asks `frames` of a run see its rows `runs`.

    A label without an instant is at `nowhere`, from which no event is seen.
    """

    instants: Array
    frames: Bounds
    runs: Bounds
    nowhere: int | None

    def part(self, part: Part) -> Asks:
        """The asks of a part, with bounds that count from its first ask and row."""
        firsts, lasts = (bound[part.runs] for bound in self.frames)
        asks = slice(firsts[0], lasts[-1])
        if part.is_stretch:
            asks = slice(firsts[0] + part.since, firsts[0] + part.until)
        bounds = (
            np.clip(b, asks.start, asks.stop) - asks.start for b in (firsts, lasts)
        )
        rows = part.rows
        runs = (
            np.clip(bound[part.runs], rows.start, rows.stop) - rows.start
            for bound in self.runs
        )
        instants = self.instants[asks]
        return Asks(instants, tuple(bounds), tuple(runs), self.nowhere)


@dataclass(frozen=True)
class AsOfJob(TableJob):
    """Computes features of labels over the events of their keys."""

    plan: AsOfPlan
    labels: SortedRows
    asks: Asks

    def parts(self, resolved: ResolvedOver) -> list[Part]:
        """Whole runs of about PART labels and events, whatever the number of threads.

        `rows` of a part are those of the events.  A run with very many is cut into
        stretches, of which each has the asks [since, until) of the run.
        """
        frames, runs = self.asks.frames, self.asks.runs
        events = runs[1] - runs[0]
        is_long = (events >= 2 * PART) & self._may_cut(resolved)
        work = (frames[1] - frames[0] + events).cumsum() // PART
        is_first = np.ones(len(work), bool)
        is_first[1:] = (np.diff(work) > 0) | is_long[1:] | is_long[:-1]
        cuts = np.flatnonzero(is_first).tolist()
        parts: list[Part] = []
        for a, b in zip(cuts, [*cuts[1:], len(work)], strict=False):
            rows = slice(int(runs[0][a]), int(runs[1][b - 1]))
            parts += self._stretches(a) if is_long[a] else [Part(slice(a, b), rows)]
        return parts

    def _may_cut(self, resolved: ResolvedOver) -> bool:
        """Whether a long run is cut: not if frames have no beginning, or look ahead."""
        frames = self.plan.frames
        bounded = not any(frame.is_everything or frame.ahead for frame in frames)
        return resolved.divides and resolved.cuts_runs and bounded

    def _stretches(self, run: int) -> list[Part]:
        """The stretches of a run: each has the asks that stop in its own rows.

        Those see rows from a frame before its first own row on, which are read too.
        """
        asks, most = self.asks, max(frame.most for frame in self.plan.frames)
        first, last = (np.array([int(bound[run])]) for bound in asks.runs)
        near = max(frame.interval[1] for frame in self.plan.frames)
        ticks = near - min(frame.interval[0] for frame in self.plan.frames)
        assert self.rows.times is not None
        cut = Runs(first, last, self.rows.times).back(most, ticks)
        own = asks.instants[asks.frames[0][run] : asks.frames[1][run]]
        firsts = self.rows.times[[part.rows.start + part.skip for part in cut[1:]]]
        edges = [0, *np.searchsorted(own + near, firsts, side="right"), len(own)]
        return [
            replace(part, runs=slice(run, run + 1), since=int(a), until=int(b))
            for part, a, b in zip(cut, edges, edges[1:], strict=False)
        ]

    def run(self, resolved: ResolvedOver) -> dict[str, Any]:
        """The features, in the order of the labels."""
        threads = resolved.threads(self.threads)
        parts = self.parts(resolved)
        with steadily(), limited(threads):
            inputs = read_inputs(self.table, self.rows, resolved.slots)
            table = prepare_parts(self.table, self.rows, self.plan.calls)

            def columns_of(
                rows: SortedRows, inputs: KernelInputs, asks: Asks
            ) -> dict[str, pa.Array]:
                return frame_columns(
                    resolved,
                    lambda frame: _frame_columns(table, rows, inputs, frame, asks),
                )

            def solve(number: int) -> dict[str, pa.Array]:
                part = parts[number]
                rows = self.rows.stretch(part.rows)
                asks, some = self.asks.part(part), inputs.part(part.rows)
                return columns_of(rows, some, asks)

            if len(parts) < 2:
                columns = columns_of(self.rows, inputs, self.asks)
                return {name: self.labels.scatter(columns[name]) for name in columns}
            results = in_threads(solve, len(parts), threads)
            joined = {n: join_columns([r[n] for r in results]) for n in results[0]}
            return {name: self.labels.scatter(joined[name]) for name in joined}


def open_as_of(
    labels: pa.Table, events: pa.Table, plan: AsOfPlan, threads: object = None
) -> AsOfJob:
    """Sort both tables by key and time, and find the events of each label's key."""
    threads = thread_count(threads, len(labels) + len(events))
    order = plan.by, plan.clock, plan.ties
    rows = sort_rows(events, *order, threads=threads)
    asks, nowhere = _instants(labels, rows, plan)
    sorted_asks = np.argsort(asks, kind="stable")
    sorted_labels = in_order(labels, plan.by, sorted_asks, threads)
    frames = sorted_labels.firsts, sorted_labels.lasts
    runs = np.zeros(len(frames[0]), int), np.full(len(frames[0]), len(rows))
    if plan.by:
        runs = _runs_of(sorted_labels.keys, rows, plan.by)
    own = Asks(sorted_labels.gather(asks), frames, runs, nowhere)
    return AsOfJob(events, plan, rows, sorted_labels, own, threads=threads)


def open_in_order(
    rows: pa.Table, is_label: Array, is_event: Array, plan: AsOfPlan
) -> AsOfJob:
    """Take labels and events out of one table that is sorted by key and time.

    Labels without an instant stand first in their key; events have a time.
    """
    firsts, lasts = run_bounds(rows, plan.by)
    assert plan.clock is not None
    read = [name for bound in plan.framed for name in bound.reads]

    def take(mask: Array, *names: str) -> tuple[pa.Table, SortedRows]:
        before = np.concatenate([[0], np.cumsum(mask)])
        runs = SortedRows(None, before[firsts], before[lasts], _NO_KEYS, None)
        return rows.select(list(dict.fromkeys(names))).filter(pa.array(mask)), runs

    labels, sorted_labels = take(is_label, plan.at.column)
    events, sorted_events = take(is_event, *read, plan.clock.column)
    sorted_events = replace(sorted_events, times=times_of(events, plan.clock)[0])
    asks, nowhere = _instants(labels, sorted_events, plan)
    frames = sorted_labels.firsts, sorted_labels.lasts
    runs = sorted_events.firsts, sorted_events.lasts
    own = Asks(asks, frames, runs, nowhere)
    return AsOfJob(events, plan, sorted_events, sorted_labels, own)


def _instants(
    labels: pa.Table, rows: SortedRows, plan: AsOfPlan
) -> tuple[Array, int | None]:
    """The instants up to which labels look, and that of those who have none."""
    instants, has_instant = times_of(labels, plan.at)
    reach = plan.delay + max(plan.reach)
    check_room(rows.extremes, reach + 1)
    check_room(instants if has_instant is None else instants[has_instant], reach + 1)
    asks = instants - plan.delay
    if has_instant is None:
        return asks, None
    earliest = 0 if rows.times is None else int(rows.times.min(initial=0))
    known = asks[has_instant].min(initial=earliest)
    nowhere = int(known) - max(plan.reach) - 2
    return np.where(has_instant, asks, nowhere), nowhere


def _runs_of(keys: pa.Table, rows: SortedRows, by: tuple[str, ...]) -> Bounds:
    """The rows of each key; none, after those of the key before, where it has none."""
    both = [
        pa.table({name: plain_array(table.column(name)) for name in by})
        for table in (keys, rows.keys)
    ]
    codes, _ = key_codes(pa.concat_tables(both), list(by))
    owner = np.full(int(codes.max(initial=-1)) + 1, -1)
    owner[codes[len(keys) :]] = np.arange(len(rows.keys))
    found = owner[codes[: len(keys)]]
    known = found >= 0
    firsts = np.where(known, np.append(rows.firsts, 0)[found], 0)
    lasts = np.where(known, np.append(rows.lasts, 0)[found], 0)
    lasts = np.maximum.accumulate(lasts)
    return np.where(known, firsts, lasts), lasts


def _frame_columns(
    table: pa.Table,
    rows: SortedRows,
    inputs: KernelInputs,
    resolved: ResolvedFrame,
    asks: Asks,
) -> list[pa.Array]:
    """The features of all calls of a frame, in one pass."""
    frame, request, choice = resolved.frame, resolved.request, resolved.choice
    times: Array = np.empty(0, np.int64) if rows.times is None else rows.times
    runs, instants, frames = asks.runs, asks.instants, asks.frames
    back, most = frame.interval, frame.most
    starts = stops = np.empty(0, np.int64)
    if len(request.calls) < len(resolved.calls) or not resolved.by_cursors:
        ahead = frame.ahead if frame.counts_rows else 0
        starts, stops = find_frames(times, runs, instants, frames, *back, most, ahead)
        if ahead and asks.nowhere is not None:
            stops = np.where(instants == asks.nowhere, starts, stops)
    out: tuple[Array, ...] = ()
    if choice is not None:
        work, lane = (choice.algorithm, request.product, inputs.arrays), choice.lane
        if resolved.by_cursors:
            about = instants, frames, back
            out = slide_back(*work, times, runs, *about, most=most, lane=lane)
        else:
            out = slide_arrays(*work, starts, stops, lane=lane)
    counts = asks.frames[1] - asks.frames[0]
    answer = Answer(None, starts, counts, starts, stops, out)
    return answer_columns(table, rows, resolved.calls, inputs.columns, request, answer)
