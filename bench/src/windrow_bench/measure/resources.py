"""What a contender takes of the machine besides its time: processor and memory.

    forget the most so far  |  call  |  the most so far, less what was there before

One call for both, after the race: its answer stands in memory until both are read.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from contextlib import suppress
from ctypes import CDLL
from pathlib import Path

from windrow_bench.experiment import Place, Row

from .memory import PAGE, most_so_far
from .race import Contender

CPU, MEMORY = "CPU", "memory"


def named(panel: str, what: str) -> str:
    """The panel of a resource, beside that of the throughput."""
    return f"{panel}, {what}"


def resource_rows(
    panel: str, x: Place, contenders: Sequence[Contender], work: float
) -> list[Row]:
    """Nanoseconds of processor time, and bytes, for each piece of the work.

    A contender that got less of the work has its own share to answer for.
    """
    rows = []
    for one in contenders:
        cpu, held = _taken(one)
        done = work / one.scale
        for what, value in ((CPU, cpu * 1e9 / done), (MEMORY, held / done)):
            rows.append(Row(named(panel, what), x, one.name, value, value, value, 1))
    return rows


def _taken(one: Contender) -> tuple[float, int]:
    gc.collect()
    with suppress(OSError, AttributeError):  # glibc: give back what was let go
        CDLL(None).malloc_trim(0)
    with suppress(OSError):  # elsewhere than on Linux only a new most is seen
        Path("/proc/self/clear_refs").write_text("5", "ascii")
    before, begun = most_so_far(), time.process_time()
    answer = one.call()
    spent, most = time.process_time() - begun, most_so_far()
    del answer
    return spent, max(most - before, PAGE)
