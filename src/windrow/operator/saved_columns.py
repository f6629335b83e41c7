"""Saves what windows hold as columns: those of many keys, payloads, results that wait.

Of the windows of many keys:

    keys       as text, as whole numbers, or as tagged text, a row for each
    memory     the block of each, as it stands in the arena
    newest, mark, signal, due
    reported   what was last reported of each, where results do not fall due
    payloads   what results may point to, and results that wait, as tables of their own

Columns are copied as they are, so that a million keys take as long as their bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import StateError
from windrow.kernels import Product

from .arena import PayloadRing
from .description import ipc_bytes, table_from, text_of, value_of
from .inputs import EventColumns
from .keyed import KeyedWindows
from .layout import Array
from .results import NOBODY, ResultBatch


def save_keys(windows: KeyedWindows) -> pa.Table:
    """The windows as a table, a row for each key."""
    windows.sizes()  # all that wait get in
    data, ends = windows.arena.blocks()
    offsets = pa.array(8 * np.append(0, ends))
    buffers = [None, offsets.buffers()[1], pa.py_buffer(data)]
    count = len(windows.slots)
    memory = pa.Array.from_buffers(pa.large_binary(), count, buffers)
    reported = b""
    if windows.reported is not None:
        reported = ipc_bytes(_reported_table(windows.reported))
    rows = [
        (slot, ring.first + place, *payload)
        for slot, ring in windows.payloads.items()
        for place, payload in enumerate(ring.rows)
    ]
    payloads = payload_table(("slot", "number"), rows, windows.program.columns)
    extra = pa.array(
        [ipc_bytes(payloads), reported]
        + saved_batches(windows.untaken, windows.program.columns),
        pa.large_binary(),
    )
    return pa.table(
        {
            "key": _key_column(list(windows.slots)),
            "memory": memory,
            "newest": np.array(windows.newest),
            **_deltas(windows),
            "due": windows.arena.due[:count],
            "extra": _spread(extra, count),
        }
    )


def load_keys(windows: KeyedWindows, table: pa.Table) -> None:
    """Fill windows without keys with those of a table."""
    table = table.combine_chunks()
    keys = _keys_from(table.column("key").combine_chunks())
    if not keys:  # all were forgotten
        return
    windows.slots = {key: slot for slot, key in enumerate(keys)}
    memory = table.column("memory").combine_chunks()
    offsets = np.frombuffer(memory.buffers()[1], np.int64)[: len(keys) + 1]
    data = np.frombuffer(memory.buffers()[2] or b"", np.int64)
    ends, due = offsets[1:] // 8, table.column("due").to_numpy()
    windows.arena.restore(data[: int(ends[-1])], ends, due)
    windows.newest = array("q", table.column("newest").to_numpy().tobytes())
    if "mark" in table.column_names:
        mark, signal = (table.column(name).to_numpy() for name in ("mark", "signal"))
        windows.lasts = array("d", mark.tobytes()), array("d", signal.tobytes())
    extra = [part for row in table.column("extra").to_pylist() if row for part in row]
    windows.payloads.update(_payloads_from(table_from(extra[0])))
    windows.reported = _reported_from(table_from(extra[1])) if extra[1] else None
    windows.untaken = batches_from(extra[2:], windows.program.kernel.product)


def _deltas(windows: KeyedWindows) -> dict[str, Array]:
    """The last marks and signals, where deltas rule."""
    columns = zip(("mark", "signal"), windows.lasts, strict=True)
    return {name: np.array(column) for name, column in columns if column}


def _spread(parts: pa.Array, count: int) -> pa.Array:
    """All parts in the first row of a column."""
    ends = np.full(count + 1, len(parts), np.int64)
    ends[0] = 0
    return pa.LargeListArray.from_arrays(pa.array(ends), parts)


def _key_column(keys: list[Any]) -> pa.Array:
    """Keys as they are where all are texts or whole numbers of 64 bits, else tagged."""
    kinds = set(map(type, keys))
    try:
        if kinds == {str}:
            return pa.array(keys, pa.large_string())
        if kinds == {int}:
            return pa.array(keys, pa.int64())
    except (pa.ArrowException, ValueError, OverflowError):  # surrogates, past 64 bits
        pass
    texts = [text_of(key).encode() for key in keys]
    return pa.array(texts, pa.large_binary())


def _keys_from(column: pa.Array) -> list[Any]:
    if column.type != pa.large_binary():
        keys: list[Any] = column.to_pylist()
        return keys
    return [value_of(text) for text in column.to_pylist()]


def _payloads_from(table: pa.Table) -> dict[int, PayloadRing]:
    rings: dict[int, PayloadRing] = {}
    columns = [column.to_pylist() for column in table.columns]
    for slot, number, *payload in zip(*columns, strict=True):
        if slot not in rings:
            rings[slot] = PayloadRing(number)
        rings[slot].rows.append(tuple(payload))
    return rings


def _reported_table(reported: tuple[Array, list[Array]]) -> pa.Table:
    known, rows = reported
    return pa.table(
        {"known": known, **{f"row{k}": _column(r) for k, r in enumerate(rows)}}
    )


def _column(row: Array) -> pa.Array:
    if row.dtype != object:
        return pa.array(row)
    texts = [text_of(value) for value in row.tolist()]
    return pa.array(texts, pa.large_string())


def _reported_from(table: pa.Table) -> tuple[Array, list[Array]]:
    known, *rows = (column.combine_chunks() for column in table.columns)
    return np.array(known), [_row_from(row) for row in rows]


def _row_from(column: pa.Array) -> Array:
    if column.type != pa.large_string():
        return np.array(column.to_numpy(zero_copy_only=False))
    row: Array = np.empty(len(column), object)
    row[:] = [value_of(text) for text in column.to_pylist()]
    return row


def types_text(columns: EventColumns | None) -> str | None:
    """The types of an operator's columns as text; None as long as nobody knows them."""
    if columns is None:
        return None
    if columns.request.product.interpreted:
        raise StateError.because(
            "cannot save the operator",
            "an aggregate of your own runs as plain Python: its partials are objects",
            "make its functions work on numbers, so that they can be compiled",
        )
    return str(columns.schema.serialize().to_pybytes().hex())


def schema_of(text: str) -> pa.Schema:
    """The types that `types_text` was given."""
    return pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(text)))


def payload_table(
    numbers: tuple[str, ...], rows: list[tuple[Any, ...]], columns: EventColumns
) -> pa.Table:
    """Numbers of events, and what results may point to, a row for each event."""
    types = [columns.type_of(name) for name in columns.payloads]
    kinds = [*[pa.int64()] * len(numbers), *types]
    arrays = [pa.array([row[k] for row in rows], kind) for k, kind in enumerate(kinds)]
    return pa.Table.from_arrays(arrays, names=[*numbers, *columns.payloads])


def saved_batches(batches: Iterable[ResultBatch], columns: EventColumns) -> list[bytes]:
    """Results that wait, each batch as a table."""
    types = {bound.name: bound.result for bound in columns.bound}
    return [ipc_bytes(_batch_table(batch, types)) for batch in batches]


def _batch_table(batch: ResultBatch, types: dict[str, pa.DataType]) -> pa.Table:
    columns: dict[str, Any] = {"begin": batch.begins, "end": batch.ends}
    columns |= {f"out{k}": array for k, array in enumerate(batch.out)}
    for name, values in (batch.payloads or {}).items():
        columns[f"payload {name}"] = pa.array(values, types[name])
    if batch.windows is not None:
        windows = pa.array(batch.windows, pa.string())
        owners = pa.array(batch.owners, pa.int32())
        columns["window"] = pa.DictionaryArray.from_arrays(owners, windows)
    elif len(batch.owners):
        columns["owner"] = batch.owners
    return pa.table(columns)


def batches_from(blobs: Iterable[bytes], product: Product) -> list[ResultBatch]:
    """The batches that `saved_batches` was given."""
    return [_batch_from(table_from(blob), product) for blob in blobs]


def _batch_from(table: pa.Table, product: Product) -> ResultBatch:
    columns = dict(zip(table.column_names, table.combine_chunks().columns, strict=True))
    windows, owners = None, NOBODY
    if "window" in columns:
        named = columns["window"].combine_chunks()
        windows = tuple(named.dictionary.to_pylist())
        owners = named.indices.to_numpy().astype(np.int64)
    elif "owner" in columns:
        owners = columns["owner"].to_numpy().copy()  # keys that expire renumber them
    out = tuple(
        np.array(columns[f"out{k}"]).astype(kind)
        for k, kind in enumerate(product.out_dtypes)
    )
    payloads = {
        name.removeprefix("payload "): column.to_pylist()
        for name, column in columns.items()
        if name.startswith("payload ")
    }
    bounds = np.array(columns["begin"]), np.array(columns["end"])
    return ResultBatch(None, *bounds, out, payloads or None, owners, windows)
