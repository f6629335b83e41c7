"""The memory of one operator: the most that a process of its own ever held.

    here      a job, as JSON  ------------>  python -m windrow_bench.measure.memory
                                               window 2, 16, 256, ...   one by one,
    Peak, Peak, ...  <---- the most so far     let go before the next is made

The most so far is forgotten before each window, where the system can; windows rise,
so that it is this one's anyway.  The first has two rows: what it took is the process
itself, with libraries and compiled code, and comes off for what a window takes.
Kernels are compiled here beforehand: a compiler takes more than most windows.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from windrow.loops import Lane, pinned
from windrow_bench.libraries import load

from .answers import FOLDS, Array, WrongAnswer
from .operators import operator

PAGE = 4096  # bytes: nothing is smaller to a system
BASE, REHEARSED = 2, 16
BATCH = 10_000
SLOW = "recompute"  # answers once a window only
# What is let go goes back to the system at once (glibc), and pages are small (numpy):
# else a window of a megabyte takes two.
EXACT = {"MALLOC_MMAP_THRESHOLD_": "65536", "NUMPY_MADVISE_HUGEPAGE": "0"}
COMPILED = {"WINDROW_COMPILE": "always"}  # a compiler's memory comes before the windows
LEAST = 4 * BATCH  # rows: with one batch less code is loaded than with many


@dataclass(frozen=True)
class MemoryJob:
    """An operator, and the windows to give it; the first of them is BASE.

    `rows` is a file with those that come again and again.
    """

    algorithm: str
    aggregate: str
    rows: str
    widths: tuple[int, ...]


@dataclass(frozen=True)
class Peak:
    """Bytes that the process held at most, and how many of them for its window."""

    width: int
    whole: int
    own: int


def peaks(algorithm: str, aggregate: str, rows: Array, widths: list[int]) -> list[Peak]:
    """What those windows take, in a process of its own; windows rise."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, rows)
        job = MemoryJob(algorithm, aggregate, str(path), (BASE, *widths))
        with pinned(Lane.COMPILED):
            _fill(job, rows, REHEARSED)
        return in_order(job, _elsewhere(job))


def in_order(job: MemoryJob, found: list[int]) -> list[Peak]:
    """Peaks of all windows but the first, which is the process itself."""
    return [
        Peak(width, whole, max(whole - found[0], PAGE))
        for width, whole in list(zip(job.widths, found, strict=True))[1:]
    ]


def run(job: MemoryJob) -> Iterator[int]:
    """The most that this process has held, after each window."""
    rows = np.load(job.rows)
    _fill(job, rows, BASE)  # loads code, which takes more while it does than after
    for width in job.widths:
        with suppress(OSError):  # elsewhere than on Linux, rising windows have to do
            Path("/proc/self/clear_refs").write_text("5", "ascii")
        _fill(job, rows, width)
        yield most_so_far()


def _elsewhere(job: MemoryJob) -> list[int]:
    command = [sys.executable, "-m", __name__, json.dumps(asdict(job))]
    env = {**os.environ, **EXACT, **COMPILED}
    done = subprocess.run(  # noqa: S603 - our own module
        command, capture_output=True, text=True, check=False, env=env
    )
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        kind = WrongAnswer if WrongAnswer.__name__ in last else MemoryError
        raise kind(last or f"the process ended with {done.returncode}")
    return [int(line) for line in done.stdout.split()]


def _fill(job: MemoryJob, chunk: Array, width: int) -> None:
    """Two windows' worth of rows, so that all memory of the first is used again."""
    every = width if job.algorithm == SLOW else 1
    dtype = chunk.dtype.name
    one = operator(job.algorithm, job.aggregate, width, every=every, dtype=dtype)
    rows = max(2 * width, LEAST)
    for some in _pieces(chunk, 0, rows, BATCH):
        one.feed(some)
    actual = one.query()
    del one
    gc.collect()  # an operator knows its own calls: a cycle
    fold = FOLDS[job.aggregate]
    pieces = [*_pieces(chunk, rows - width, rows, len(chunk))]
    expected = fold(pieces[0])
    if len(pieces) > 1:  # a sum of sums, a maximum of maxima
        expected = fold(np.array([fold(piece) for piece in pieces]))
    if not np.isclose(actual, expected):
        raise WrongAnswer(
            f"{job.algorithm}: {job.aggregate} of {width} rows is {expected}, "
            f"not {actual}"
        )


def _pieces(chunk: Array, start: int, stop: int, longest: int) -> Iterator[Array]:
    """Rows [start, stop) of the chunk told over and over, without a copy."""
    while start < stop:
        at = start % len(chunk)
        piece = chunk[at : at + min(longest, stop - start)]
        yield piece
        start += len(piece)


def most_so_far() -> int:
    """Bytes that this process has held at most.

    What `getrusage` says may be the parent's: it counts from before the fork.
    """
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        resource = load("resource")
        unit = 1 if sys.platform == "darwin" else 1024
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit
    line = next(one for one in status.splitlines() if one.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def main(given: str) -> None:
    """The process that is measured: a line for each window."""
    plain = json.loads(given)
    for found in run(MemoryJob(**{**plain, "widths": tuple(plain["widths"])})):
        sys.stdout.write(f"{found}\n")


if __name__ == "__main__":
    main(sys.argv[1])
