r"""Computes approximate aggregates over ranges of rows, or of sketches.

Windows are ranges of rows that never fall.  Rows are cut wherever a window begins or
ends, each slice becomes one sketch, and windows slide over these by Two-Stacks Lite, at
three merges a slide:

    rows       . .. . |  .  . | ... .. |   . |
    sketches      s0      s1      s2     s3
    windows    [==============]
                      [================]

Sketches that answer over whole columns (HyperLogLog, bins) need no slices.  Nor do
quantiles of KLL, which are read off values in order: of rows each counts once, of
partials each value that is kept counts for 2**level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import find, slide_arrays
from windrow.kernels import sketch_product
from windrow.loops import as_numpy
from windrow.plan.requests import KernelRequest
from windrow.selection import RANKED_BITS, dense_codes, reach_weight, select
from windrow.sketches import Sketch
from windrow.sketches.kll import Kll
from windrow.sketches.packed import Packed
from windrow.sketches.ranks import Quantiles, place_of

Array = np.ndarray[Any, Any]


def sketch_rows(
    sketch: Sketch, column: pa.Array, starts: Array, stops: Array
) -> pa.Array:
    """The result of each window, which is rows [starts[k], stops[k]) of the column.

    Both bounds never fall; a stop before its start is an empty window.
    """
    values, starts, stops = _read_valid(sketch, column, starts, stops)
    if isinstance(sketch, Kll) and sketch.quantiles is not None:
        return _quantiles_of_rows(sketch.quantiles, values, starts, stops)
    if sketch.whole_columns:
        return sketch.slide_rows(values, starts, stops)
    edges = np.unique(np.concatenate([starts, stops]))
    partials = sketch.lift_stretches(values, edges[:-1], edges[1:])
    places = np.searchsorted(edges, starts), np.searchsorted(edges, stops)
    return sketch_partials(sketch, partials, *places)


def sketch_stretches(
    sketch: Sketch, column: pa.Array, starts: Array, stops: Array
) -> pa.Array:
    """A sketch of each stretch of rows as bytes; null where there is no value."""
    return sketch.fold_column(*_read_valid(sketch, column, starts, stops))


def _read_valid(
    sketch: Sketch, column: pa.Array, starts: Array, stops: Array
) -> tuple[Array, Array, Array]:
    """The values of a column without its nulls, and bounds that count only them."""
    stops = np.maximum(starts, stops)
    if column.null_count:
        before = np.zeros(len(column) + 1, np.int64)
        np.cumsum(as_numpy(column.is_valid()), out=before[1:])
        starts, stops, column = before[starts], before[stops], column.drop_null()
    return sketch.read(column), starts, stops


def sketch_partials(
    sketch: Sketch, partials: Any, starts: Array, stops: Array
) -> pa.Array:
    """The result of each window, which is sketches [starts[k], stops[k]).

    They are an array of objects, or packed.
    """
    if sketch.whole_columns:
        is_packed = isinstance(partials, Packed)
        packed = partials if is_packed else sketch.pack_objects(partials)
        if isinstance(sketch, Kll) and sketch.quantiles is not None:
            return _quantiles_of_partials(sketch.quantiles, packed, starts, stops)
        return sketch.slide_packed(packed, starts, stops)
    changes = np.ones(len(starts), bool)  # a window like the one before is not merged
    changes[1:] = (np.diff(starts) != 0) | (np.diff(stops) != 0)
    firsts = np.flatnonzero(changes)
    (merged,) = slide_arrays(
        find("two_stacks_lite"),
        sketch_product(sketch),
        (partials,),
        starts[firsts],
        stops[firsts],
        leaf="slices",
    )
    results = sketch.lower(merged)
    if len(firsts) == len(starts):
        return results
    return results.take(pa.array(np.cumsum(changes) - 1))


def sketch_columns(
    request: KernelRequest,
    partials: tuple[Array, ...],
    starts: Array,
    stops: Array,
) -> dict[str, pa.Array]:
    """The results of all sketches over windows of slices [start, stop), by name."""
    own = partials[len(request.product.dtypes) :]
    return {
        bound.name: sketch_partials(bound.sketch, partial, starts, stops)
        for bound, partial in zip(request.sketches, own, strict=True)
    }


def _quantiles_of_rows(
    quantiles: Quantiles, values: Array, starts: Array, stops: Array
) -> pa.Array:
    """The quantiles of windows of doubles; NaN is passed over."""
    real = ~np.isnan(values)
    if not real.all():
        before = np.zeros(len(values) + 1, np.int64)
        np.cumsum(real, out=before[1:])
        values, starts, stops = values[real], before[starts], before[stops]
    sizes = stops - starts
    counts = np.arange(int(sizes.max(initial=0)) + 1)
    places = [place_of(level, counts) for level in quantiles.levels]
    targets = np.where(counts > 0, np.stack(places), -1)
    rows = select(RANKED_BITS, values, starts, stops, targets)[:, :, 0]
    return quantiles.column(_taken(values, rows), sizes == 0)


def _quantiles_of_partials(
    quantiles: Quantiles, packed: Packed, starts: Array, stops: Array
) -> pa.Array:
    """The quantiles of windows of partials, by the values that these keep."""
    values, weights = packed.entries
    starts, stops = packed.bounds[starts], packed.bounds[stops]
    if (weights == 1).all():
        return _quantiles_of_rows(quantiles, values, starts, stops)
    codes, kinds, row_of = dense_codes(values)
    before = np.zeros(len(weights) + 1, np.int64)
    np.cumsum(weights, out=before[1:])
    totals = before[stops] - before[starts]
    wanted = np.stack([place_of(level, totals) for level in quantiles.levels])
    found = reach_weight(codes, kinds, weights, starts, stops, wanted)
    rows = np.where(found >= 0, row_of[found], -1)
    return quantiles.column(_taken(values, rows), totals == 0)


def _taken(values: Array, rows: Array) -> Array:
    """A row of values for each window, a column for each quantile."""
    return np.append(values, np.nan)[rows].T
