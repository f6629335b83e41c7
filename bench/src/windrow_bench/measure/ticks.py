"""Rows at a steady pace: a time, a key and a value, in order of time.

    row i     at == NEW_YEAR + i / 100 s + less than that, key below `keys`, x in [0, 1)

A row does not depend on how many there are: more rows are the same rate for longer.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from .values import SAMPLE, SEED, check_digest

NEW_YEAR = 1_767_225_600_000_000  # 2026-01-01 in microseconds since 1970
TICK = 10_000  # microseconds: 100 rows a second
ROW_GROUP = 100_000  # small enough that two tasks share a file evenly
DIGEST = "9f8b6981081e271c"


def ticks(n: int, keys: int) -> pa.Table:
    """`at` (no two alike), `key` (below `keys`) and `x` in [0, 1)."""
    late_rng, x_rng, key_rng = (np.random.default_rng([SEED, i]) for i in range(3))
    size = max(n, SAMPLE)
    late, x = late_rng.integers(0, TICK, size), x_rng.random(size)
    check_digest("ticks", late[:SAMPLE] + x[:SAMPLE], DIGEST)
    return pa.table(
        {
            "at": pa.array(
                NEW_YEAR + np.arange(n) * TICK + late[:n], pa.timestamp("us", "UTC")
            ),
            "key": key_rng.integers(0, keys, size, dtype=np.int32)[:n],
            "x": x[:n],
        }
    )


def ticks_file(folder: Path, n: int, keys: int) -> Path:
    """The same as a Parquet file in the folder, made once."""
    path = folder / f"ticks-{n}-{keys}.parquet"
    if not path.exists():
        parquet.write_table(ticks(n, keys), path, row_group_size=ROW_GROUP)
    return path


__all__ = ["NEW_YEAR", "ROW_GROUP", "TICK", "ticks", "ticks_file"]
