"""Slices as a table that can be stored: `wr.tiles` and `wr.merge_tiles`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pyarrow import types as pat

from windrow import batch
from windrow._back_ends import source_of, spark_back_end
from windrow._frames import same_kind
from windrow.aggregates.calls import gather_calls
from windrow.batch.tiles import coarsen_tiles, make_tiles, merge_windows
from windrow.plan.tile_kind import ABOUT, TILE, TileKind, check_columns, read_kind
from windrow.plan.tile_windows import plan_longer, plan_merge
from windrow.plan.tiles import plan_tiles, tile_window
from windrow.windows import Window


@same_kind  # type: ignore[arg-type] # `named` could hold the first one
def tiles(
    data: Any,
    *,
    every: object,
    on: str | None = None,
    by: str | Sequence[str] | None = None,
    aggregates: Mapping[str, Any] | None = None,
    **named: Any,
) -> Any:
    """Fold rows into slices of time, as a table that can be stored and merged later.

    One row comes out for each key and slice that holds a row: the keys, `tile` (where
    the slice begins), a struct of partial fields for each aggregate, and `tiles`, which
    says what the others are.  Store it as you like, and add those of another day beside
    it: `wr.merge_tiles` gives any windows that are made of whole tiles.

    `every` is how long a slice is, `on` names the time column of `data`, `by` its keys;
    `aggregates` may hold some whose names are taken by parameters.

    Of tiles themselves it makes longer ones, so that old days cost little.

    >>> import pyarrow as pa
    >>> import windrow as wr
    >>> paid = pa.table({"ts": [1, 4, 6, 11], "amount": [3, 9, 2, 5]})
    >>> stored = wr.tiles(paid, every=5, on="ts", top=wr.max("amount"))
    >>> stored["tile"].to_pylist()
    [0, 5, 10]
    >>> wr.merge_tiles(stored, wr.sliding(10, every=5, on="ts"))["top"].to_pylist()
    [9, 9, 5, 5]
    """
    if batch.library(data) == "pyspark":
        asked = every, on, by, named, aggregates
        return spark_back_end("tiles").tiles(data, *asked)
    schema = batch.schema_of(data)
    if {TILE, ABOUT} <= set(schema.names) and not (named or aggregates):
        kind, table = _kind_of(data)
        window, keys = tile_window(every, on, kind), kind.by if by is None else by
        plan = plan_longer(kind, window, keys, schema.field(TILE).type)
        return batch.give(coarsen_tiles(table, plan), data)
    schema, calls, read = source_of(data, gather_calls(named, aggregates, locals()))
    plan = plan_tiles(schema, tile_window(every, on), by, calls)
    return batch.give(make_tiles(read(plan.reads), plan), data)


@same_kind
def merge_tiles(
    tiles: Any,
    window: Window | Sequence[Window],
    *,
    by: str | Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    hot: bool = False,
    keys: int | None = None,
) -> Any:
    """Merge tiles into windows: what `wr.aggregate` gives over the rows they came from.

    `tiles` are what `wr.tiles` gave, of as many days as you like.  `by` may be a part
    of their keys, and is all of them if left out; `only` names some of the aggregates.
    A `window`, or each of a list, must be made of whole tiles.  `hot` and `keys` are
    hints for Spark, as in `wr.aggregate`.

    >>> import pyarrow as pa
    >>> import windrow as wr
    >>> paid = pa.table({"ts": [1, 4, 6, 11], "amount": [3, 9, 2, 5]})
    >>> tiles = wr.tiles(paid, every=5, on="ts", top=wr.max("amount"))
    >>> wr.merge_tiles(tiles, wr.sliding(15, on="ts"))["top"].to_pylist()
    [9]
    """
    if batch.library(tiles) == "pyspark":
        hints = {"hot": hot, "keys": keys}
        return spark_back_end("tiles").merge_tiles(tiles, window, by, only, **hints)
    kind, table = _kind_of(tiles)
    plan = plan_merge(kind, window, by, only, table.schema.field(TILE).type)
    return batch.give(merge_windows(table, plan), tiles)


def _values(column: Any) -> list[Any]:
    """The different values of a column of texts, in most cases one.

    The one word of a dictionary is that of all rows.  Texts of one length whose bytes
    repeat are alike: hashing them took ten times as long as a comparison.
    """
    firsts = []
    for chunk in column.chunks:
        if pat.is_dictionary(chunk.type) and len(chunk) and not chunk.null_count:
            words = chunk.dictionary
            if len(words) > 1:
                words = chunk.unique().dictionary_decode()
            firsts += words.to_pylist()
            continue
        if len(chunk) < 2 or str(chunk.type) != "string" or chunk.null_count:
            return list(column.unique().to_pylist())
        _, edges, data = chunk.buffers()
        ends = np.frombuffer(edges, np.int32)[chunk.offset :][: len(chunk) + 1]
        width, start, stop = int(ends[1] - ends[0]), int(ends[0]), int(ends[-1])
        size = stop - start - width
        alike = (np.diff(ends) == width).all()
        if not (alike and data[start:][:size].equals(data[start + width :][:size])):
            return list(column.unique().to_pylist())
        firsts.append(chunk[0].as_py())
    return list(dict.fromkeys(firsts))


def _kind_of(tiles: Any) -> tuple[TileKind, Any]:
    """What tiles are, and the tiles as a table."""
    schema = batch.schema_of(tiles)
    check_columns(schema.names)
    table = batch.read(tiles, schema.names)
    about = _values(table.column(ABOUT))
    if not about and schema.metadata and ABOUT.encode() in schema.metadata:
        about = [schema.metadata[ABOUT.encode()].decode()]
    kind = read_kind(about)
    check_columns(schema.names, kind)
    return kind, table
