"""The data: seeded, the same on every machine, and never written to.

All of it is made where the experiments of the papers find it too.
"""

from __future__ import annotations

from pathlib import Path

from windrow_bench.measure.keyed import DAY, KEYS, events, write
from windrow_bench.measure.ticks import NEW_YEAR, ROW_GROUP, TICK, ticks, ticks_file
from windrow_bench.measure.values import SEED, values

CACHE = Path(__file__).parent / ".cache"


def events_file(n: int) -> Path:
    """A day of events as an Arrow file of one batch, made once."""
    path = CACHE / f"events-{SEED}-{n}.arrow"
    if path.exists():
        return path
    CACHE.mkdir(exist_ok=True)
    write(events(n), path.with_suffix(".tmp")).replace(path)
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
