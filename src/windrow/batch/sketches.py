r"""Computes approximate aggregates over ranges of rows, or of sketches.

Windows are ranges of rows that never fall.  Rows are cut wherever a window begins or
ends, each slice becomes one sketch, and windows slide over these by Two-Stacks Lite, at
three merges a slide:

    rows       . .. . |  .  . | ... .. |   . |
    sketches      s0      s1      s2     s3
    windows    [==============]
                      [================]

Sketches that answer over whole columns (HyperLogLog, KLL, bins) need no slices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import find, slide_arrays
from windrow.kernels import sketch_product
from windrow.loops import as_numpy
from windrow.plan.requests import KernelRequest
from windrow.sketches import Sketch
from windrow.sketches.kll import Kll
from windrow.sketches.packed import Packed

from .ranked import quantiles_of_partials, quantiles_of_rows

Array = np.ndarray[Any, Any]


def sketch_rows(
    sketch: Sketch, column: pa.Array, starts: Array, stops: Array
) -> pa.Array:
    """The result of each window, which is rows [starts[k], stops[k]) of the column.

    Both bounds never fall; a stop before its start is an empty window.
    """
    values, starts, stops = _read_valid(sketch, column, starts, stops)
    if isinstance(sketch, Kll) and sketch.quantiles is not None:
        return quantiles_of_rows(sketch.quantiles, values, starts, stops)
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
            return quantiles_of_partials(sketch.quantiles, packed, starts, stops)
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
