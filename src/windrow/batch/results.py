"""Converts the output of kernels to Arrow columns of the planned types."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow.aggregates.quantiles import estimate, weak_spots
from windrow.errors import SketchWarning, SumOverflow
from windrow.kernels import Product
from windrow.loops import as_arrow
from windrow.plan.bind import BoundCall

from .columns import Column

Array = np.ndarray[Any, Any]


def written(
    product: Product, out: tuple[Array, ...]
) -> list[tuple[list[Array], Array | None]]:
    """The arrays that a kernel wrote for each output, and their validity."""
    outputs, at = [], 0
    for output in product.outputs:
        values = list(out[at : at + len(output.dtypes)])
        at += len(output.dtypes)
        valid = out[at].astype(bool, copy=False) if output.nullable else None
        at += output.nullable
        outputs.append((values, valid))
    return outputs


def finish(
    bound: BoundCall, arrays: list[Array], valid: Array | None, column: Column | None
) -> pa.Array:
    """The result column of a call, from the arrays of its kernel."""
    mask = None if valid is None or valid.all() else ~valid
    values = arrays[0]
    kind = bound.result
    if bound.aggregate.is_users:  # the type that its functions return
        if values.dtype != object:
            return as_arrow(values, mask=mask)
        values = values if mask is None else np.where(mask, np.array(None), values)
        return pa.array(values.tolist())
    match bound.aggregate.result:
        case "truth":
            return as_arrow(values != 0, mask=mask)
        case "value" if column is not None and column.ranked is not None:
            ranks = as_arrow(np.clip(values, 0, None), mask=mask)
            return column.ranked.take(ranks)
        case "sketch":
            return _sketch(bound, arrays, mask)
        case "total" if len(arrays) == 2:
            return _wide(bound, arrays[0], arrays[1], mask)
        case "mean" if pat.is_decimal(kind):
            return _decimal_mean(bound, arrays, mask)
        case "difference":
            values = _difference(bound, values, valid)
    return from_ints(values, kind, mask)


def from_ints(values: Array, kind: pa.DataType, mask: Array | None) -> pa.Array:
    """Numbers as a column of `kind`: ticks, unscaled decimals, ints or floats."""
    if pat.is_decimal(kind):
        return _decimal(values >> 63, values.view(np.uint64), kind, mask)
    if pat.is_temporal(kind):
        width = np.int32 if kind.bit_width == 32 else np.int64
        return as_arrow(values.astype(width, copy=False), mask=mask).view(kind)
    array = as_arrow(values, mask=mask)
    return array if array.type == kind else array.cast(kind, safe=False)


def _decimal(
    high: Array, low: Array, kind: pa.DataType, mask: Array | None
) -> pa.Array:
    words = np.empty((len(high), 2), np.int64)
    words[:, 0], words[:, 1] = low.view(np.int64), high
    bitmap = None
    if mask is not None:
        bitmap = pa.py_buffer(np.packbits(~mask, bitorder="little"))
    wide = pa.decimal128(kind.precision, kind.scale)
    array = pa.Array.from_buffers(wide, len(high), [bitmap, pa.py_buffer(words)])
    return array if array.type == kind else array.cast(kind)


def _wide(bound: BoundCall, high: Array, low: Array, mask: Array | None) -> pa.Array:
    """A column of two-word totals: value = high * 2**32 + low, 0 <= low < 2**32."""
    word = high << 32
    word |= low
    if pat.is_decimal(bound.result):
        return _decimal(high >> 32, word.view(np.uint64), bound.result, mask)
    if len(high) and not -(2**31) <= high.min() <= high.max() < 2**31:
        too_large = (high >> 31) != (high >> 63)
        if mask is not None:
            too_large &= ~mask
        if too_large.any():
            at = int(np.argmax(too_large))
            total = (int(high[at]) << 32) + int(low[at])
            raise SumOverflow.because(
                f"cannot give {bound.call.label} as {bound.result}",
                f"a window's exact sum is {total}, past the largest value of the type",
                "cast the column to double, or to decimal(18, 0) for an exact sum",
            )
    return from_ints(word, bound.result, mask)


def _difference(bound: BoundCall, values: Array, valid: Array | None) -> Array:
    if values.dtype != np.int64:
        return values
    too_large = values < 0 if valid is None else (values < 0) & valid
    if too_large.any():
        raise SumOverflow.because(
            f"cannot give {bound.call.label} as {bound.result}",
            "the distance between the extremes of a window passes 2**63",
            "cast the column to double",
        )
    return values * 86400 if pat.is_date32(bound.types[0]) else values


def _decimal_mean(
    bound: BoundCall, arrays: list[Array], mask: Array | None
) -> pa.Array:
    """Exact total / count, rounded half away from zero, as in Spark."""
    *total, counts = arrays
    shift = 10 ** (bound.result.scale - bound.types[0].scale)
    small = len(total) == 1 and np.abs(total[0]).max(initial=0) < 2**61 // shift
    numbers = total[0] if small else total[0].astype(object)
    if len(total) == 2:
        numbers = (numbers << 32) + total[1]
    counts = np.maximum(counts, 1)
    rounded = (2 * shift * np.abs(numbers) + counts) // (2 * counts)
    rounded = np.where(numbers < 0, -rounded, rounded)
    if small:
        return from_ints(rounded, bound.result, mask)
    high, low = rounded >> 64, rounded & (2**64 - 1)
    return _decimal(high.astype(np.int64), low.astype(np.uint64), bound.result, mask)


def _sketch(bound: BoundCall, arrays: list[Array], mask: Array | None) -> pa.Array:
    names = [field.name for field in bound.aggregate.fields]
    children = [as_arrow(array) for array in arrays]
    levels = bound.call.options.get("quantiles")
    if levels is not None:
        sketch = dict(zip(names, arrays, strict=True))
        quantiles = np.asarray(estimate(sketch, list(levels)))
        if (spot := weak_spots(sketch)) is not None:
            warnings.warn(
                f"{bound.call.label} gives rough quantiles: {spot}\n"
                "Hint: use wr.approx_quantile, or wr.quantile for exact ones",
                SketchWarning,
                stacklevel=2,
            )
        offsets = as_arrow(np.arange(len(quantiles) + 1, dtype=np.int32) * len(levels))
        children.append(pa.ListArray.from_arrays(offsets, as_arrow(quantiles.ravel())))
        names.append("quantiles")
    nulls = None if mask is None else as_arrow(mask)
    return pa.StructArray.from_arrays(children, names=names, mask=nulls)


def take_positions(column: pa.Array, positions: Array) -> pa.Array:
    """The values at row numbers; -1 gives null."""
    return column.take(as_arrow(positions, mask=positions < 0))
