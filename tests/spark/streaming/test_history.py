"""A stream that begins with tiles: its first windows are complete, no row counts twice.

tiles       |===== before since =====|
stream                 |...left out..|........ from since on ........
windows                         (those that end after since)
"""

from __future__ import annotations

import datetime as dt
from random import Random

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answers import assert_same_rows
from micro_batches import run, stream_of, write_files

import windrow as wr

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
SINCE = START + dt.timedelta(hours=2)
WINDOWS = [
    wr.sliding("1 hour", every="10 minutes", on="at", name="hour"),
    wr.sliding("3 hours", every="30 minutes", on="at", name="three"),
]
CALLS = {
    "n": wr.count(), "total": wr.sum("x"), "top": wr.max("x"), "mean": wr.mean("y"),
    "some": wr.count("x"), "spread": wr.stddev("y"),
}  # fmt: skip


def events_of(hours: int, count: int) -> pa.Table:
    dice = Random(29)
    seconds = sorted(dice.randrange(hours * 3600) for _ in range(count))
    return pa.table(
        {
            "at": pa.array(
                [START + dt.timedelta(seconds=s) for s in seconds],
                pa.timestamp("us", "UTC"),
            ),
            "key": [dice.choice(["a", "b", "c", None]) for _ in seconds],
            "x": [dice.choice([None, dice.randrange(-50, 50)]) for _ in seconds],
            "y": [dice.random() for _ in seconds],
        }
    )


def test_the_first_windows_hold_history_and_each_row_counts_once(streaming, tmp_path):
    events = events_of(5, 3000)
    past = events.filter(pc.less(events["at"], pa.scalar(SINCE)))
    tiles = wr.tiles(past, every="10 minutes", on="at", by="key", aggregates=CALLS)
    one_hour = START + dt.timedelta(hours=1)
    live = events.filter(pc.greater_equal(events["at"], pa.scalar(one_hour)))
    half = len(live) // 2
    folder = write_files(tmp_path / "in", [live.slice(0, half), live.slice(half)])
    stream = stream_of(streaming, folder, late_by="1 minute")

    query = wr.aggregate(
        stream, WINDOWS, by="key", aggregates=CALLS, start=tiles, since=SINCE
    )
    ran = run(query, tmp_path / "checkpoint")

    whole = wr.aggregate(events, WINDOWS, by="key", aggregates=CALLS)
    ends = whole["window"].combine_chunks().field("end")
    due = pc.and_(
        pc.greater(ends, pa.scalar(SINCE)),
        pc.less_equal(ends, pa.scalar(ran.watermark)),
    )
    expected = whole.filter(due)
    assert expected.num_rows > 50
    assert_same_rows(ran.rows, expected, named_by=["key", "query", "window"])
    before = sum(
        progress["observedMetrics"]["windrow history"]["rows_before_since"]
        for progress in ran.progresses
        if "windrow history" in progress.get("observedMetrics", {})
    )
    assert before == pc.sum(pc.less(live["at"], pa.scalar(SINCE))).as_py()


TILES = wr.tiles(events_of(1, 20), every="10 minutes", on="at", by="key", n=wr.count())
HOUR = WINDOWS[0]
REFUSED = {
    "no instant": ({"start": TILES}, {"n": wr.count()}, "say since= too"),
    "no tiles": ({"since": SINCE}, {"n": wr.count()}, "say start= too"),
    "within a tile": (
        {"start": TILES, "since": SINCE + dt.timedelta(minutes=5)},
        {"n": wr.count()},
        "lies within a tile",
    ),
    "another aggregate": (
        {"start": TILES, "since": SINCE},
        {"n": wr.count("x")},
        "the query's count\\(x\\)",
    ),
    "no such aggregate": (
        {"start": TILES, "since": SINCE},
        {"m": wr.count()},
        "no aggregate of the tiles",
    ),
    "an order": (
        {"start": TILES, "since": SINCE},
        {"n": wr.first("x")},
        "aggregates that commute",
    ),
    "no zone": (
        {"start": TILES, "since": "2026-01-01T02:00"},
        {"n": wr.count()},
        "no time zone",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_history_that_does_not_fit_is_refused(streaming, tmp_path, case):
    options, calls, words = REFUSED[case]
    folder = write_files(tmp_path / "in", [events_of(1, 5)])
    stream = stream_of(streaming, folder, late_by="1 minute")

    with pytest.raises(wr.WindrowError, match=words):
        wr.aggregate(stream, HOUR, by="key", aggregates=calls, **options)


def test_a_batch_does_not_begin_with_tiles(streaming):
    table = events_of(1, 5)
    history = {"start": TILES, "since": SINCE}

    for data in (table, streaming.createDataFrame(table)):
        with pytest.raises(wr.BadInput, match="what a stream begins with"):
            wr.aggregate(data, HOUR, by="key", n=wr.count(), **history)
