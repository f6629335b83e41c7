"""The texts of SQL that the tree is made of: ticks, panes, chunks, native partials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyarrow import types as pat
from pyspark.sql.types import DataType, TimestampNTZType, TimestampType

from windrow.batch.partials import PartialField
from windrow.kernels import ProductPart
from windrow.plan.requests import KernelRequest, Slots

TICKS = "t"


def ticks(column: str, kind: DataType) -> str:
    """A time column as whole ticks: microseconds, or its own numbers."""
    if isinstance(kind, TimestampType):
        return f"unix_micros({column})"
    if isinstance(kind, TimestampNTZType):  # timestampdiff goes by the session's zone
        day = f"unix_date(cast({column} as date)) * 86400000000L"
        minutes = f"(hour({column}) * 60L + minute({column})) * 60000000L"
        rest = f"cast(extract(second from {column}) * 1000000 as bigint)"
        return f"({day} + {minutes} + {rest})"
    return f"cast({column} as bigint)"


def floor_to(time: str, period: int, phase: int = 0) -> str:
    """The last of `phase + k * period` that is not after `time`."""
    return f"({time} - pmod({time} - {phase}L, {period}L))"


def chunk(time: str, length: int) -> str:
    """The number of the chunk that holds an instant."""
    return f"({floor_to(time, length)} div {length}L)"


def chunks(time: str, length: int, range_: int, last: str | None = None) -> str:
    """The numbers of all chunks in which a window over the instant begins.

    Of an event that lasts, `time` is the first instant and `last` the last one.
    """
    first = chunk(f"({time} - {range_ - 1}L)", length)
    return f"explode(sequence({first}, {chunk(last or time, length)}))"


def last_instant(start: str, end: str) -> str:
    """The last instant of an event: the end is not in it, but for a point.

    Spark has a name for what it raises in a query, and shows the text as it is.
    """
    said = (
        "concat('cannot place an event that ends before it starts: a row does, from ', "
        f"{start}, ' to ', {end}, ' ticks\\nHint: filter such rows out, "
        "or swap their bounds')"
    )
    wrong = f"cast(raise_error({said}) as bigint)"
    return f"if({end} > {start}, {end} - 1L, if({end} = {start}, {end}, {wrong}))"


def native_partials(
    request: KernelRequest,
    slots: Slots,
    fields: Sequence[PartialField],
    columns: Mapping[str, str],
    types: Mapping[str, pa.DataType],
    ties: Sequence[str],
) -> dict[str, str]:
    """Every column of the partial as an aggregate of SQL.

    `columns` maps the user's names to those in the frame.
    """
    texts: dict[str, str] = {}
    for part in request.product.parts:
        words = _words(part, slots, columns, types, ties)
        sketch = part.request.aggregate.fields
        for number in range(len(part.dtypes)):
            field = fields[part.offset + number]
            if number == len(sketch):  # whether there is a value at all
                texts[field.name] = f"if(count({words['one']}) > 0, 1L, 0L)"
                continue
            native = sketch[number].native
            assert native is not None
            payloads = [columns[payload] for payload in field.payloads] or [""]
            for name, payload in zip(field.columns, payloads, strict=True):
                texts[name] = native.format(**words, payload=payload)
    return texts


def _words(
    part: ProductPart,
    slots: Slots,
    columns: Mapping[str, str],
    types: Mapping[str, pa.DataType],
    ties: Sequence[str],
) -> dict[str, str]:
    request = part.request
    reads = {slot: read for read, slot in slots.columns.items()}
    masked = {slot: name for name, slot in slots.masks.items()}
    masks = [columns[masked[slot]] for slot in request.masks]
    valid = " and ".join(f"{mask} is not null" for mask in masks) or "true"
    one = "1" if not masks else masks[0] if len(masks) == 1 else f"if({valid}, 1, null)"
    words: dict[str, str] = {"valid": valid, "one": one, "time": TICKS}
    words["order"] = f"struct({', '.join([TICKS, *ties])})"
    roles = [role for role in request.aggregate.takes if role != "position"]
    for role, slot in zip(roles, request.slots, strict=False):
        name, as_floats = reads[slot]
        kind = "float" if role == "other" or as_floats else request.kind
        value = _read(columns[name], types[name], kind)
        words[role] = value if len(masks) < 2 else f"if({valid}, {value}, null)"
        words.setdefault("raw", columns[name])
    return words


def _read(column: str, kind: pa.DataType, to: str) -> str:
    """A column as the kernel's lift gets it."""
    if to == "float":
        return f"cast({column} as double)"
    if pat.is_decimal(kind):
        return f"cast({column} * {10**kind.scale}BD as bigint)"
    return f"cast({column} as bigint)"
