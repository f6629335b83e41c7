"""Many partials in a few arrays, and as a column of bytes, without an object for each.

    entries   c c c | c | | c c        partial j is entries [bounds[j], bounds[j + 1])

Windows that slide by the minute over keys with a row or two a minute have about as many
partials as rows: an object, and a call to write and to read it, for each of them took
ten times as long as everything else.  Formats here are whole words of four bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.loops import as_numpy, ordinals

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Packed:
    """Partials as entries, one partial after the other; `marked` has a flag for each.

    A sketch says what its entries are, and what the flag means.
    """

    bounds: Array
    entries: tuple[Array, ...]
    marked: Array

    def __len__(self) -> int:
        return len(self.marked)

    @property
    def places(self) -> Array:
        """The partial of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def places_of(self, chosen: Array) -> Array:
        """Where the entries of chosen partials are."""
        begins, counts = self.bounds[chosen], np.diff(self.bounds)[chosen]
        found: Array = np.repeat(begins, counts) + ordinals(counts)
        return found

    def bounds_of(self, chosen: list[int]) -> list[tuple[int, int]]:
        """Where the entries of each chosen partial begin and end."""
        begins, ends = self.bounds[chosen].tolist(), self.bounds[1:][chosen].tolist()
        return list(zip(begins, ends, strict=True))

    def join(self, starts: Array, stops: Array) -> Packed:
        """Runs of partials [start, stop), which follow each other, as one each."""
        bounds = np.append(self.bounds[starts], self.bounds[stops[-1:]])
        return Packed(bounds, self.entries, np.logical_or.reduceat(self.marked, starts))


def pack_counts(
    counts: Array, entries: tuple[Array, ...], marked: Array | None = None
) -> Packed:
    """Partials of so many entries each; without `marked` none is."""
    bounds = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=bounds[1:])
    marked = np.zeros(len(counts), bool) if marked is None else marked
    return Packed(bounds, entries, marked)


def owners_of(starts: Array, stops: Array) -> tuple[Array, Array]:
    """The rows of all stretches [start, stop), and the stretch of each."""
    sizes = stops - starts
    owners = np.repeat(np.arange(len(starts)), sizes)
    return np.repeat(starts, sizes) + ordinals(sizes), owners


@dataclass(frozen=True)
class WordColumn:
    """A column of bytes as words: entry j is words [begins[j], begins[j] + sizes[j]).

    A null, and an entry that is no whole number of words, has none.
    """

    words: Array
    begins: Array
    sizes: Array

    def at(self, place: int) -> Array:
        """That word of each entry; 0 where the entry is shorter."""
        there = np.flatnonzero(place < self.sizes)
        found = np.zeros(len(self.sizes), np.uint32)
        found[there] = self.words[self.begins[there] + place]
        return found

    def part(self, chosen: Array, head: Any, counts: Array) -> Array:
        """So many words of each chosen entry, from its word `head` on."""
        begins = self.begins[chosen] + head
        part: Array = self.words[np.repeat(begins, counts) + ordinals(counts)]
        return part


def read_words(column: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, WordColumn]:
    """A column of bytes as one array, and as words."""
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays([pa.array([], column.type), *column.chunks])
    column = column.cast(pa.binary())
    none = np.zeros(len(column), np.int64)
    _, offsets, data = column.buffers()
    if not data:
        return column, WordColumn(np.empty(0, np.uint32), none, none)
    ends = np.frombuffer(offsets, np.int32)[column.offset :][: len(column) + 1]
    ends = ends.astype(np.int64)
    sizes, whole = np.diff(ends), (ends[:-1] % 4 == 0) & (ends[1:] % 4 == 0)
    if column.null_count:
        whole &= as_numpy(column.is_valid())
    words = np.frombuffer(data, np.uint32, data.size // 4)
    return column, WordColumn(words, ends[:-1] // 4, np.where(whole, sizes // 4, 0))


class WordWriter:
    """Writes entries of so many words each, piece by piece."""

    def __init__(self, sizes: Array) -> None:
        self.offsets = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes, out=self.offsets[1:])
        self.words = np.zeros(int(self.offsets[-1]), np.uint32)

    def heads(self, chosen: Array, place: int, words: Sequence[Any]) -> None:
        """Write a word, or one for each chosen entry, from word `place` on."""
        for number, word in enumerate(words, place):
            self.words[self.offsets[chosen] + number] = word

    def bodies(self, chosen: Array, place: Any, counts: Array, words: Array) -> None:
        """Write so many words to each chosen entry from word `place` on."""
        begins = np.repeat(self.offsets[chosen] + place, counts)
        self.words[begins + ordinals(counts)] = words

    def whole(self, place: int, data: bytes) -> None:
        """Write all of one entry."""
        begin, end = self.offsets[place], self.offsets[place + 1]
        self.words[begin:end] = np.frombuffer(data, np.uint32)

    def column(self, null: Array) -> pa.Array:
        """The entries as a column of bytes."""
        offsets = pa.py_buffer((4 * self.offsets).astype(np.int32))
        valid = pa.py_buffer(np.packbits(~null, bitorder="little"))
        buffers = [valid if null.any() else None, offsets, pa.py_buffer(self.words)]
        return pa.Array.from_buffers(pa.binary(), len(null), buffers)
