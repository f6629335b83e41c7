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
    "count": len,
    "sum": np.sum,
    "min": np.min,
    "max": np.max,
    "arg_max": np.max,  # of two columns that hold the same
    "mean": np.mean,
    "min_count": lambda values: np.count_nonzero(values == values.min()),
    "variance": lambda values: np.var(values, ddof=1),
    "stddev": lambda values: np.std(values, ddof=1),
    "stddev_population": np.std,
    "collect": lambda values: values,
    "log_sum_exp": lambda values: np.log(np.sum(np.exp(values))),
}
BLOCK = 512


class WrongAnswer(AssertionError):
    """A contender was fast and wrong."""


def check_windows(
    who: str,
    actual: Any,
    values: Array,
    width: int,
    fold: str,
    rtol: float = 1e-9,
    *,
    every: int = 1,
    lead: bool = False,
) -> None:
    """`actual[i]` is the fold of values[i : i + width], for each complete window.

    Windows start `every` values; with `lead` those come too that are clipped at the
    first value, so that there is one for each value.
    """
    actual = np.asarray(actual)
    before = width - 1 if lead else 0
    count = max((len(values) + before - width) // every + 1, 0)
    if len(actual) != count:
        raise WrongAnswer(f"{who}: {len(actual)} windows of {width}, not {count}")
    for i in _places(count, width):
        start = i * every - before
        window = values[max(start, 0) : start + width]
        expected = FOLDS[fold](window) if len(window) > 1 else _alone(fold, window)
        if not _close(actual[i], expected, rtol):
            raise WrongAnswer(
                f"{who}: {fold} of window {i} (width {width}) is {expected}, "
                f"not {actual[i]}"
            )


def _close(actual: Any, expected: Any, rtol: float) -> bool:
    """Numbers, or lists of them, that are the same but for their last digits."""
    if np.shape(actual) != np.shape(expected):
        return False
    return np.allclose(actual, expected, rtol=rtol, atol=rtol, equal_nan=True)


def _alone(fold: str, window: Array) -> Any:
    """The fold of one value, which has no spread in a sample."""
    return np.nan if fold in ("variance", "stddev") else FOLDS[fold](window)


def _places(count: int, width: int) -> list[int]:
    edges = [k * step for step in (width, BLOCK) for k in (0, 1, 2, 3)]
    near = [edge + d for edge in [*edges, count] for d in (-1, 0, 1)]
    random = np.random.default_rng(width).integers(0, count, 16).tolist()
    return sorted({i for i in [*near, *random] if 0 <= i < count})
