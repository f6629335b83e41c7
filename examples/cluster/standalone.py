"""Run windrow on a cluster of Spark's own, with an environment that Spark ships.

    python examples/cluster/standalone.py

Starts a master and two workers from the pip package on this machine, packs an
environment with windrow, and lets Spark unpack it beside each executor: the machines'
own Python has no windrow.  Windows of a batch, rolling columns and a stream are
compared with the answers of one process, while workers are killed.  Prints one line
for each check, `ok ...` or `wrong ...`, and ends every process that it started.

Two settings bring the environment to the executors of any cluster (see `connect`):
`spark.archives`, and PYSPARK_PYTHON with the Python inside the archive.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from local_cluster import Cluster, connect, pack
from pyspark.sql import DataFrame, SparkSession

import windrow as wr

WINDOW = wr.sliding("30 seconds", every="5 seconds", on="at")
CALLS: Any = {"n": wr.count(), "total": wr.sum("x"), "middle": wr.median("x")}


class Checks:
    """Questions that are asked of the cluster and of this process."""

    def __init__(self, session: SparkSession, cluster: Cluster, folder: Path) -> None:
        self._session, self._cluster, self._folder = session, cluster, folder
        order = [(i * 37) % 900 for i in range(3000)]
        times = pa.array(order, pa.int64()).cast(pa.timestamp("s"))
        self._table = pa.table(
            {
                "at": times.cast(pa.timestamp("us", "UTC")),
                "key": [f"k{i % 7}" for i in range(3000)],
                "x": [i % 101 for i in range(3000)],
            }
        )
        pq.write_table(self._table, folder / "rows.parquet")
        self._rows = session.read.parquet(str(folder / "rows.parquet"))

    def run(self) -> int:
        """Run each check and print its line; how many are wrong."""
        wrong = 0
        for check in (self.shipped, self.batch, self.over, self.killed, self.stream):
            try:
                check()
            except Exception as error:  # noqa: BLE001 - the line says what it was
                wrong += 1
                print(f"wrong {check.__doc__}: {str(error)[:2000]}", flush=True)
            else:
                print(f"ok {check.__doc__}", flush=True)
        return wrong

    def shipped(self) -> None:
        """Windrow comes from the archive alone"""
        own = [sys._base_executable, "-I", "-c", "import windrow"]  # type: ignore[attr-defined]
        ran = subprocess.run(own, capture_output=True, check=False)
        assert b"No module named 'windrow'" in ran.stderr, ran.stderr

        def where(batches: Any) -> Any:
            import windrow  # noqa: PLC0415 - runs on an executor

            for batch in batches:
                files = [str(windrow.__file__)] * batch.num_rows
                yield pa.RecordBatch.from_pydict({"file": files})

        rows = self._rows.repartition(4).mapInArrow(where, "file string").distinct()
        files = [row.file for row in rows.collect()]
        assert {"/app-" in file for file in files} == {True}, files

    def batch(self) -> None:
        """Windows of a batch"""
        self._compare_windows(self._rows)

    def over(self) -> None:
        """Rolling columns"""
        how: Any = {"on": "at", "by": "key", "total": wr.sum("x", last="1 minute")}
        assert_same(wr.over(self._rows, **how), wr.over(self._table, **how))

    def killed(self) -> None:
        """Windows of a batch whose worker is killed"""
        marks, go_on = self._folder / "marks", self._folder / "go-on"
        marks.mkdir()

        def wait(batches: Any) -> Any:
            from pyspark import TaskContext  # noqa: PLC0415 - runs on an executor

            task: Any = TaskContext.get()
            (marks / f"{task.partitionId()}-{task.taskAttemptId()}").touch()
            while not go_on.exists():
                time.sleep(0.05)
            yield from batches

        def kill() -> None:
            try:
                wait_until(lambda: len(list(marks.iterdir())) > 1, "both cores work")
                self._cluster.kill_worker()
                # a third task can only begin on the executor of the new worker
                wait_until(lambda: len(list(marks.iterdir())) > 2, "a task begins")
            finally:
                go_on.touch()

        rows = self._rows.repartition(6)
        with beside(kill):
            self._compare_windows(rows.mapInArrow(wait, rows.schema))
        begun = [mark.name.partition("-")[0] for mark in marks.iterdir()]
        assert len(set(begun)) == 6 < len(begun), f"no task began twice: {begun}"

    def stream(self) -> None:
        """A stream whose worker is killed"""
        source, rows = self._folder / "source", self._table.sort_by("at")
        source.mkdir()
        for number in range(6):
            file = source / f"{number}.parquet"
            pq.write_table(rows.slice(number * 500, 500), file)
            os.utime(file, (1_700_000_000 + number,) * 2)  # Spark reads them in order
        reader = self._session.readStream.schema(self._rows.schema)
        arriving = reader.option("maxFilesPerTrigger", 1).parquet(str(source))
        windows = wr.aggregate(arriving, WINDOW, by="key", watermark="0 s", **CALLS)
        writer = windows.writeStream.format("parquet").trigger(availableNow=True)
        writer = writer.option("checkpointLocation", str(self._folder / "checkpoint"))
        query = writer.start(str(self._folder / "sink"))
        before: list[int] = []

        def kill() -> None:
            wait_until(lambda: len(query.recentProgress) >= 2, "two steps are done")
            before.append(len(query.recentProgress))
            self._cluster.kill_worker()

        with beside(kill):
            query.awaitTermination()
        assert before[0] < 6 <= len(query.recentProgress), "it was killed too late"
        last = rows["at"].to_pylist()[-1]
        expected = wr.aggregate(rows, WINDOW, by="key", **CALLS).to_pylist()
        complete = [row for row in expected if row["window"]["end"] <= last]
        assert_same(self._session.read.parquet(str(self._folder / "sink")), complete)

    def _compare_windows(self, rows: DataFrame) -> None:
        actual = wr.aggregate(rows, WINDOW, by="key", **CALLS)
        assert_same(actual, wr.aggregate(self._table, WINDOW, by="key", **CALLS))


def assert_same(actual: DataFrame, expected: Any) -> None:
    """Both have the same rows, in any order."""
    rows = expected if isinstance(expected, list) else expected.to_pylist()
    got = sorted(map(repr, actual.toArrow().to_pylist()))
    assert got == sorted(map(repr, rows)), f"{len(got)} rows, expected {len(rows)}"


@contextmanager
def beside(act: Callable[[], None]) -> Iterator[None]:
    """Do something in another thread while the body runs."""
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    yield
    thread.join()


def wait_until(happened: Callable[[], bool], words: str, seconds: int = 200) -> None:
    """Wait for something, or say what did not happen."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s: {words}")
        time.sleep(0.1)


def main() -> int:
    """Run all checks; the exit code is the number of wrong ones."""
    folder = Path(tempfile.mkdtemp(prefix="windrow-cluster-"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        archive = pack(folder)
        # A stream also starts ./env/bin/python beside the driver.
        os.chdir(folder)
        cluster = Cluster(folder)
        stack.callback(cluster.stop)
        session = connect(cluster.address, archive)
        stack.callback(session.stop)
        return Checks(session, cluster, folder).run()


if __name__ == "__main__":
    sys.exit(main())
