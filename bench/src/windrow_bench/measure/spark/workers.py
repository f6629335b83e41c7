"""The memory of Spark's Python workers, from /proc while a job runs.

the bench process
  java                        the driver, and in local mode the executor
    python -m pyspark.daemon
      pyspark.daemon          a worker: forked, one for each task that runs
      pyspark.daemon
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

PROC = Path("/proc")
DAEMON = b"pyspark.daemon"
EVERY = 0.05  # seconds


class Watch:
    """The highest resident size of each worker that was seen, in bytes."""

    def __init__(self) -> None:
        self.peaks: dict[int, int] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    @property
    def highest(self) -> int:
        """Of the largest worker."""
        return max(self.peaks.values(), default=0)

    def _look(self) -> None:
        last = False
        while not last:  # once more after the end: an idle worker keeps its peak
            last = self._done.wait(EVERY)
            for worker, peak in peaks(os.getpid()).items():
                self.peaks[worker] = max(peak, self.peaks.get(worker, 0))


def peaks(root: int, proc: Path = PROC) -> dict[int, int]:
    """VmHWM of each Python worker among the descendants of the process `root`."""
    parents = {
        int(path.name): int(_status(path, "PPid") or 0)
        for path in proc.iterdir()
        if path.name.isdigit()
    }
    found = {}
    for process, parent in parents.items():
        forked = _is_daemon(proc / str(process)) and _is_daemon(proc / str(parent))
        if forked and _descends(process, root, parents):
            size = _status(proc / str(process), "VmHWM")
            found[process] = int(size.split()[0]) * 1024 if size else 0
    return found


def _descends(process: int, root: int, parents: dict[int, int]) -> bool:
    while process not in (root, 0):
        process = parents.get(process, 0)
    return process == root


def _is_daemon(path: Path) -> bool:
    try:
        return DAEMON in (path / "cmdline").read_bytes()
    except OSError:  # it has ended
        return False


def _status(path: Path, field: str) -> str:
    try:
        lines = (path / "status").read_text("utf-8").splitlines()
    except OSError:
        return ""
    return next((x.split(":")[1].strip() for x in lines if x.startswith(field)), "")
