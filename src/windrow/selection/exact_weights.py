"""Weights as whole numbers in limbs, so that sums of them are exact.

    weights     0.5        3.0        1e30
    unit        the largest power of two that divides them all
    limbs       low        low        low, high      each has few enough bits for a sum

Where half of the weight is reached is a question of equal or not: rounded sums would
answer it one way in a tree and another way in a row.  Whole numbers that sum up to less
than 2**60 are one limb, other floats of a like size two, and a limb that no weight uses
is left out: time and memory are in proportion to what is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow._later import dataclass

Array = np.ndarray[Any, Any]

ROOM = 60  # bits that a sum of limbs has
MANTISSA = 53


@dataclass(frozen=True)
class Limbs:
    """Whole numbers: `parts[l]` of each, the lowest first.

    `gaps[l]` is how many bits part l stands above the one before it, at most 62: sums
    have fewer, so that farther is as far.
    """

    parts: Array
    gaps: Array


def limbs_of(weights: Array) -> Limbs:
    """Finite weights of 0 or more in a unit of their own."""
    fractions, exponents = np.frexp(weights)
    digits = np.ldexp(fractions, MANTISSA).astype(np.int64)
    there = digits > 0
    zeros = np.frexp((digits & -digits).astype(np.float64))[1] - 1
    zeros = np.where(there, zeros, 0)
    digits >>= zeros
    places = exponents.astype(np.int64) - MANTISSA + zeros
    unit = int(places[there].min()) if there.any() else 0
    places = np.where(there, places - unit, 0)
    top = int((places + MANTISSA - zeros)[there].max(initial=0))
    width = ROOM - len(weights).bit_length()
    parts, shifts = [], []
    for shift in range(0, max(top, 1), width):
        part = _cut(digits, places - shift, width)
        if shift == 0 or part.any():
            parts.append(part)
            shifts.append(shift)
    gaps = np.minimum(np.diff(shifts, prepend=0), 62)
    return Limbs(np.stack(parts), gaps.astype(np.int64))


def _cut(digits: Array, shift: Array, width: int) -> Array:
    """The `width` lowest bits of whole numbers that are shifted up, or down below 0."""
    down = digits >> np.minimum(np.maximum(-shift, 0), 63)
    up = np.where(shift < width, down << np.clip(shift, 0, width), 0)
    return up & ((1 << width) - 1)


def is_none_missing(parts: Array, gaps: Array) -> Array:
    """Which numbers, whose parts may have any sign, are 0 or more."""
    above = parts[0]
    for number in range(1, len(parts)):
        above = parts[number] + (above >> gaps[number])
    is_there: Array = above >= 0
    return is_there
