"""Expressions over Arrow tables: one function for each operator.

Types have been settled before (`plan/cql/types.py`), so that each function meets
values of the types it is for.  Null is unknown, as in SQL: false and null is false,
true or null is true, and all else with a null is null.  A division by zero is null.
Floats are ordered as everywhere in Windrow: NaN equals itself and is the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types as pat

from windrow.errors import BadInput
from windrow.query.tree import Apply, ColumnName, Expression, Literal
from windrow.query.unparse import text_of

Values = Any  # an Arrow array or scalar


def evaluate(expression: Expression, table: pa.Table) -> pa.Array:
    """The expression's value in each row."""
    try:
        found = _value(expression, table)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise BadInput.because(
            f"cannot compute {text_of(expression, bare=True)}",
            str(error).partition("\n")[0],
            "leave such rows out with where, or cast to double",
        ) from error
    if isinstance(found, pa.Scalar):
        return pa.repeat(found, table.num_rows)
    return found


def _value(expression: Expression, table: pa.Table) -> Values:
    match expression:
        case ColumnName(name=name):
            return table.column(name)
        case Literal(value=value):
            return pa.scalar(value)
        case Apply(name=name, arguments=arguments):
            return OPERATORS[name](*(_plain(_value(one, table)) for one in arguments))
    raise AssertionError(expression)


def _plain(values: Values) -> Values:
    if pat.is_dictionary(values.type):
        return values.cast(values.type.value_type)
    return values


# --- comparisons ------------------------------------------------------------------


def _equal(a: Values, b: Values) -> Values:
    a, b = _alike(_number(a) if pat.is_null(b.type) else a, b)
    same = pc.equal(a, b)
    if not _floats(a, b):
        return same
    return pc.or_kleene(same, pc.and_kleene(pc.is_nan(a), pc.is_nan(b)))


def _less(a: Values, b: Values) -> Values:
    a, b = _alike(_number(a) if pat.is_null(b.type) else a, b)
    below = pc.less(a, b)
    if not _floats(a, b):
        return below
    return pc.or_kleene(below, pc.and_kleene(pc.invert(pc.is_nan(a)), pc.is_nan(b)))


def _floats(a: Values, b: Values) -> bool:
    return bool(pat.is_floating(a.type) and pat.is_floating(b.type))


# --- arithmetic -------------------------------------------------------------------


def _divided(a: Values, b: Values) -> Values:
    return pc.divide(_number(a), _not_zero(_number(b)))


def _whole_part(a: Values, b: Values) -> Values:
    """Towards zero, as C++, Java and SQL do."""
    return pc.divide_checked(_number(a, pa.int64()), _not_zero(_number(b, pa.int64())))


def _remainder(a: Values, b: Values) -> Values:
    """Of the sign of what is divided."""
    whole = pc.multiply(_whole_part(a, b), _number(b, pa.int64()))
    return pc.subtract(_number(a, pa.int64()), whole)


def _not_zero(b: Values) -> Values:
    return pc.if_else(pc.equal(b, pa.scalar(0, b.type)), pa.scalar(None, b.type), b)


def _number(values: Values, kind: pa.DataType | None = None) -> Values:
    """A null without a type as a number."""
    return values.cast(kind or pa.float64()) if pat.is_null(values.type) else values


def _counted(function: Callable[..., Values]) -> Callable[..., Values]:
    """Arithmetic that raises where a whole number does not fit, instead of wrapping."""

    def checked(*given: Values) -> Values:
        known = [one.type for one in given if not pat.is_null(one.type)]
        return function(*(_number(one, known[0] if known else None) for one in given))

    return checked


# --- the rest ---------------------------------------------------------------------


def _truth(values: Values) -> Values:
    return values.cast(pa.bool_()) if pat.is_null(values.type) else values


def _case(*parts: Values) -> Values:
    *branches, found = parts
    for i in range(len(branches) - 2, -1, -2):
        condition = pc.fill_null(_truth(branches[i]), False)
        found = pc.if_else(condition, *_alike(branches[i + 1], found))
    return found


def _coalesce(*values: Values) -> Values:
    return pc.coalesce(*_alike(*values))


def _alike(*values: Values) -> list[Values]:
    """Nulls without a type as what they stand beside."""
    known = [one.type for one in values if not pat.is_null(one.type)]
    if not known:
        return list(values)
    return [one.cast(known[0]) if pat.is_null(one.type) else one for one in values]


def _bigint(values: Values) -> Values:
    if pat.is_floating(values.type) or pat.is_decimal(values.type):
        values = pc.trunc(values)
    return values.cast(pa.int64())


def _round(values: Values, digits: Values | None = None) -> Values:
    count = 0 if digits is None else digits.as_py()
    return pc.round(values, count, "half_towards_infinity")


def _joined(a: Values, b: Values) -> Values:
    return pc.binary_join_element_wise(a.cast(pa.string()), b.cast(pa.string()), "")


OPERATORS: dict[str, Callable[..., Values]] = {
    "or": lambda a, b: pc.or_kleene(_truth(a), _truth(b)),
    "and": lambda a, b: pc.and_kleene(_truth(a), _truth(b)),
    "not": lambda a: pc.invert(_truth(a)),
    "=": _equal,
    "<>": lambda a, b: pc.invert(_equal(a, b)),
    "<": _less,
    "<=": lambda a, b: pc.invert(_less(b, a)),
    ">": lambda a, b: _less(b, a),
    ">=": lambda a, b: pc.invert(_less(a, b)),
    "like": lambda a, pattern: pc.match_like(a, pattern.as_py()),
    "is null": pc.is_null,
    "||": _joined,
    "+": _counted(pc.add_checked),
    "-": _counted(pc.subtract_checked),
    "*": _counted(pc.multiply_checked),
    "/": _divided,
    "div": _whole_part,
    "%": _remainder,
    "negative": _counted(pc.negate_checked),
    "case": _case,
    "as bigint": _bigint,
    "as double": lambda a: a.cast(pa.float64()),
    "as string": lambda a: a.cast(pa.string()),
    "abs": _counted(pc.abs_checked),
    "ceil": lambda a: pc.ceil(_number(a)).cast(pa.int64()),
    "coalesce": _coalesce,
    "floor": lambda a: pc.floor(_number(a)).cast(pa.int64()),
    "length": lambda a: pc.utf8_length(a.cast(pa.string())).cast(pa.int64()),
    "lower": lambda a: pc.utf8_lower(a.cast(pa.string())),
    "round": _round,
    "sqrt": lambda a: pc.sqrt(_number(a)),
    "upper": lambda a: pc.utf8_upper(a.cast(pa.string())),
    "start": lambda a: pc.struct_field(a, "start"),
    "end": lambda a: pc.struct_field(a, "end"),
}
