"""Refuses, before a job starts, what Spark cannot hold or run.

These are times, watermarks, stores of state, and Python workers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.types import TimestampNTZType, TimestampType

from windrow.errors import BadInput, WindowError
from windrow.plan import (
    OverPlan,
)
from windrow.plan.stream_clock import StreamClock
from windrow.plan.table import TablePlan

from .schema import field_of

DELAY = "spark.watermarkDelayMs"  # in the metadata of a column


PROVIDER = "spark.sql.streaming.stateStore.providerClass"


ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def check_workers(frame: DataFrame) -> None:
    """Refuse workers that cannot run ours, of which Spark tells in a job that fails.

    Those of a cluster run elsewhere, and those of Connect are the server's own.
    """
    if not _runs_here(frame):
        return
    python = os.environ.get("PYSPARK_PYTHON", "python3")  # as Spark itself asks
    there, has_windrow = _look_at(python)
    here = "{}.{}".format(*sys.version_info)
    if not there:
        trouble = f"{python} is no Python that runs"
    elif there != here:
        trouble = f"{python} is Python {there}, and they must be {here} as here"
    elif not has_windrow and not _sent_archives():
        trouble = f"windrow is not installed for {shutil.which(python) or python}"
    else:
        return
    raise BadInput.because(
        "cannot run windrow in Spark's Python workers",
        trouble,
        f"run export PYSPARK_PYTHON={sys.executable} before the session starts",
    )


def _runs_here(frame: DataFrame) -> bool:
    """Whether workers are started by a JVM of this process."""
    if ".connect." in type(frame).__module__:
        return False
    master = frame.sparkSession.conf.get("spark.master", "") or ""
    return master.startswith("local")


def _sent_archives() -> bool:
    """Whether --py-files or addPyFile sends archives, which may have windrow in them.

    Spark puts each of them on this process's path too, in a folder of this name.
    """
    return any(Path(entry).parent.name.startswith("userFiles-") for entry in sys.path)


@cache
def _look_at(python: str) -> tuple[str, bool]:
    """Major and minor version, as `3.11`, and whether windrow is there.

    The Python of a virtual environment is often a link to the one it was made of, which
    has none of its packages: only the same name is the same Python.
    """
    path = shutil.which(python) or python
    if path == sys.executable:
        return "{}.{}".format(*sys.version_info), True
    code = (
        "import importlib.util, sys; print('{}.{}'.format(*sys.version_info), "
        "importlib.util.find_spec('windrow') is not None)"
    )
    try:
        done = subprocess.run(  # noqa: S603 - the user's own choice of a Python
            [path, "-c", code], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "", False
    version, _, found = done.stdout.strip().partition(" ")
    return version, found == "True"


def check_ticks(plan: TablePlan) -> None:
    """Refuse what Spark's time cannot hold."""
    clock = plan.clock
    if clock is not None and clock.tick and clock.tick < 1000:
        raise WindowError.because(
            f"cannot slide over column {clock.column!r} in nanoseconds",
            "Spark's timestamps are whole microseconds",
            "use durations of whole microseconds",
        )


def _check_own_watermark(frame: DataFrame, on: str, others: Sequence[str]) -> None:
    """Refuse to set a watermark where there is one, or on what is no timestamp."""
    if others:
        raise BadInput.because(
            f"cannot set a watermark on column {on!r}",
            f"the stream has one on {', '.join(others)} already, and Spark moves it "
            "before a row can be looked at",
            "leave out .withWatermark(), or watermark= and ahead=",
        )
    kind = field_of(frame, on).dataType
    if not isinstance(kind, (TimestampType, TimestampNTZType)):
        raise BadInput.because(
            f"cannot set a watermark on column {on!r}",
            f"it is of type {kind.simpleString()}, and Spark's watermarks are on "
            "timestamps",
            "make it one, as with timestamp_seconds()",
        )


def check_stream(
    frame: DataFrame, plan: TablePlan, late: str, clock: StreamClock
) -> int:
    """Refuse a stream without watermark or RocksDB; the watermark's delay in ticks."""
    if isinstance(plan, OverPlan) and plan.span is not None:
        raise BadInput.because(
            "cannot look back over events with a duration on a stream",
            "a row comes when its event is over, and what was under way at its start "
            "may come long after it",
            "use wr.aggregate with wr.sliding(..., span=...), or wr.over on a batch",
        )
    if plan.clock is None:
        return 0
    on = plan.clock.column
    delay = field_of(frame, on).metadata.get(DELAY)
    others = [f.name for f in frame.schema if DELAY in f.metadata]
    if clock.watermark is not None:
        _check_own_watermark(frame, on, others)
        delay = clock.watermark.amount // 10**6
    if delay is None:
        cause = "the stream has no watermark"
        if clock.idle is not None:
            cause += ", from which time could go on by idle="
        hint = f"call .withWatermark({on!r}, '10 minutes') on it first, or give "
        hint += "watermark='10 minutes'"
        if others:
            cause = f"the watermark is on {', '.join(others)}"
            hint = f"set it on {on!r} in its place: Spark allows one"
        raise BadInput.because(
            f"cannot tell when a window over column {on!r} of a stream is complete",
            cause,
            hint,
        )
    if late == "keep":
        taken = [*plan.by, *(bound.name for bound in plan.calls)]
        if isinstance(plan, OverPlan):
            taken += frame.columns
        if "late" in taken:
            raise BadInput.because(
                "cannot give late rows back in column 'late'",
                "the result has a column of that name already",
                'rename that one, or use late="count"',
            )
    if frame.sparkSession.conf.get(PROVIDER) != ROCKSDB:
        raise BadInput.because(
            "cannot keep the state of a stream",
            "the session's state store is not RocksDB, which stateful Python needs",
            f'call spark.conf.set("{PROVIDER}", "{ROCKSDB}") first',
        )
    return int(delay) * 10**6 // plan.clock.tick
