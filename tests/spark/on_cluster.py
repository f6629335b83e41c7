"""The back end on two executor processes, one of which is killed: a script.

The executors have neither a home nor a cache folder that they could write to.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pyspark
from answers import assert_same_rows
from pyspark import TaskContext
from pyspark.sql import SparkSession
from scripts import check
from typed import frame_of, table_of

import windrow as wr

TIME = wr.sliding("30 seconds", every="7 seconds", on="at")
NATIVE = {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("x")}
OWN = wr.Aggregate(
    name="own",
    lift=lambda value: value,
    combine=lambda older, newer: older + newer,
    lower=lambda partial: 2 * partial,
    laws="commutative",
)
NOWHERE = "/proc/nowhere"  # not even root can make a folder there


def main() -> None:
    """All checks on one cluster: starting one takes longest."""
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    with tempfile.TemporaryDirectory() as scratch:
        session = started(Path(scratch))
        try:
            run(session, Path(scratch))
        finally:
            session.stop()


def started(scratch: Path, kernels: str = NOWHERE) -> SparkSession:
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.local.dir": str(scratch),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
        "spark.executorEnv.HOME": NOWHERE,
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        "spark.executorEnv.WINDROW_CACHE_DIR": kernels,
        "spark.executorEnv.XDG_CACHE_HOME": NOWHERE,
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def run(session: SparkSession, scratch: Path) -> None:
    table = table_of("int")
    frame = frame_of(session, "int", table)

    def compare(source: Any, calls: dict[str, Any], **how: Any) -> None:
        actual = wr.aggregate(source, TIME, aggregates=calls, **how)
        expected = wr.aggregate(table, TIME, aggregates=calls, **how)
        assert_same_rows(actual, expected)

    check("two executors", lambda: two_executors(session))
    check("no writable folder", lambda: nowhere_to_write(session))
    check("by key", lambda: compare(frame, NATIVE, by="key"))
    check("no key", lambda: compare(frame, NATIVE))
    check("own", lambda: compare(frame, {"own": OWN("x")}, by="key"))

    slow, marks = slowed(frame, scratch), scratch / "marks"
    killer = Killer(session, marks)
    killer.start()
    check("one executor killed", lambda: compare(slow, NATIVE, by="key", hot=True))
    killer.join()
    check("the killing happened in the middle", lambda: in_the_middle(killer, marks))


def slowed(frame: Any, scratch: Path) -> Any:
    """The same rows from eight tasks that take a second each and leave a mark."""
    marks = scratch / "marks"
    marks.mkdir()
    where = str(marks)

    def sleepy(batches: Any) -> Any:
        context = TaskContext.get()
        task = f"{context.stageId()}-{context.partitionId()}"
        Path(where, f"{task}-{context.taskAttemptId()}").touch()
        time.sleep(1)
        yield from batches

    return frame.repartition(8).mapInArrow(sleepy, frame.schema)


def executors(session: SparkSession) -> list[int]:
    """Process ids of this application's executors."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue  # it has ended meanwhile
        mine = session.sparkContext.applicationId in words
        if mine and any("CoarseGrainedExecutorBackend" in word for word in words):
            found.append(int(folder.name))
    return sorted(found)


def two_executors(session: SparkSession) -> None:
    until = time.monotonic() + 30
    while len(executors(session)) < 2 and time.monotonic() < until:
        time.sleep(0.1)
    assert len(executors(session)) == 2, executors(session)


def nowhere_to_write(session: SparkSession) -> None:
    """The executors' workers see the folders that are none."""

    def homes(batches: Any) -> Any:
        for batch in batches:
            names = ("HOME", "XDG_CACHE_HOME", "WINDROW_CACHE_DIR")
            assert all(os.environ[name] == "/proc/nowhere" for name in names)
            yield batch

    assert session.range(2).mapInArrow(homes, "id long").count() == 2


class Killer(threading.Thread):
    """Ends one executor as soon as some, but not all, of the slow tasks have run."""

    def __init__(self, session: SparkSession, marks: Path) -> None:
        super().__init__(daemon=True)
        self.session, self.marks = session, marks
        self.killed: int | None = None

    def run(self) -> None:
        until = time.monotonic() + 60
        while len(list(self.marks.iterdir())) < 4:
            if time.monotonic() > until:
                return
            time.sleep(0.05)
        self.killed = executors(self.session)[0]
        os.kill(self.killed, signal.SIGKILL)


def in_the_middle(killer: Killer, marks: Path) -> None:
    assert killer.killed is not None
    assert killer.killed not in executors(killer.session)
    tried = [mark.name.split("-")[1] for mark in marks.iterdir()]
    assert len(set(tried)) == 8
    assert len(tried) > 8, "no task had to be tried again"


if __name__ == "__main__":
    sys.exit(main())
