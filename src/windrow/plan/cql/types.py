"""Checks the types of expressions, and writes every conversion as a cast.

An evaluator then needs to know no types: whole numbers of any width become 64-bit ones,
a whole number and a float become doubles.

    / of two whole numbers    div: whole, towards zero      (CQL, SQL-92, LightSaber)
    / of others               / : a double
    x in (a, b)               x = a or x = b
    decimals in arithmetic    doubles; in comparisons of one type, themselves
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates.types import is_text
from windrow.errors import QueryError
from windrow.query.tree import Apply, Expression, Literal

INT, FLOAT, BOOL, TEXT = pa.int64(), pa.float64(), pa.bool_(), pa.string()
_ARITHMETIC = ("+", "-", "*", "/", "%", "div", "negative")
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_CASTS = {"as bigint": INT, "as double": FLOAT, "as string": TEXT}
Fits = Callable[[pa.DataType], bool]
_FIXED: dict[str, tuple[Fits, str, pa.DataType]] = {
    **dict.fromkeys(("and", "or", "not"), (pat.is_boolean, "a condition", BOOL)),
    **dict.fromkeys(("||", "lower", "upper"), (is_text, "text", TEXT)),
    "like": (is_text, "text", BOOL),
    "length": (is_text, "text", INT),
    "is null": (lambda _: True, "anything", BOOL),
}
"""Operators whose operands are all of one kind: that kind, and the type they give."""


@dataclass(frozen=True)
class Operand:
    """An expression that is ready for an evaluator, and the type of its values."""

    expression: Expression
    type: pa.DataType


Resolve = Callable[[Expression], Operand | None]
"""Finds the column or key that an expression names, if it names one."""


class TypeChecker:
    """Checks the expressions of one text; `resolve` finds columns and keys."""

    def __init__(self, text: str, resolve: Resolve) -> None:
        self._text = text
        self._resolve = resolve

    def typed(self, expression: Expression) -> Operand:
        """The operand of an expression, with its casts written out."""
        operand = self._resolve(expression)
        if operand is not None:
            return operand
        if isinstance(expression, Literal):
            return Operand(expression, pa.scalar(expression.value).type)
        assert isinstance(expression, Apply)
        return self._apply(expression, [self.typed(e) for e in expression.arguments])

    def truth(self, expression: Expression, clause: str) -> Expression:
        """The expression with its casts, which must be a condition."""
        operand = self.typed(expression)
        expected = f"a condition in {clause}"
        self._check(expression, operand, pat.is_boolean, expected, "compare it")
        return operand.expression

    def _apply(self, node: Apply, operands: Sequence[Operand]) -> Operand:
        name = node.name
        if name in _ARITHMETIC:
            return self._arithmetic(node, operands)
        if name in _COMPARISONS:
            return self._comparison(node, operands)
        if name == "in":
            subject, *options = operands
            equal, either = replace(node, name="="), replace(node, name="or")
            tests = [self._comparison(equal, (subject, option)) for option in options]
            return reduce(lambda a, b: _operation(either, (a, b), BOOL), tests)
        if name in _FIXED:
            fits, expected, result = _FIXED[name]
            self._check_all(node, operands, fits, expected)
            if name == "like" and not isinstance(operands[1].expression, Literal):
                at, kind = node.arguments[1], operands[1].type
                raise self._error(at, "a literal", kind, "write like 'a%'")
            return _operation(node, operands, result)
        if name == "case":
            return self._case(node, operands)
        if name == "coalesce":
            return _operation(node, *self._common(node, operands))
        if name in _CASTS:
            return self._cast(node, operands[0])
        return self._rounded(node, operands)

    def _arithmetic(self, node: Apply, operands: Sequence[Operand]) -> Operand:
        if node.name in ("%", "div"):
            self._check_all(node, operands, pat.is_integer, "a whole number")
        self._check_all(node, operands, is_number, "a number")
        if node.name == "/" and _all_whole(operands):
            node = replace(node, name="div")
        common = INT if _all_whole(operands) else FLOAT
        return _operation(node, [_cast(v, common) for v in operands], common)

    def _comparison(self, node: Apply, operands: Sequence[Operand]) -> Operand:
        operands, _ = self._common(node, _align_instants(operands))
        return _operation(node, operands, BOOL)

    def _case(self, node: Apply, operands: Sequence[Operand]) -> Operand:
        conditions, values = operands[:-1:2], [*operands[1:-1:2], operands[-1]]
        for test, argument in zip(conditions, node.arguments[::2], strict=False):
            self._check(argument, test, pat.is_boolean, "a condition", "compare it")
        values, common = self._common(node, values)
        pairs = zip(conditions, values, strict=False)
        parts = [part for pair in pairs for part in pair]
        return _operation(node, [*parts, values[-1]], common)

    def _cast(self, node: Apply, operand: Operand) -> Operand:
        kind = operand.type
        number = pat.is_integer if node.name == "as string" else is_number
        if not (number(kind) or pat.is_boolean(kind) or is_text(kind)):
            hint = "numbers, truth values and text can be cast; floats not to text"
            self._check(node.arguments[0], operand, number, "another type", hint)
        result = _CASTS[node.name]
        return operand if kind == result else _operation(node, [operand], result)

    def _rounded(self, node: Apply, operands: Sequence[Operand]) -> Operand:
        """The operand of abs, ceil, floor, round or sqrt."""
        value, *digits = operands
        self._check_all(node, [value], is_number, "a number")
        for number in digits:
            is_literal = isinstance(number.expression, Literal)
            if not is_literal or number.type != INT:
                at, expected = node.arguments[1], "a literal number of digits"
                raise self._error(at, expected, number.type, "write round(x, 2)")
        if pat.is_integer(value.type) and node.name in ("ceil", "floor", "round"):
            return _cast(value, INT)
        if pat.is_integer(value.type) and node.name == "abs":
            return _operation(node, [_cast(value, INT)], INT)
        result = INT if node.name in ("ceil", "floor") else FLOAT
        return _operation(node, [_cast(value, FLOAT), *digits], result)

    def _common(
        self, node: Apply, operands: Sequence[Operand]
    ) -> tuple[list[Operand], pa.DataType]:
        """All operands as one type, which they must have in common."""
        values = [value for value in operands if not pat.is_null(value.type)]
        if not values:
            return list(operands), pa.null()
        first = values[0].type
        if all(is_number(value.type) for value in values):
            same = all(value.type == first for value in values)
            common = first if same else INT if _all_whole(values) else FLOAT
            return [_cast(value, common) for value in operands], common
        for value in values[1:]:
            if not _alike(first, value.type):
                place = value.expression.at
                hint = f"it meets {_words(first)}; cast one of them"
                arguments = (part for part in node.arguments if part.at == place)
                where = next(arguments, node)
                raise self._error(where, _words(first), value.type, hint)
        return list(operands), first

    def _check_all(
        self, node: Apply, operands: Sequence[Operand], fits: Fits, expected: str
    ) -> None:
        """Refuse the first operand whose type does not fit."""
        hint = f"{node.name} takes {expected}"
        for operand, argument in zip(operands, node.arguments, strict=False):
            self._check(argument, operand, fits, expected, hint)

    def _check(
        self, at: Expression, operand: Operand, fits: Fits, expected: str, hint: str
    ) -> None:
        if not fits(operand.type) and not pat.is_null(operand.type):
            raise self._error(at, expected, operand.type, hint)

    def _error(
        self, at: Expression, expected: str, kind: pa.DataType, hint: str
    ) -> QueryError:
        message = f"{expected}, not {_words(kind)}"
        return QueryError.at(self._text, *at.at, message, hint)


def is_number(kind: pa.DataType) -> bool:
    """Whether values of the type can be added."""
    return bool(pat.is_integer(kind) or pat.is_floating(kind) or pat.is_decimal(kind))


def plain(kind: pa.DataType) -> pa.DataType:
    """The type of a column's values, or of those in its dictionary."""
    return kind.value_type if pat.is_dictionary(kind) else kind


def _operation(node: Apply, operands: Sequence[Operand], kind: pa.DataType) -> Operand:
    arguments = tuple(operand.expression for operand in operands)
    return Operand(replace(node, arguments=arguments), kind)


def _all_whole(operands: Sequence[Operand]) -> bool:
    return all(pat.is_integer(v.type) or pat.is_null(v.type) for v in operands)


def _alike(left: pa.DataType, right: pa.DataType) -> bool:
    if pat.is_timestamp(left) and pat.is_timestamp(right):
        return (left.tz is None) == (right.tz is None)
    return left == right or (is_text(left) and is_text(right))


def _words(kind: pa.DataType) -> str:
    return "text" if is_text(kind) else f"type {kind}"


def _cast(value: Operand, kind: pa.DataType) -> Operand:
    if value.type == kind or pat.is_null(value.type):
        return value
    expression = value.expression
    if isinstance(expression, Literal) and kind == FLOAT:
        assert isinstance(expression.value, (int, float))
        return Operand(Literal(float(expression.value), at=expression.at), FLOAT)
    name = "as bigint" if kind == INT else "as double"
    return Operand(Apply(name, (expression,), at=expression.at), kind)


def _align_instants(operands: Sequence[Operand]) -> Sequence[Operand]:
    """Make literals instants, in UTC if the column has a zone; a day is midnight."""
    kinds = [v.type for v in operands if not isinstance(v.expression, Literal)]
    if not kinds or not pat.is_timestamp(kinds[0]):
        return operands
    zone = dt.UTC if kinds[0].tz is not None else None
    kind = pa.timestamp("us", "UTC" if zone else None)
    aligned = []
    for operand in operands:
        literal, instant = operand.expression, operand
        if isinstance(literal, Literal) and isinstance(literal.value, dt.date):
            day = dt.datetime.combine(literal.value, dt.time())
            value = literal.value if isinstance(literal.value, dt.datetime) else day
            instant = Operand(replace(literal, value=value.replace(tzinfo=zone)), kind)
        aligned.append(instant)
    return aligned
