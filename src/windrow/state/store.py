"""What a bucket works with: a store of numbered blobs, and the statistics of a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa

HEADER = 0


class Store(Protocol):
    """Numbered blobs of one bucket; what is written in a step is kept as a whole."""

    def get(self, number: int) -> bytes | None:
        """The blob under that number, if there is one."""

    def put(self, number: int, blob: bytes) -> None:
        """Keep a blob under that number, in place of what was there."""

    def remove(self, number: int) -> None:
        """Forget that number."""


@dataclass
class MemoryStore:
    """A store in this process; it counts what is asked of it."""

    blobs: dict[int, bytes] = field(default_factory=dict)
    gets: int = 0
    puts: int = 0

    def get(self, number: int) -> bytes | None:
        """The blob under that number, if there is one."""
        self.gets += 1
        return self.blobs.get(number)

    def put(self, number: int, blob: bytes) -> None:
        """Keep a blob under that number."""
        self.puts += 1
        self.blobs[number] = blob

    def remove(self, number: int) -> None:
        """Forget that number."""
        del self.blobs[number]


@dataclass
class StepStats:
    """The counts of one step, complete once all its results were taken.

    `late` are the rows that came too late, where they are to be given back.
    """

    rows_in: int = 0
    late_rows: int = 0
    rows_out: int = 0
    keys: int = 0
    late: list[pa.Table] = field(default_factory=list)


class Bucket(Protocol):
    """Windows over the keys of one bucket; all memory between steps is in the store."""

    def step(
        self, store: Store, tables: list[pa.Table], now: int, stats: StepStats
    ) -> Iterator[pa.Table]:
        """Take in tables, move time on to `now` (ticks), give the results now due."""


__all__ = ["HEADER", "Bucket", "MemoryStore", "StepStats", "Store"]
