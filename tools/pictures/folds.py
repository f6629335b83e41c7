"""What stands in the cells: folds worked out, so that no picture has a wrong number.

values      7  2  9  4
suffixes    9  9  9  4      from each place to the end
prefixes    7  7  9  9      from the beginning to each place
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

Combine = Callable[[int, int], int]


def prefixes(values: Sequence[int], combine: Combine) -> list[int]:
    """The fold from the first to each."""
    return list(accumulate(values, combine))


def suffixes(values: Sequence[int], combine: Combine) -> list[int]:
    """The fold from each to the last, in stream order."""
    return list(
        accumulate(reversed(values), lambda newer, older: combine(older, newer))
    )[::-1]
