"""Text files of numbers, one row a line, read strictly.

    lines of the file --> blocks of lines --> blanks squeezed --> pyarrow.csv --> table

A block that cannot be read is halved until its first malformed line is found, with the
same parser: there is no second opinion about what a good line is.  Empty lines,
missing values and missing or surplus columns are malformed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
from pyarrow import csv

from windrow.errors import BadInput

from ._dataset import INSTANT, DataColumn

BLOCK = 1 << 24  # bytes: enough that a block's own cost does not show
SHOWN = 40  # characters of a value that a message repeats


@dataclass(frozen=True)
class FileLayout:
    """The columns of a file, in its order.

    `types` are those of the columns that are read; others must be there and are left.
    A column whose type is INSTANT holds whole seconds since 1970 where `in_seconds`,
    else ISO text with its zone, of which microseconds are kept.  With `blanks`, any run
    of blanks and tabs stands between two columns, else one tab.
    """

    names: tuple[str, ...]
    types: dict[str, pa.DataType]
    in_seconds: bool
    blanks: bool

    def raw(self, name: str) -> pa.DataType:
        """The type as which the text of a column is read."""
        if self.types[name] != INSTANT:
            return self.types[name]
        return pa.int64() if self.in_seconds else pa.timestamp("ns", "UTC")


def in_blanks(columns: Sequence[DataColumn]) -> FileLayout:
    """All columns of a card, blanks between them, instants in whole seconds."""
    types = {column.name: column.type for column in columns}
    return FileLayout(tuple(types), types, in_seconds=True, blanks=True)


def read(path: Path, layout: FileLayout, limit: int | None = None) -> pa.Table:
    """The first `limit` rows of the file, or all."""
    schema = pa.schema(list(layout.types.items()))
    tables = [schema.empty_table()]
    done = 0
    with _opened(path) as file:
        for lines in _blocks(file, limit):
            try:
                tables.append(_parsed(lines, layout))
            except pa.ArrowInvalid:
                at = _first_malformed(lines, layout)
                raise BadInput.because(
                    f"cannot read {path.name}, line {done + at + 1}",
                    _complaint(lines[at], layout),
                    "the file may be of another dataset, or cut off in this line",
                ) from None
            done += len(lines)
    return pa.concat_tables(tables)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise BadInput.because(
            f"cannot read {path.name}",
            (error.strerror or "it cannot be opened").lower(),
            "give the path of a text file that this user may read",
        ) from error


def _blocks(file: BinaryIO, limit: int | None) -> Iterator[list[bytes]]:
    """Whole lines, some megabytes at a time, until there are as many as asked for."""
    left = limit
    while left != 0 and (lines := file.readlines(BLOCK)):
        yield lines[:left]
        left = None if left is None else max(0, left - len(lines))


def _parsed(lines: list[bytes], layout: FileLayout) -> pa.Table:
    text = b"".join(lines)
    if layout.blanks:
        text = _squeezed(text)
    raw = csv.read_csv(
        io.BytesIO(text),
        csv.ReadOptions(column_names=layout.names, block_size=2 * BLOCK),
        csv.ParseOptions(delimiter="\t", quote_char=False, ignore_empty_lines=False),
        csv.ConvertOptions(
            column_types={name: layout.raw(name) for name in layout.types},
            include_columns=list(layout.types),
            null_values=[],
            true_values=["1"],
            false_values=["0"],
        ),
    )
    columns = [
        _instants(column) if layout.types[name] == INSTANT else column
        for name, column in zip(raw.column_names, raw.columns, strict=True)
    ]
    return pa.table(columns, names=raw.column_names)


def _squeezed(text: bytes) -> bytes:
    """One tab for each run of blanks and tabs, none at the edges of a line.

    Plain replacements: with regular expressions a read took several times as long.
    """
    text = text.replace(b" ", b"\t")
    while b"\t\t" in text:
        text = text.replace(b"\t\t", b"\t")
    text = text.replace(b"\t\r\n", b"\n").replace(b"\t\n", b"\n")
    return text.replace(b"\n\t", b"\n").strip(b"\t")


def _instants(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_timestamp(column.type):
        return column.cast(INSTANT, safe=False)  # what is finer than that is cut off
    return column.cast(pa.timestamp("s", "UTC")).cast(INSTANT)


def _first_malformed(lines: list[bytes], layout: FileLayout) -> int:
    """The place of the first line that cannot be read: lines before it can."""
    good, bad = 0, len(lines)  # lines[:good] can be read, lines[:bad] cannot
    while bad - good > 1:
        middle = (good + bad) // 2
        if _readable(lines[good:middle], layout):
            good = middle
        else:
            bad = middle
    return good


def _readable(lines: list[bytes], layout: FileLayout) -> bool:
    try:
        _parsed(lines, layout)
    except pa.ArrowInvalid:
        return False
    return True


def _complaint(line: bytes, layout: FileLayout) -> str:
    """What is wrong with a line, as a sentence about its columns."""
    body = line.rstrip(b"\r\n")
    cells = body.split() if layout.blanks else body.split(b"\t")
    if len(cells) != len(layout.names):
        return f"expected {len(layout.names)} columns, got {len(cells)}"
    for number, (name, cell) in enumerate(zip(layout.names, cells, strict=True), 1):
        if name not in layout.types:
            continue
        alone = FileLayout(
            (name,), {name: layout.types[name]}, layout.in_seconds, False
        )
        if not _readable([cell + b"\n"], alone):
            got = cell.decode(errors="replace")[:SHOWN]
            return f"expected {_in_words(name, layout)} in column {number}, got {got!r}"
    return f"expected {len(layout.names)} columns of numbers"


def _in_words(name: str, layout: FileLayout) -> str:
    kind = layout.types[name]
    if kind == INSTANT:
        words = "whole seconds" if layout.in_seconds else "an ISO time with its zone"
    elif kind == pa.bool_():
        words = "0 or 1"
    elif pa.types.is_integer(kind):
        words = f"a whole number of {kind.bit_width} bits"
    else:
        words = "a number"
    return f"{name} ({words})"
