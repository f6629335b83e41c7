"""What is streamed: Parquet files in the order of their arrival, a few seconds astray.

    row i     at == NEW_YEAR + i / a second + up to ASTRAY late, key, x
    round     `keys` rows in a row: each key once, in random order

so that a key is never silent for longer than two rounds and ASTRAY.  Where a window is
longer than that, every key is in every window: how many rows come out is known, and
does not depend on the window.  No row is late: the watermark is DELAY behind.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from windrow_bench.measure.ticks import NEW_YEAR
from windrow_bench.measure.values import SEED, values

Array = np.ndarray[Any, Any]

SECOND = 1_000_000  # microseconds
ASTRAY = 5  # seconds
DELAY = 10  # seconds


@dataclass(frozen=True)
class StreamLoad:
    """So many rows of so many keys within so many seconds, cut into files."""

    rows: int
    files: int
    keys: int
    seconds: int
    late: float = 0.0  # of all rows, up to 45 s behind the watermark

    def columns(self) -> tuple[Array, Array, Array]:
        """Microseconds, keys, and whole numbers as floats: all sums are exact."""
        astray_rng, key_rng = (np.random.default_rng([SEED, i]) for i in (3, 4))
        due = np.arange(self.rows) * (self.seconds * SECOND) // self.rows
        astray = astray_rng.integers(0, ASTRAY * SECOND, self.rows)
        rounds = -(-self.rows // self.keys)
        keys = np.tile(np.arange(self.keys, dtype=np.int32), (rounds, 1))
        key_rng.permuted(keys, axis=1, out=keys)
        x = values(self.rows, "int64").astype(np.float64)
        late_rng = np.random.default_rng([SEED, 5])
        late = late_rng.random(self.rows) < self.late
        due[late] -= late_rng.integers(2 * DELAY, 2 * DELAY + 45, late.sum()) * SECOND
        return NEW_YEAR + due + astray, keys.ravel()[: self.rows], x

    def write(self, folder: Path) -> Path:
        """The files in a folder of their own, made once."""
        name = f"{self.rows}-{self.files}-{self.keys}-{self.seconds}-{self.late}"
        target = folder / f"load-{name}"
        if target.exists():
            return target
        at, keys, x = self.columns()
        table = pa.table({"at": pa.array(at, pa.timestamp("us", "UTC")), "key": keys})
        return in_files(table.append_column("x", pa.array(x)), self.files, target)

    def write_first(self, folder: Path, files: int) -> Path:
        """The first of these files alone, in a folder beside."""
        whole = self.write(folder)
        target = whole.with_name(f"{whole.name}-first-{files}")
        if not target.exists():
            target.mkdir()
            for path in sorted(whole.iterdir())[:files]:
                os.link(path, target / path.name)  # with its time
        return target


def in_files(table: pa.Table, files: int, target: Path) -> Path:
    """A table as so many files in a new folder; one a second, says the disk.

    Spark reads the oldest first, and takes times within a millisecond for equal.
    """
    target.mkdir()
    edges = np.arange(files + 1) * len(table) // files
    for i, (start, stop) in enumerate(pairwise(edges.tolist())):
        path = target / f"{i:03}.parquet"
        parquet.write_table(table.slice(start, stop - start), path)
        os.utime(path, (NEW_YEAR // SECOND + i,) * 2)
    return target
