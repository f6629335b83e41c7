"""The data: seeded, the same on every machine, and never written to.

The first values of each are compared with a digest kept here: numbers of two runs
can only be set side by side if the data was the same.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from windrow.bench.measure.keyed import DAY, KEYS, NEW_YEAR, events, write
from windrow.bench.measure.values import SAMPLE, SEED, check_digest, values

CACHE = Path(__file__).parent / ".cache"
DIGESTS = {"ticks": "9f8b6981081e271c"}

TICK = 10_000  # microseconds: 100 rows a second
ROW_GROUP = 100_000  # small enough that two tasks share a file evenly


def events_file(n: int) -> Path:
    """A day of events as an Arrow file of one batch, made once."""
    path = CACHE / f"events-{SEED}-{n}.arrow"
    if path.exists():
        return path
    CACHE.mkdir(exist_ok=True)
    write(events(n), path.with_suffix(".tmp")).replace(path)
    return path


def ticks(n: int, keys: int) -> pa.Table:
    """`at` (100 rows a second, no two alike), `key` (below `keys`) and `x` in [0, 1).

    A row does not depend on `n`: more rows are the same rate for longer.
    """
    late_rng, x_rng, key_rng = (np.random.default_rng([SEED, i]) for i in range(3))
    size = max(n, SAMPLE)
    late, x = late_rng.integers(0, TICK, size), x_rng.random(size)
    check_digest("ticks", late[:SAMPLE] + x[:SAMPLE], DIGESTS["ticks"])
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


__all__ = [
    "DAY",
    "KEYS",
    "NEW_YEAR",
    "ROW_GROUP",
    "SEED",
    "TICK",
    "events",
    "events_file",
    "ticks",
    "ticks_file",
    "values",
]
