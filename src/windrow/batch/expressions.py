"""Evaluates expressions over Arrow tables, with one function for each operator.

Types have been checked before (`plan/cql/types.py`), so that each function gets values
of the types it is for.  Null is unknown, as in SQL: false and null is false,
true or null is true, and all else with a null is null.  A division by zero is null.
Floats are ordered as everywhere in Windrow: NaN equals itself and is the largest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import types as pat

from windrow.errors import BadInput
from windrow.loops import compute as pc
from windrow.plan.where import Mask
from windrow.query.tree import Apply, ColumnName, Expression, Literal
from windrow.query.unparse import text_of

Values = Any  # an Arrow array or scalar


def evaluate(expression: Expression, table: pa.Table) -> pa.Array:
    """The expression's value in each row."""
    try:
        values = _value(expression, table)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise BadInput.because(
            f"cannot compute {text_of(expression, bare=True)}",
            str(error).partition("\n")[0],
            "leave such rows out with where, or cast to double",
        ) from error
    if isinstance(values, pa.Scalar):
        return pa.repeat(values, table.num_rows)
    return values


def add_masks(table: pa.Table, masks: Sequence[Mask]) -> pa.Table:
    """The table with a column for each mask, null where its condition is not true."""
    for mask in masks:
        holds = evaluate(mask.condition, table).cast(pa.bool_())
        values: Values = pa.scalar(True)
        if mask.column is not None:
            values = _decode(table.column(mask.column))
        absent = pa.scalar(None, mask.type)
        kept = pc.if_else(pc.fill_null(holds, False), values, absent)
        table = table.append_column(mask.name, kept)
    return table


def _value(expression: Expression, table: pa.Table) -> Values:
    match expression:
        case ColumnName(name=name):
            return table.column(name)
        case Literal(value=value):
            return pa.scalar(value)
        case Apply(name=name, arguments=arguments):
            return OPERATORS[name](*(_decode(_value(a, table)) for a in arguments))
    raise AssertionError(expression)


def _decode(values: Values) -> Values:
    if pat.is_dictionary(values.type):
        return values.cast(values.type.value_type)
    return values


def _typed(values: Values, kind: pa.DataType) -> Values:
    """The values, cast if they are untyped nulls."""
    return values.cast(kind) if pat.is_null(values.type) else values


def _alike(*values: Values, kind: pa.DataType | None = None) -> list[Values]:
    """The values, with untyped nulls cast to the type of the others, or to `kind`."""
    types = [value.type for value in values if not pat.is_null(value.type)]
    kind = types[0] if types else kind
    return list(values) if kind is None else [_typed(value, kind) for value in values]


def _comparison(
    function: Callable[..., Values], nans: Callable[..., Values]
) -> Callable[..., Values]:
    """A comparison of two values; it is true too where `nans` is, for two floats."""

    def compare(a: Values, b: Values) -> Values:
        a, b = _alike(a, b, kind=pa.float64())
        result = function(a, b)
        if not (pat.is_floating(a.type) and pat.is_floating(b.type)):
            return result
        return pc.or_kleene(result, nans(pc.is_nan(a), pc.is_nan(b)))

    return compare


_equal = _comparison(pc.equal, pc.and_kleene)
_less = _comparison(pc.less, lambda a, b: pc.and_kleene(pc.invert(a), b))


def _divide(a: Values, b: Values) -> Values:
    return pc.divide(_number(a), _not_zero(_number(b)))


def _whole_part(a: Values, b: Values) -> Values:
    """The quotient rounded towards zero, as in C++, Java and SQL."""
    return pc.divide_checked(_whole(a), _not_zero(_whole(b)))


def _remainder(a: Values, b: Values) -> Values:
    """The remainder, with the sign of the dividend."""
    return pc.subtract(_whole(a), pc.multiply(_whole_part(a, b), _whole(b)))


def _not_zero(b: Values) -> Values:
    return pc.if_else(pc.equal(b, pa.scalar(0, b.type)), pa.scalar(None, b.type), b)


def _number(values: Values) -> Values:
    return _typed(values, pa.float64())


def _whole(values: Values) -> Values:
    return _typed(values, pa.int64())


def _arithmetic(function: Callable[..., Values]) -> Callable[..., Values]:
    """A checked function of numbers, in which untyped nulls get the others' type."""
    return lambda *values: function(*_alike(*values, kind=pa.float64()))


def _truth(values: Values) -> Values:
    return values.cast(pa.bool_()) if pat.is_null(values.type) else values


def _case(*parts: Values) -> Values:
    *branches, result = parts
    for i in range(len(branches) - 2, -1, -2):
        condition = pc.fill_null(_truth(branches[i]), False)
        result = pc.if_else(condition, *_alike(branches[i + 1], result))
    return result


def _bigint(values: Values) -> Values:
    if pat.is_floating(values.type) or pat.is_decimal(values.type):
        values = pc.trunc(values)
    return values.cast(pa.int64())


def _round(values: Values, digits: Values | None = None) -> Values:
    count = 0 if digits is None else digits.as_py()
    return pc.round(values, count, "half_towards_infinity")


def _concatenate(a: Values, b: Values) -> Values:
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
    "||": _concatenate,
    "+": _arithmetic(pc.add_checked),
    "-": _arithmetic(pc.subtract_checked),
    "*": _arithmetic(pc.multiply_checked),
    "/": _divide,
    "div": _whole_part,
    "%": _remainder,
    "negative": _arithmetic(pc.negate_checked),
    "case": _case,
    "as bigint": _bigint,
    "as double": lambda a: a.cast(pa.float64()),
    "as string": lambda a: a.cast(pa.string()),
    "abs": _arithmetic(pc.abs_checked),
    "ceil": lambda a: pc.ceil(_number(a)).cast(pa.int64()),
    "coalesce": lambda *values: pc.coalesce(*_alike(*values)),
    "floor": lambda a: pc.floor(_number(a)).cast(pa.int64()),
    "length": lambda a: pc.utf8_length(a.cast(pa.string())).cast(pa.int64()),
    "lower": lambda a: pc.utf8_lower(a.cast(pa.string())),
    "round": _round,
    "sqrt": lambda a: pc.sqrt(_number(a)),
    "upper": lambda a: pc.utf8_upper(a.cast(pa.string())),
    "start": lambda a: pc.struct_field(a, "start"),
    "end": lambda a: pc.struct_field(a, "end"),
}
