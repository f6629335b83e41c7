"""Repeats numbers, or counts on from them, run by run."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import arrays
from .columns import ordinals, poke
from .compiled import compiled

Array = np.ndarray[Any, Any]


def _spread_columns(bases: Array, counts: Array, step: int, out: Array) -> None:
    out[:] = np.repeat(bases, counts) + ordinals(counts) * step


@compiled(columns=_spread_columns)
def _spread(bases, counts, step, out):  # type: ignore[no-untyped-def]
    at = np.int64(0)
    for k in range(len(bases)):
        for i in range(counts[k]):
            poke(out, at + i, bases[k] + i * step)
        at += counts[k]


def spread(bases: Array, counts: Array, step: int = 0) -> Array:
    """bases[k], bases[k] + step, ..., of which there are counts[k], for each k.

    >>> spread(np.array([7, 1]), np.array([2, 3]), 10)
    array([ 7, 17,  1, 11, 21])
    """
    (out,) = arrays(("int64",), int(counts.sum()))
    _spread(bases, counts, step, out)
    return out
