"""Which value a quantile is, and how quantiles come out as a column.

The quantile of level q is the smallest value that at least a share q of all values do
not exceed, as SQL's `percentile_disc` and Spark's `percentile_approx` have it:

    values    1   3   3   7   9          q 0.5: 3      q 0.61: 7      q 0: 1
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.loops import as_arrow

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Quantiles:
    """Levels of quantiles; `listed` says whether a list of them was asked for."""

    levels: tuple[float, ...] = (0.5,)
    listed: bool = False

    @property
    def type(self) -> pa.DataType:
        """The type of the result."""
        return pa.list_(pa.float64()) if self.listed else pa.float64()

    def column(self, found: Array, none: Array) -> pa.Array:
        """Quantiles, a row for each result, as a column; null where there is none."""
        if not self.listed:
            return as_arrow(np.ascontiguousarray(found[:, 0]), none)
        values = as_arrow(np.ascontiguousarray(found[~none]).ravel())
        offsets = np.zeros(len(found) + 1, np.int32)
        np.cumsum(np.where(none, 0, found.shape[1]), out=offsets[1:])
        nulls = as_arrow(none)
        return pa.ListArray.from_arrays(as_arrow(offsets), values, mask=nulls)


MEDIAN = Quantiles()


def place_of(level: float, counts: Array) -> Array:
    """The place of a quantile among that many values in order, from 0 on."""
    product = level * counts
    near = np.rint(product)
    product = np.where(
        np.abs(product - near) < 1e-9 * np.maximum(near, 1), near, product
    )
    places = np.ceil(product).astype(np.int64) - 1
    return np.clip(places, 0, np.maximum(counts - 1, 0))
