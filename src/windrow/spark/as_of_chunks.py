"""Cuts keys of `wr.as_of` that have very many events into chunks of time, lazily.

    hot keys   events grouped by key: those with more than so many, broadcast
    labels     each in the chunk of its instant; whole keys are chunk 0
    events     in the one or two chunks of each frame's zones (`plan/as_of_chunks.py`)
    sides      events of hot keys -> panes -> shuffle by key -> a row for each chunk;
               none for keys whose chunks are as long as every frame

Which keys are hot is found out by the query itself: building it runs no job.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from windrow.batch.partials import PANE
from windrow.plan.as_of_chunks import HALO, STRETCHED, LabelChunks
from windrow.tasks.as_of_chunks import (
    CUT,
    LAST_ROWS,
    PANES,
    FoldPanesTask,
    JoinPanesTask,
)
from windrow.tasks.task import CHUNK

from . import ship, sql
from .schema import as_arrow, field_of, required
from .shuffle import shuffle_by

CUTS = ["base", "length", "top"]
FOLDED = 16
"""Stretches of events folded together: each gives a blob for every hot key."""


@dataclass(frozen=True)
class HotKeys:
    """The hot keys of events: columns k0, ..., t, e, c0, ..., which have a time."""

    events: DataFrame
    chunks: LabelChunks
    reads: list[str]

    @property
    def keys(self) -> list[str]:
        """The key columns."""
        return [f"k{i}" for i in range(len(self.chunks.plan.by))]

    @cached_property
    def hot(self) -> DataFrame:
        """A row for each hot key: where its chunks begin, their length, the last."""
        edges, most = self.chunks.edges, self.chunks.most
        time = self._ticks(self.events)
        found = self.events.groupBy(*self.keys).agg(
            F.expr("count(*) as n"),
            F.expr(f"min({time}) as least"),
            F.expr(f"max({time}) as latest"),
        )
        # as many chunks as hold `most` events each, if these come evenly
        own = f"(latest - least) div ceil(n / {most}) + 1"
        found = found.where(f"n > {most}").selectExpr(
            *(f"{key} as hot_{key}" for key in self.keys),
            f"least - {max(edges[-1], 0) + 1}L as base",
            f"{self._length(own)} as length",
            "latest",
        )
        # of longer frames, labels after all events are in a chunk of their own
        top = f"(latest - base + {max(-edges[0], 0)}L) div length + 1"
        top = f"if({self._sees_all}, (latest - base) div length, {top})"
        return found.selectExpr("*", f"{top} as top").drop("latest")

    def _length(self, own: str) -> str:
        """How long chunks are: longer than every frame, if one spans few of them."""
        chunks = self.chunks
        length = f"greatest({own}, {chunks.shortest}L)"
        if not chunks.may_have_halo:
            return length
        few = f"{length} * {STRETCHED} >= {chunks.reach}L"
        return f"if({few}, greatest({length}, {int(HALO * chunks.reach)}L), {length})"

    @property
    def _sees_all(self) -> str:
        """Whether the task of a chunk gets all events that its labels see."""
        chunks = self.chunks
        return f"length >= {chunks.reach}L" if chunks.may_have_halo else "false"

    def label_chunks(self, labels: DataFrame) -> DataFrame:
        """Labels with the number of their chunk."""
        asks = f"({self._ticks(labels)} - {self.chunks.plan.delay}L)"
        number = f"greatest(0L, least(top, ({asks} - base) div length))"
        return self._joined(labels, self.hot, "left").select(
            *labels.columns, F.expr(f"coalesce({number}, 0L) as {CHUNK}")
        )

    def event_chunks(self) -> DataFrame:
        """Events in each chunk whose labels may see them as rows."""
        time, edges = self._ticks(self.events), self.chunks.edges
        numbers = [f"({time} - base - {edge}L) div length" for edge in edges]
        numbers = [f"least(top, {number})" for number in numbers]
        cut = f"array({', '.join(numbers)})"
        for frame in self.chunks.copied:
            far, near = (numbers[edges.index(edge)] for edge in frame.interval)
            cut = f"concat({cut}, sequence({near}, {far}))"
        # the columns of hot keys that labels are joined with, so that both share them
        chosen = f"if(top is null, array(0L), array_distinct({cut}))"
        return self._joined(self.events, self.hot, "left").select(
            *self.events.columns, F.expr(f"explode({chosen}) as {CHUNK}")
        )

    def sides(self) -> DataFrame:
        """A row for each chunk of a hot key: what its task has to know of the rest."""
        plan, time = self.chunks.plan, self._ticks(self.events)
        assert plan.clock is not None
        begins = [
            f"(({time} - base - {edge}L) div length) * length + {edge}L"
            for edge in self.chunks.edges
        ]
        pane = f"base + greatest({', '.join([*begins, begins[0]])}) as {PANE}"
        read = (f"c{i}" for i in range(len(self.reads)))
        columns = [*self.keys, *CUTS, pane, "t", *read]
        hot = self.hot.where(f"not ({self._sees_all})")
        rows = self._joined(self.events, hot, "inner").selectExpr(*columns)
        in_order = self.chunks.keeps_order
        if in_order:
            by = [*self.keys, *CUTS, PANE]
            ties = [f"c{self.reads.index(n)}" for n in plan.ties if n in self.reads]
            rows = shuffle_by(rows, by, ["t", *ties])
        own = [StructField(key, self._kind(key)) for key in self.keys]
        cuts = required(LongType(), *CUTS)
        blobs = [StructField(name, BinaryType()) for name in ("panes", "rest")]
        folded = StructType([*own, *cuts, *blobs])
        fold = FoldPanesTask(
            self.chunks,
            (*plan.by, *CUT, PANE, plan.clock.column, *self.reads),
            as_arrow(folded),
            in_order,
            FOLDED * ship.STRETCH,
        )
        panes = ship.run_task(rows, fold, folded)
        # not coalesced without a key: that would fold all events in one task
        panes = shuffle_by(panes, self.keys, []) if self.keys else panes.repartition(1)
        sides = [*required(LongType(), CHUNK), StructField("side", BinaryType())]
        joined = StructType([*own, *sides])
        names = (*plan.by, *CUT, PANES, LAST_ROWS)
        join = JoinPanesTask(self.chunks, names, as_arrow(joined))
        rows = ship.run_task(panes, join, joined)
        return rows.select("*", F.lit(False).alias("e"))

    def _joined(self, frame: DataFrame, hot: DataFrame, how: str) -> DataFrame:
        """Rows with how their key is cut; null where it is not hot."""
        same = F.lit(True)
        for key in self.keys:
            same &= frame[key].eqNullSafe(hot[f"hot_{key}"])
        return frame.join(F.broadcast(hot), same, how)

    def _ticks(self, frame: DataFrame) -> str:
        return sql.ticks("t", field_of(frame, "t").dataType)

    def _kind(self, key: str):  # type: ignore[no-untyped-def]
        return field_of(self.events, key).dataType
