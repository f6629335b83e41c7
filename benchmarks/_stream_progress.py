"""What Spark reports of each micro-batch, in seconds and bytes.

A batch's time is its whole trigger: reading, state, sink and checkpoint.  A batch's
`state` is what RocksDB holds in memory (`memoryUsedBytes`) and in its files
(`rocksdbSstFileSize`), of all state operators, dead entries included; what lives is
read from the checkpoint (`_stream_kept.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Self

WARM_UP = 3  # batches: workers start, the JVM compiles


@dataclass(frozen=True)
class Batch:
    """One micro-batch."""

    rows: int
    seconds: float
    memory: int
    files: int

    @property
    def state(self) -> int:
        """Bytes in memory and in files."""
        return self.memory + self.files

    @classmethod
    def of(cls, progress: dict[str, Any]) -> Self:
        """From one report."""
        operators = progress["stateOperators"]
        return cls(
            progress["numInputRows"],
            progress["durationMs"]["triggerExecution"] / 1e3,
            sum(one["memoryUsedBytes"] for one in operators),
            sum(one["customMetrics"].get("rocksdbSstFileSize", 0) for one in operators),
        )


def batches(progress: Sequence[dict[str, Any]]) -> list[Batch]:
    """All of a query; the last may be without rows, for the watermark alone."""
    return [Batch.of(one) for one in progress]


@dataclass(frozen=True)
class Course:
    """How a long run goes: its second fifth, when state is full, beside its last.

    batch    0  3       20       40                  80      100
             |..|        |-early--|                   |-late--|
    warm-up                       longest: all after the warm-up
    """

    median: float
    early: float
    late: float
    longest: float
    early_state: float
    late_state: float
    rocksdb: int

    @classmethod
    def of(cls, run: Sequence[Batch], kept: dict[str, int]) -> Self:
        """Of the batches with rows; `kept` by batch, as many early ones as late."""
        live = [kept[batch] for batch in sorted(kept, key=int)]
        half = len(live) // 2
        some = [one for one in run if one.rows]
        fifth = len(some) // 5
        full, early, late = some[fifth:], some[fifth : 2 * fifth], some[-fifth:]
        return cls(
            median(one.seconds for one in full),
            median(one.seconds for one in early),
            median(one.seconds for one in late),
            max(one.seconds for one in some[WARM_UP:]),
            median(live[:half]),
            median(live[half:]),
            some[-1].state,
        )


def places(batches: int) -> list[int]:
    """Three batches of the second fifth and three of the last."""
    fifth = batches // 5
    steps = (0, fifth // 2, fifth - 1)
    return [start + step for start in (fifth, batches - fifth) for step in steps]
