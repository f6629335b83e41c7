"""What an experiment goes through: windows along the x-axis, and rows at each.

>>> powers(3, 12, 3)
(8, 64, 512, 4096)
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sweep:
    """Windows, and how many rows slide through each; `more` windows are apart."""

    widths: tuple[int, ...]
    rows: int = 0
    more: tuple[int, ...] = ()


def powers(first: int, last: int, step: int = 1) -> tuple[int, ...]:
    """Powers of two from 2 ** first up to 2 ** last."""
    return tuple(2**k for k in range(first, last + 1, step))
