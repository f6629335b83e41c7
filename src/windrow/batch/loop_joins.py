"""Looks the rows of joined tables up within the loop over the rows of a stream.

    ad          none  7  9     row_of_0(source, i)    the row of T that row i meets
    campaign    null  b  a     read(campaign, row)    a column of T, read there

Row 0 stands for none: its values are null where the join is a left one; else they are
any, and rows that meet none are left out.  The keys of T are whole numbers, each set of
them there once, and a row is found by its place in the box of all that lie between the
least and the greatest.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.loops import as_numpy
from windrow.plan.cql import JoinedTable

from .columns import plain_array
from .keys import KeyColumn, most_codes, number_keys
from .loop_texts import LoopColumns, NumberText
from .tables import read

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class LookUp:
    """How the loop finds the row of a table that row i meets.

    `row` is a call of the function that `function` defines; `table` has its columns by
    their names in the joined rows, behind the row for none.
    """

    table: pa.Table
    row: str
    function: str
    is_left: bool


def look_up(
    other: Any, join: JoinedTable, reads: list[str], loop: LoopColumns
) -> LookUp | None:
    """How rows of the loop find those of a table, if its keys fit."""
    lefts = [_left_key(name, loop) for name, _ in join.pairs]
    if None in lefts:
        return None
    payload = [(called, own) for called, own in join.columns if called in reads]
    names = [own for _, own in (*join.pairs, *payload)]
    table = read(other, list(dict.fromkeys(names)))
    rights = [plain_array(table.column(own)) for _, own in join.pairs]
    if not len(table) or not all(_is_whole(a.type) for a in rights):
        return None
    if any(array.null_count for array in rights):
        return None
    keys = [as_numpy(array) for array in rights]
    box = [(int(key.min()), int(key.max() - int(key.min())) + 1) for key in keys]
    size = math.prod(size for _, size in box)
    if size > most_codes(len(loop.table) + len(table)):
        return None
    places = np.zeros(len(table), np.int64)
    for key, (low, own_size) in zip(keys, box, strict=True):
        places = places * own_size + (key.astype(np.int64) - low)
    rank = np.zeros(size + 1, np.int32)
    rank[places + 1] = np.arange(1, len(places) + 1)
    if np.count_nonzero(rank) < len(places):  # a key stands there twice
        return None
    padded = {name: _padded(table.column(own), join) for name, own in payload}
    number = len(loop.joined)
    arrays = loop.add_array(np.array(box, np.int64).ravel()), loop.add_array(rank)
    function = _row_function(number, [k for k in lefts if k is not None], *arrays)
    found = LookUp(
        pa.table(padded), f"row_of_{number}(source, i)", function, join.is_left
    )
    loop.join(found.table, found.row)
    return found


def joined_key(column: Any, row: str) -> KeyColumn:
    """A key whose codes are looked up by the row of the table that row i meets."""
    key = number_keys(pa.table({"key": column}), ["key"], 1).columns[0]
    none = np.empty(0, np.int64)
    return KeyColumn(none, key.size, key.words, rank=key.codes(1), texts=(row, None))


def _left_key(name: str, loop: LoopColumns) -> NumberText | None:
    return loop.number(name) if _is_whole(loop.kind(name)) else None


def _is_whole(kind: pa.DataType) -> bool:
    return bool(pat.is_integer(kind)) and not pat.is_uint64(kind)


def _padded(column: pa.ChunkedArray, join: JoinedTable) -> pa.ChunkedArray:
    """A column behind its value for rows that meet none."""
    none = [pa.nulls(1, column.type)] if join.is_left else column.slice(0, 1).chunks
    return pa.chunked_array([*none, *column.chunks], column.type)


def _row_function(number: int, keys: list[NumberText], box: str, rank: str) -> str:
    """The function that finds the row of table `number`, or 0, by its `keys`."""
    lines, inside, place = list[str](), list[str](), "at0"
    for n, key in enumerate(keys):
        lines.append(f"at{n} = {key.value} - read({box}, {2 * n})")
        inside += [f"(at{n} >= 0)", f"(at{n} < read({box}, {2 * n + 1}))"]
        inside += [key.valid] if key.valid is not None else []
        place = f"({place}) * read({box}, {2 * n + 1}) + at{n}" if n else place
    is_inside = " & ".join(inside)
    lines.append(f"place = select({is_inside}, {place} + np.int64(1), np.int64(0))")
    lines.append(f"return np.int64(read({rank}, place))")
    body = "\n".join(f"    {line}" for line in lines)
    return f"def row_of_{number}(source, i):\n{body}"
