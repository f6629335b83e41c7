"""A part of a matrix for the default run that covers it; the deep run has all.

            x   y   z
covering    a1  a2  a3       each pair of the first axes comes once,
            b3  b1  b2       and the last axis takes turns
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import pytest


def covering(*axes: Iterable[Any]) -> list[Any]:
    """All combinations, of which those that only the deep run needs are marked."""
    found = []
    for places in itertools.product(*(enumerate(list(axis)) for axis in axes)):
        *first, last = (place for place, _ in places)
        values = [value for _, value in places]
        is_turn = last == sum(first) % len(list(axes[-1]))
        marks = () if is_turn else pytest.mark.deep
        name = "-".join(map(str, values))
        found.append(pytest.param(*values, marks=marks, id=name))
    return found
