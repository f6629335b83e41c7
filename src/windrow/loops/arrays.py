"""Allocates arrays for results from Arrow's memory pool, and shows them to Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

LARGE = 1 << 20  # bytes
FEW = 1 << 20  # places


def arrays(dtypes: tuple[str, ...], n: int) -> tuple[np.ndarray[Any, Any], ...]:
    """One uninitialised array per dtype.

    Large ones come from Arrow's memory pool, which keeps freed pages for the next call;
    numpy returns them, and the operating system then zeroes each page again before it
    is written (64 MB: 9.0 -> 5.9 ms for one pass that reads and writes).
    """
    return tuple(_array(np.dtype(dtype), n) for dtype in dtypes)


def _array(dtype: np.dtype[Any], n: int) -> np.ndarray[Any, Any]:
    size = n * dtype.itemsize
    pool = pa.default_memory_pool()
    # the other pools ask for small pages: five times slower than numpy on first use
    if size < LARGE or dtype.hasobject or pool.backend_name != "mimalloc":
        return np.empty(n, dtype)
    return np.frombuffer(pa.allocate_buffer(size, pool), dtype)


def as_arrow(
    values: np.ndarray[Any, Any], mask: np.ndarray[Any, Any] | None = None
) -> pa.Array:
    """Numbers or truth values as an Arrow array, null where `mask` is true; no copy.

    `pa.array` imports pandas to ask whether the values are its own, which takes 0.2 s.
    """
    kind = pa.from_numpy_dtype(values.dtype)
    bits = np.packbits(values, bitorder="little") if values.dtype == bool else values
    if bits.dtype.kind in "mM":
        bits = bits.view(np.int64)
    nulls = None
    if mask is not None:
        nulls = pa.py_buffer(np.packbits(~mask, bitorder="little"))
    data = pa.py_buffer(np.ascontiguousarray(bits))
    return pa.Array.from_buffers(kind, len(values), [nulls, data])


def as_numpy(array: pa.Array) -> np.ndarray[Any, Any]:
    """The numbers or truth values of an Arrow array that has no null.

    `to_numpy` imports pandas, as `pa.array` does.
    """
    start, stop = array.offset, array.offset + len(array)
    data = array.buffers()[1]
    if pa.types.is_boolean(array.type):
        octets = np.frombuffer(data or b"", np.uint8)
        return np.unpackbits(octets, count=stop, bitorder="little")[start:].view(bool)
    dtype = np.dtype(array.type.to_pandas_dtype())
    return np.frombuffer(data or b"", dtype)[start:stop]


def take(array: pa.Array, places: np.ndarray[Any, Any]) -> pa.Array:
    """The values of an Arrow array at those places.

    A few numbers are gathered by numpy: what Arrow's own function needs takes 30 ms to
    load.  Among many its own is faster (4M doubles: 40 ms to 51).
    """
    kind = array.type
    is_word = pa.types.is_primitive(kind) and kind.bit_width >= 8
    if not is_word or array.null_count or len(places) > FEW:
        return array.take(as_arrow(places))
    words = np.frombuffer(array.buffers()[1] or b"", f"u{kind.bit_width // 8}")
    (out,) = arrays((words.dtype.str,), len(places))
    np.take(words[array.offset :], places, out=out, mode="clip")  # "raise" copies
    return pa.Array.from_buffers(kind, len(out), [None, pa.py_buffer(out)])
