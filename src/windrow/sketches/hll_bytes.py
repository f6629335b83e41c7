"""Reads and writes HyperLogLog sketches in the binary format of Apache DataSketches.

    byte   0         1        2        3      4            5      6          7
           preamble  version  family   lg_k   lg of array  flags  count or   mode and
           in ints   1        7                                   minimum    type

    list     preamble 2    byte 6: coupons     from byte 8 on: coupons, 4 bytes each
    set      preamble 3    bytes 8-11: coupons   from byte 12 on: coupons
    array    preamble 10   sums for estimates    from byte 40 on: registers

A coupon is a rank (6 bits) over an address (26 bits), of which the last lg_k bits are
the register.  Registers have 4, 6 or 8 bits; here they are written with 8, and marked
as merged, so that readers estimate from registers alone.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pyarrow as pa

from .packed import Packed, WordColumn, WordWriter

Array = np.ndarray[Any, Any]

FAMILY = 7
LIST, SET, ARRAY = 0, 1, 2
_EMPTY, _COMPACT, _MERGED, _FULL_SIZE = 4, 8, 16, 32
_EIGHT_BITS = 2 << 2
_IN_LIST = 8


class NotASketch(ValueError):
    """Bytes that are no HyperLogLog sketch; the message says why."""


def write_coupons(coupons: Array, lg_k: int) -> bytes:
    """A sketch that still has its coupons."""
    count = len(coupons)
    flags = _COMPACT | (0 if count else _EMPTY)
    data = np.ascontiguousarray(coupons, "<u4").tobytes()
    if count < _IN_LIST:
        return bytes([2, 1, FAMILY, lg_k, 3, flags, count, LIST | _EIGHT_BITS]) + data
    lg_size = max(5, int(np.ceil(np.log2(count * 4 / 3 + 1))))
    head = bytes([3, 1, FAMILY, lg_k, lg_size, flags, 0, SET | _EIGHT_BITS])
    return head + struct.pack("<i", count) + data


def write_all_coupons(
    packed: Packed, lg_k: int, dumped: dict[int, bytes], null: Array
) -> pa.Array:
    """Sketches with coupons as a column of bytes; those in `dumped` as they are."""
    counts = np.diff(packed.bounds)
    heads = np.where(counts < _IN_LIST, 2, 3)
    sizes = np.where(null, 0, heads + counts)
    dense = np.array(sorted(dumped), np.int64)
    sizes[dense] = [len(dumped[place]) // 4 for place in dense.tolist()]
    writer = WordWriter(sizes)
    written = ~null
    written[dense] = False
    for head, mode in ((2, LIST), (3, SET)):
        chosen = np.flatnonzero(written & (heads == head))
        own = counts[chosen]
        first = _first_word(head, lg_k)
        flags = (_COMPACT | np.where(own, 0, _EMPTY)) << 8
        if mode == LIST:
            words = [first, 3 | flags | own << 16 | (LIST | _EIGHT_BITS) << 24]
        else:
            lg_size = np.maximum(5, np.ceil(np.log2(own * 4 / 3 + 1)).astype(np.int64))
            words = [first, lg_size | flags | (SET | _EIGHT_BITS) << 24, own]
        writer.heads(chosen, 0, words)
        coupons = packed.entries[0][packed.places_of(chosen)]
        writer.bodies(chosen, head, own, coupons)
    for place, data in dumped.items():
        writer.whole(place, data)
    return writer.column(null)


def find_coupons(column: WordColumn, lg_k: int) -> tuple[Array, Array]:
    """How many coupons each sketch of a column lists, and from which word on.

    -1 for a sketch that has none, or is not known to be one: it is read by itself.
    """
    first, second, third = (column.at(place) for place in range(3))
    compact, mode = second >> 8 & _COMPACT > 0, second >> 24 & 3
    counts = np.full(len(first), -1, np.int64)
    heads = np.where(mode == LIST, 2, 3)
    for head, kind, said in ((2, LIST, second >> 16 & 255), (3, SET, third)):
        alike = compact & (mode == kind) & (first == _first_word(head, lg_k))
        alike &= column.sizes == head + said.astype(np.int64)
        counts[alike] = said[alike]
    return counts, heads


def _first_word(head: int, lg_k: int) -> int:
    return head | 1 << 8 | FAMILY << 16 | lg_k << 24


def write_registers(registers: Array, lg_k: int) -> bytes:
    """A sketch as an array of registers."""
    inverse = np.ldexp(1.0, -registers.astype(np.int64))
    low, high = inverse[registers < 32].sum(), inverse[registers >= 32].sum()
    zeros = int((registers == 0).sum())
    flags = _COMPACT | _MERGED
    head = bytes([10, 1, FAMILY, lg_k, 0, flags, 0, ARRAY | _EIGHT_BITS])
    sums = struct.pack("<dddii", 0.0, low, high, zeros, 0)
    return head + sums + registers.astype(np.uint8).tobytes()


def find_registers(column: pa.Array, lg_k: int) -> dict[int, Array]:
    """The registers of those sketches of a column that `write_registers` wrote.

    They are looked up in the column's own memory: a stream's page has a sketch for each
    slice of a key, of which a step reads a few (1,137 sketches: 18 ms one by one).
    """
    size = 1 << lg_k
    _, bounds, data = column.buffers()
    if not data:
        return {}
    octets = np.frombuffer(data, np.uint8)
    ends = np.frombuffer(bounds, np.int32)[column.offset :][: len(column) + 1]
    dense = np.flatnonzero(np.diff(ends) == 40 + size)
    begins = ends[dense].astype(np.int64)
    for place, octet in {1: 1, 2: FAMILY, 3: lg_k, 7: ARRAY | _EIGHT_BITS}.items():
        alike = octets[begins + place] == octet
        dense, begins = dense[alike], begins[alike]
    pairs = zip(dense.tolist(), begins.tolist(), strict=True)
    return {place: octets[at + 40 : at + 40 + size] for place, at in pairs}


def read_sketch(data: bytes) -> tuple[int, str, Array]:
    """lg_k, and "coupons" or "registers" with an array of them."""
    if len(data) < 8 or data[1] != 1 or data[2] != FAMILY:
        raise NotASketch("they do not begin as a HyperLogLog sketch does")
    lg_k, lg_size, flags, mode = data[3], data[4], data[5], data[7] & 3
    bits = {0: 4, 1: 6, 2: 8}.get((data[7] >> 2) & 3)
    if not 4 <= lg_k <= 21 or bits is None or mode > ARRAY:
        raise NotASketch(f"lg_k {lg_k} or mode {mode} does not exist")
    if mode == ARRAY:
        return lg_k, "registers", _registers(data, lg_k, bits, flags)
    begin = 8 if mode == LIST else 12
    count = data[6] if mode == LIST else 0
    if mode == SET and len(data) >= begin:
        (count,) = struct.unpack_from("<i", data, 8)
    whole = not flags & _COMPACT  # a table with empty places
    size = (1 << lg_size if whole else count) if count else 0
    _check_length(data, begin + 4 * size)
    coupons = np.frombuffer(data, "<u4", size, begin)
    return lg_k, "coupons", np.unique(coupons[coupons != 0])


def _registers(data: bytes, lg_k: int, bits: int, flags: int) -> Array:
    size = 1 << lg_k
    if bits == 8:
        _check_length(data, 40 + size)
        return np.frombuffer(data, np.uint8, size, 40)
    if bits == 6:
        _check_length(data, 40 + size * 3 // 4)
        packed = np.frombuffer(data, np.uint8, size * 3 // 4, 40)
        each = np.unpackbits(packed, bitorder="little").reshape(size, 6)
        return np.packbits(each, axis=1, bitorder="little")[:, 0]
    _check_length(data, 40 + size // 2)
    packed = np.frombuffer(data, np.uint8, size // 2, 40)
    nibbles = np.stack([packed & 15, packed >> 4], axis=1).ravel()
    registers = nibbles + data[6]
    (more,) = struct.unpack_from("<i", data, 36)
    if more:
        begin = 40 + size // 2
        room = more if flags & _COMPACT else 1 << data[4]
        _check_length(data, begin + 4 * room)
        pairs = np.frombuffer(data, "<u4", room, begin)
        pairs = pairs[pairs != 0]
        registers[pairs & (size - 1)] = pairs >> 26
    return registers


def _check_length(data: bytes, least: int) -> None:
    if len(data) < least:
        raise NotASketch(f"{len(data)} bytes are too few: at least {least} are needed")
