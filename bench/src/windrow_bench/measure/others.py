"""How busy the machine was with others while something was measured.

    all processors' busy time          /proc/stat
    less our own and our children's    /proc/<pid>/stat of the whole family
    ----------------------------------------------------------------------
    cores that others took, on average over the time

Where there is no /proc, the load average less our own threads has to do.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

BUSY = 0.25  # cores: more than that taken by others marks a measurement


@dataclass
class Watch:
    """Filled when its block is over."""

    others: float = 0.0
    load: float = 0.0
    seconds: float = 0.0

    @property
    def busy(self) -> bool:
        """Whether others were in the way."""
        return self.others > BUSY


@contextmanager
def watched() -> Iterator[Watch]:
    """Watch the machine while a block runs."""
    watch = Watch(load=os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0)
    start, before = time.perf_counter(), _ticks()
    try:
        yield watch
    finally:
        watch.seconds = time.perf_counter() - start
        after = _ticks()
        if before is not None and after is not None and watch.seconds > 0:
            taken = (after[0] - before[0]) - (after[1] - before[1])
            watch.others = max(taken, 0.0) / watch.seconds
        else:
            watch.others = max(watch.load - 1.0, 0.0)


def _ticks() -> tuple[float, float] | None:
    """Seconds that all processors were busy, and that our family was."""
    try:
        words = Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    a_second = os.sysconf("SC_CLK_TCK")
    user, nice, system, _idle, _wait, *rest = map(int, words[:8])  # rest: steal too
    return (user + nice + system + sum(rest)) / a_second, sum(
        family().values()
    ) / a_second


def family() -> dict[int, int]:
    """Ticks of this process and of each of its descendants, ended ones included."""
    parents: dict[int, int] = {}
    spent: dict[int, int] = {}
    for entry in _processes():
        with suppress(OSError, ValueError, IndexError):  # it may end under our eyes
            fields = (entry / "stat").read_text("utf-8").rpartition(")")[2].split()
            parents[int(entry.name)] = int(fields[1])
            spent[int(entry.name)] = sum(map(int, fields[11:15]))
    ours, grown = {os.getpid()}, True
    while grown:
        more = {one for one, parent in parents.items() if parent in ours} - ours
        ours |= more
        grown = bool(more)
    return {one: spent.get(one, 0) for one in ours}


def _processes() -> list[Path]:
    try:
        return [one for one in Path("/proc").iterdir() if one.name.isdigit()]
    except OSError:
        return []
