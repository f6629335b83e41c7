"""What the fixtures run over: generated streams, and Spark SQL that says the same.

LightSaber's queries, their Spark SQL and their rows are those of `windrow bench`.
Windows are as long as in the text; only the streams are short, and thinned out: every
so-manieth row, so that few rows are many seconds.  Where `window()` would plan
hundreds of projections, rows are copied by `explode(sequence(...))`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from windrow_bench import data
from windrow_bench.measure.applications import APPLICATIONS

FIXTURES = Path(__file__).parent / "fixtures"
MOST_PLANNED = 60  # copies of a row, above which planning them takes seconds


@dataclass(frozen=True)
class Work:
    """The streams and tables of a fixture, by name, and a Spark SQL text a query.

    `text` is what the fixture has to say, where it stands elsewhere.
    """

    streams: Callable[[], dict[str, pa.Table]]
    sql: tuple[str, ...]
    text: str = ""


def _thinned(dataset: str, rows: int, every: int) -> dict[str, pa.Table]:
    """So many rows of a dataset, one of `every`; the table that stands still beside."""
    generated = data.find(dataset).generate(rows * every, 7)
    found = {"S": generated.take(np.arange(0, rows * every, every))}
    return found | ({"T": data.yahoo.campaigns(7)} if dataset == "yahoo" else {})


def _application(name: str, rows: int, every: int) -> Work:
    """A query of LightSaber's."""
    one = APPLICATIONS[name]
    sql = one.sql_by_copies if one.copies > MOST_PLANNED else one.sql
    streams = partial(_thinned, one.dataset, rows, every)
    return Work(streams, (sql.format(S="S", T="T"),), f"{one.text};")


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


def _readings(length: int) -> str:
    """Sum and minimum of a reading over so many milliseconds, slides of ten."""
    last = "unix_millis(ts) div 10 * 10"
    return f"""
        select timestamp_millis(start + {length}) as ts,
               sum(mf01) as total, min(mf01) as least
        from (select mf01, explode(sequence({last} - {length - 10}, {last}, 10))
                  as start from S)
        group by start
    """


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
_LRB2 = APPLICATIONS["LRB2"].sql.format(S="S")

WORK = {
    "cm1": _application("CM1", 600, 3),
    "cm2": _application("CM2", 1_500, 3),
    "sg1": _application("SG1", 100, 80),
    "sg2": _application("SG2", 200, 80),
    "lrb1": _application("LRB1", 300, 8),
    "lrb2": _application("LRB2", 300, 8),
    "lrb2_whole": Work(
        partial(_thinned, "linear_road", 300, 8),
        (
            (
                "select ts, highway, direction, segment, count(vehicle) as vehicles "
                f"from ({_LRB2}) group by ts, highway, direction, segment"
            ),
        ),
    ),
    "ysb": _application("YSB", 1_500, 200),
    "sm": Work(
        partial(_thinned, "debs12", 200, 1),
        tuple(_readings(length) for length in (160, 640, 2_560)),
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
