"""Shows in one line of the terminal how far Spark is, or what a stream says.

Classic sessions are polled through Spark's status tracker, Connect sessions report
by themselves.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from .console import err

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EVERY = 0.2  # seconds between two looks at Spark
_EVERY_LINE = 5.0  # seconds between two printed lines

Show = Callable[[int, int], None]
"""Shows tasks done, and tasks known: later stages may add to these."""


@contextlib.contextmanager
def progress(spark: SparkSession, words: str) -> Iterator[None]:
    """Show tasks done of tasks known for as long as the block runs, on a terminal."""
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

        def show(done: int, known: int) -> None:
            tasks = f"{done}/{known} tasks" if known else ""
            line.update(task, completed=done, total=known or None, tasks=tasks)

        with watch(spark, show):
            yield


@contextlib.contextmanager
def _watch(spark: SparkSession, show: Show) -> Iterator[None]:
    tracker = spark.sparkContext.statusTracker()
    before = set(tracker.getJobIdsForGroup(None))
    over = threading.Event()

    def poll() -> None:
        while not over.wait(_EVERY):
            with contextlib.suppress(Exception):  # a session may stop under our eyes
                show(*_count(tracker, before))

    thread = threading.Thread(target=poll, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _count(tracker: Any, before: set[int]) -> tuple[int, int]:
    jobs = map(tracker.getJobInfo, set(tracker.getJobIdsForGroup(None)) - before)
    numbers = {stage for job in jobs if job is not None for stage in job.stageIds}
    # Of a stage that has not been submitted there is no info yet.
    stages = [info for info in map(tracker.getStageInfo, numbers) if info is not None]
    done = sum(stage.numCompletedTasks for stage in stages)
    return done, sum(stage.numTasks for stage in stages)


@contextlib.contextmanager
def _watch_remote(spark: SparkSession, show: Show) -> Iterator[None]:
    def listen(stages: Any, **_: Any) -> None:
        all_stages = list(stages or ())
        done = sum(stage.num_completed_tasks for stage in all_stages)
        show(done, sum(stage.num_tasks for stage in all_stages))

    handler: Any = listen  # pyspark asks for its class and calls any function
    spark.registerProgressHandler(handler)
    try:
        yield
    finally:
        spark.removeProgressHandler(handler)


@contextlib.contextmanager
def status_line(words: str) -> Iterator[Callable[[str], None]]:
    """A function that shows a line in place of the one before.

    Where stderr is not a terminal, new lines are printed, at most every few seconds.
    """
    if err.is_terminal:
        with err.status(_one_line(words)) as status:
            yield lambda text: status.update(_one_line(text))
        return
    shown, last = "", float("-inf")

    def show(text: str) -> None:
        nonlocal shown, last
        if text != shown and time.monotonic() - last >= _EVERY_LINE:
            err.print(text)
            shown, last = text, time.monotonic()

    yield show


def _one_line(text: str) -> Text:
    """Cut to the screen: the spinner before it takes two places and would wrap it."""
    line = Text(text)
    line.truncate(max(1, err.width - 2), overflow="ellipsis")
    return line
