"""Streams that are not files: Spark's own clock, a source of Python's, Connect."""

from __future__ import annotations

import os
import time
from itertools import pairwise
from pathlib import Path

import pytest
from scripts import run_script

import windrow as wr

HERE = Path(__file__).parent


def test_windows_over_a_clock_come_out_while_it_ticks(streaming, tmp_path):
    rate = streaming.readStream.format("rate").option("rowsPerSecond", 40).load()
    stream = rate.withWatermark("timestamp", "0 seconds")
    calls = {"n": wr.count(), "least": wr.min("value"), "most": wr.max("value")}
    window = wr.sliding("500 milliseconds", on="timestamp")

    query = wr.aggregate(stream, window, aggregates=calls)
    writer = query.writeStream.format("memory").queryName("ticks")
    running = writer.option("checkpointLocation", str(tmp_path)).start()
    try:
        deadline = time.monotonic() + 120
        while streaming.table("ticks").count() < 4:
            assert time.monotonic() < deadline
            assert running.isActive
            time.sleep(0.2)
    finally:
        running.stop()

    rows = streaming.table("ticks").orderBy("window").toArrow().to_pylist()
    for row in rows:
        assert row["most"] - row["least"] + 1 == row["n"]
    for row, following in pairwise(rows):
        assert following["least"] == row["most"] + 1
    assert {row["n"] for row in rows[1:]} == {20}


@pytest.mark.xdist_group("connect")  # two servers would ask for one port
@pytest.mark.deep  # a minute: a server of its own
def test_a_connect_session_streams_too(spark_environment):
    folders = [spark_environment["PYTHONPATH"], str(HERE)]
    environment = spark_environment | {"PYTHONPATH": os.pathsep.join(folders)}

    report = run_script("streaming/on_connect.py", environment)

    assert report == ["ok time windows", "ok connect"]
