"""Plain values to slide over: seeded, the same on every machine, never written to.

The first of them are compared with a digest kept here: numbers of two runs can only
be set side by side if the data was the same.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

SEED = 20_260_101
SAMPLE = 10_000
DIGESTS = {"float64": "703383aa1f33228e", "int64": "7abcab27847302f0"}


@lru_cache(maxsize=8)
def values(n: int, dtype: str = "float64") -> Array:
    """`n` values: floats in [0, 1), or whole numbers in [0, 1000)."""
    rng = np.random.default_rng(SEED)
    size = max(n, SAMPLE)
    made = rng.random(size) if dtype == "float64" else rng.integers(0, 1_000, size)
    check_digest(dtype, made, DIGESTS[dtype])
    made = made[:n]
    made.setflags(write=False)
    return made


def check_digest(name: str, made: Array, expected: str) -> None:
    """Refuse data that is not what it was."""
    actual = hashlib.sha256(made[:SAMPLE].tobytes()).hexdigest()[:16]
    if actual != expected:
        raise AssertionError(
            f"workload {name} is not the frozen one: its digest is {actual}, not "
            f"{expected}; this numpy draws other numbers"
        )
