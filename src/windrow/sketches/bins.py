"""Counts of values by bins: histograms, and DDSketch for quantiles.

    partial    (codes, counts)      codes rise; only bins that hold something

Partials add up, and can be taken off again; in any tree the same values give the same
bins.  For windows that move on, a value is held by neighbouring windows
(`intervals.py`), so that all windows are answered by sums over whole columns.

DDSketch (Masson, Rim, Lee 2019): bin i holds the values in (g**(i - 1), g**i], where
g = (1 + error) / (1 - error), and stands for 2 g**i / (1 + g), which is within `error`
of each, relatively.  Negative values have bins of their own, as have 0, the infinities
and NaN, the largest value:

    -inf   negative, from large to small   0   positive   inf   NaN
"""

from __future__ import annotations

import math
import struct
from abc import abstractmethod

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.loops import as_arrow, as_numpy

from .intervals import blocks_of_counts, holders
from .packed import Packed, WordWriter, owners_of, pack_counts, read_words
from .ranks import MEDIAN, Quantiles, place_of
from .sketch import Array, Sketch

Bins = tuple[Array, Array]

_MAGIC = b"WRbins1\0"
_HEAD = 6  # words of four bytes before the codes


class BinCounts(Sketch):
    """How values are counted by bins, whatever these are."""

    whole_columns = True

    @abstractmethod
    def result(self, codes: Array, tables: Array) -> pa.Array:
        """The result of each row of a table of counts, with a column for each code."""

    def all_codes(self, seen: Array) -> Array:
        """The codes that results are made of: those that were seen."""
        return seen

    def lift(self, values: Array) -> Bins:
        """The bins of some values; code `LEFT_OUT` is not counted."""
        codes, counts = np.unique(values[values != LEFT_OUT], return_counts=True)
        return codes, counts.astype(np.int64)

    def combine(self, older: Bins, newer: Bins) -> Bins:
        """The sum of both."""
        return _added(older[0], newer[0], older[1], newer[1])

    def inverse(self, whole: Bins, oldest: Bins) -> Bins:
        """What is left when the oldest is taken off."""
        return _added(whole[0], oldest[0], whole[1], -oldest[1])

    def dump(self, partial: Bins) -> bytes:
        """Codes and counts, after what they are."""
        head = _MAGIC + struct.pack("<qd", len(partial[0]), self.mark)
        return head + partial[0].tobytes() + partial[1].tobytes()

    @property
    @abstractmethod
    def mark(self) -> float:
        """A number that tells bins of other parameters apart."""

    def load(self, data: bytes) -> Bins:
        """Bins from their bytes."""
        begin = len(_MAGIC) + 16
        if data[: len(_MAGIC)] != _MAGIC or len(data) < begin:
            raise self.refuse("they do not begin as bins do")
        count, mark = struct.unpack_from("<qd", data, len(_MAGIC))
        if mark != self.mark:
            raise self.refuse("they were made with another error or other edges")
        if len(data) != begin + 16 * count:
            raise self.refuse(f"{len(data)} bytes do not hold {count} bins")
        codes = np.frombuffer(data, np.int64, count, begin)
        return codes, np.frombuffer(data, np.int64, count, begin + 8 * count)

    def lower(self, partials: Array) -> pa.Array:
        """The result of each partial."""
        rows = np.arange(len(partials))
        return self.slide_packed(self.pack_objects(partials), rows, rows + 1)

    def slide_rows(self, values: Array, starts: Array, stops: Array) -> pa.Array:
        """The result of each window of values."""
        places = np.flatnonzero(values != LEFT_OUT)
        ones = np.ones(len(places), np.int64)
        return self._slide(values[places], ones, places, starts, stops)

    def fold_column(self, values: Array, starts: Array, stops: Array) -> pa.Array:
        """The bins of each stretch as bytes."""
        rows, owners = owners_of(starts, stops)
        some = values[rows] != LEFT_OUT
        kinds, codes = np.unique(values[rows[some]], return_inverse=True)
        width = max(len(kinds), 1)
        keys, counts = np.unique(owners[some] * width + codes, return_counts=True)
        bins = np.bincount(keys // width, minlength=len(starts))
        null = starts == stops
        writer = WordWriter(np.where(null, 0, _HEAD + 4 * bins))
        full = np.flatnonzero(~null)
        head = np.frombuffer(_MAGIC + struct.pack("<qd", 0, self.mark), np.uint32)
        writer.heads(full, 0, [*head[:2], bins[full], *head[3:]])
        sizes = 2 * bins[full]
        codes = kinds[keys % width].astype(np.int64)
        writer.bodies(full, _HEAD, sizes, codes.view(np.uint32))
        counts = counts.astype(np.int64).view(np.uint32)
        writer.bodies(full, _HEAD + sizes, sizes, counts)
        return writer.column(null)

    def pack(self, column: pa.Array | pa.ChunkedArray) -> Packed:
        """The codes and counts of all partials."""
        column, words = read_words(column)
        bins = words.at(2).astype(np.int64)
        head = np.frombuffer(_MAGIC + struct.pack("<qd", 0, self.mark), np.uint32)
        known = words.sizes == _HEAD + 4 * bins
        for place in (0, 1, 3, 4, 5):
            known &= words.at(place) == head[place]
        others = np.flatnonzero(~known & as_numpy(column.is_valid()))
        self.load_all(column.take(as_arrow(others)))  # is refused
        chosen, sizes = np.flatnonzero(known), 2 * bins[known]
        codes = words.part(chosen, _HEAD, sizes).view(np.int64)
        counts = words.part(chosen, _HEAD + sizes, sizes).view(np.int64)
        return pack_counts(np.where(known, bins, 0), (codes, counts))

    def slide_packed(self, packed: Packed, starts: Array, stops: Array) -> pa.Array:
        """The result of each window of partials."""
        codes, counts = packed.entries
        return self._slide(codes, counts, packed.places, starts, stops)

    def pack_objects(self, partials: Array) -> Packed:
        """The codes and counts of partials that are objects."""
        none = np.empty(0, np.int64)
        pairs = [(none, none) if bins is None else bins for bins in partials.tolist()]
        sizes = np.array([len(codes) for codes, _ in pairs], np.int64)
        codes = np.concatenate([none, *(codes for codes, _ in pairs)])
        counts = np.concatenate([none, *(counts for _, counts in pairs)])
        return pack_counts(sizes, (codes, counts))

    def _slide(
        self, codes: Array, counts: Array, places: Array, starts: Array, stops: Array
    ) -> pa.Array:
        columns = self.all_codes(np.unique(codes))
        own = np.searchsorted(columns, codes)
        bounds = holders(places, starts, stops)
        blocks = blocks_of_counts(*bounds, own, counts, len(columns), len(starts))
        parts = [self.result(columns, tables) for _, tables in blocks]
        if not parts:
            return self.result(columns, np.zeros((0, len(columns)), np.int64))
        return parts[0] if len(parts) == 1 else pa.concat_arrays(parts)


LEFT_OUT = -(2**62)


def _added(a: Array, b: Array, of_a: Array, of_b: Array) -> Bins:
    codes, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    counts = np.zeros(len(codes), np.int64)
    np.add.at(counts, places, np.concatenate([of_a, of_b]))
    some = counts != 0
    return codes[some], counts[some]


@dataclass(frozen=True)
class Histogram(BinCounts):
    """Counts between edges: [e0, e1), [e1, e2), ..., the last with its right edge."""

    edges: tuple[float, ...]

    name = "histogram"

    @property
    def mark(self) -> float:
        """The sum of the edges, each weighted by its place."""
        return math.fsum(edge * (i + 1) for i, edge in enumerate(self.edges))

    def read(self, column: pa.Array) -> Array:
        """The bin of each value; values outside the edges, and NaN, have none."""
        values = as_numpy(column.cast(pa.float64(), safe=False))
        bins = np.searchsorted(self.edges, values, side="right") - 1
        last = len(self.edges) - 2
        bins[values == self.edges[-1]] = last
        outside = (bins < 0) | (bins > last) | np.isnan(values)
        return np.where(outside, LEFT_OUT, bins)

    def all_codes(self, seen: Array) -> Array:
        """Every bin, whether it was seen or not."""
        del seen
        return np.arange(len(self.edges) - 1)

    def result(self, codes: Array, tables: Array) -> pa.Array:
        """A list of counts, one for each bin."""
        offsets = np.arange(len(tables) + 1, dtype=np.int32) * len(codes)
        values = as_arrow(np.ascontiguousarray(tables).ravel())
        return pa.ListArray.from_arrays(as_arrow(offsets), values)


_ZERO, _FAR = 1 << 40, 1 << 50
_INFINITE, _NAN = 1 << 51, 1 << 52


@dataclass(frozen=True)
class DDSketch(BinCounts):
    """Quantiles within a relative error."""

    error: float = 0.01
    quantiles: Quantiles = MEDIAN

    name = "ddsketch"

    @property
    def mark(self) -> float:
        """The error that the bins are made for."""
        return self.error

    @property
    def _log_base(self) -> float:
        return math.log1p(self.error) - math.log1p(-self.error)

    def read(self, column: pa.Array) -> Array:
        """The bin of each value, as a number that rises with it."""
        values = as_numpy(column.cast(pa.float64(), safe=False))
        size = np.abs(values)
        with np.errstate(divide="ignore", invalid="ignore"):
            bins = np.ceil(np.log(size) / self._log_base)
        bins = np.where(np.isfinite(bins), bins, 0).astype(np.int64) + _ZERO
        bins = np.where(np.isinf(size), _INFINITE, bins)
        bins = np.where(values < 0, -bins, bins)
        bins = np.where(size == 0, 0, bins)
        return np.where(np.isnan(values), _NAN, bins)

    def values_of(self, codes: Array) -> Array:
        """The value that each bin stands for."""
        size = np.abs(codes)
        power = np.where((size > 0) & (size < _FAR), size - _ZERO, 0)
        half = math.log(2.0) - math.log1p(math.exp(self._log_base))
        with np.errstate(over="ignore"):
            values = np.exp(power * self._log_base + half)
        most = np.finfo(np.float64).max
        values = np.minimum(values, most)  # of the last bin below infinity
        values = np.where(size == 0, 0.0, np.where(size == _INFINITE, np.inf, values))
        return np.where(codes == _NAN, np.nan, np.where(codes < 0, -values, values))

    def result(self, codes: Array, tables: Array) -> pa.Array:
        """The quantiles of each row."""
        sums = np.cumsum(tables, axis=1)
        totals = sums[:, -1] if len(codes) else np.zeros(len(tables), np.int64)
        values = np.append(self.values_of(codes), np.nan)
        found = np.empty((len(tables), len(self.quantiles.levels)))
        for number, level in enumerate(self.quantiles.levels):
            wanted = place_of(level, totals)
            reached = sums > wanted[:, None]
            bins = reached.argmax(axis=1) if len(codes) else np.zeros(len(tables), int)
            found[:, number] = values[np.where(totals > 0, bins, len(codes))]
        return self.quantiles.column(found, totals == 0)
