"""`windrow run --stream`: followed, stopped, gone on with, refused.

    file      1          2          3           4
    times     0:00-1:10  2:10-10:00  10:30       0:20, 20:00
    watermark       0:10       9:00       9:30        19:00       one minute behind

By the time of file 4 the windows of 0:20 are written: that row is late.
"""

import os
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import windrow as wr
from windrow.cli import main
from windrow.cli._stream import STATE_STORE, StopSignals, _watch

pytestmark = pytest.mark.xdist_group("streaming")

FILES = {
    1: ["00:00:05,ann,120", "00:00:40,bob,30", "00:01:10,ann,300"],
    2: ["00:02:10,ann,45", "00:03:10,bob,", "00:10:00,cat,1"],
    3: ["00:10:30,cat,2"],
    4: ["00:00:20,ann,7", "00:20:00,cat,3"],
}
QUERY = ["--window", "2 minutes", "--every", "1 minute", "--on", "ts", "--by", "caller"]
AGG = ["--agg", "longest=max(len)", "--agg", "n=count()"]
STREAM = ["--stream", "--watermark", "1 minute", "--files", "1", "--late", "keep"]
STREAM += ["--buckets", "2"]
QUICK = ["--trigger", "100 ms", "--master", "local[2]"]
SETTINGS = {**STATE_STORE, "spark.sql.shuffle.partitions": 2}
PATIENCE = 300  # seconds until a busy machine has started Spark and its first batches


def put(folder, *numbers):
    """Add files to the source, each a second younger than the one before."""
    folder.mkdir(exist_ok=True)
    for number in numbers:
        rows = [f"2024-01-01 {row}" for row in FILES[number]]
        hidden = folder / f".{number}.csv"
        hidden.write_text("\n".join(["ts,caller,len", *rows, ""]))
        os.utime(hidden, (1.7e9 + number, 1.7e9 + number))
        hidden.rename(folder / f"{number}.csv")


def rows_of(table):
    """Result rows as (caller, end, longest, n), in order."""
    return sorted(
        (row["caller"], f"{row['window']['end']:%H:%M}", row["longest"], row["n"])
        for row in table.to_pylist()
    )


def expected_rows(folder, *, late, until):
    """The in-process answer without the late row, of windows that ended by then."""
    table = pa.concat_tables(
        pa.csv.read_csv(path) for path in sorted(folder.glob("*.csv"))
    )
    kept = [f"{at:%H:%M:%S}" not in late for at in table["ts"].to_pylist()]
    window = wr.sliding("2 minutes", every="1 minute", on="ts")
    result = wr.aggregate(
        table.filter(pa.array(kept)),
        window,
        by="caller",
        longest=wr.max("len"),
        n=wr.count(),
    )
    return [row for row in rows_of(result) if row[1] <= until]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory, spark_environment):
    """A stream in a process of its own, stopped by Ctrl-C after three files."""
    folder = tmp_path_factory.mktemp("stream")
    source, out = folder / "calls", folder / "out.parquet"
    put(source, 1, 2, 3)
    command = ["run", str(source), *QUERY, *AGG, *STREAM, "--to", str(out)]
    running = subprocess.Popen(
        [sys.executable, "-m", "windrow.cli", *command, *QUICK],
        env=spark_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        commits = folder / "out.parquet.checkpoint" / "commits"
        wait_for(lambda: (commits / "2").exists() or running.poll() is not None)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all of them
        printed, said = running.communicate(timeout=PATIENCE)
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
    return SimpleNamespace(
        source=source,
        out=out,
        command=command,
        code=running.returncode,
        printed=printed,
        said=said,
    )


def wait_for(condition):
    """Look until it is so."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.1)


def test_ctrl_c_ends_a_stream_with_its_sum(stopped):
    last = stopped.said.splitlines()[-1]

    assert (stopped.code, stopped.printed) == (0, "")
    assert re.fullmatch(
        rf"{re.escape(str(stopped.out))}: 7 rows in, \d+ rows out, 0 late rows, "
        r"[34] micro-batches, \d+\.\d s",
        last,
    ), stopped.said
    assert "Traceback" not in stopped.said


@pytest.mark.deep
def test_a_stopped_stream_goes_on_to_the_answer_over_all_files(
    spark, settings_of, stopped, capsys
):
    put(stopped.source, 4)

    with settings_of(SETTINGS):
        code = main([*stopped.command, "--once"])

    assert code == 0, capsys.readouterr().err
    assert ": 2 rows in, " in capsys.readouterr().err
    found = spark.read.parquet(str(stopped.out)).toArrow()
    is_late = found["late"].is_valid()
    assert rows_of(found.filter(pa.compute.invert(is_late))) == expected_rows(
        stopped.source, late={"00:00:20"}, until="00:19"
    )
    (late,) = found.filter(is_late)["late"].to_pylist()
    assert (f"{late['ts']:%H:%M:%S}", late["caller"], late["len"]) == (
        ("00:00:20", "ann", 7)
    )


@pytest.mark.deep  # test_restart.py refuses the same, without a process of its own
def test_another_query_over_the_checkpoint_is_refused_in_two_lines(
    spark, settings_of, tmp_path, capsys
):
    source, out = tmp_path / "calls", tmp_path / "out.parquet"
    other = ["30 seconds" if word == "1 minute" else word for word in QUERY]
    common = ["run", str(source), *AGG, *STREAM, "--once", "--to", str(out)]
    with settings_of(SETTINGS):
        put(source, 1)
        first = main([*common, *QUERY])
        put(source, 2)
        capsys.readouterr()

        second = main([*common, *other])

    assert (first, second) == (0, 2)
    said = capsys.readouterr().err
    *_, fact, hint = said.splitlines()
    assert "slide 60000000" in fact
    assert "slide 30000000" in fact
    assert hint.startswith("Hint: ")
    assert "Traceback" not in said
    assert "\tat " not in said


def test_ahead_that_is_shorter_than_the_slide_is_refused_in_two_lines(
    spark, settings_of, tmp_path, capsys
):
    source, out = tmp_path / "calls", tmp_path / "out.parquet"
    put(source, 1)
    command = ["run", str(source), *AGG, *QUERY, *STREAM, "--to", str(out)]
    with settings_of(SETTINGS):
        code = main([*command, "--once", "--hot", "--ahead", "59 seconds"])

    *_, fact, hint = capsys.readouterr().err.splitlines()
    assert code == 2
    assert "more than 59 seconds ahead: a window ends every 1 minute" in fact
    assert hint == "Hint: make ahead= at least as long as the slide, 1 minute"
    assert not out.exists()


class Running:
    """A query that has finished one micro-batch at each look but the first."""

    def __init__(self, statuses):
        self.statuses = iter(statuses)
        self.isActive, self.stops = True, 0
        self.lastProgress, self.recentProgress = None, []

    @property
    def status(self):
        is_active = next(self.statuses)
        return {"isTriggerActive": is_active, "message": "Processing new data"}

    def stop(self):
        self.isActive = False
        self.stops += 1

    def awaitTermination(self):  # noqa: N802 - pyspark's own name
        assert not self.isActive


def test_a_stop_waits_until_the_micro_batch_is_over():
    running, stopping = Running([True, True, False]), StopSignals()
    stopping.note()

    _watch(running, stopping, lambda _: None)

    assert running.stops == 1
    assert next(running.statuses, None) is None


def test_a_second_stop_does_not_wait():
    running, stopping = Running([]), StopSignals()
    stopping.note()
    stopping.note()

    _watch(running, stopping, lambda _: None)

    assert running.stops == 1
