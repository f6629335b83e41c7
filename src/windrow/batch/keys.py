"""Numbers the keys of a table by small whole numbers, in ascending order of the keys.

    city    Rome  Oslo  null  Rome         ranks of words; a null comes first
            2     1     0     2            3 codes
    line    7     8     7     7            the value less the least
            0     1     0     0            2 codes
    code    4     3     0     4            city * 2 + line

Whole numbers that lie close together, dates, truth values and dictionaries are numbered
without hashing.  A null is a key like any other, and comes first, as in Spark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.errors import UnsupportedType
from windrow.loops import arrays, as_arrow, as_numpy, in_threads, over_rows
from windrow.loops import compute as pc

from .columns import numbers as read_numbers
from .columns import plain_array, sort_nulls_first
from .loop_texts import NumberText

Array = np.ndarray[Any, Any]

FEW = 4_096  # numbers that are sorted in place of hashed

Words = Callable[[Array], pa.Array]
"""The values of codes."""


@dataclass(frozen=True)
class KeyColumn:
    """A key column as numbers, and how a code in [0, size) is made of each.

    It is `rank[number]`, or the number less `low`; where `valid` is given, codes of
    values begin at 1, and a null is 0.  `words` gives the values of codes.

    With `texts` numbers are computed in the loop that reads them: the text of a number
    and of its validity, if it may be null.
    """

    values: Array
    size: int
    words: Words
    low: int = 0
    valid: Array | None = None
    rank: Array | None = None
    texts: tuple[str, str | None] | None = None

    @property
    def has_nulls(self) -> bool:
        """Whether a null has the code 0."""
        if self.texts is not None:
            return self.texts[1] is not None
        return self.valid is not None

    def codes(self, threads: int) -> Array:
        """The code of each row."""
        (out,) = arrays(("int32",), len(self.values))

        def fill(rows: slice) -> None:
            if self.rank is not None:
                np.take(self.rank, self.values[rows], out=out[rows], mode="clip")
            else:
                # numpy 1 would subtract 8-bit numbers in 8 bits, whatever goes out
                how: Any = {"casting": "unsafe", "dtype": np.int64}
                np.subtract(self.values[rows], self.low, out=out[rows], **how)
                if self.valid is not None:  # not low - 1, which may be below 64 bits
                    out[rows] += 1
            if self.valid is not None:
                out[rows][~self.valid[rows]] = 0

        over_rows(fill, len(self.values), threads)
        return out


@dataclass(frozen=True)
class KeyNumbers:
    """The columns of a key as numbers; a code of all is one of mixed radix."""

    schema: pa.Schema
    columns: tuple[KeyColumn, ...]

    @property
    def size(self) -> int:
        """How many codes there may be."""
        return math.prod(column.size for column in self.columns)

    def codes(self, threads: int) -> Array:
        """The code of each row; below 2**31 only where `size` is."""
        codes = self.columns[0].codes(threads)
        for column in self.columns[1:]:
            np.multiply(codes, column.size, out=codes)
            np.add(codes, column.codes(threads), out=codes)
        return codes

    def keys(self, codes: Array) -> pa.Table:
        """The keys of those codes, row by row."""
        columns: list[pa.Array] = []
        for column in reversed(self.columns):
            codes, own = np.divmod(codes, column.size)
            columns.append(column.words(own))
        keys = pa.table(columns[::-1], names=self.schema.names)
        return keys if len(self.columns) == 1 else keys.cast(self.schema)


def most_codes(rows: int) -> int:
    """How many codes so many rows may be given, so that an array of them is small."""
    return 2 * rows + 256


def number_keys(table: pa.Table, names: Sequence[str], threads: int) -> KeyNumbers:
    """Number each column of the keys by itself."""
    columns = [_key_column(table.column(name), name, threads) for name in names]
    return KeyNumbers(table.select(list(names)).schema, tuple(columns))


def group_keys(
    table: pa.Table,
    names: Sequence[str],
    threads: int = 1,
    numbers: KeyNumbers | None = None,
) -> tuple[Array, Callable[[Array], pa.Table], int]:
    """A code per row, the keys of codes, and how many codes there are at most."""
    found = numbers or number_keys(table, names, threads)
    if found.size <= most_codes(len(table)):
        return found.codes(threads), found.keys, found.size
    codes = np.zeros(len(table), np.int64)
    for column in found.columns:  # renumbered after each, so that none overflows
        codes *= column.size
        codes += column.codes(threads)
        packed = as_arrow(codes).dictionary_encode()
        order = np.argsort(as_numpy(packed.dictionary))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        codes = rank[as_numpy(packed.indices)]
    first = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    keys = table.select(list(names))
    return codes, lambda some: keys.take(as_arrow(first[some])), len(first)


def key_codes(
    table: pa.Table, names: Sequence[str], threads: int = 1
) -> tuple[Array, pa.Table]:
    """A code per row, and the table of distinct keys in ascending order."""
    codes, keys, size = group_keys(table, names, threads)
    present = np.zeros(size, bool)
    present[codes] = True
    if present.all():
        return codes, keys(np.arange(size))
    number = np.cumsum(present, dtype=codes.dtype) - 1
    return number[codes], keys(np.flatnonzero(present))


def _key_column(column: pa.ChunkedArray, name: str, threads: int) -> KeyColumn:
    kind, most = column.type, most_codes(len(column))
    if pat.is_dictionary(kind) and not pat.is_nested(kind.value_type):
        ranked = _dictionary_column(column, name, most)
        if ranked is not None:
            return ranked
    elif pat.is_boolean(kind) or pat.is_date32(kind) or _is_whole(kind):
        close = _whole_column(plain_array(column), name, most)
        if close is not None:
            return close
    pieces, words = _encode(column, name, threads)
    rank, ranked_words = _ranks(words)
    codes = _joined(pieces, np.arange(len(rank), dtype=np.int32), threads)
    return KeyColumn(codes, len(rank), ranked_words, rank=rank)


def _is_whole(kind: pa.DataType) -> bool:
    return bool(pat.is_integer(kind)) and not pat.is_uint64(kind)


def _whole_column(array: pa.Array, name: str, most: int) -> KeyColumn | None:
    """Whole numbers that lie close together, or None: those are encoded."""
    kind = array.type
    column = read_numbers(array, name)
    is_null = column.valid is not None
    least, greatest = 0, 1
    if not pat.is_boolean(kind):  # by numpy: pyarrow.compute takes 30 ms to load
        present = column.values[column.valid] if is_null else column.values
        least, greatest = 0, -1
        if len(present):
            least, greatest = int(present.min()), int(present.max())
    size = greatest - least + 1 + is_null
    if size > most and (is_null or len(present) > FEW):
        return None
    if size > most:  # a sort of few numbers is faster than a dictionary of them
        distinct, codes = np.unique(present, return_inverse=True)
        words: Words = lambda some: as_arrow(distinct[some]).view(kind)  # noqa: E731
        return KeyColumn(codes, len(distinct), words)
    whole = np.dtype(column.values.dtype)
    words = _whole_words(kind, whole, least, is_null=is_null)
    return KeyColumn(column.values, size, words, least, column.valid)


def _whole_words(
    kind: pa.DataType, whole: np.dtype[Any], least: int, *, is_null: bool
) -> Words:
    """The values of codes of whole numbers that lie close together."""

    def words(codes: Array) -> pa.Array:
        values = (codes - is_null + least).astype(whole)
        mask = codes == 0 if is_null else None
        if pat.is_boolean(kind):
            return as_arrow(values.astype(bool), mask)
        found = as_arrow(values, mask)
        return found if found.type == kind else found.view(kind)

    return words


def computed_key(text: NumberText) -> KeyColumn:
    """A key of whole numbers that the loop computes."""
    least, is_null = text.bounds[0], text.valid is not None
    words = _whole_words(text.kind, np.dtype(np.int64), least, is_null=is_null)
    none, texts = np.empty(0, np.int64), (text.value, text.valid)
    return KeyColumn(none, text.codes, words, least, texts=texts)


def _dictionary_column(
    column: pa.ChunkedArray, name: str, most: int
) -> KeyColumn | None:
    """The ranks of a dictionary's words, or None: it is far longer than the column."""
    if column.num_chunks != 1:
        column = pa.chunked_array(column.unify_dictionaries().chunks, column.type)
        array = column.combine_chunks()
        array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    else:
        array = column.chunk(0)
    dictionary = array.dictionary
    is_null = bool(array.null_count)
    if len(dictionary) + 1 > most:
        return None
    if is_null:  # a null among the indices is the word after the last
        missing = pa.scalar(len(dictionary), pa.int64())
        indices = pc.fill_null(array.indices.cast(pa.int64()), missing)
        dictionary = pa.concat_arrays([dictionary, pa.nulls(1, dictionary.type)])
    else:
        indices = array.indices
    entries, words = _encode(pa.chunked_array([dictionary]), name, 1)
    rank, ranked_words = _ranks(words)
    own = _joined(entries, rank, 1)
    return KeyColumn(as_numpy(indices), len(rank), ranked_words, rank=own)


def _ranks(words: pa.Array) -> tuple[Array, Words]:
    """The rank of each of some distinct words, and the words of ranks."""
    order = sort_nulls_first(pa.table({"word": words}), ["word"])
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    in_order = words.take(as_arrow(order))
    return rank, lambda codes: in_order.take(as_arrow(codes))


def _encode(
    column: pa.ChunkedArray, name: str, threads: int
) -> tuple[list[tuple[Array, Array]], pa.Array]:
    """Codes of pieces of a column, each with what these are among all distinct values.

    Each piece is encoded by itself, and then the distinct values of all pieces are.
    """
    array = plain_array(column)

    def encode(array: pa.Array) -> pa.DictionaryArray:
        if pat.is_floating(array.type):  # -0.0 is the same key as 0.0
            array = pc.add(array, pa.scalar(0.0, array.type))
        return array.dictionary_encode(null_encoding="encode")

    try:
        pieces = over_rows(lambda rows: encode(array[rows]), len(array), threads)
        words = encode(pa.concat_arrays([piece.dictionary for piece in pieces]))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        raise UnsupportedType.because(
            f"cannot group by column {name!r}",
            f"it is of type {array.type}",
            "group by its fields, or by a string made of it",
        ) from error
    codes = [as_numpy(piece.indices) for piece in pieces]
    ends = np.cumsum([len(piece.dictionary) for piece in pieces])
    numbers = np.split(as_numpy(words.indices), ends[:-1])
    return list(zip(codes, numbers, strict=True)), words.dictionary


def _joined(pieces: list[tuple[Array, Array]], rank: Array, threads: int) -> Array:
    """The codes of all pieces in one array, renumbered by `rank`."""
    ends = np.cumsum([len(codes) for codes, _ in pieces])
    (out,) = arrays((rank.dtype.str,), int(ends[-1]))

    def renumber(piece: int) -> None:
        codes, numbers = pieces[piece]
        own = out[ends[piece] - len(codes) : ends[piece]]
        np.take(rank[numbers], codes, out=own, mode="clip")  # "raise" makes a copy

    in_threads(renumber, len(pieces), threads)
    return out
