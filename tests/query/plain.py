"""Expressions in plain Python: what both evaluators are held against.

Values are None, bool, int, float and str.  Null is unknown; floats are ordered with
NaN equal to itself and above all else; `/` gives a float and `div` a whole number
towards zero; a division by zero is null.
"""

from __future__ import annotations

import math

from windrow.query.tree import Apply, ColumnName, Literal


def value(expression, row):
    """The value of an expression in a row (a dict)."""
    match expression:
        case ColumnName(name=name):
            return row[name]
        case Literal(value=found):
            return found
        case Apply(name=name, arguments=arguments):
            return _apply(name, [value(one, row) for one in arguments])
    raise AssertionError(expression)


def _apply(name, given):
    if name in _LAZY:
        return _LAZY[name](*given)
    return None if None in given else _STRICT[name](*given)


def _rank(number):
    if isinstance(number, float) and math.isnan(number):
        return (1, 0.0)
    return (0, number)


def _and(a, b):
    return False if a is False or b is False else None if None in (a, b) else True


def _or(a, b):
    return True if a is True or b is True else None if None in (a, b) else False


def _case(*parts):
    *branches, otherwise = parts
    for condition, found in zip(branches[::2], branches[1::2], strict=True):
        if condition is True:
            return found
    return otherwise


def _div(a, b):
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _slash(a, b):
    if b == 0:
        return None
    return a / b


_LAZY = {
    "and": _and,
    "or": _or,
    "is null": lambda a: a is None,
    "case": _case,
    "coalesce": lambda *given: next((one for one in given if one is not None), None),
}
_STRICT = {
    "not": lambda a: not a,
    "=": lambda a, b: _rank(a) == _rank(b),
    "<>": lambda a, b: _rank(a) != _rank(b),
    "<": lambda a, b: _rank(a) < _rank(b),
    "<=": lambda a, b: _rank(a) <= _rank(b),
    ">": lambda a, b: _rank(a) > _rank(b),
    ">=": lambda a, b: _rank(a) >= _rank(b),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _slash,
    "div": _div,
    "%": lambda a, b: None if b == 0 else a - _div(a, b) * b,
    "negative": lambda a: -a,
    "abs": abs,
    "as double": float,
    "as bigint": int,
    "as string": str,
    "||": lambda a, b: a + b,
    "lower": str.lower,
    "upper": str.upper,
    "length": len,
}
