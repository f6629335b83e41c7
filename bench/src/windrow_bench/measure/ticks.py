"""Rows with gaps and bursts: a time, a key and a value, in order of time.

    stretches of 500 rows     |.........|  ||||||  |.  .  .  .  .|          |.....|
    pace                       usual       10 x      half           a gap of 20 s

A row has an instant of its own, a key below `keys`, and x in [0, 1); usually a hundred
come in a second.  A row does not depend on how many there are: more rows are the same
stream for longer.

`instants` are these times alone, for benchmarks with other columns; `seconds` are those
of slices of a second, one after the other but where a gap is.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from .answers import Array
from .values import SAMPLE, SEED, check_digest

NEW_YEAR = 1_767_225_600_000_000  # 2026-01-01 in microseconds since 1970
SECOND, TICK = 1_000_000, 10_000  # microseconds; usually 100 rows a second
STRETCH = 500  # rows of one pace
PACES, SHARES = (0.1, 1.0, 2.0), (0.2, 0.6, 0.2)  # of the usual time between rows
GAP, GAPS = 20_000_000, 0.1  # microseconds, and before which share of the stretches
ROW_GROUP = 100_000  # small enough that two tasks share a file evenly
DIGEST = "906946c36d27d504"


def ticks(n: int, keys: int) -> pa.Table:
    """`at` (no two alike), `key` (below `keys`) and `x` in [0, 1)."""
    x_rng, key_rng = (np.random.default_rng([SEED, i]) for i in (1, 2))
    size = max(n, SAMPLE)
    at, x = instants(size), x_rng.random(size)
    check_digest("ticks", at[:SAMPLE] + x[:SAMPLE], DIGEST)
    return pa.table(
        {
            "at": pa.array(NEW_YEAR + at[:n], pa.timestamp("us", "UTC")),
            "key": key_rng.integers(0, keys, size, dtype=np.int32)[:n],
            "x": x[:n],
        }
    )


def instants(n: int) -> Array:
    """Microseconds from new year to each row: they rise, and no two are alike."""
    at: Array = np.cumsum(_steps(n))
    return at


def seconds(n: int) -> Array:
    """The first so many seconds that hold a row: a gap after one in fifty of them."""
    steps = np.ones(n, np.int64)
    gaps = np.random.default_rng([SEED, 5]).random(n) < GAPS * SECOND / (STRETCH * TICK)
    steps[gaps] += GAP // SECOND
    at: Array = np.cumsum(steps)
    return at


def _steps(size: int) -> Array:
    """Microseconds from each row to the next, one at least."""
    usual = np.random.default_rng([SEED, 0]).integers(0, 2 * TICK, size)
    stretches = -(-size // STRETCH)
    paces = np.random.default_rng([SEED, 3]).choice(PACES, stretches, p=SHARES)
    steps: Array = 1 + (usual * np.repeat(paces, STRETCH)[:size]).astype(np.int64)
    steps[::STRETCH] += GAP * (
        np.random.default_rng([SEED, 4]).random(stretches) < GAPS
    )
    return steps


def ticks_file(folder: Path, n: int, keys: int) -> Path:
    """The same as a Parquet file in the folder, made once."""
    path = folder / f"ticks-{n}-{keys}.parquet"
    if not path.exists():
        parquet.write_table(ticks(n, keys), path, row_group_size=ROW_GROUP)
    return path
