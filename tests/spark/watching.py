"""What Spark did: its plan as text, the jobs it ran, the rows each task read.

Only tests look through `_jsc`: the library never does, so that it runs on Connect.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from py4j.java_gateway import GatewayClient


def plan_of(frame: Any) -> str:
    """The physical plan, as Spark prints it."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        frame.explain(mode="formatted")
    return text.getvalue().replace("PythonMapInArrow", "MapInArrow")  # Spark 3.5


def operators(frame: Any) -> list[str]:
    """The operators of the physical plan, from the sink to the source."""
    tree = plan_of(frame).split("\n\n", 1)[0]
    return re.findall(r"^[\s:+\-*]*(\w+)[^\n]*\(\d+\)$", tree, re.MULTILINE)


def analysed(frame: Any) -> list[str]:
    """The nodes of the plan as it was written, from the sink to the source."""
    node, names = frame._jdf.queryExecution().analyzed(), []
    while True:
        names.append(node.nodeName())
        if not node.children().size():
            return names
        node = node.children().head()


@contextlib.contextmanager
def calls_to_jvm() -> Iterator[list[str]]:
    """What Python asks of the JVM meanwhile, but for objects that it lets go."""
    asked: list[str] = []
    own = GatewayClient.send_command

    def send(client: Any, command: str, *more: Any, **named: Any) -> Any:
        if not command.startswith("m\nd"):
            asked.append(command)
        return own(client, command, *more, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GatewayClient, "send_command", send)
        yield asked


def _status(spark: Any) -> Any:
    """The store of what has run, once every event so far has reached it."""
    context = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    return context.statusStore()


def jobs(spark: Any) -> list[int]:
    """The numbers of all jobs so far."""
    found = _status(spark).jobsList(None)
    return [found.apply(i).jobId() for i in range(found.size())]


@dataclass(frozen=True)
class Task:
    """What one task read: rows of its input, rows from a shuffle."""

    stage: int
    read: int
    shuffled: int


def tasks_since(spark: Any, before: list[int]) -> list[Task]:
    """Every task of the jobs that are not among those before."""
    store = _status(spark)
    found = store.jobsList(None)
    new = [found.apply(i) for i in range(found.size())]
    new = [job for job in new if job.jobId() not in before]
    stages = {job.stageIds().apply(i) for job in new for i in range(_size(job))}
    return [task for stage in sorted(stages) for task in _tasks(store, stage)]


def _size(job: Any) -> int:
    return int(job.stageIds().size())


def _tasks(store: Any, stage: int) -> list[Task]:
    listed = store.taskList(stage, 0, 10_000)
    found = []
    for i in range(listed.size()):
        metrics = listed.apply(i).taskMetrics()
        if metrics.isEmpty():
            continue
        read = metrics.get().inputMetrics().recordsRead()
        shuffled = metrics.get().shuffleReadMetrics().recordsRead()
        found.append(Task(stage, int(read), int(shuffled)))
    return found
