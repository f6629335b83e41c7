"""LightSaber's application queries (Table 3), as windows over the papers' data.

          range   by                                 what
    CM1     60 s  category                           sum(cpu)
    CM2     60 s  job, of tasks that failed          mean(cpu)
    SG1  3,600 s  nothing                            mean(value)
    SG2    128 s  plug, household, house             mean(value)
    LRB1   300 s  highway, direction, segment        mean(speed)
    LRB2    30 s  the same, and vehicle              count

Every slide is a second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

import windrow as wr
from windrow.aggregates import Call
from windrow.windows import Sliding
from windrow_bench.data import google_cluster, table

MILE = 5_280  # feet: a segment
SECOND = 1_000_000  # microseconds


@dataclass(frozen=True)
class Workload:
    """A query; `rows` of its stream are a second, about."""

    name: str
    dataset: str
    rows: int
    range: int
    by: tuple[str, ...]
    call: Call
    prepare: Callable[[pa.Table], pa.Table] = lambda stream: stream

    @property
    def window(self) -> Sliding:
        """A range of seconds, a slide of one."""
        return wr.sliding(f"{self.range} seconds", every="1 second", on="ts")

    def stream(self, seconds: int) -> pa.Table:
        """About so many seconds of it."""
        return _stream(self.name, seconds)


def _failed(stream: pa.Table) -> pa.Table:
    return stream.filter(pc.equal(stream["event_type"], google_cluster.FAIL))


def _segments(stream: pa.Table) -> pa.Table:
    return stream.append_column("segment", pc.divide(stream["position"], MILE))


_ROAD = ("highway", "direction", "segment")
WORKLOADS = (
    Workload("CM1", "google_cluster", 25, 60, ("category",), wr.sum("cpu")),
    Workload("CM2", "google_cluster", 25, 60, ("job",), wr.mean("cpu"), _failed),
    Workload("SG1", "debs14", 400, 3_600, (), wr.mean("value")),
    Workload(
        "SG2", "debs14", 400, 128, ("plug", "household", "house"), wr.mean("value")
    ),
    Workload("LRB1", "linear_road", 32, 300, _ROAD, wr.mean("speed"), _segments),
    Workload("LRB2", "linear_road", 32, 30, ("vehicle", *_ROAD), wr.count(), _segments),
)
BY_NAME = {one.name: one for one in WORKLOADS}


@lru_cache(maxsize=2)
def _stream(name: str, seconds: int) -> pa.Table:
    one = BY_NAME[name]
    return one.prepare(table(one.dataset, one.rows * seconds)).combine_chunks()


__all__ = ["BY_NAME", "SECOND", "WORKLOADS", "Workload"]
