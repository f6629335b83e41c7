"""The best fit of a + b log2(n) to costs by window, and how good it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LogFit:
    """`square` is r squared: 1 where every cost lies on the curve."""

    a: float
    b: float
    square: float

    def at(self, window: float) -> float:
        """What the curve says."""
        return self.a + self.b * float(np.log2(window))


def log_fit(costs: Mapping[float, float]) -> LogFit:
    """Least squares, each window counting alike."""
    x, y = np.log2([*costs]), np.array([*costs.values()])
    b, a = np.polyfit(x, y, 1)
    left, spread = y - (a + b * x), y - y.mean()
    square = 1.0 - float(left @ left) / max(float(spread @ spread), 1e-300)
    return LogFit(float(a), float(b), square)
