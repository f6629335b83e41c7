"""What the fixtures run over: generated streams, and Spark SQL that says the same.

Windows are as long as in the text; only the streams are short.  Spark's own `window()`
has a projection for each window that holds a row, and takes seconds to plan hundreds
of them: there rows are copied by `explode(sequence(...))`, which is what it does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from examples.lightsaber import cm, lrb, sg, sm, ysb

_S = 1_000_000
FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class Work:
    """The streams and tables of a fixture, by name, and a Spark SQL text a query."""

    streams: Callable[[], dict[str, pa.Table]]
    sql: tuple[str, ...]


def _named(*names):
    """A generator's tables under names; its time column is called timestamp here."""

    def tables(generate, rows, per_second):
        made = generate(rows, seed=7, per_second=per_second)
        return {
            name: table.rename_columns(
                ["timestamp" if c == "ts" else c for c in table.column_names]
            )
            for name, table in zip(names, made, strict=True)
        }

    return tables


def _calls() -> dict[str, pa.Table]:
    rng = np.random.default_rng(7)
    seconds = 1_704_067_200 + np.sort(rng.choice(4 * 3600, 60, replace=False))
    columns = {
        "ts": pa.array(seconds * 1_000_000, pa.timestamp("us", tz="UTC")),
        "caller": rng.choice(["ann", "bob", "cem", "dee"], 60),
        "len": rng.integers(1, 12, 60).astype(float),
    }
    return {"Calls": pa.table(columns)}


def _year_of_calls() -> dict[str, pa.Table]:
    """Calls of a leap year, over both changes of Europe's clocks."""
    rng = np.random.default_rng(7)
    seconds = 1_704_067_200 + np.sort(rng.choice(366 * 86400, 400, replace=False))
    columns = {
        "ts": pa.array(seconds * 1_000_000, pa.timestamp("us", tz="UTC")),
        "caller": rng.choice(["ann", "bob", "cem", "dee"], 400),
        "len": rng.integers(1, 12, 400),
    }
    return {"Calls": pa.table(columns)}


def _months(select: str, begins: str) -> str:
    """Months of Berlin that begin on those days, of which `day` is the row's own."""
    berlin = "'Europe/Berlin'"
    return f"""
        with local as (
            select *, cast(from_utc_timestamp(ts, {berlin}) as date) as day from Calls
        ), begun as (
            select *, explode({begins}) as begin from local
        )
        select to_utc_timestamp(add_months(begin, 1), {berlin}) as ts, caller, {select}
        from begun where add_months(begin, 1) > day group by caller, begin
    """


def _windowed(select: str, source: str, by: str, length: str, slide: str) -> str:
    """A query with Spark's own windows."""
    return f"""
        select window.end as timestamp, {select} from {source}
        group by {by}, window(timestamp, '{length}', '{slide}')
    """


def _copied(select: str, source: str, by: str, length: int, slide: int) -> str:
    """The same by a copy of each row per window; lengths in microseconds."""
    last = f"unix_micros(timestamp) div {slide} * {slide}"
    return f"""
        select timestamp_micros(start + {length}) as timestamp, {select} from (
            select *, explode(sequence({last} - {length - slide}, {last}, {slide}))
                as start from {source}
        ) group by {by}start
    """


_SM = "sum(mf01) as total, min(mf01) as least"
_RA = """
    with copies as (
        select *, explode(sequence(
            (unix_seconds(ts) div 60 - 1439) * 60, unix_seconds(ts) div 60 * 60, 60L
        )) as start from Calls
    ), windows as (
        select start, max(len) as mxl, collect_list(len) as lens,
               min_by(caller, struct(-len, ts)) as who
        from copies group by start
    ), results as (
        select start, mxl, cast(size(filter(lens, x -> x = mxl)) as bigint) as num, who
        from windows
    ), told as (
        select *, lag(struct(start, mxl, num, who)) over (order by start) as before
        from results
    )
    select mxl, num, who from told
    where not (before <=> struct(start - 60L as start, mxl, num, who))
"""
_SEGMENTS = "(select *, position div 5280 as segment from PosSpeedStr)"
_SEEN = "Events join Campaigns using (ad) where event_type = 0"

WORK = {
    "cm1": Work(
        lambda: _named("TaskEvents")(cm.generate, 600, 10),
        (
            _windowed(
                "category, sum(cpu) as total_cpu",
                "TaskEvents",
                "category",
                "60 seconds",
                "1 second",
            ),
        ),
    ),
    "cm2": Work(
        lambda: _named("TaskEvents")(cm.generate, 1_500, 10),
        (
            _windowed(
                "job, avg(cpu) as avg_cpu",
                "TaskEvents where event_type = 3",
                "job",
                "60 seconds",
                "1 second",
            ),
        ),
    ),
    "sg1": Work(
        lambda: _named("SmartGridStr")(sg.generate, 100, 5),
        (_copied("avg(value) as avg_load", "SmartGridStr", "", 3600 * _S, _S),),
    ),
    "sg2": Work(
        lambda: _named("SmartGridStr")(sg.generate, 200, 5),
        (
            _copied(
                "plug, household, house, avg(value) as avg_load",
                "SmartGridStr",
                "plug, household, house, ",
                128 * _S,
                _S,
            ),
        ),
    ),
    "lrb1": Work(
        lambda: _named("PosSpeedStr")(lrb.generate, 300, 4),
        (
            _copied(
                "highway, direction, segment, avg(speed) as avgSpeed",
                _SEGMENTS,
                "highway, direction, segment, ",
                300 * _S,
                _S,
            )
            + "having avgSpeed < 40.0",
        ),
    ),
    "lrb2": Work(
        lambda: _named("PosSpeedStr")(lrb.generate, 300, 4),
        (
            _windowed(
                "vehicle, highway, direction, segment, count(*) as reports",
                _SEGMENTS,
                "vehicle, highway, direction, segment",
                "30 seconds",
                "1 second",
            ),
        ),
    ),
    "lrb2_whole": Work(
        lambda: _named("PosSpeedStr")(lrb.generate, 300, 4),
        (
            "select timestamp, highway, direction, segment, count(vehicle) as vehicles "
            "from ("
            + _windowed(
                "vehicle, highway, direction, segment, count(*) as reports",
                _SEGMENTS,
                "vehicle, highway, direction, segment",
                "30 seconds",
                "1 second",
            )
            + ") group by timestamp, highway, direction, segment",
        ),
    ),
    "ysb": Work(
        lambda: _named("Events", "Campaigns")(ysb.generate, 1_500, 50),
        (
            _windowed(
                "campaign, count(*) as views",
                _SEEN,
                "campaign",
                "10 seconds",
                "10 seconds",
            ),
        ),
    ),
    "sm": Work(
        lambda: _named("Readings")(sm.generate, 200, 100),
        tuple(
            _copied(_SM, "Readings", "", length * 1_000, 10_000)
            for length in (160, 640, 2_560)
        ),
    ),
    "ra1": Work(_calls, (_RA,)),
    "months": Work(
        _year_of_calls,
        (
            _months("sum(len) as total", "array(trunc(day, 'MM'))"),
            _months("max(len) as longest", "sequence(day - 31, day)"),
        ),
    ),
}


def text_of(name: str) -> str:
    """The whole file of a fixture: comments are comments in CQL too."""
    return (FIXTURES / f"{name}.cql").read_text("utf-8")
