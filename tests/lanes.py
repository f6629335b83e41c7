"""Runs a call in both lanes that need no compiler, and holds one against the other.

    interpreted   the algorithms' own loops, as plain Python
    columns       whole columns at a time

Whole numbers, nulls and positions are equal in both; floats within the bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import oracles
from windrow.loops import Lane, interpreting, pinned

T = TypeVar("T")
TOLERANCE = 1e-9


def in_lane(lane: Lane | str, run: Callable[[], T]) -> T:
    """The answer in a lane; "interpreted" is plain Python."""
    with interpreting() if lane == "interpreted" else pinned(Lane(lane)):
        return run()


def in_both_lanes(run: Callable[[], T]) -> T:
    """The answer over columns, which is that of the loops; as plain Python values."""
    with interpreting():
        by_place = run()
    with pinned(Lane.COLUMNS):
        by_columns = run()
    assert oracles.alike(by_columns, by_place, TOLERANCE)
    return by_columns
