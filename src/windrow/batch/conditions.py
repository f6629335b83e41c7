"""Writes conditions as text for the loop that folds rows into cells.

    event_type = 0      (np.int64(read(source[1], i)) == np.int64(0))

A condition has two texts, where it is true and where it is false: elsewhere it is null.
What has no text (words, divisions, sums that could overflow) is left to Arrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pyarrow as pa
from pyarrow import types as pat

from windrow.query.tree import Apply, ColumnName, Expression, Literal

Read = Callable[[str], tuple[str, str | None]]
"""The texts of a column's value and of its validity in row i, by its name."""

_FLIPPED = {">": "<", ">=": "<="}


class NoTextError(Exception):
    """A part of an expression has no text for the loop."""


def condition_text(condition: Expression, schema: pa.Schema, read: Read) -> str | None:
    """The text that is true where a condition is; None if a part of it has none."""
    try:
        return _truth(condition, schema, read)[0]
    except NoTextError:
        return None


def _truth(part: Expression, schema: pa.Schema, read: Read) -> tuple[str, str]:
    """Where a condition is true, and where it is false."""
    match part:
        case Apply(name="and" | "or" as name, arguments=(a, b)):
            (a_true, a_false), (b_true, b_false) = (
                _truth(side, schema, read) for side in (a, b)
            )
            both, either = "&", "|"
            if name == "or":
                both, either = "|", "&"
            true, false = (
                f"({a_true} {both} {b_true})",
                f"({a_false} {either} {b_false})",
            )
            return true, false
        case Apply(name="not", arguments=(a,)):
            true, false = _truth(a, schema, read)
            return false, true
        case Apply(name="=" | "<>" | "<" | "<=" | ">" | ">=" as name, arguments=(a, b)):
            return _comparison(name, a, b, schema, read)
    raise NoTextError


def _comparison(
    name: str, a: Expression, b: Expression, schema: pa.Schema, read: Read
) -> tuple[str, str]:
    """NaN equals itself and is the largest; a null makes it neither true nor false."""
    if name in _FLIPPED:
        name, a, b = _FLIPPED[name], b, a
    (x, x_valid, x_float), (y, y_valid, y_float) = (
        _number(side, schema, read) for side in (a, b)
    )
    is_equal, is_less, is_more = f"({x} == {y})", f"({x} < {y})", f"({y} < {x})"
    if x_float or y_float:
        x_nan, y_nan = f"({x} != {x})", f"({y} != {y})"
        is_equal = f"({is_equal} | ({x_nan} & {y_nan}))"
        is_less = f"({is_less} | (({x} == {x}) & {y_nan}))"
        is_more = f"({is_more} | (({y} == {y}) & {x_nan}))"
    differs = f"({is_less} | {is_more})"
    true, false = {
        "=": (is_equal, differs),
        "<>": (differs, is_equal),
        "<": (is_less, f"({is_more} | {is_equal})"),
        "<=": (f"({is_less} | {is_equal})", is_more),
    }[name]
    valid = " & ".join(text for text in (x_valid, y_valid) if text is not None)
    return (f"({valid} & {true})", f"({valid} & {false})") if valid else (true, false)


def _number(
    part: Expression, schema: pa.Schema, read: Read
) -> tuple[str, str | None, bool]:
    """The value, its validity, and whether it is a float."""
    match part:
        case Literal(value=bool(value)):
            return repr(value), None, False
        case Literal(value=int(value)) if abs(value) < 2**63:
            return f"np.int64({value})", None, False
        case Literal(value=float(value)) if math.isfinite(value):
            return f"np.float64({value!r})", None, True
        case ColumnName(name=name):
            kind = schema.field(name).type
            is_float = bool(pat.is_float32(kind) or pat.is_float64(kind))
            is_whole = pat.is_integer(kind) and not pat.is_uint64(kind)
            if is_float or is_whole or pat.is_boolean(kind):
                text, valid = read(name)
                cast = "float64" if is_float else "int64"
                return f"np.{cast}({text})", valid, is_float
        case Apply(name="as bigint", arguments=(inner,)):
            text, valid, is_float = _number(inner, schema, read)
            if not is_float:
                return f"np.int64({text})", valid, False
        case Apply(name="as double", arguments=(inner,)):
            text, valid, _ = _number(inner, schema, read)
            return f"np.float64({text})", valid, True
    raise NoTextError
