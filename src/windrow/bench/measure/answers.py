"""Answers are checked before their times count.

Windows are folded again from scratch with numpy: some at random, and those around
the places where algorithms change their minds, the chunk and block boundaries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

FOLDS: dict[str, Callable[[Array], Any]] = {
    "sum": np.sum,
    "min": np.min,
    "max": np.max,
    "mean": np.mean,
    "variance": lambda values: np.var(values, ddof=1),
    "log_sum_exp": lambda values: np.log(np.sum(np.exp(values))),
}
BLOCK = 512


class WrongAnswer(AssertionError):
    """A contender was fast and wrong."""


def check_windows(
    who: str, actual: Any, values: Array, width: int, fold: str, rtol: float = 1e-9
) -> None:
    """`actual[i]` is the fold of values[i : i + width], for each complete window."""
    actual = np.asarray(actual)
    count = len(values) - width + 1
    if len(actual) != count:
        raise WrongAnswer(f"{who}: {len(actual)} windows of {width}, not {count}")
    for i in _places(count, width):
        expected = FOLDS[fold](values[i : i + width])
        if not np.isclose(actual[i], expected, rtol=rtol, atol=rtol):
            raise WrongAnswer(
                f"{who}: {fold} of window {i} (width {width}) is {expected}, "
                f"not {actual[i]}"
            )


def _places(count: int, width: int) -> list[int]:
    edges = [k * step for step in (width, BLOCK) for k in (0, 1, 2, 3)]
    near = [edge + d for edge in [*edges, count] for d in (-1, 0, 1)]
    random = np.random.default_rng(width).integers(0, count, 16).tolist()
    return sorted({i for i in [*near, *random] if 0 <= i < count})
