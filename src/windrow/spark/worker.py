"""The part that runs inside Spark's Python workers.

A task is unpickled once in each worker: the same bytes give the same object, so that
kernels that were compiled for a user's functions are found again.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle

from windrow._version import __version__
from windrow.engine.tasks import Task
from windrow.errors import BadInput, WindrowError

OURS = str(Path(__file__).resolve().parents[1])


@lru_cache(maxsize=64)
def _task(body: bytes) -> Task:
    task: Task = cloudpickle.loads(body)
    return task


def run(
    body: bytes, version: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Run a task over one partition."""
    if version != __version__:
        raise BadInput.because(
            "cannot run windrow in Spark's Python workers",
            f"they have version {__version__}, and the query was made by {version}",
            "install the same version on both sides",
        )
    try:
        yield from _task(body)(batches)
    except (WindrowError, MemoryError, GeneratorExit):
        raise
    except Exception as error:  # noqa: BLE001 - whatever a user's function raises
        raise _told(error) from None


def _told(error: Exception) -> Exception:
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
