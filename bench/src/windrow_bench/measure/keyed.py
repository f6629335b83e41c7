"""Rows with a key and a time: a day of them, for questions about tables.

at       microseconds of one day, rising
key      one of 1,000
value    in [0, 1)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from .ticks import NEW_YEAR
from .values import SAMPLE, SEED, check_digest

DAY = 86_400_000_000  # microseconds
KEYS = 1_000
DIGEST = "cfb85933da599e08"


def events(n: int) -> pa.Table:
    """So many of them: more rows make the day busier."""
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


def write(table: pa.Table, path: Path) -> Path:
    """An Arrow file of one batch."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as out:
        out.write_table(table)
    return path


def read(path: Path) -> pa.Table:
    """An Arrow file, into memory of our own."""
    with pa.OSFile(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


__all__ = ["DAY", "KEYS", "NEW_YEAR", "events", "read", "write"]
