"""What column types mean to aggregates: how they are read, what comes out.

A column reaches a kernel as whole numbers or as floats:

    reading     columns                                 in the kernel
    number      ints, floats, booleans, decimals        itself; decimals unscaled
    instant     dates, times, timestamps, durations     ticks
    rank        strings, binary                         rank in sorted order

`accepts` of an aggregate names a class of types below.
"""

from __future__ import annotations

import pyarrow as pa
from pyarrow import types as pat

from windrow.errors import UnsupportedType
from windrow.sketches import quantiles_of

from ._aggregate import Aggregate, Call
from .order_functions import is_continuous

MOST_DIGITS = 18


def reading(kind: pa.DataType) -> str | None:
    """How a kernel reads a column of that type; None if it cannot."""
    if (
        pat.is_integer(kind)
        or pat.is_floating(kind)
        or pat.is_boolean(kind)
        or (pat.is_decimal(kind) and kind.precision <= MOST_DIGITS)
    ):
        return "number"
    if pat.is_temporal(kind) and not pat.is_interval(kind):
        return "instant"
    if is_text(kind) or pat.is_binary(kind) or pat.is_large_binary(kind):
        return "rank"
    return None


def value_kind(kind: pa.DataType) -> str:
    """The kind of a "value" field over a column of that type."""
    return "float" if pat.is_floating(kind) else "int"


def is_text(kind: pa.DataType) -> bool:
    """Whether the type is a string type."""
    return bool(
        pat.is_string(kind) or pat.is_large_string(kind) or pat.is_string_view(kind)
    )


def accepts(aggregate: Aggregate, kind: pa.DataType) -> bool:
    """Whether the aggregate has a meaning for columns of that type."""
    how = reading(kind)
    match aggregate.accepts:
        case "anything":
            return True
        case "ordered":
            return how is not None
        case "hashed":
            is_bytes = pat.is_binary(kind) or pat.is_large_binary(kind)
            return how is not None and not (is_bytes and aggregate.sketch in _OF_TEXT)
        case "text":
            return is_text(kind)
        case "whole":
            return bool(pat.is_integer(kind))
        case "truth":
            return bool(pat.is_boolean(kind) or pat.is_integer(kind))
        case "distance":
            return how == "number" or (how == "instant" and not pat.is_time(kind))
    return how == "number" or (aggregate.name == "sum" and pat.is_duration(kind))


_OF_TEXT = ("theta", "frequent items")  # DataSketches takes text, not bytes, for these

_WORDS = {
    "hashed": "numbers, dates, times and strings",
    "number": "numbers",
    "ordered": "numbers, dates, times and strings",
    "text": "strings",
    "whole": "whole numbers",
    "truth": "booleans and whole numbers",
    "distance": "numbers, dates, timestamps and durations",
}


def check_accepts(call: Call, column: str, kind: pa.DataType) -> None:
    """Refuse a column type that the aggregate has no meaning for."""
    if accepts(call.aggregate, kind):
        if is_continuous(call.options) and reading(kind) != "number":
            raise UnsupportedType.because(
                f"cannot compute {call.label}",
                f"column {column!r} is of type {kind}, and there is no value halfway "
                "between two of these",
                'add interpolation="lower", which gives one of them',
            )
        return
    if pat.is_decimal(kind) and kind.precision > MOST_DIGITS:
        hint = f"cast it to decimal({MOST_DIGITS}, {kind.scale}) or to double"
    elif pat.is_null(kind):
        hint = "cast it to the type that its values would have"
    else:
        types = _WORDS[call.aggregate.accepts]
        hint = f"{call.aggregate.name} takes {types}; cast the column"
    raise UnsupportedType.because(
        f"cannot compute {call.label}", f"column {column!r} is of type {kind}", hint
    )


def result_type(
    call: Call, kind: pa.DataType | None, payload: pa.DataType | None
) -> pa.DataType:
    """The type of the result column, as Spark's own aggregates give it."""
    match call.aggregate.result:
        case "count":
            return pa.int64()
        case "truth":
            return pa.bool_()
        case "position":
            return payload
        case "value" | "text":
            return kind
        case "list":
            return pa.list_(kind)
        case "map":
            return pa.map_(kind, pa.int64())
        case "quantile":
            one = pa.float64() if is_continuous(call.options) else kind
            return pa.list_(one) if isinstance(call.options["q"], tuple) else one
        case "rank":
            average = call.options["method"] == "average"
            return pa.float64() if average else pa.int64()
        case "total":
            return _total_type(kind)
        case "difference":
            return _difference_type(kind)
        case "mean" if kind is not None and pat.is_decimal(kind):
            return pa.decimal128(min(kind.precision + 4, 38), min(kind.scale + 4, 38))
        case "sketch":
            return _sketch_type(call)
        case "bytes":
            return pa.binary()
        case "quantiles":
            return quantiles_of(call.options["q"]).type
        case "counts":
            return pa.list_(pa.int64())
        case "items":
            return pa.list_(pa.struct([("item", kind), ("count", pa.int64())]))
    return pa.float64()


def _total_type(kind: pa.DataType | None) -> pa.DataType:
    assert kind is not None
    if pat.is_decimal(kind):
        return pa.decimal128(min(kind.precision + 10, 38), kind.scale)
    return kind if pat.is_duration(kind) else _number_type(kind)


def _difference_type(kind: pa.DataType | None) -> pa.DataType:
    assert kind is not None
    if pat.is_decimal(kind):
        return pa.decimal128(kind.precision + 1, kind.scale)
    if pat.is_timestamp(kind) or pat.is_duration(kind):
        return pa.duration(kind.unit)
    if pat.is_date(kind):
        return pa.duration("ms" if pat.is_date64(kind) else "s")
    return _number_type(kind)


def _number_type(kind: pa.DataType) -> pa.DataType:
    return pa.float64() if pat.is_floating(kind) else pa.int64()


def _sketch_type(call: Call) -> pa.DataType:
    """A struct of the sketch's fields, with the quantiles asked for, if any."""
    fields = [
        pa.field(field.name, pa.int64() if field.kind == "int" else pa.float64())
        for field in call.aggregate.fields
    ]
    if call.options.get("quantiles") is not None:
        fields.append(pa.field("quantiles", pa.list_(pa.float64())))
    return pa.struct(fields)
