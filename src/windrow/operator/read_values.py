"""Reads values that users give as columns of one type, or refuses them in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow.errors import BadInput

OTHER_TYPE = (pa.ArrowException, TypeError, ValueError, OverflowError)
"""What says that a value is of another type."""


def refusal(value: Any, name: str, kind: pa.DataType) -> BadInput:
    """A value that is not of the column's type."""
    return BadInput.because(
        f"cannot take {value!r} in {name!r}",
        f"the column is of type {kind}, as its first value was",
        f"convert the value, or say the type when the operator is made: "
        f"types={{{name!r}: 'float64'}}",
    )


def is_number(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers to Python."""
    return bool(pat.is_floating(kind) or pat.is_integer(kind))


def check_length(values: Any, count: int, fact: str, noun: str) -> None:
    """Refuse values that are not one for each of `count` events."""
    if len(values) != count:
        cause = f"there are {len(values)} {noun}"
        raise BadInput.because(fact, cause, "give one for each event")


def check_array(values: Any) -> None:
    """Refuse what is no array with an entry for each event."""
    dimensions = getattr(values, "ndim", 1)
    if not hasattr(values, "__len__") or dimensions not in (1, None):
        name = type(values).__name__
        raise BadInput.because(
            f"cannot take a {name} as a batch of events",
            f"it has {dimensions} dimensions"
            if hasattr(values, "__len__")
            else "it has no length",
            "give one array, or a mapping of arrays, with one entry for each event",
        )


def as_column(values: Any) -> Any:
    """Values as an Arrow column, refused where they are not of one type."""
    if hasattr(values, "combine_chunks"):
        return values
    try:
        return pa.array(values)
    except OTHER_TYPE as error:
        cause = str(error).partition("\n")[0] or "it is not an array"
        raise BadInput.because(
            f"cannot read one column from a {type(values).__name__}",
            cause,
            "give an array or a list of values of one type",
        ) from error


def one_value(value: Any, name: str, kind: pa.DataType) -> pa.Array:
    """A value as a column of that type, or refused: Arrow would cut a fraction off."""
    try:
        if pat.is_integer(kind) and isinstance(value, (float, np.floating)):
            raise TypeError
        return pa.array([value], kind)
    except OTHER_TYPE as error:
        raise refusal(value, name, kind) from error


def cast_column(values: Any, name: str, kind: pa.DataType) -> Any:
    """A column of that type, or refused."""
    try:
        column = as_column(values)
        return column.cast(kind) if column.type != kind else column
    except OTHER_TYPE as error:
        raise refusal(type(values).__name__, name, kind) from error
