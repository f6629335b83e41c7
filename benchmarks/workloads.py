"""The data: seeded, the same on every machine, and never written to.

The first values of each are compared with a digest kept here: numbers of two runs
can only be set side by side if the data was the same.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from windrow.bench.measure.values import SAMPLE, SEED, check_digest, values

CACHE = Path(__file__).parent / ".cache"
DIGESTS = {
    "keys": "cfb85933da599e08",
    "ticks": "9f8b6981081e271c",
}

DAY = 86_400_000_000  # microseconds
NEW_YEAR = 1_767_225_600_000_000  # 2026-01-01 in microseconds since 1970
KEYS = 1_000
TICK = 10_000  # microseconds: 100 rows a second
ROW_GROUP = 100_000  # small enough that two tasks share a file evenly


def events(n: int) -> pa.Table:
    """`at` (a day of microseconds, rising), `key` (one of 1,000) and `value`."""
    rng = np.random.default_rng(SEED)
    keys = rng.integers(0, KEYS, max(n, SAMPLE), dtype=np.int32)
    check_digest("keys", keys, DIGESTS["keys"])
    at = np.sort(rng.integers(0, DAY, n)) + NEW_YEAR
    return pa.table(
        {
            "at": pa.array(at, pa.timestamp("us")),
            "key": keys[:n],
            "value": rng.random(n),
        }
    )


def events_file(n: int) -> Path:
    """The same as an Arrow file of one batch, made once."""
    path = CACHE / f"events-{SEED}-{n}.arrow"
    if path.exists():
        return path
    CACHE.mkdir(exist_ok=True)
    table = events(n)
    half = path.with_suffix(".tmp")
    with pa.OSFile(str(half), "wb") as file, pa.ipc.new_file(file, table.schema) as out:
        out.write_table(table)
    half.replace(path)
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
