"""Packs a table as bytes that can be kept for years, and reads it back.

    bytes    0        4         6        8            12           20
             "WNDR"   version   kind     crc of all   length of    payload: Arrow IPC
                                         that follows the payload

The payload describes its own columns; small facts travel as JSON in its schema, which
version 2 has squeezed: a header names hundreds of pages where a window is long.
Nothing in it is code, and whatever was cut off or altered is noticed: the sum covers
the length and the payload, and the words before it are compared one by one.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa
from pyarrow import types as pat

from windrow.errors import StateError

MAGIC = b"WNDR"
VERSION, SQUEEZED = 1, 2
LONG_FACTS = 1 << 11  # bytes; shorter ones are written as 0.1 reads them
_SUM_OF = {VERSION: 0, SQUEEZED: SQUEEZED}  # so that neither is read as the other
_HEAD = struct.Struct("<4sHHI")
_LENGTH = struct.Struct("<Q")
_FACTS = b"windrow"

KINDS = {
    "header": 1,
    "rows": 2,
    "slices": 3,
    "suffixes": 4,
    "feed": 5,
    "operator": 6,
    "late": 7,
    "clock": 8,
    "pages": 9,
}
"""What a blob is; a number once given is never given to anything else."""

# Blobs are small: handing columns to threads costs more than packing them (20 rows,
# 6 columns: 0.11 ms against 0.02 ms).  Spark's state store moves about 50 MB/s, so
# that packing what is kept pays.
_WRITE = {
    small: pa.ipc.IpcWriteOptions(
        compression="lz4" if small else None, use_threads=False
    )
    for small in (False, True)
}
_READ = pa.ipc.IpcReadOptions(use_threads=False)

_RESCUE = "see 'When a checkpoint cannot be read' in docs/streaming.md"


def pack(
    table: pa.Table, kind: str, facts: Mapping[str, Any] | None = None, *, small: bool
) -> bytes:
    """The bytes of a table; `small` where they are kept, and not only sent on."""
    version = VERSION
    if facts is not None:
        text = json.dumps(facts, separators=(",", ":")).encode()
        if len(text) > LONG_FACTS:
            version, text = SQUEEZED, zlib.compress(text, 1)
        table = table.replace_schema_metadata({_FACTS: text})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=_WRITE[small]) as writer:
        writer.write_table(table)
    payload = sink.getvalue()
    length = _LENGTH.pack(payload.size)
    crc = zlib.crc32(payload, zlib.crc32(length, _SUM_OF[version]))
    head = _HEAD.pack(MAGIC, version, KINDS[kind], crc)
    return b"".join((head, length, memoryview(payload)))


def unpack(blob: Any, kind: str) -> tuple[pa.Table, dict[str, Any]]:
    """The table and the facts of a blob of that kind, or an error that says why not."""
    view = memoryview(blob)
    start = _HEAD.size + _LENGTH.size
    if len(view) < start:
        raise _damaged(kind, f"{len(view)} bytes are too few")
    magic, version, number, crc = _HEAD.unpack_from(view)
    if magic != MAGIC:
        raise _damaged(kind, f"it begins with {bytes(magic)!r} and not with {MAGIC!r}")
    if version not in _SUM_OF:
        raise StateError.because(
            f"cannot read a blob of {kind}",
            f"it has format {version}, and this version of windrow reads formats "
            f"{VERSION} and {SQUEEZED}",
            f"run the query with the version that wrote it, or {_RESCUE}",
        )
    if number != KINDS[kind]:
        raise _damaged(kind, f"it says that it is of kind {number}")
    (length,) = _LENGTH.unpack_from(view, _HEAD.size)
    if length != len(view) - start:
        raise _damaged(kind, f"{length} bytes were written, {len(view) - start} came")
    if zlib.crc32(view[_HEAD.size :], _SUM_OF[version]) != crc:
        raise _damaged(kind, "its checksum does not fit")
    with pa.ipc.open_stream(pa.py_buffer(view[start:]), options=_READ) as reader:
        table = reader.read_all()
    facts = (table.schema.metadata or {}).get(_FACTS)
    if version == SQUEEZED:
        facts = zlib.decompress(facts or b"")
    fields = list(table.schema)
    schema = pa.schema([(field.name, _in_utc(field.type)) for field in fields])
    if not all(field.nullable for field in fields):
        nullable = nullable_schema(table.schema, table.column_names)
        table = pa.Table.from_arrays(table.columns, schema=nullable)
    table = table.replace_schema_metadata(None)
    if not table.schema.equals(schema):
        table = table.cast(schema)
    return table, json.loads(facts) if facts else {}


def _in_utc(kind: pa.DataType) -> pa.DataType:
    """The type with its instants in UTC: Spark names the zone of the session.

    That may change while state is stored, and the instants do not.
    """
    if pat.is_timestamp(kind) and kind.tz is not None:
        return pa.timestamp(kind.unit, "UTC")
    if pat.is_struct(kind):
        return pa.struct([field.with_type(_in_utc(field.type)) for field in kind])
    if pat.is_list(kind):
        return pa.list_(kind.value_field.with_type(_in_utc(kind.value_type)))
    if pat.is_map(kind):
        return pa.map_(_in_utc(kind.key_type), _in_utc(kind.item_type))
    return kind


def nullable_schema(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    """Those columns of a schema, with nulls allowed in each, and no metadata.

    A column may become nullable, or be so no more, while state is stored: tables of
    both kinds must fit under each other.
    """
    return pa.schema([(name, schema.field(name).type) for name in names])


def read_blob(store: Store, number: int, kind: str) -> pa.Table:
    """The table under a number of the store: it must be there, and whole."""
    return unpack(store.get(number) or b"", kind)[0]


def read_rows(store: Store, number: int, schema: pa.Schema, count: int) -> pa.Table:
    """A page of rows: it must be there, with so many rows, in those columns."""
    blob = store.get(number)
    rows = None if blob is None else unpack(blob, "rows")[0]
    if rows is None:
        cause = f"page {number} of a bucket is not there"
    elif not rows.schema.equals(schema):
        theirs, ours = (
            ", ".join(f"{field.name} {field.type}" for field in fields)
            for fields in (rows.schema, schema)
        )
        cause = f"its rows have the columns {theirs}, and this query keeps {ours}"
    elif len(rows) != count:
        cause = f"page {number} of a bucket has {len(rows)} rows and not {count}"
    else:
        return rows
    raise StateError.because("cannot go on from this checkpoint", cause, _RESCUE)


def _damaged(kind: str, cause: str) -> StateError:
    return StateError.because(
        f"cannot read a blob of {kind}: it is damaged", cause, _RESCUE
    )


HEADER, FIRST_PAGE = 0, 2  # 1 is left for what belongs to all pages


class Store(Protocol):
    """Numbered blobs of one bucket; what is written in a step is kept as a whole."""

    def get(self, number: int) -> bytes | None:
        """The blob under that number, if there is one."""

    def put(self, number: int, blob: bytes) -> None:
        """Keep a blob under that number, in place of what was there."""

    def remove(self, number: int) -> None:
        """Forget that number."""


@dataclass
class MemoryStore:
    """A store in this process; it counts what is asked of it."""

    blobs: dict[int, bytes] = field(default_factory=dict)
    gets: int = 0
    puts: int = 0

    def get(self, number: int) -> bytes | None:
        """The blob under that number, if there is one."""
        self.gets += 1
        return self.blobs.get(number)

    def put(self, number: int, blob: bytes) -> None:
        """Keep a blob under that number."""
        self.puts += 1
        self.blobs[number] = blob

    def remove(self, number: int) -> None:
        """Forget that number."""
        del self.blobs[number]


STATS = ("rows_in", "late_rows", "rows_out", "keys")  # of a step, as numbers


@dataclass
class StepStats:
    """The counts of one step, complete once all its results were taken.

    `late` are the rows that came too late, where they are to be given back.
    """

    rows_in: int = 0
    late_rows: int = 0
    rows_out: int = 0
    keys: int = 0
    late: list[pa.Table] = field(default_factory=list)


class Bucket(Protocol):
    """Windows over the keys of one bucket; all memory between steps is in the store."""

    def step(
        self, store: Store, tables: list[pa.Table], now: int, stats: StepStats
    ) -> Iterator[pa.Table]:
        """Take in tables, move time on to `now` (ticks), give the results now due."""
