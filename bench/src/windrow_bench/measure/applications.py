"""LightSaber's queries (Table 3), as CQL, as Spark's SQL, and as windows over columns.

    CM1   total cpu by category                                   60 s / 1 s
    CM2   mean cpu by job, of tasks that failed                   60 s / 1 s
    SG1   mean load of all plugs                               3,600 s / 1 s
    SG2   mean load by plug, household and house                 128 s / 1 s
    LRB1  segments of the road with a mean speed below 40        300 s / 1 s
    LRB2  reports by vehicle, highway, direction and segment      30 s / 1 s
    SM    total of an energy reading                            2.56 s / 10 ms
    YSB   views by campaign, joined with a table that stands      10 s, tumbling

They stand here alone: experiments, bars, `examples/lightsaber` and tests take them from
here.  What was taken from where:

    CM2     the paper says that few events pass, not which: failures (type 3), as in the
            authors' published program, which sums where Table 3 says average
    SG      Table 3 has no selection, so both kinds of reading go into the mean
    LRB1    Figure 6a; its timestamp, by which it does not group, is the window's end
    LRB2    query 4 of SABER, named and not printed: four keys (Section 7.2), of which
            Figure 6b has the vehicle
    SM      "various" windows: this one slides by one reading at 100 Hz (Section 7.7)
    YSB     ids of 64 bits where the paper has 128

Spark copies a row into each window that holds it.  `window()` plans a projection for
each copy: the 300 of LRB1 took half a minute, of which planning was 0.6 s beside other
work, and the 3,600 of SG1 do not come to an end.  There `explode` makes the copies.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import windrow as wr
from windrow.aggregates import Call
from windrow.windows import Sliding
from windrow_bench import data

MILE = 5_280  # feet: a segment
SECOND = 1_000_000  # microseconds


@dataclass(frozen=True)
class Application:
    """One query: `S` is its stream, `T` the table that stands still, if it has one.

    `copies` are the windows that hold a row; `value` is what is computed.  Those that
    run over columns have a `range` of seconds, a slide of one, and `rows` a second.
    """

    name: str
    dataset: str
    value: str
    copies: int
    cql: str
    sql: str
    rows: int = 0
    range: int = 0
    by: tuple[str, ...] = ()
    call: Call = wr.count()  # noqa: RUF009 - a frozen value
    prepare: Callable[[pa.Table], pa.Table] = lambda stream: stream

    @property
    def text(self) -> str:
        """The query as it would be typed."""
        return inspect.cleandoc(self.cql)

    @property
    def sql_by_copies(self) -> str:
        """The same copies by `explode`: one projection, where `window()` plans many."""
        last = "unix_seconds(ts)"
        windows = f"""explode(transform(sequence({last} - {self.range - 1}, {last}),
            s -> named_struct('start', timestamp_seconds(s),
                              'end', timestamp_seconds(s + {self.range}))))"""
        sql = re.sub(r"window\(ts, [^)]*\)", "window", self.sql)
        return sql.replace(
            "from (select ts, ", f"from (select {windows} as window, ", 1
        )

    def ours(self, frames: dict[str, Any]) -> Any:
        """By Windrow, of tables or of Spark's frames."""
        return wr.cql(self.cql, streams=frames)

    @property
    def window(self) -> Sliding:
        """A range of seconds, a slide of one."""
        return wr.sliding(f"{self.range} seconds", every="1 second", on="ts")

    def stream(self, seconds: int) -> pa.Table:
        """About so many seconds of its stream, filtered and with its keys."""
        return _stream(self.name, seconds)


def _failed(stream: pa.Table) -> pa.Table:
    failed = data.google_cluster.FAIL
    return stream.filter(pc.equal(stream["event_type"], failed))


def _segments(stream: pa.Table) -> pa.Table:
    return stream.append_column("segment", pc.divide(stream["position"], MILE))


_ROAD = ("highway", "direction", "segment")
ALL = (
    Application(
        "CM1",
        "google_cluster",
        value="total_cpu",
        copies=60,
        rows=25,
        range=60,
        by=("category",),
        call=wr.sum("cpu"),
        cql="""select ts, category, sum(cpu) as total_cpu
       from S [range 60 slide 1] group by category""",
        sql="""select window.end as ts, category, sum(cpu) as total_cpu
       from (select ts, category, cpu from {S})
       group by category, window(ts, '60 seconds', '1 second')""",
    ),
    Application(
        "CM2",
        "google_cluster",
        value="avg_cpu",
        copies=60,
        rows=25,
        range=60,
        by=("job",),
        call=wr.mean("cpu"),
        prepare=_failed,
        cql="""select ts, job, avg(cpu) as avg_cpu
       from S [range 60 slide 1] where event_type = 3 group by job""",
        sql="""select window.end as ts, job, avg(cpu) as avg_cpu
       from (select ts, job, cpu from {S} where event_type = 3)
       group by job, window(ts, '60 seconds', '1 second')""",
    ),
    Application(
        "SG1",
        "debs14",
        value="avg_load",
        copies=3_600,
        rows=400,
        range=3_600,
        by=(),
        call=wr.mean("value"),
        cql="select ts, avg(value) as avg_load from S [range 3600 slide 1]",
        sql="""select window.end as ts, avg(value) as avg_load
       from (select ts, value from {S})
       group by window(ts, '3600 seconds', '1 second')""",
    ),
    Application(
        "SG2",
        "debs14",
        value="avg_load",
        copies=128,
        rows=400,
        range=128,
        by=("plug", "household", "house"),
        call=wr.mean("value"),
        cql="""select ts, plug, household, house, avg(value) as avg_load
       from S [range 128 slide 1] group by plug, household, house""",
        sql="""select window.end as ts, plug, household, house, avg(value) as avg_load
       from (select ts, plug, household, house, value from {S})
       group by plug, household, house, window(ts, '128 seconds', '1 second')""",
    ),
    Application(
        "LRB1",
        "linear_road",
        value="avgSpeed",
        copies=300,
        rows=32,
        range=300,
        by=_ROAD,
        call=wr.mean("speed"),
        prepare=_segments,
        cql="""select ts, highway, direction, (position / 5280) as segment,
              AVG (speed) as avgSpeed
       from S [range 300 slide 1]
       group by highway, direction, segment
       having avgSpeed < 40.0""",
        sql="""select window.end as ts, highway, direction, segment,
              avg(speed) as avgSpeed
       from (select ts, highway, direction, position div 5280 as segment, speed
             from {S})
       group by highway, direction, segment, window(ts, '300 seconds', '1 second')
       having avgSpeed < 40.0""",
    ),
    Application(
        "LRB2",
        "linear_road",
        value="reports",
        copies=30,
        rows=32,
        range=30,
        by=("vehicle", *_ROAD),
        call=wr.count(),
        prepare=_segments,
        cql="""select ts, vehicle, highway, direction, (position / 5280) as segment,
              count(*) as reports
       from S [range 30 slide 1] group by vehicle, highway, direction, segment""",
        sql="""select window.end as ts, vehicle, highway, direction, segment,
              count(*) as reports
       from (select ts, vehicle, highway, direction, position div 5280 as segment
             from {S})
       group by vehicle, highway, direction, segment,
                window(ts, '30 seconds', '1 second')""",
    ),
    Application(
        "SM",
        "debs12",
        value="total",
        copies=256,
        cql="""select ts, sum(mf01) as total
       from S [range 2.56 seconds slide 10 ms]""",
        sql="""select window.end as ts, sum(mf01) as total
       from (select ts, mf01 from {S})
       group by window(ts, '2560 milliseconds', '10 milliseconds')""",
    ),
    Application(
        "YSB",
        "yahoo",
        value="views",
        copies=1,
        cql="""select ts, campaign, count(*) as views
       from S [range 10 slide 10] join T on S.ad = T.ad
       where event_type = 0 group by campaign""",
        sql="""select window.end as ts, campaign, count(*) as views
       from {S} join {T} using (ad) where event_type = 0
       group by campaign, window(ts, '10 seconds')""",
    ),
)
APPLICATIONS = {one.name: one for one in ALL}
OVER_COLUMNS = tuple(one for one in ALL if one.rows)


@lru_cache(maxsize=2)
def _stream(name: str, seconds: int) -> pa.Table:
    one = APPLICATIONS[name]
    rows = data.table(one.dataset, one.rows * seconds)
    return one.prepare(rows).combine_chunks()
