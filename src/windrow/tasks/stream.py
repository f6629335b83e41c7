"""The two ends of a stream's state, as tasks of a distributed engine.

FeedTask     rows of a partition   ->  a blob for each bucket      before the shuffle
StateTask    blobs of a bucket     ->  blobs of results            with its state

The time of a query whose source may fall silent is the watermark, or the batch clock:

    watermark      w . . . . . . . . . w + 3        rests, then moves
    batch clock    c         c + idle   |
    own time       w         w . . > .  max of both

All buckets are called in every micro-batch, so that their times agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow._later import dataclass
from windrow.batch.columns import array_runs
from windrow.batch.partials import Folding, PartialLayout
from windrow.loops import TaskLane, running
from windrow.plan.aggregate import Plan
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.flow import Flow
from windrow.plan.over import OverPlan
from windrow.state.codec import Bucket, StepStats, Store, pack, unpack
from windrow.state.fingerprint import QueryDescription, describe
from windrow.state.last_rows import CountBucket, RollBucket
from windrow.state.past_slices import CountSliceBucket, OverSliceBucket
from windrow.state.policies import PolicyBucket
from windrow.state.rows import PagedBucket, RowBucket, SpanBucket
from windrow.state.slices import SliceBucket
from windrow.state.span_slices import PieceFolding, SpanSliceBucket, point_plan
from windrow.windows.repeats import LAST, WINDOWS

from .sweep import Batches, as_batches, stretches

BUCKET, BLOB = "bucket", "blob"
LATE_FLAG = "late"
ASIDE = "aside"  # the number of rows in a blob that are late, whatever the watermark
BEFORE_ALL = -(2**63)  # ticks
OWN_TIME = -1  # in the store: beside the blobs that a bucket numbers itself

# In a blob of results: less than a megabyte, since the JVM treats arrays of half a
# region (a megabyte, with a heap of 4 GB) apart, and slowly.
MOST_RESULTS = 1 << 14


@dataclass(frozen=True)
class FeedTask:
    """Rows, of which the first column is the bucket, as blobs.

    With `folding`, whose first key is the bucket, they are folded into slices.  `beats`
    are the buckets that are called in the first micro-batch, whether they get rows or
    not: from then on they know how far time was.  With `aside` the last column tells
    rows that are set aside: they go to buckets as late ones, whole with `keeps`.
    """

    names: tuple[str, ...]
    folding: Folding | None
    enough: int
    beats: tuple[int, ...] = ()
    aside: bool = False
    keeps: bool = False
    lane: TaskLane = field(default_factory=TaskLane)

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Run it over the batches of one partition."""
        named = (batch.rename_columns(list(self.names)) for batch in batches)
        with running(self.lane):
            for table, _ in stretches(named, lambda: 4 * self.enough):
                rows, gone = _part(table) if self.aside else (table, None)
                if gone is not None:
                    yield from self._aside(gone)
                if len(rows):
                    yield self._blobs(rows)

    def beat(self) -> pa.RecordBatch:
        """A blob without rows for each bucket."""
        blob = pack(pa.table({}), "feed", small=False)
        return _batch(self.beats, [blob] * len(self.beats))

    def _aside(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """Rows set aside: how many, and with `keeps` themselves."""
        buckets = table.column(BUCKET).to_numpy()
        table = table.drop_columns([BUCKET])
        for bucket in np.unique(buckets).tolist():
            mine = table.filter(pa.array(buckets == bucket))
            rows = mine if self.keeps else pa.table({})
            facts = {ASIDE: len(mine)}
            yield _batch([bucket], [pack(rows, "feed", facts, small=False)])

    def _blobs(self, table: pa.Table) -> pa.RecordBatch:
        if self.folding is None:
            buckets = table.column(BUCKET).to_numpy()
            order = np.argsort(buckets, kind="stable")
            buckets, table = buckets[order], table.take(pa.array(order))
            table = table.drop_columns([BUCKET])
        else:
            table = self.folding.fold(table)
            buckets = table.column("k0").to_numpy()
            table = table.drop_columns(["k0"])
            count = len(self.folding.plan.by) - 1
            renamed = [f"k{i}" for i in range(count)] + table.column_names[count:]
            table = table.rename_columns(renamed)
        starts, stops = array_runs(buckets)
        blobs = [
            pack(table.slice(start, stop - start), "feed", small=False)
            for start, stop in zip(starts, stops, strict=True)
        ]
        return _batch(buckets[starts], blobs)


def _part(table: pa.Table) -> tuple[pa.Table, pa.Table | None]:
    """Rows to go on with, and rows that the last column sets aside."""
    aside = table.column(table.num_columns - 1)
    table = table.select(table.column_names[:-1])
    if not pc.any(aside).as_py():
        return table, None
    return table.filter(pc.invert(aside)), table.filter(aside)


def _batch(buckets: Any, blobs: list[bytes]) -> pa.RecordBatch:
    columns = [pa.array(buckets, pa.int32()), pa.array(blobs, pa.binary())]
    return pa.record_batch(columns, names=[BUCKET, BLOB])


@dataclass(frozen=True)
class StateTask:
    """A bucket with the schema of its results; `tick` in nanoseconds.

    With `late` columns, rows that came too late come out too: their own columns as
    `late`, their keys, and true in `late`.  `idle` is after how many milliseconds
    without a move of the watermark time goes on by itself.  No window comes out that
    ends by `since`.
    """

    bucket: Bucket
    gives: pa.Schema
    tick: int
    late: dict[str, str]
    idle: int | None = None
    lane: TaskLane = field(default_factory=TaskLane)
    since: int | None = None

    def load(self, store: Store, blobs: Iterable[bytes]) -> None:
        """Take in slices of history, before all time."""
        tables = [unpack(blob, "feed")[0] for blob in blobs]
        with running(self.lane):
            for _ in self.bucket.step(store, tables, BEFORE_ALL, StepStats()):
                pass

    def step(
        self,
        store: Store,
        blobs: Iterable[bytes],
        watermark: int,
        stats: StepStats,
        clock: int = 0,
    ) -> Iterator[bytes]:
        """Take in blobs, move on to a watermark in milliseconds, give results.

        `clock` is that of the micro-batch.  Results are plain Arrow streams, since
        nobody keeps them.
        """
        tables: list[pa.Table] = []
        for blob in blobs:
            table, facts = unpack(blob, "feed")
            aside = facts.get(ASIDE, 0)
            stats.rows_in += aside
            stats.late_rows += aside
            kind = stats.late if aside else tables
            kind += [table] if len(table) else []
        if self.idle is not None:
            watermark = move_time(store, watermark, clock, self.idle)
        now = watermark * 10**6 // self.tick
        with running(self.lane):
            if self.since is not None:  # windows that end by then are history
                for _ in self.bucket.step(store, [], self.since, StepStats()):
                    pass
            for table in self.bucket.step(store, tables, now, stats):
                yield from self._pack(table)
        for table in stats.late:
            columns = {out: table.column(name) for out, name in self.late.items()}
            columns[LATE_FLAG] = pa.array(np.ones(len(table), bool))
            yield from self._pack(pa.table(columns))

    def _pack(self, table: pa.Table) -> Iterator[bytes]:
        gives = self.gives
        for name in (LAST, WINDOWS):
            if name in table.column_names:
                gives = gives.append(table.field(name))
        columns = [
            table.column(field.name)
            if field.name in table.column_names
            else pa.nulls(len(table), field.type)
            for field in gives
        ]
        for batch in as_batches(columns, gives, MOST_RESULTS):
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, gives) as writer:
                writer.write_batch(batch)
            yield sink.getvalue().to_pybytes()


def move_time(store: Store, watermark: int, clock: int, idle: int) -> int:
    """The time of this step; all in milliseconds.

    As long as the watermark moves, it is the time.  When it has rested for `idle`, time
    goes on from it as the clock of the micro-batches does, which Spark keeps in its
    log: a micro-batch that runs again finds the same time.  It never goes back.
    """
    blob = store.get(OWN_TIME)
    mark, since, own = watermark, clock, watermark
    if blob is not None:
        facts = unpack(blob, "clock")[1]
        own = facts["own"]
        if watermark <= facts["mark"]:
            mark, since = facts["mark"], facts["since"]
    own = max(own, mark, mark + clock - since - idle)
    facts = {"mark": mark, "since": since, "own": own}
    store.put(OWN_TIME, pack(pa.table({}), "clock", facts, small=True))
    return own


def make_bucket(flow: Flow) -> Bucket:
    """What is done with the keys of one bucket, by how the stream is laid out."""
    plan, keep_late = flow.plan, flow.late == "keep"
    if flow.kept == "levels":
        assert flow.choice is not None
        kept = "past" if isinstance(plan, OverPlan) else "rows"
        partials = PartialLayout(flow.request, flow.slots)
        query = _describe(flow, flow.kept)
        place = query, keep_late, partials, flow.choice, flow.unit
        if isinstance(plan, OverPlan):
            return OverSliceBucket(plan, *place, _rows_bucket(flow, kept))
        assert isinstance(plan, Plan)
        return CountSliceBucket(plan, *place, _rows_bucket(flow, kept))
    if flow.kept != "slices":
        return _rows_bucket(flow, flow.kept)
    assert isinstance(plan, Plan)
    query = _describe(flow, flow.kept)
    if plan.span is not None:
        return _span_bucket(flow, plan, query)
    folding = Folding(plan, flow.request, flow.slots)
    former = None if flow.former is None else Folding(plan, *flow.former)
    folded = flow.fed == "slices"
    what = folding, folded, flow.cell, query, keep_late, former
    return SliceBucket(*what, count_late=flow.counts_late)


def _span_bucket(flow: Flow, plan: Plan, query: QueryDescription) -> Bucket:
    """A bucket of events with a duration that keeps slices."""
    folding = Folding(point_plan(plan), flow.request, flow.slots)
    events = None
    if flow.fed == "rows":
        events = PieceFolding(plan, flow.request, flow.slots)
    place = folding, True, flow.cell, query, flow.late == "keep", None
    return SpanSliceBucket(*place, count_late=flow.counts_late, events=events)


def _rows_bucket(flow: Flow, kept: str) -> PagedBucket:
    """A bucket that keeps rows."""
    plan, query = flow.plan, _describe(flow, kept)
    keep_late = flow.late == "keep"
    if isinstance(plan, PolicyPlan):
        return PolicyBucket(plan, query, keep_late, flow.mode == "update")
    if isinstance(plan, OverPlan):
        return RollBucket(plan, query, keep_late)
    if plan.counts_rows:
        return CountBucket(plan, query, keep_late)
    kind = RowBucket if plan.span is None else SpanBucket
    return kind(plan, query, keep_late, flow.counts_late)


def _describe(flow: Flow, kept: str) -> QueryDescription:
    layout, pace = f"{flow.fed} to {kept}", flow.clock.words()
    pace |= {} if flow.mode == "append" else {"mode=": flow.mode}
    of_stream = {"layout": layout, "late": flow.late}
    return describe(flow.plan, buckets=flow.buckets, pace=pace, **of_stream)
