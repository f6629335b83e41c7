"""The number of values that a HyperLogLog has seen, from its coupons or registers."""

from __future__ import annotations

import numpy as np

from .sketch import Array

RANKS = 64
BLOCK = 1 << 18  # registers that are counted at once

ADDRESSES = 1 << 26


def estimate_coupons(counts: Array) -> Array:
    """The number of values from the number of distinct coupons."""
    found = -ADDRESSES * np.log1p(-counts / ADDRESSES)
    return np.asarray(np.rint(found), np.int64)


def count_ranks(registers: list[Array]) -> Array:
    """How many registers of each sketch have each rank, some sketches at a time.

    Neighbours are windows of one key, mostly: only registers that changed are counted.
    """
    tables = []
    some = max(BLOCK // len(registers[0]), 1)
    for first in range(0, len(registers), some):
        part = np.stack(registers[first : first + some])
        rows, own = np.nonzero(part[1:] != part[:-1])
        table = np.zeros((len(part), RANKS), np.int64)
        table[0] = np.bincount(part[0], minlength=RANKS)
        for sign, ranks in ((1, part[rows + 1, own]), (-1, part[rows, own])):
            places = rows * RANKS + ranks
            counts = np.bincount(places, minlength=RANKS * (len(part) - 1))
            table[1:] += sign * counts.reshape(-1, RANKS)
        tables.append(np.cumsum(table, axis=0))
    return np.concatenate(tables)


def estimate_registers(tables: Array, lg_k: int) -> Array:
    """Ertl's estimate from how many registers have each rank; rank 0 is the rest."""
    size = 1 << lg_k
    top = RANKS - 1
    zeros = size - tables[:, 1:].sum(axis=1)
    sums = size * _tau(1.0 - tables[:, top] / size)
    for rank in range(top - 1, 0, -1):
        sums = 0.5 * (sums + tables[:, rank])
    sums = sums + size * _sigma(zeros / size)
    with np.errstate(divide="ignore"):
        found = size * size / (2.0 * np.log(2.0)) / sums
    return np.asarray(np.rint(found), np.int64)


def _sigma(share: Array) -> Array:
    """X + sum of x**(2**k) * 2**(k-1); infinite at 1."""
    x, y, z = share.astype(np.float64), 1.0, share.astype(np.float64)
    for _ in range(64):
        x = x * x
        z = z + x * y
        y = 2.0 * y
    return np.where(share >= 1.0, np.inf, z)


def _tau(share: Array) -> Array:
    """(1 - x - sum of (1 - x**(2**-k))**2 * 2**-k) / 3; 0 at 0 and 1."""
    x, y, z = share.astype(np.float64), 1.0, 1.0 - share
    for _ in range(64):
        x = np.sqrt(x)
        y = 0.5 * y
        z = z - (1.0 - x) ** 2 * y
    return np.where((share <= 0.0) | (share >= 1.0), 0.0, z / 3.0)
