"""Frequent items: the values that occur most often, with about how often.

The sketch of Apache DataSketches (Anderson et al. 2017, after Misra and Gries) tracks
at most `tracked` distinct values.  An estimate is at most 3.5 / 2**lg too large, as a
share of all values, where 2**lg is the size of its table: `tracked` * 4 / 3, rounded up
to a power of two.  As long as no more values than `tracked` have occurred, counts are
exact.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.loops import as_arrow, as_numpy

from .murmur import reads_bytes
from .sketch import Array, Sketch, datasketches, objects


@dataclass(frozen=True)
class FrequentItems(Sketch):
    """The `k` most frequent values of a column of type `kind`."""

    kind: pa.DataType
    k: int = 5
    tracked: int = 10_000

    name = "frequent items"

    @property
    def lg_size(self) -> int:
        """The size of the table, as a power of two."""
        return max(math.ceil(math.log2(self.tracked * 4 / 3)), 3)

    @property
    def _serde(self) -> Any:
        package = datasketches("frequent items")
        if reads_bytes(self.kind):
            return package.PyStringsSerDe()
        if pa.types.is_floating(self.kind):
            return package.PyDoublesSerDe()
        return package.PyLongsSerDe()

    def read(self, column: pa.Array) -> Array:
        """Strings and numbers as Python's own; instants and decimals as numbers."""
        if hasattr(column, "indices"):
            column = column.dictionary_decode()
        kind = column.type
        if reads_bytes(kind):
            return objects(column.to_pylist())
        if pa.types.is_decimal(kind):
            wide = column.cast(pa.decimal128(kind.precision, kind.scale))
            words = np.frombuffer(wide.buffers()[1], np.int64)[0::2]
            return words[wide.offset : wide.offset + len(wide)].copy()
        if pa.types.is_floating(kind):
            return as_numpy(column.cast(pa.float64())) + 0.0
        if pa.types.is_temporal(kind):
            column = column.view(pa.int32() if kind.bit_width == 32 else pa.int64())
        return as_numpy(column).astype(np.int64)

    def _new(self) -> Any:
        return datasketches("frequent items").frequent_items_sketch(self.lg_size)

    def lift(self, values: Array) -> Any:
        """A sketch of some values."""
        sketch = self._new()
        counts: dict[Any, int] = {}
        for value in values.tolist():
            counts[value] = counts.get(value, 0) + 1
        for value, count in counts.items():
            sketch.update(math.nan if value != value else value, count)
        return sketch

    def combine(self, older: Any, newer: Any) -> Any:
        """A new sketch, into which both are merged."""
        sketch = self._new()
        sketch.merge(older)
        sketch.merge(newer)
        return sketch

    def dump(self, partial: Any) -> bytes:
        """The bytes of Apache DataSketches."""
        data: bytes = partial.serialize(self._serde)
        return data

    def load(self, data: bytes) -> Any:
        """A partial from the bytes of `dump`."""
        kind = datasketches("frequent items").frequent_items_sketch
        try:
            return kind.deserialize(bytes(data), self._serde)
        except (RuntimeError, ValueError, IndexError, MemoryError) as error:
            raise self.refuse(str(error)) from error

    def lower(self, partials: Array) -> pa.Array:
        """A list of items with counts, the most frequent first, then the smallest."""
        items: list[Any] = []
        counts: list[int] = []
        offsets = np.zeros(len(partials) + 1, np.int32)
        for place, partial in enumerate(partials.tolist()):
            for item, count in [] if partial is None else self._most(partial):
                items.append(item)
                counts.append(count)
            offsets[place + 1] = len(items)
        pairs = pa.StructArray.from_arrays(
            [self._column(items), pa.array(counts, pa.int64())], ["item", "count"]
        )
        return pa.ListArray.from_arrays(as_arrow(offsets), pairs)

    def _most(self, partial: Any) -> list[tuple[Any, int]]:
        none_missed = datasketches("frequent items").frequent_items_error_type
        found = partial.get_frequent_items(none_missed.NO_FALSE_NEGATIVES)
        found.sort(key=lambda entry: (-entry[1], entry[0] != entry[0], entry[0]))
        return [(entry[0], entry[1]) for entry in found[: self.k]]

    def _column(self, items: list[Any]) -> pa.Array:
        kind = self.kind
        if reads_bytes(kind) or pa.types.is_floating(kind):
            return pa.array(items, kind)
        numbers = np.array(items, np.int64)
        if pa.types.is_decimal(kind):
            words = np.stack([numbers, numbers >> 63], axis=1)
            wide = pa.decimal128(kind.precision, kind.scale)
            buffers = [None, pa.py_buffer(np.ascontiguousarray(words))]
            return pa.Array.from_buffers(wide, len(numbers), buffers).cast(kind)
        if pa.types.is_temporal(kind):
            width = np.int32 if kind.bit_width == 32 else np.int64
            return as_arrow(numbers.astype(width)).view(kind)
        return as_arrow(numbers).cast(kind)
