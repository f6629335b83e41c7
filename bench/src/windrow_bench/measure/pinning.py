"""Keeping all that is measured on so many cores.

    this process      every thread, also those of pools that libraries have made
    its children      the same: Java, Python workers

A thread keeps the cores it was born with: a pool that polars made while one core was
allowed would stay there.  So all are moved, at the start of a measurement and back at
its end, and what is born between follows its parent.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .others import family


@contextmanager
def on_cores(count: int) -> Iterator[None]:
    """Stay on the last `count` cores that are allowed; 0: on all of them."""
    if not count or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    _move(set(sorted(before)[-count:]))
    try:
        yield
    finally:
        _move(before)


def _move(cores: set[int]) -> None:
    """Every thread of ours and of our children; some may end under our eyes."""
    threads = {0}
    for process in family():
        with suppress(OSError):
            tasks = Path("/proc", str(process), "task").iterdir()
            threads |= {int(one.name) for one in tasks}
    for thread in threads:
        with suppress(OSError):
            os.sched_setaffinity(thread, cores)
