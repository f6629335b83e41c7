"""Where a bucket keeps its blobs, and what a step of a bucket gives."""

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
class Told:
    """What a step has to say about itself, complete once its results were taken.

    `late` are the rows that came too late, where they are to be kept.
    """

    rows_in: int = 0
    late_rows: int = 0
    rows_out: int = 0
    keys: int = 0
    late: list[pa.Table] = field(default_factory=list)


class Bucket(Protocol):
    """What is done with the keys of one bucket."""

    def step(
        self, store: Store, fed: list[pa.Table], now: int, told: Told
    ) -> Iterator[pa.Table]:
        """Take in what came, move time on to `now` (ticks), give what fell due."""


__all__ = ["HEADER", "Bucket", "MemoryStore", "Store", "Told"]
