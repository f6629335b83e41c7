"""HyperLogLog: how many distinct values, within 1.04 / sqrt(2**lg_k) of the truth.

Each value is hashed to a coupon: an address of 26 bits and a rank, one more than the
zeros that the other half of the hash begins with.

    few values      the coupons themselves, 4 bytes each, up to `most_coupons`
    many            registers: the largest rank of each of 2**lg_k addresses

Merged in any tree, the same values give the same sketch: coupons are a set, registers
are maxima.  Estimates depend on the union alone, never on the order of values: from
coupons by how many addresses are taken, from registers by Ertl's estimator (2017),
which needs only how many registers have each rank.

For windows that move on, each coupon is held by neighbouring windows (`intervals.py`):
it is new in those that begin behind its last occurrence, and sets its register in those
that hold no larger rank of it.  So no sketch of a window is ever made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.loops import as_arrow, as_numpy
from windrow.loops import compute as pc

from .hll_bytes import (
    NotASketch,
    find_coupons,
    find_registers,
    read_sketch,
    write_all_coupons,
    write_coupons,
    write_registers,
)
from .hll_estimate import (
    ADDRESSES,
    RANKS,
    count_ranks,
    estimate_coupons,
    estimate_registers,
)
from .intervals import after, blocks_of_counts, count_held, holders, until
from .murmur import hash_column
from .packed import Packed, owners_of, pack_counts, read_words
from .sketch import Array, Sketch

_ADDRESS = np.uint32(ADDRESSES - 1)
COUNTED_EMPTY = b"\0"  # hashed for an empty string, which DataSketches passes over


def coupons_of(column: pa.Array, *, counts_empty: bool) -> Array:
    """The coupon of each value; 0 for an empty string that is passed over."""
    empty = COUNTED_EMPTY if counts_empty else None
    first, second = hash_column(column, empty)
    coupons = _ranks(second) << np.uint32(26) | first.astype(np.uint32) & _ADDRESS
    if not counts_empty and not pa.types.is_primitive(column.type):
        lengths = pc.binary_length(_decoded(column))
        coupons[np.asarray(lengths) == 0] = 0
    return coupons


def _decoded(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if hasattr(column, "indices") else column


def _ranks(words: Array) -> Array:
    """One more than the leading zeros of each word, at most 63."""
    high = (words >> np.uint64(32)).astype(np.uint32)
    low = words.astype(np.uint32)
    top = np.where(high > 0, high, low).astype(np.float64)
    _, exponent = np.frexp(top)  # the number of bits of a whole number; 0 of 0
    zeros = 32 - exponent + np.where(high > 0, 0, 32)
    ranks: Array = (np.minimum(zeros, 62) + 1).astype(np.uint32)
    return ranks


@dataclass(frozen=True)
class HyperLogLog(Sketch):
    """A HyperLogLog sketch of 2**lg_k registers; it gives "count" or "bytes"."""

    lg_k: int = 12
    gives: str = "count"

    name = "hyperloglog"

    @property
    def whole_columns(self) -> bool:  # type: ignore[override]
        """Estimates need no sketch of a window; bytes do."""
        return self.gives == "count"

    @property
    def most_coupons(self) -> int:
        """How many coupons are kept before registers take their place."""
        return (3 << (self.lg_k - 3)) // 4 if self.lg_k > 7 else 7

    def read(self, column: pa.Array) -> Array:
        """The coupon of each value."""
        return coupons_of(column, counts_empty=self.gives == "count")

    def lift(self, values: Array) -> Any:
        """The distinct coupons, or registers if they are many."""
        coupons = np.unique(values)
        return self._settle(coupons[coupons != 0])

    def combine(self, older: Any, newer: Any) -> Any:
        """The union of coupons, or the maxima of registers."""
        if older.dtype == newer.dtype == np.uint32:
            few, many = sorted((older, newer), key=len)
            at = np.searchsorted(many, few)
            new = many.take(at, mode="clip") != few if len(many) else at == 0
            return self._settle(np.insert(many, at[new], few[new]))
        if older.dtype == newer.dtype:
            return np.maximum(older, newer)
        few, many = (older, newer) if older.dtype == np.uint32 else (newer, older)
        registers = many.copy()
        np.maximum.at(registers, self._slots(few), _ranks_of(few))
        return registers

    def _settle(self, coupons: Array) -> Array:
        return (
            coupons if len(coupons) <= self.most_coupons else self._registers(coupons)
        )

    def _registers(self, partial: Array) -> Array:
        if partial.dtype == np.uint8:
            return partial
        registers = np.zeros(1 << self.lg_k, np.uint8)
        np.maximum.at(registers, self._slots(partial), _ranks_of(partial))
        return registers

    def _slots(self, coupons: Array) -> Array:
        return (coupons & np.uint32((1 << self.lg_k) - 1)).astype(np.int64)

    def dump(self, partial: Any) -> bytes:
        """The bytes that Apache DataSketches and Spark read."""
        write = write_coupons if partial.dtype == np.uint32 else write_registers
        return write(partial, self.lg_k)

    def load(self, data: bytes) -> Any:
        """A partial from bytes of Apache DataSketches, Spark or `dump`."""
        try:
            lg_k, kind, content = read_sketch(data)
        except NotASketch as error:
            raise self.refuse(str(error)) from error
        if lg_k != self.lg_k:
            raise self.refuse(f"its lg_k is {lg_k}, not {self.lg_k}")
        return self._settle(content) if kind == "coupons" else content

    def load_all(self, column: pa.Array | pa.ChunkedArray) -> Array:
        """Partials from a column of bytes; those that `dump` wrote as views of it."""
        column, words = read_words(column)
        known = find_registers(column, self.lg_k)
        counts, heads = find_coupons(words, self.lg_k)
        ends = words.begins + heads + counts
        begins = np.where(counts > 0, ends - counts, 0).tolist()
        partials = np.empty(len(column), object)
        others = []
        for place, (begin, end) in enumerate(zip(begins, ends.tolist(), strict=True)):
            if place in known:
                partials[place] = known[place]
            elif begin and _rises(words.words[begin:end], self.most_coupons):
                partials[place] = words.words[begin:end]
            else:
                others.append(place)
        partials[others] = super().load_all(column.take(pa.array(others, pa.int64())))
        return partials

    def lower(self, partials: Array) -> pa.Array:
        """Estimates, 0 of no value; or bytes, those of an empty sketch."""
        none = np.empty(0, np.uint32)
        filled = [none if partial is None else partial for partial in partials.tolist()]
        if self.gives == "bytes":
            return pa.array([self.dump(partial) for partial in filled], pa.binary())
        estimates = np.zeros(len(filled), np.int64)
        counted = [place for place, p in enumerate(filled) if p.dtype == np.uint32]
        counts = np.array([len(filled[place]) for place in counted], np.int64)
        estimates[counted] = estimate_coupons(counts)
        dense = [place for place, p in enumerate(filled) if p.dtype == np.uint8]
        if dense:
            tables = count_ranks([filled[place] for place in dense])
            estimates[dense] = estimate_registers(tables, self.lg_k)
        return as_arrow(estimates)

    def slide_rows(self, values: Array, starts: Array, stops: Array) -> pa.Array:
        """The estimate of each window of coupons."""
        places = np.flatnonzero(values)
        none = np.empty(0, np.int64)
        return self._slide(values[places], places, none, starts, stops)

    def fold_column(self, values: Array, starts: Array, stops: Array) -> pa.Array:
        """The coupons of each stretch as bytes, or its registers if they are many."""
        rows, owners = owners_of(starts, stops)
        coupons = values[rows]
        keys = owners[coupons != 0] << 32 | coupons[coupons != 0].astype(np.int64)
        keys = np.unique(keys)
        counts = np.bincount(keys >> 32, minlength=len(starts))
        packed = pack_counts(counts, (keys.astype(np.uint32),))
        dense = np.flatnonzero(counts > self.most_coupons).tolist()
        dumped = {
            place: self.dump(self._registers(packed.entries[0][slice(*pair)]))
            for place, pair in zip(dense, packed.bounds_of(dense), strict=True)
        }
        return write_all_coupons(packed, self.lg_k, dumped, starts == stops)

    def pack(self, column: pa.Array | pa.ChunkedArray) -> Packed:
        """Coupons of all partials; registers, which are marked, as coupons too."""
        column, words = read_words(column)
        counts, heads = find_coupons(words, self.lg_k)
        others = np.flatnonzero((counts < 0) & as_numpy(column.is_valid()))
        loaded = super().load_all(column.take(as_arrow(others)))
        dense = np.array([partial.dtype == np.uint8 for partial in loaded], bool)
        marked = np.zeros(len(column), bool)
        marked[others] = dense
        parts = [_as_coupons(partial) for partial in loaded.tolist()]
        chosen = np.flatnonzero(counts > 0)
        listed = words.part(chosen, heads[chosen], counts[chosen])
        if not len(others):
            return pack_counts(np.maximum(counts, 0), (listed,), marked)
        counts[others] = [len(part) for part in parts]
        packed = pack_counts(np.maximum(counts, 0), (), marked)
        coupons = np.empty(packed.bounds[-1], np.uint32)
        coupons[packed.places_of(chosen)] = listed
        coupons[packed.places_of(others)] = np.concatenate(parts)
        return Packed(packed.bounds, (coupons,), marked)

    def pack_objects(self, partials: Array) -> Packed:
        """The same of partials that are objects."""
        none = np.empty(0, np.uint32)
        listed = [none if partial is None else partial for partial in partials.tolist()]
        marked = np.array([partial.dtype == np.uint8 for partial in listed], bool)
        parts = [_as_coupons(partial) for partial in listed]
        counts = np.array([len(part) for part in parts], np.int64)
        return pack_counts(counts, (np.concatenate([none, *parts]),), marked)

    def slide_packed(self, packed: Packed, starts: Array, stops: Array) -> pa.Array:
        """The estimate of each window of partials."""
        dense = np.flatnonzero(packed.marked)
        return self._slide(packed.entries[0], packed.places, dense, starts, stops)

    def _slide(
        self,
        coupons: Array,
        places: Array,
        dense: Array,
        starts: Array,
        stops: Array,
    ) -> pa.Array:
        """Estimates from coupons at places; those at places `dense` were registers."""
        windows = len(starts)
        lo, hi = holders(places, starts, stops)
        lo = np.maximum(lo, after(_last_place(coupons, places), starts))
        counts = count_held(lo, hi, windows)
        many = counts > self.most_coupons
        if len(dense):
            many |= count_held(*holders(dense, starts, stops), windows) > 0
        estimates = estimate_coupons(np.where(many, 0, counts))
        if many.any():
            chosen = np.flatnonzero(many)
            first, last = chosen[0], chosen[-1] + 1
            slots, ranks = self._slots(coupons), coupons >> np.uint32(26)
            bounds = starts[first:last], stops[first:last]
            of_windows = self._ranks_held(
                slots, ranks.astype(np.int64), places, *bounds
            )
            for begin, tables in of_windows:
                own = np.flatnonzero(many[first + begin : first + begin + len(tables)])
                found = estimate_registers(tables[own], self.lg_k)
                estimates[first + begin + own] = found
        return as_arrow(estimates)

    def _ranks_held(
        self, slots: Array, ranks: Array, places: Array, starts: Array, stops: Array
    ) -> Any:
        """Yield how many registers of each window have each rank, but for rank 0."""
        order = np.lexsort((ranks, places, slots))
        slots, ranks, places = slots[order], ranks[order], places[order]
        same = (slots[1:] == slots[:-1]) & (places[1:] == places[:-1])
        kept = np.append(~same, True)[: len(slots)]  # the largest rank at each place
        slots, ranks, places = slots[kept], ranks[kept], places[kept]
        before, behind = _larger_around(slots, ranks, places, int(stops.max()))
        lo, hi = holders(places, starts, stops)
        lo = np.maximum(lo, after(before, starts))
        hi = np.minimum(hi, until(behind, stops))
        ones = np.ones(len(ranks), np.int64)
        return blocks_of_counts(lo, hi, ranks, ones, RANKS, len(starts))


def _rises(coupons: Array, most: int) -> bool:
    """Whether coupons stand in order, each once, and are not too many."""
    return len(coupons) <= most and bool((coupons[1:] > coupons[:-1]).all())


def _ranks_of(coupons: Array) -> Array:
    return (coupons >> np.uint32(26)).astype(np.uint8)


def _as_coupons(partial: Array) -> Array:
    """Registers as coupons whose addresses are the registers; coupons as they are."""
    if partial.dtype == np.uint32:
        return partial
    slots = np.flatnonzero(partial)
    return slots.astype(np.uint32) | partial[slots].astype(np.uint32) << np.uint32(26)


def _last_place(codes: Array, places: Array) -> Array:
    """The place of the last entry of the same code before each; -1: there is none."""
    order = np.argsort(codes, kind="stable")
    before = np.full(len(codes), -1)
    same = codes[order][1:] == codes[order][:-1]
    before[order[1:][same]] = places[order[:-1][same]]
    return before


def _larger_around(
    slots: Array, ranks: Array, places: Array, end: int
) -> tuple[Array, Array]:
    """For each entry, where its slot has a larger rank before, and none smaller behind.

    Entries are sorted by slot and place.  From the smallest rank up, entries of that
    rank are answered by those that are left, and taken out: half of them each time.
    """
    before, behind = np.full(len(ranks), -1), np.full(len(ranks), end)
    left = np.arange(len(ranks))
    while len(left):
        least = int(ranks[left].min())
        own = np.flatnonzero(ranks[left] == least)
        larger = np.where(ranks[left] > least, np.arange(len(left)), -1)
        last = np.maximum.accumulate(larger)[own]
        there = (last >= 0) & (slots[left[last]] == slots[left[own]])
        before[left[own[there]]] = places[left[last[there]]]
        follows = own + 1 < len(left)
        following = left[own[follows] + 1]
        there = slots[following] == slots[left[own[follows]]]
        behind[left[own[follows][there]]] = places[following[there]]
        left = left[ranks[left] > least]
    return before, behind
