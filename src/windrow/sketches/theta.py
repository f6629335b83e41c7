"""Theta sketches: sets of hashed values that can be united, intersected, subtracted.

By Apache DataSketches, which gives and takes their bytes; the number of values in one
is within 1 / sqrt(2**lg_k) in about two of three cases, and exact below 2**lg_k values.
Sketches of different seeds do not merge.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass

from .murmur import as_words, reads_bytes
from .sketch import Array, Sketch, datasketches, objects


@dataclass(frozen=True)
class Theta(Sketch):
    """A theta sketch of at most 2**lg_k hashes."""

    lg_k: int = 12
    seed: int = 9001

    name = "theta"

    def read(self, column: pa.Array) -> Array:
        """Strings and floats as they are, all else as the number that is hashed."""
        if hasattr(column, "indices"):
            column = column.dictionary_decode()
        if reads_bytes(column.type) or pa.types.is_floating(column.type):
            return objects(column.to_pylist())
        return as_words(column).view(np.int64)

    def lift(self, values: Array) -> Any:
        """A sketch of some values."""
        sketch = datasketches("theta sketches").update_theta_sketch(
            self.lg_k, seed=self.seed
        )
        for value in dict.fromkeys(values.tolist()):
            sketch.update(value)
        return sketch.compact()

    def combine(self, older: Any, newer: Any) -> Any:
        """The union of both."""
        union = datasketches("theta sketches").theta_union(self.lg_k, seed=self.seed)
        union.update(older)
        union.update(newer)
        return union.get_result()

    def dump(self, partial: Any) -> bytes:
        """The bytes that Apache DataSketches and Spark read."""
        data: bytes = partial.serialize()
        return data

    def load(self, data: bytes) -> Any:
        """A partial from bytes of Apache DataSketches, Spark or `dump`."""
        kind = datasketches("theta sketches").compact_theta_sketch
        try:
            return kind.deserialize(bytes(data), self.seed)
        except (RuntimeError, ValueError, IndexError, MemoryError) as error:
            raise self.refuse(str(error)) from error

    def lower(self, partials: Array) -> pa.Array:
        """Bytes; those of an empty sketch where there is no value."""
        package = datasketches("theta sketches")
        empty = package.update_theta_sketch(self.lg_k, seed=self.seed).compact()
        values = [(empty if p is None else p).serialize() for p in partials.tolist()]
        return pa.array(values, pa.binary())
