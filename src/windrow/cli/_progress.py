"""Shows Spark's progress in one line: tasks done of tasks known.

Classic sessions are polled through Spark's status tracker, Connect sessions report
by themselves.  Where stderr is not a terminal nothing is shown.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from ._console import err

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EVERY = 0.2  # seconds

Tasks = tuple[int, int]
"""Tasks done, and tasks known: later stages may add to these."""


@contextlib.contextmanager
def progress(spark: SparkSession, words: str) -> Iterator[None]:
    """Show how far Spark is, for as long as the block runs."""
    if not err.is_terminal:
        yield
        return
    line = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[tasks]}"),
        TimeElapsedColumn(),
        console=err,
        transient=True,
    )
    with line:
        task = line.add_task(words, total=None, tasks="")
        is_remote = type(spark).__module__.startswith("pyspark.sql.connect")
        watch = _watch_remote if is_remote else _watch
        with watch(spark, lambda tasks: _show(line, task, tasks)):
            yield


def _show(line: Progress, task: TaskID, tasks: Tasks) -> None:
    done, known = tasks
    words = f"{done}/{known} tasks" if known else ""
    line.update(task, completed=done, total=known or None, tasks=words)


@contextlib.contextmanager
def _watch(spark: SparkSession, show: Callable[[Tasks], None]) -> Iterator[None]:
    tracker = spark.sparkContext.statusTracker()
    before = set(tracker.getJobIdsForGroup(None))
    over = threading.Event()

    def poll() -> None:
        while not over.wait(_EVERY):
            with contextlib.suppress(Exception):  # a session may stop under our eyes
                show(_count(tracker, before))

    thread = threading.Thread(target=poll, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _count(tracker: Any, before: set[int]) -> Tasks:
    done, known = 0, 0
    stages: set[int] = set()
    for job in set(tracker.getJobIdsForGroup(None)) - before:
        info = tracker.getJobInfo(job)
        stages |= set(info.stageIds) if info is not None else set()
    for stage in stages:
        info = tracker.getStageInfo(stage)
        if info is not None:  # none yet: its stage has not been submitted
            done += info.numCompletedTasks
            known += info.numTasks
    return done, known


@contextlib.contextmanager
def _watch_remote(spark: SparkSession, show: Callable[[Tasks], None]) -> Iterator[None]:
    def listen(stages: Any, **_: Any) -> None:
        all_stages = list(stages or ())
        done = sum(stage.num_completed_tasks for stage in all_stages)
        show((done, sum(stage.num_tasks for stage in all_stages)))

    handler: Any = listen  # pyspark asks for its class and calls any function
    spark.registerProgressHandler(handler)
    try:
        yield
    finally:
        spark.removeProgressHandler(handler)
