"""What SlickDeque's experiments slide over: DEBS12's energies, again and again.

The paper plays 33 million readings four times; here fewer are played more often, since
long windows take many.  One of the three energies is taken.
"""

from __future__ import annotations

import os
from functools import lru_cache

import numpy as np

from windrow_bench.experiment import Size
from windrow_bench.measure.answers import Array
from windrow_bench.measure.energies import readings

PAPER = "SlickDeque"
SLICK = "SlickDeque"
WORKLOAD = "DEBS12's first energy as floats, played again and again; a slide of one row"
SHARE = 0.6  # of a machine's memory that a trial may take


@lru_cache(maxsize=2)
def energies(rows: int, unique: int) -> Array:
    """So many rows, of which the first `unique` come again and again."""
    found = np.resize(readings(min(unique, rows)).floats, rows)
    found.setflags(write=False)
    return found


def unique_of(size: Size) -> int:
    """How many readings are made before they come again."""
    return size.pick(1 << 18, 1 << 22)


def fits(taken: float) -> bool:
    """Whether a machine has so many bytes to spare."""
    if not hasattr(os, "sysconf"):
        return True
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return taken <= SHARE * there
