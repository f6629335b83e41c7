"""The texts of SQL that the tree is made of: ticks, panes, chunks, native partials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyarrow import types as pat
from pyspark.sql.types import DataType, TimestampNTZType, TimestampType

from windrow._later import dataclass
from windrow.aggregates.types import value_kind
from windrow.batch.partials import PartialField
from windrow.plan.bind import BoundCall
from windrow.plan.requests import KernelRequest, Read, Slots, may_overflow, reads_of

TICKS = "t"
START = "s"


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

    It is null where a bound is.
    Spark has a name for what it raises in a query, and shows the text as it is.
    """
    said = (
        "concat('cannot place an event that ends before it starts: a row does, from ', "
        f"{start}, ' to ', {end}, ' ticks\\nHint: filter such rows out, "
        "or swap their bounds')"
    )
    point = f"if({end} = {start}, 0L, 1L)"
    return f"({end} - if({end} < {start}, raise_error({said}), {point}))"


@dataclass(frozen=True)
class Inputs:
    """The columns of a frame that aggregates read, by the user's names for them.

    `names` are those in the frame, `masks` the columns that may hold nulls, `time` is
    the instant of a row, and `ties` are those that order rows of one instant.
    """

    names: Mapping[str, str]
    types: Mapping[str, pa.DataType]
    masks: frozenset[str]
    time: str
    ties: Sequence[str]


def native_partials(
    request: KernelRequest, slots: Slots, fields: Sequence[PartialField], inputs: Inputs
) -> dict[str, str]:
    """Every column of the partial as an aggregate of SQL."""
    reads = {slot: read for read, slot in slots.columns.items()}
    masked = {slot: name for name, slot in slots.masks.items()}
    texts: dict[str, str] = {}
    for part in request.product.parts:
        own = part.request
        words = _words(
            own.aggregate.takes,
            [reads[slot] for slot in own.slots],
            own.kind,
            [masked[slot] for slot in own.masks],
            inputs,
        )
        sketch = own.aggregate.fields
        for number in range(len(part.dtypes)):
            field = fields[part.offset + number]
            if number == len(sketch):  # whether there is a value at all
                texts[field.name] = f"if(count({words['one']}) > 0, 1L, 0L)"
                continue
            native = sketch[number].native
            assert native is not None
            payloads = [inputs.names[payload] for payload in field.payloads] or [""]
            for name, payload in zip(field.columns, payloads, strict=True):
                texts[name] = native.format(**words, payload=payload)
    return texts


def words(bound: BoundCall, inputs: Inputs) -> dict[str, str]:
    """The words in which the SQL of a call is written; see `Field.native`."""
    takes = bound.aggregate.takes
    is_mean = bound.aggregate.name == "mean" and may_overflow(bound)
    kind = value_kind(bound.types[0]) if bound.types else "int"
    masks = [name for name in dict.fromkeys(bound.columns) if name in inputs.masks]
    reads = reads_of(bound) if "value" in takes else ()
    payload = "" if bound.payload is None else inputs.names[bound.payload]
    words = _words(takes, reads, "float" if is_mean else kind, masks, inputs)
    return words | {"payload": payload}


def _words(
    takes: Sequence[str],
    reads: Sequence[Read],
    kind: str,
    masks: Sequence[str],
    inputs: Inputs,
) -> dict[str, str]:
    names = [inputs.names[name] for name in masks]
    valid = " and ".join(f"{name} is not null" for name in names) or "true"
    one = "1" if not names else names[0] if len(names) == 1 else f"if({valid}, 1, null)"
    words: dict[str, str] = {"valid": valid, "one": one, "time": inputs.time}
    words["order"] = f"struct({', '.join([inputs.time, *inputs.ties])})"
    roles = [role for role in takes if role != "position"]
    for role, (name, as_floats) in zip(roles, reads, strict=False):
        to = "float" if role == "other" or as_floats else kind
        value = _read(inputs.names[name], inputs.types[name], to)
        is_alone = len(roles) == 1 or not names  # else the other may be null
        words[role] = value if is_alone else f"if({valid}, {value}, null)"
        words.setdefault("raw", inputs.names[name])
    return words


def text(value: str) -> str:
    """A literal of SQL."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _read(column: str, kind: pa.DataType, to: str) -> str:
    """A column as the kernel's lift gets it."""
    if to == "float":
        return column if pat.is_float64(kind) else f"cast({column} as double)"
    if pat.is_decimal(kind):
        return f"cast({column} * {10**kind.scale}BD as bigint)"
    if pat.is_int64(kind):
        return column
    return f"cast({column} as bigint)"
