"""Power readings of manufacturing equipment, as columns: the papers' DEBS12 stream.

The last stream made is kept: generating one costs more than a trial.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from windrow_bench.data import origin, table

from .answers import Array

READING = "mf01"


@dataclass(frozen=True)
class Readings:
    """Instants in microseconds, a reading at each, and where they came from."""

    instants: Array
    values: Array
    origin: str

    @cached_property
    def floats(self) -> Array:
        """The readings as floats."""
        return _fixed(self.values.astype(np.float64))


@lru_cache(maxsize=1)
def readings(rows: int) -> Readings:
    """So many readings, the real ones where the machine has them."""
    some = table("debs12", rows)
    instants = some.column("ts").combine_chunks().cast("int64").to_numpy()
    values = some.column(READING).combine_chunks().to_numpy().astype(np.int64)
    return Readings(_fixed(instants), _fixed(values), origin(some))


def _fixed(array: Array) -> Array:
    array.setflags(write=False)
    return array
