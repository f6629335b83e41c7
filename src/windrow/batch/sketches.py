r"""Computes approximate aggregates over ranges of rows, or of sketches.

Windows are ranges of rows that never fall.  Rows are cut wherever a window begins or
ends, each slice becomes one sketch, and windows slide over these by Two-Stacks Lite, at
three merges a slide:

    rows       . .. . |  .  . | ... .. |   . |
    sketches      s0      s1      s2     s3
    windows    [==============]
                      [================]

Sketches that answer over whole columns (HyperLogLog, bins) need no slices.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import Aggregate, Law
from windrow.algorithms import find, slide_arrays
from windrow.kernels import Product, Request, interpreted_schema, product_of
from windrow.loops import as_numpy
from windrow.sketches import Sketch
from windrow.slicing import fold

Array = np.ndarray[Any, Any]


@lru_cache(maxsize=64)
def sketch_product(sketch: Sketch) -> Product:
    """A product of one field, the sketch, so that every algorithm can merge it."""

    def combine(older: Any, newer: Any) -> Any:
        if older is None or newer is None:
            return newer if older is None else older
        return sketch.combine(older, newer)

    aggregate = Aggregate(
        name=sketch.name,
        identity=None,
        lift=lambda value: value,
        combine=combine,
        lower=lambda partial: partial,
        laws=Law.COMMUTATIVE,
    )
    return product_of([Request(aggregate, "object", (), (), *interpreted_schema())])


def sketch_rows(
    sketch: Sketch, column: pa.Array, starts: Array, stops: Array
) -> pa.Array:
    """The result of each window, which is rows [starts[k], stops[k]) of the column.

    Both bounds never fall; a stop before its start is an empty window.
    """
    stops = np.maximum(starts, stops)
    if column.null_count:
        valid = as_numpy(column.is_valid())
        before = np.zeros(len(column) + 1, np.int64)
        np.cumsum(valid, out=before[1:])
        starts, stops, column = before[starts], before[stops], column.drop_null()
    values = sketch.read(column)
    if sketch.whole_columns:
        return sketch.slide_rows(values, starts, stops)
    edges = np.unique(np.concatenate([starts, stops]))
    partials = sketch.lift_stretches(values, edges[:-1], edges[1:])
    places = np.searchsorted(edges, starts), np.searchsorted(edges, stops)
    return sketch_partials(sketch, partials, *places)


def sketch_partials(
    sketch: Sketch, partials: Array, starts: Array, stops: Array
) -> pa.Array:
    """The result of each window, which is sketches [starts[k], stops[k])."""
    if sketch.whole_columns:
        return sketch.slide_partials(partials, starts, stops)
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


def merge_stretches(
    sketch: Sketch, partials: Array, starts: Array, stops: Array
) -> Array:
    """The sketches of each stretch [start, stop), merged."""
    (merged,) = fold(sketch_product(sketch), (partials,), starts, stops, leaf="slices")
    return merged
