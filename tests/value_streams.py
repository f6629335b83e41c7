"""Streams of values, with seeds, on which sketches are held to their bounds."""

from __future__ import annotations

import numpy as np


def streams(count: int, seed: int) -> dict[str, np.ndarray]:
    """Values that are easy, heavy-tailed, constant, sorted, and unkind."""
    rng = np.random.default_rng(seed)
    uniform = rng.uniform(0.0, 1000.0, count)
    zigzag = np.empty(count)  # outermost first: compactions see the worst order
    zigzag[0::2] = np.arange((count + 1) // 2)
    zigzag[1::2] = -np.arange(count // 2)
    return {
        "uniform": uniform,
        "zipf": rng.zipf(1.3, count).clip(max=10**9).astype(float),
        "log-normal": rng.lognormal(3.0, 2.0, count),
        "constant": np.full(count, 17.0),
        "sorted": np.sort(uniform),
        "falling": -np.sort(uniform),
        "zigzag": zigzag,
    }
