"""A bucket of windows over events with a duration, whose state is slices of two parts.

    event            [=============)              comes when it ends
    slices        |  a  |  b  |  c  |  d  |
    goes             x     x     x                of slices that it goes on beyond
    ends                            x             of the slice in which it ends

A window is the `ends` of its slices, which are kept as those of points are, and `goes`
of the last one.  The last slice of a window that is not out is not closed, so that
`goes` are kept for open slices only: they wait in cells, and are used up in the step in
which their slice is closed.  State grows with slices and keys, not with events, however
long these last.

Events travel as pieces: all of a key that start in one slice and end in another are
one, with the number of these events.  An event whose last slice is closed counts as a
late point does; one that started before windows that are out has missed these.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.partials import PANE, ROWS, Folding
from windrow.batch.sorted_rows import check_room
from windrow.batch.spans import span_times
from windrow.plan.aggregate import Plan
from windrow.windows.rule import Array

from .codec import StepStats
from .due import out_of_reach
from .feed import Feed
from .slices import SliceBucket

GOES, SINCE = "goes", "since"
FIRST, LAST = "__windrow_first", "__windrow_last"  # beside the columns of a user


@dataclass(frozen=True)
class PieceFolding(Folding):
    """Folds events into pieces: keys | since | pane | rows in it | partial."""

    def fold(self, table: pa.Table) -> pa.Table:
        """The pieces of a table of events; those without a bound are left out."""
        plan, events = self.plan, span_times(table, self.plan)
        assert plan.clock is not None
        starts, lasts = events.starts, events.lasts
        if events.known is not None:
            table = table.filter(pa.array(events.known))
            starts, lasts = starts[events.known], lasts[events.known]
        check_room(starts, plan.longest)
        since = pa.array(plan.cuts.begins(starts))
        table = table.append_column(FIRST, since).append_column(LAST, pa.array(lasts))
        points = replace(
            plan,
            span=None,
            by=(*plan.by, FIRST),
            schema=table.schema,
            clock=replace(plan.clock, column=LAST, factor=1),
        )
        pieces = Folding(points, self.request, self.slots).fold(table)
        names = [SINCE if n == f"k{len(plan.by)}" else n for n in pieces.column_names]
        return pieces.rename_columns(names)


def point_plan(plan: Plan) -> Plan:
    """The plan of the same windows over points."""
    return replace(plan, span=None)


@dataclass(frozen=True)
class SpanSliceBucket(SliceBucket):
    """A bucket of `wr.aggregate` over events with a duration; it keeps slices.

    Tables have pieces, or events where `events` folds them.
    """

    events: PieceFolding | None = None

    @cached_property
    def feed(self) -> Feed:
        """Reads slices of two parts."""
        return Feed(self.folding, True, self.former, (GOES,))

    def _tell_late(
        self, tables: list[pa.Table], closed: int, stats: StepStats
    ) -> tuple[list[pa.Table], list[pa.Table]]:
        """Open slices of two parts, and late ones that count in some window."""
        in_time, late = [], []
        for came in tables:
            table = came
            if self.events is not None:
                missed = self._missed_events(table, closed)
                stats.rows_in += len(table)
                stats.late_rows += int(missed.sum())
                if self.keep_late and missed.any():
                    stats.late.append(table.filter(pa.array(missed)))
                table = self.events.fold(table)
            marks, rows = table.column(PANE).to_numpy(), table.column(ROWS).to_numpy()
            since = table.column(SINCE).to_numpy()
            if self.events is None:
                stats.rows_in += int(rows.sum())
                stats.late_rows += int(rows[self._missed(since, marks, closed)].sum())
            behind, gone = self._behind(marks, closed)
            in_time.append(self._two_parts(table.filter(pa.array(~behind)), closed))
            if (behind & ~gone).any():
                points = table.filter(pa.array(behind & ~gone)).drop_columns([SINCE])
                late.append(_with_goes(points, 0))
        return in_time, late

    def _behind(self, marks: Array, closed: int) -> tuple[Array, Array]:
        """Which events end in closed slices, and which of them count nowhere."""
        behind = self.feed.ends(marks) <= closed
        if not self.count_late:
            return behind, behind
        return behind, behind & out_of_reach(self.folding.plan.rules, marks, closed)

    def _missed(self, starts: Array, lasts: Array, closed: int) -> Array:
        """Which events have missed a window, or count nowhere."""
        rules = self.folding.plan.rules
        ends = [rule.end(rule.first_over(starts)) for rule in rules]
        missed: Array = self._behind(lasts, closed)[1] | (np.min(ends, 0) <= closed)
        return missed

    def _missed_events(self, table: pa.Table, closed: int) -> Array:
        assert self.events is not None
        events = span_times(table, self.events.plan)
        missed = self._missed(events.starts, events.lasts, closed)
        return missed if events.known is None else missed | ~events.known

    def _two_parts(self, pieces: pa.Table, closed: int) -> pa.Table:
        """The `ends` of pieces, and `goes` of the open slices that they go through."""
        last, since = (pieces.column(name).to_numpy() for name in (PANE, SINCE))
        cuts = self.folding.plan.cuts
        at = np.maximum(since, cuts.begins(np.array([closed]))[0])
        owners, panes = [], []
        some = np.flatnonzero(at < last)
        while len(some):
            owners.append(some)
            panes.append(at[some])
            at[some] = cuts.ends(at[some])
            some = some[at[some] < last[some]]
        pieces = pieces.drop_columns([SINCE])
        ends = _with_goes(pieces, 0)
        if not owners:
            return ends
        goes = pieces.take(pa.array(np.concatenate(owners)))
        column = goes.column_names.index(PANE)
        goes = goes.set_column(column, PANE, pa.array(np.concatenate(panes)))
        return self.feed.slices([ends, _with_goes(goes, 1)])

    def is_tail(self, slices: pa.Table) -> Array:
        """Which are parts of events that go on beyond their slice."""
        goes: Array = slices.column(GOES).to_numpy() > 0
        return goes


def _with_goes(table: pa.Table, goes: int) -> pa.Table:
    column = pa.array(np.full(len(table), goes, np.int8))
    return table.add_column(table.column_names.index(PANE), GOES, column)
