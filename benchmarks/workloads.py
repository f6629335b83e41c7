"""The data: seeded, the same on every machine, and never written to.

The first values of each are compared with a digest kept here: numbers of two runs
can only be set side by side if the data was the same.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from windrow.bench.measure.ticks import NEW_YEAR, ROW_GROUP, TICK, ticks, ticks_file
from windrow.bench.measure.values import SAMPLE, SEED, check_digest, values

CACHE = Path(__file__).parent / ".cache"
DIGEST = "cfb85933da599e08"

DAY = 86_400_000_000  # microseconds
KEYS = 1_000


def events(n: int) -> pa.Table:
    """`at` (a day of microseconds, rising), `key` (one of 1,000) and `value`."""
    rng = np.random.default_rng(SEED)
    keys = rng.integers(0, KEYS, max(n, SAMPLE), dtype=np.int32)
    check_digest("keys", keys, DIGEST)
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
