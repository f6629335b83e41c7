"""Windows longer than a chunk of time: opening, totals, closing.

    chunks    |   c       |   c + 1   |   c + 2   |   c + 3   |
    rows           x  x                     x           x
    window           |---------------------------------|

Rows are few and far between, so that a window opens or closes in a chunk without
rows, has none but in its middle, or lies in one chunk whole.
"""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import windrow as wr
from covering import covering

ZERO = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
CALLS = {
    "n": wr.count(),
    "total": wr.sum("x"),
    "most": wr.max("x"),
    "first": wr.first("x"),
    "spread": wr.variance("x"),
}


def table_of(seed, spread):
    """Forty streams of one to six rows, anywhere within `spread` seconds."""
    choose = random.Random(seed)
    rows = [
        (number, choose.randint(-spread, spread), choose.choice([None, 1, -5, 7]))
        for number in range(40)
        for _ in range(choose.choice([1, 1, 2, 6]))
    ]
    rows = list({row[:2]: row for row in rows}.values())
    return pa.table(
        {
            "stream": [number for number, _, _ in rows],
            "at": pa.array(
                [ZERO + dt.timedelta(seconds=at) for _, at, _ in rows],
                pa.timestamp("us", "UTC"),
            ),
            "x": pa.array([x for _, _, x in rows], pa.int32()),
        }
    )


def flat(table):
    """Rows in one order, the bounds as columns: tens of thousands are compared."""
    window = table.column("window").combine_chunks()
    columns = {name: table.column(name) for name in table.column_names}
    del columns["window"]
    columns["start"] = pc.cast(window.field("start"), pa.int64())
    columns["end"] = pc.cast(window.field("end"), pa.int64())
    columns["spread"] = pc.round(columns["spread"], 9)
    ordered = [*(["stream"] if "stream" in columns else []), "start", "end"]
    found = pa.table({name: columns[name] for name in sorted(columns)})
    return found.sort_by([(name, "ascending") for name in ordered]).combine_chunks()


@pytest.mark.parametrize(  # a hot key, and no key
    ("sizes", "by"),
    covering(
        [(1_100, 1, 2_500), (3_100, 3, 9_000), (5_000, 4, 40_000), (2_051, 2, 6_000)],
        [["stream"], []],
    ),
)
def test_windows_over_several_chunks_equal_the_engine(spark, sizes, by):
    range_, slide, spread = sizes
    table = table_of(range_, spread)
    if not by:
        table = table.slice(0, 12)
    frame = spark.createDataFrame(table)
    window = wr.sliding(f"{range_} seconds", every=f"{slide} seconds", on="at")
    how = {"by": by, "aggregates": CALLS, "hot": True}
    assert "sash: " in str(wr.explain(frame, window, **how))

    actual = wr.aggregate(frame, window, **how).toArrow()

    expected = wr.aggregate(table, window, **how)
    assert flat(actual).equals(flat(expected).cast(flat(actual).schema))


@pytest.mark.deep  # 22 s: twelve thousand windows a stream
def test_a_list_with_long_and_short_windows_is_merged_from_one_set_of_chunks(spark):
    table = table_of(7, 6_000)
    frame = spark.createDataFrame(table)
    windows = [
        wr.sliding("3000 seconds", every="2 seconds", on="at"),
        wr.sliding("90 seconds", every="30 seconds", on="at"),
        wr.sliding("1700 seconds", every="1700 seconds", offset="11 seconds", on="at"),
    ]
    how = {"by": "stream", "aggregates": CALLS, "hot": True}

    actual = wr.aggregate(frame, windows, **how).toArrow()

    expected = wr.aggregate(table, windows, **how)
    assert actual.num_rows == expected.num_rows
    for query in range(len(windows)):
        mine, theirs = (
            flat(one.filter(pc.equal(one["query"], query)))
            for one in (actual, expected)
        )
        assert mine.equals(theirs.cast(mine.schema))
