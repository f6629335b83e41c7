"""Ships tasks to Spark's Python workers.

What travels is one small function that needs nothing, and the task as bytes.  So a
worker whose Python has no windrow can say so in a sentence, and a worker that has
run the task before finds it, with its compiled kernels, by those bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from windrow._version import __version__
from windrow.plan.tree import Tree
from windrow.tasks.as_of import AsOfTask
from windrow.tasks.as_of_chunks import ChunkTask
from windrow.tasks.over import RollTask
from windrow.tasks.policies import PolicyTask
from windrow.tasks.stream import FeedTask
from windrow.tasks.task import Task
from windrow.windows.repeats import WINDOWS, each_window

from .checks import check_workers
from .lanes import with_lane
from .schema import as_arrow, key_names

STRETCH = 1 << 16
"""Rows that are worth a call of a kernel."""

Run = Callable[[Iterable[Any]], Iterator[Any]]


def run_task(
    frame: DataFrame,
    task: Task | FeedTask | RollTask | AsOfTask | ChunkTask | PolicyTask,
    schema: StructType,
) -> DataFrame:
    """A task over each partition of a frame."""
    check_workers(frame)
    laned = with_lane(task, lambda: as_arrow(frame.schema))
    return frame.mapInArrow(ship(laned), schema)


def run_step(
    frame: DataFrame,
    step: str,
    tree: Tree,
    schema: StructType,
    *,
    of_rows: bool = False,
    stretches: int = 1,
) -> DataFrame:
    """A step of a tree over each partition of a frame of rows, or of slices."""
    plan = tree.plan
    by, names = tuple(key_names(plan)), tuple(frame.columns)
    if of_rows:
        by, names = plan.by, (*plan.reads, *names[len(plan.reads) :])
    task = Task(step, tree, by, names, as_arrow(schema), stretches * STRETCH)
    return run_task(frame, task, schema)


def ship(task: Run) -> Run:
    """The function that Spark calls with the Arrow batches of a partition."""
    body = cloudpickle.dumps(task)  # type: ignore[no-untyped-call]
    version, worker = __version__, worker_finder(__version__)

    # nested, so that it is pickled by value: it must run where windrow is missing
    def windrow_task(batches: Iterable[Any]) -> Iterator[Any]:
        yield from worker().run(body, version, batches)

    return windrow_task


def unpacker() -> Run:
    """A function that gives the batches in blobs of results.

    Where no row stands for several windows it needs pyarrow and nothing of ours, so
    that workers that only do this are spared loading it.
    """
    repeats = worker_finder(__version__, each_window.__module__)
    windows = WINDOWS

    # nested for the same reason
    def windrow_results(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa  # noqa: PLC0415 - this runs in another process

        for batch in batches:
            for blob in batch.column(0):
                for rows in pa.ipc.open_stream(blob.as_buffer()):
                    if windows in rows.schema.names:
                        yield from repeats().each_window(rows)
                    else:
                        yield rows

    return windrow_results


def worker_finder(
    version: str, module: str = "windrow.spark.worker"
) -> Callable[[], Any]:
    """A function that finds our part in a worker, or says that it is missing there."""

    # nested for the same reason
    def windrow_worker() -> Any:
        import importlib  # noqa: PLC0415 - this runs in another process
        import sys  # noqa: PLC0415 - the same

        try:
            return importlib.import_module(module)
        except (ImportError, AttributeError) as error:  # the latter: pyarrow is old
            raise ImportError(
                f"cannot run windrow in Spark's Python workers: {sys.executable} "
                f"says {error}\nHint: install windrow {version} there, or set "
                "PYSPARK_PYTHON to a Python that has it before the session starts"
            ) from None

    return windrow_worker
