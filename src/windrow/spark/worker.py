"""Runs tasks and steps of buckets inside Spark's Python workers.

A task is unpickled once in each worker: the same bytes give the same object, so that
kernels that were compiled for a user's functions are found again.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
from pyspark import TaskContext, cloudpickle

from windrow._version import __version__
from windrow.errors import BadInput, WindrowError
from windrow.state.codec import HEADER, STATS, StepStats

if TYPE_CHECKING:
    import pandas as pd

    from windrow.tasks.stream import StateTask

T = TypeVar("T")

OLDEST_ARROW = 18
A_TIME = 8  # blobs of results that go to Spark together

OURS = str(Path(__file__).resolve().parents[1])


@lru_cache(maxsize=64)
def _task(body: bytes) -> Any:
    return cloudpickle.loads(body)


def run(
    body: bytes, version: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Run a task over one partition; what feeds a stream begins with its beats."""

    def run_task() -> Iterator[pa.RecordBatch]:
        task = _task(body)
        if getattr(task, "beats", ()) and _is_first_batch():
            yield task.beat()
        yield from task(batches)

    yield from _name_users_line(version, run_task)


def _is_first_batch() -> bool:
    """Whether this is the first micro-batch of a stream."""
    context = TaskContext.get()
    number = context and context.getLocalProperty("streaming.sql.batchId")
    return number == "0"


class MapStore:
    """The blobs of a bucket in Spark's state store, and whether it has a header."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self.had_header: bool | None = None  # until it is asked for
        self.has_header = False

    def get(self, number: int) -> bytes | None:
        """The blob under that number, if there is one."""
        row = self._state.getValue((number,))
        if number == HEADER:
            self.has_header = row is not None
            if self.had_header is None:
                self.had_header = self.has_header
        return None if row is None else bytes(row[0])

    def put(self, number: int, blob: bytes) -> None:
        """Keep a blob under that number."""
        if number == HEADER:
            self.has_header = True
        self._state.updateValue((number,), (blob,))

    def remove(self, number: int) -> None:
        """Forget that number."""
        if number == HEADER:
            self.has_header = False
        self._state.removeKey((number,))


def step(
    body: bytes,
    version: str,
    store: MapStore,
    blobs: list[bytes],
    now: int,
    clock: int,
) -> Iterator[pd.DataFrame]:
    """Move a bucket on; a row for each blob of results, and one of its statistics.

    `now` is the watermark, `clock` the time of the micro-batch, in milliseconds.
    """
    import pandas as pd  # noqa: PLC0415 - tasks without state do without it

    stats = StepStats()

    def run_step() -> Iterator[bytes]:
        task: StateTask = _task(body)
        yield from task.step(store, blobs, now, stats, clock)

    results = _name_users_line(version, run_step)
    while some := list(islice(results, A_TIME)):
        yield pd.DataFrame({"blob": some, **dict.fromkeys(STATS, 0)})
    counts = {name: getattr(stats, name) for name in STATS}
    yield pd.DataFrame({"blob": [None], **counts})


def load(body: bytes, version: str, store: MapStore, blobs: list[bytes]) -> None:
    """Take history into a bucket that has not begun."""

    def run_load() -> Iterator[None]:
        task: StateTask = _task(body)
        task.load(store, blobs)
        yield None

    list(_name_users_line(version, run_load))


def _name_users_line(version: str, run: Callable[[], Iterable[T]]) -> Iterator[T]:
    """What `run` gives, or an error that names the user's own line."""
    if version != __version__:
        raise BadInput.because(
            "cannot run windrow in Spark's Python workers",
            f"they have version {__version__}, and the query was made by {version}",
            "install the same version on both sides",
        )
    if int(pa.__version__.partition(".")[0]) < OLDEST_ARROW:
        raise BadInput.because(
            "cannot run windrow in Spark's Python workers",
            f"they have pyarrow {pa.__version__}, not {OLDEST_ARROW} or later",
            f"run {sys.executable} -m pip install 'pyarrow>={OLDEST_ARROW}' there",
        )
    try:
        yield from run()
    except (WindrowError, MemoryError, GeneratorExit):
        raise
    except Exception as error:  # noqa: BLE001 - whatever a user's function raises
        raise _with_users_line(error) from None


def _with_users_line(error: Exception) -> Exception:
    """The error with the line that caused it in front, if that is not ours."""
    frames = traceback.extract_tb(error.__traceback__)
    users = [
        frame
        for frame in frames
        if not frame.filename.startswith(OURS)
        and "site-packages" not in frame.filename
        and Path(frame.filename).is_file()
    ]
    if not users:
        return error
    last: Any = users[-1]
    return RuntimeError(
        f"{type(error).__name__} in {last.name}, {last.filename}:{last.lineno}: {error}"
        + (f"\n  {last.line}" if last.line else "")
    )
