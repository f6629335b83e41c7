r"""Defines a sketch: a partial that is an object, made of values, merged, and stored.

    values      v0 v1 v2 | v3 v4 | v5          one entry a row, as `read` gives them
                   |lift     |      |
    partials      p0        p1     p2          objects; None where there is no value
                    \combine/      |
                      p01          |          never changes p0 or p1
                        \ combine /
    result            lower(p012)             an entry of a column

`dump` and `load` turn a partial into bytes and back, for state, tiles and shuffles.
A sketch holds its parameters and nothing else: two that are equal merge.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import BadInput
from windrow.loops import as_arrow

from .packed import Packed

Array = np.ndarray[Any, Any]


class Sketch(ABC):
    """How one kind of sketch is made, merged, stored and read."""

    name: str
    whole_columns = False
    """Whether all windows are answered at once, from values or packed partials."""

    @abstractmethod
    def read(self, column: pa.Array) -> Array:
        """What `lift` reads: an entry for each value of a column without nulls."""

    @abstractmethod
    def lift(self, values: Array) -> Any:
        """The partial of some values, at least one."""

    @abstractmethod
    def combine(self, older: Any, newer: Any) -> Any:
        """The partial of both; neither is changed."""

    @abstractmethod
    def dump(self, partial: Any) -> bytes:
        """A partial as bytes."""

    @abstractmethod
    def load(self, data: bytes) -> Any:
        """A partial from its bytes; others are refused."""

    @abstractmethod
    def lower(self, partials: Array) -> pa.Array:
        """The result of each partial; None stands for no value at all."""

    def lower_runs(self, partials: Array) -> pa.Array:
        """The same, where neighbours are often one and the same object."""
        listed = partials.tolist()
        new = [one is not other for one, other in pairwise([self, *listed])]
        places = np.cumsum(new) - 1
        if not len(places) or places[-1] + 1 == len(places):
            return self.lower(partials)
        return self.lower(partials[np.flatnonzero(new)]).take(as_arrow(places))

    def lift_stretches(self, values: Array, starts: Array, stops: Array) -> Array:
        """The partial of each stretch of values [start, stop); None if it is empty."""
        partials = np.empty(len(starts), object)
        bounds = zip(starts.tolist(), stops.tolist(), strict=True)
        for place, (start, stop) in enumerate(bounds):
            if start < stop:
                partials[place] = self.lift(values[start:stop])
        return partials

    def fold_column(self, values: Array, starts: Array, stops: Array) -> pa.Array:
        """The partial of each stretch of values as bytes; null if it is empty."""
        return self.dump_all(self.lift_stretches(values, starts, stops))

    def slide_rows(self, values: Array, starts: Array, stops: Array) -> pa.Array:
        """The result of each window of values [start, stop), for all at once."""
        raise NotImplementedError

    def slide_packed(self, packed: Packed, starts: Array, stops: Array) -> pa.Array:
        """The result of each window of partials [start, stop), for all at once."""
        raise NotImplementedError

    def pack(self, column: pa.Array | pa.ChunkedArray) -> Packed:
        """A column of bytes as packed partials; null is one without entries."""
        raise NotImplementedError

    def pack_objects(self, partials: Array) -> Packed:
        """Partials as packed ones."""
        return self.pack(self.dump_all(partials))

    def dump_all(self, partials: Array) -> pa.Array:
        """Partials as a column of bytes; None as null."""
        values = [None if p is None else self.dump(p) for p in partials.tolist()]
        return pa.array(values, pa.binary())

    def load_all(self, column: pa.Array | pa.ChunkedArray) -> Array:
        """Partials from a column of bytes."""
        partials = np.empty(len(column), object)
        for place, data in enumerate(column.to_pylist()):
            if data is not None:
                partials[place] = self.load(data)
        return partials

    def refuse(self, cause: str) -> BadInput:
        """An error for bytes that are not such a sketch, or one of another kind."""
        return BadInput.because(
            f"cannot read bytes as a sketch of {self.name}",
            cause,
            "give what was written with the same aggregate and the same options",
        )


def objects(items: list[Any]) -> Array:
    """A list as an array of objects, whatever these are."""
    array = np.empty(len(items), object)
    for place, item in enumerate(items):
        array[place] = item
    return array


def datasketches(for_what: str) -> ModuleType:
    """The package of Apache DataSketches, or an error that says how to get it."""
    try:
        return importlib.import_module("datasketches")
    except ImportError as error:
        raise BadInput.because(
            f"cannot compute {for_what}",
            "the package datasketches is not installed",
            "pip install 'pywindrow[sketches]', on Spark's executors too",
        ) from error
