"""Writes numbers and conditions on columns as text for the loop over rows.

    position / 5280     (np.int64({0}) // np.int64(5280))
    event_type = 0      (np.int64({1}) == np.int64(0))

A place in braces is a column that the loop reads, or the array of one.  A text computes
what Arrow would (`expressions.py`), and null for null.  Whole numbers have one only
where the least and the greatest values of columns tell that no row overflows; words,
decimals and instants have none.  Where a row is null its value may be anything, but
never stops the loop.
A condition has two texts, where it is true and where it is false: elsewhere it is null.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.query.tree import Apply, ColumnName, Expression, Literal

from .columns import numbers

Array = np.ndarray[Any, Any]
Bounds = tuple[int, int]

_FLIPPED = {">": "<", ">=": "<="}
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_LONGEST = 2_000  # characters: operands are repeated within a text
_MOST = 2**63 - 1
_EXACT = 2**53  # whole numbers up to this are floats


class NoTextError(Exception):
    """A part of an expression has no text for the loop."""


@dataclass(frozen=True)
class NumberText:
    """The texts of a number and of its validity (None: never null) in row i.

    `find_bounds` gives the least and the greatest of whole numbers; floats have none.
    A condition is 0 or 1.
    """

    value: str
    valid: str | None
    find_bounds: Callable[[], Bounds] | None
    is_condition: bool = False

    @property
    def kind(self) -> pa.DataType:
        """The type that Arrow's value would have."""
        if self.is_condition:
            return pa.bool_()
        return pa.float64() if self.is_float else pa.int64()

    @property
    def is_float(self) -> bool:
        """Whether the number is a float."""
        return self.find_bounds is None

    @cached_property
    def bounds(self) -> Bounds:
        """The least and the greatest of whole numbers; (0, -1) if there is none."""
        assert self.find_bounds is not None
        return self.find_bounds()

    @property
    def codes(self) -> int:
        """How many codes a key of such numbers has, with one for a null."""
        return self.bounds[1] - self.bounds[0] + 1 + (self.valid is not None)


class LoopColumns:
    """The columns of a table that texts read, numbered in the order of their use.

    Columns of `joined` tables are read at the row of theirs that row i meets, of which
    the text stands beside them.
    """

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self.joined: list[tuple[pa.Table, str]] = []
        self.arrays: list[Array] = []
        self._numbers: dict[str, NumberText] = {}

    def join(self, table: pa.Table, row: str) -> None:
        """Add a table that is joined by the text of its row."""
        self.joined.append((table, row))

    def owner(self, names: Collection[str]) -> tuple[pa.Table, str] | None:
        """The joined table that has all columns of those names, and its row."""
        owners = (one for one in self.joined if set(names) <= set(one[0].column_names))
        return next(owners, None) if names else None

    def is_own(self, names: Collection[str]) -> bool:
        """Whether no column of those names is one of a joined table."""
        return not any(self.owner([name]) for name in names)

    def kind(self, name: str) -> pa.DataType:
        """The type of a column."""
        table, _ = self.owner([name]) or (self.table, "")
        return table.schema.field(name).type

    def number(self, name: str) -> NumberText:
        """The number in a column."""
        if name not in self._numbers:
            self._numbers[name] = self._read(name)
        return self._numbers[name]

    def add(self, array: Array, row: str | None = None) -> str:
        """The text of an array's value in row i, or in that row of its own."""
        if row is not None:
            return f"read({self.add_array(array)}, {row})"
        self.arrays.append(array)
        return f"{{{len(self.arrays) - 1}}}"

    def add_array(self, array: Array) -> str:
        """The text of an array itself."""
        self.arrays.append(array)
        return f"{{{len(self.arrays) - 1}.array}}"

    def _read(self, name: str) -> NumberText:
        table, row = self.owner([name]) or (self.table, None)
        return self.number_of(table.column(name), name, row)

    def number_of(
        self, values: pa.ChunkedArray | pa.Array, name: str, row: str | None
    ) -> NumberText:
        """The number in a column, in row i or in that row of its own."""
        kind = values.type
        is_float = pat.is_float32(kind) or pat.is_float64(kind)
        is_whole = pat.is_integer(kind) and not pat.is_uint64(kind)
        if not (is_float or is_whole or pat.is_boolean(kind)):
            raise NoTextError
        column = numbers(values, name)
        valid = None if column.valid is None else self.add(column.valid, row)
        value = self.add(column.values, row)
        text = f"np.{'float64' if is_float else 'int64'}({value})"

        def bounds() -> Bounds:
            values = column.values
            present = values if column.valid is None else values[column.valid]
            if not len(present):
                return 0, -1
            return int(present.min()), int(present.max())

        return NumberText(text, valid, None if is_float else bounds)


def number_text(part: Expression, columns: LoopColumns) -> NumberText:
    """The texts of a number."""
    match part:
        case Literal(value=bool(value)):
            return NumberText(repr(value), None, lambda: (0, 1))
        case Literal(value=int(value)) if abs(value) <= _MOST:
            bounds = value, value
            return NumberText(f"np.int64({value})", None, lambda: bounds)
        case Literal(value=float(value)) if math.isfinite(value):
            return NumberText(f"np.float64({value!r})", None, None)
        case ColumnName(name=name):
            return columns.number(name)
        case Apply(name="as bigint", arguments=(inner,)):
            number = number_text(inner, columns)
            if not number.is_float:
                text = f"np.int64({number.value})"
                return NumberText(text, number.valid, lambda: number.bounds)
        case Apply(name="as double", arguments=(inner,)):
            number = number_text(inner, columns)
            if number.is_float or _fits(number.bounds, _EXACT):
                return _float(f"np.float64({number.value})", [number])
        case Apply(name=name, arguments=arguments) if name in _OPERATORS:
            operands = [number_text(argument, columns) for argument in arguments]
            computed = _OPERATORS[name](*operands)
            if len(computed.value) <= _LONGEST:
                return computed
    raise NoTextError


def _fits(bounds: Bounds, most: int = _MOST) -> bool:
    return -most <= bounds[0] and bounds[1] <= most


def _valid(operands: list[NumberText], *more: str) -> str | None:
    texts = [number.valid for number in operands if number.valid is not None]
    return " & ".join(dict.fromkeys((*texts, *more))) or None


def _whole(value: str, operands: list[NumberText], bounds: Bounds) -> NumberText:
    if not _fits(bounds):
        raise NoTextError
    return NumberText(value, _valid(operands), lambda: bounds)


def _float(value: str, operands: list[NumberText]) -> NumberText:
    return NumberText(value, _valid(operands), None)


def _hull(values: list[int], *operands: NumberText) -> Bounds:
    """The bounds of values at the corners; none where an operand has no value."""
    if any(low > high for low, high in (number.bounds for number in operands)):
        return 0, -1
    return min(values), max(values)


def _arithmetic(
    sign: str, exact: Callable[[int, int], int]
) -> Callable[[NumberText, NumberText], NumberText]:
    """A sum, a difference or a product of two numbers of one kind."""

    def compute(a: NumberText, b: NumberText) -> NumberText:
        text = f"({a.value} {sign} {b.value})"
        if a.is_float or b.is_float:
            return _float(text, [a, b])
        corners = [exact(x, y) for x in a.bounds for y in b.bounds]
        return _whole(text, [a, b], _hull(corners, a, b))

    return compute


def _negative(a: NumberText) -> NumberText:
    text = f"(-{a.value})"
    if a.is_float:
        return _float(text, [a])
    return _whole(text, [a], _hull([-x for x in a.bounds], a))


def _divide(a: NumberText, b: NumberText) -> NumberText:
    """A quotient of floats; a division by zero is null."""
    divisor = f"select({b.value} == 0.0, np.float64(1.0), {b.value})"
    return NumberText(
        f"({a.value} / {divisor})", _valid([a, b], f"({b.value} != 0.0)"), None
    )


def _quotient(a: NumberText, b: NumberText) -> tuple[str, str, str | None]:
    """The quotient of whole numbers towards zero, the divisor, and their validity.

    The smallest number cannot be divided by -1, also where a row is null.
    """
    low, high = b.bounds
    divisor, valid = b.value, _valid([a, b])
    if low <= -1 <= high:
        raise NoTextError
    if b.valid is not None or low <= 0 <= high:
        safe = f"({b.value} > 0) | ({b.value} < -1)"
        divisor = f"select({safe}, {b.value}, np.int64(1))"
        valid = _valid([a, b], f"({b.value} != 0)")
    text = f"({a.value} // {divisor})"
    if a.bounds[0] < 0 or low < 0:  # rounded down: one more where that is below zero
        uneven = f"({text} * {divisor} != {a.value})"
        text = f"({text} + ({uneven} & (({a.value} < 0) != ({divisor} < 0))))"
    return text, divisor, valid


def _whole_part(a: NumberText, b: NumberText) -> NumberText:
    """The quotient of whole numbers, towards zero; a division by zero is null."""
    text, _, valid = _quotient(a, b)
    low, high = b.bounds
    divisors = [d for d in (low, high, -2, 1) if d and low <= d <= high]
    corners = [_towards_zero(x, d) for x in (*a.bounds, 0) for d in divisors]
    bounds = _hull(corners or [0], a, b)
    return NumberText(text, valid, lambda: bounds)


def _towards_zero(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: NumberText, b: NumberText) -> NumberText:
    """The remainder, with the sign of the dividend; by zero it is null."""
    quotient, divisor, valid = _quotient(a, b)
    text = f"({a.value} - {quotient} * {divisor})"
    most = max(*map(abs, b.bounds), 1) - 1
    least, greatest = a.bounds
    bounds = _hull([max(min(least, 0), -most), min(max(greatest, 0), most)], a, b)
    return NumberText(text, valid, lambda: bounds)


_OPERATORS: dict[str, Callable[..., NumberText]] = {
    "+": _arithmetic("+", lambda x, y: x + y),
    "-": _arithmetic("-", lambda x, y: x - y),
    "*": _arithmetic("*", lambda x, y: x * y),
    "/": _divide,
    "div": _whole_part,
    "%": _remainder,
    "negative": _negative,
}


def condition_text(condition: Expression, columns: LoopColumns) -> str | None:
    """The text that is true where a condition is; None if a part of it has none."""
    try:
        return _truth(condition, columns)[0]
    except NoTextError:
        return None


def computed_text(value: Expression, columns: LoopColumns) -> NumberText | None:
    """The texts of a number or of a condition as one; None if a part has none."""
    is_condition = isinstance(value, Apply) and (
        value.name in _COMPARISONS or value.name in ("and", "or", "not")
    )
    try:
        if not is_condition:
            return number_text(value, columns)
        true, false = _truth(value, columns)
    except NoTextError:
        return None
    return NumberText(true, f"({true} | {false})", lambda: (0, 1), is_condition=True)


def _truth(part: Expression, columns: LoopColumns) -> tuple[str, str]:
    """Where a condition is true, and where it is false."""
    match part:
        case Apply(name="and" | "or" as name, arguments=(a, b)):
            (a_true, a_false), (b_true, b_false) = (
                _truth(side, columns) for side in (a, b)
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
            true, false = _truth(a, columns)
            return false, true
        case Apply(name=name, arguments=(a, b)) if name in _COMPARISONS:
            return _comparison(name, a, b, columns)
    raise NoTextError


def _comparison(
    name: str, a: Expression, b: Expression, columns: LoopColumns
) -> tuple[str, str]:
    """NaN equals itself and is the largest; a null makes it neither true nor false."""
    if name in _FLIPPED:
        name, a, b = _FLIPPED[name], b, a
    left, right = (number_text(side, columns) for side in (a, b))
    x, y = left.value, right.value
    is_equal, is_less, is_more = f"({x} == {y})", f"({x} < {y})", f"({y} < {x})"
    if left.is_float or right.is_float:
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
    valid = " & ".join(text for text in (left.valid, right.valid) if text)
    return (f"({valid} & {true})", f"({valid} & {false})") if valid else (true, false)
