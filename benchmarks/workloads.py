"""The data: seeded, the same on every machine, and never written to.

The first values of each are compared with a digest kept here: numbers of two runs
can only be set side by side if the data was the same.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

Array = np.ndarray[Any, Any]

SEED = 20_260_101
CACHE = Path(__file__).parent / ".cache"
SAMPLE = 10_000
DIGESTS = {
    "float64": "703383aa1f33228e",
    "int64": "7abcab27847302f0",
    "keys": "cfb85933da599e08",
}

DAY = 86_400_000_000  # microseconds
NEW_YEAR = 1_767_225_600_000_000  # 2026-01-01 in microseconds since 1970
KEYS = 1_000


@lru_cache(maxsize=8)
def values(n: int, dtype: str = "float64") -> Array:
    """`n` values: floats in [0, 1), or whole numbers in [0, 1000)."""
    rng = np.random.default_rng(SEED)
    size = max(n, SAMPLE)
    made = rng.random(size) if dtype == "float64" else rng.integers(0, 1_000, size)
    _check_digest(dtype, made)
    made = made[:n]
    made.setflags(write=False)
    return made


def events(n: int) -> pa.Table:
    """`at` (a day of microseconds, rising), `key` (one of 1,000) and `value`."""
    rng = np.random.default_rng(SEED)
    keys = rng.integers(0, KEYS, max(n, SAMPLE), dtype=np.int32)
    _check_digest("keys", keys)
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


def _check_digest(name: str, made: Array) -> None:
    actual = hashlib.sha256(made[:SAMPLE].tobytes()).hexdigest()[:16]
    if actual != DIGESTS[name]:
        raise AssertionError(
            f"workload {name} is not the frozen one: its digest is {actual}, not "
            f"{DIGESTS[name]}; this numpy draws other numbers"
        )
