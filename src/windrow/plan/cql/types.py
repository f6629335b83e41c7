"""Types of expressions: what fits is made explicit, what does not is refused.

After this an evaluator needs to know no types: whole numbers of any width meet as
64-bit ones, a whole number and a float meet as doubles, and every such step is a cast
in the tree.

    / of two whole numbers    div: whole, towards zero      (CQL, SQL-92, LightSaber)
    / of others               / : a double
    x in (a, b)               x = a or x = b
    decimals in arithmetic    doubles; in comparisons of one type, themselves
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
from pyarrow import types as pat

from windrow.aggregates.types import is_text
from windrow.errors import QueryError
from windrow.query.tree import Apply, Expression, Literal

INT, FLOAT, BOOL, TEXT = pa.int64(), pa.float64(), pa.bool_(), pa.string()
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Typed:
    """An expression that is ready for an evaluator, and the type of its values."""

    expression: Expression
    type: pa.DataType


Resolve = Callable[[Expression], Typed | None]
"""What an expression stands for, where it stands for something: a column, a key."""


class Typing:
    """The types of expressions in one text; `resolve` is asked about each of them."""

    def __init__(self, text: str, resolve: Resolve) -> None:
        self._text = text
        self._resolve = resolve

    def typed(self, expression: Expression) -> Typed:
        """The expression with its casts written out."""
        found = self._resolve(expression)
        if found is not None:
            return found
        if isinstance(expression, Literal):
            return Typed(expression, _literal_type(expression))
        assert isinstance(expression, Apply)
        return self._applied(expression, [self.typed(e) for e in expression.arguments])

    def truth(self, expression: Expression, what: str) -> Expression:
        """A condition."""
        found = self.typed(expression)
        if not (pat.is_boolean(found.type) or pat.is_null(found.type)):
            raise self._refused(
                expression, f"a condition in {what}", found.type, "compare it"
            )
        return found.expression

    def _applied(self, whole: Apply, given: Sequence[Typed]) -> Typed:
        name = whole.name
        if name in ("+", "-", "*", "/", "%", "div", "negative"):
            return self._arithmetic(whole, given)
        if name in _COMPARISONS:
            return self._compared(whole, name, given)
        if name == "in":
            subject, *options = given
            tests = [self._compared(whole, "=", (subject, one)) for one in options]
            found = tests[0].expression
            for one in tests[1:]:
                found = Apply("or", (found, one.expression), at=whole.at)
            return Typed(found, BOOL)
        if name in ("and", "or", "not"):
            self._all(whole, given, _is_truth, "a condition")
            return self._made(whole, given, BOOL)
        if name == "is null":
            return self._made(whole, given, BOOL)
        if name in ("like", "||", "lower", "upper", "length"):
            self._all(whole, given, is_text, "text")
            if name == "like" and not isinstance(given[1].expression, Literal):
                at = whole.arguments[1]
                raise self._refused(at, "a literal", given[1].type, "write like 'a%'")
            result = {"like": BOOL, "length": INT}.get(name, TEXT)
            return self._made(whole, given, result)
        if name == "case":
            return self._case(whole, given)
        if name == "coalesce":
            return self._made(whole, *self._common(whole, given))
        if name.startswith("as "):
            return self._cast(whole, given[0])
        return self._rounded(whole, given)

    def _arithmetic(self, whole: Apply, given: Sequence[Typed]) -> Typed:
        only = whole.name in ("%", "div")
        wanted = "a whole number" if only else "a number"
        self._all(whole, given, _is_whole if only else is_number, wanted)
        if whole.name == "/" and _all_whole(given):
            whole = replace(whole, name="div")
        common = INT if _all_whole(given) else FLOAT
        return self._made(whole, [_cast(one, common) for one in given], common)

    def _compared(self, whole: Apply, name: str, given: Sequence[Typed]) -> Typed:
        given = _meet_instants(given)
        arguments, _ = self._common(whole, given)
        pair = tuple(one.expression for one in arguments)
        return Typed(Apply(name, pair, at=whole.at), BOOL)

    def _case(self, whole: Apply, given: Sequence[Typed]) -> Typed:
        conditions, values = given[:-1:2], [*given[1:-1:2], given[-1]]
        for one, written in zip(conditions, whole.arguments[::2], strict=False):
            if not _is_truth(one.type) and not pat.is_null(one.type):
                raise self._refused(written, "a condition", one.type, "compare it")
        values, common = self._common(whole, values)
        parts = [
            part for pair in zip(conditions, values, strict=False) for part in pair
        ]
        return self._made(whole, [*parts, values[-1]], common)

    def _cast(self, whole: Apply, given: Typed) -> Typed:
        kind = given.type
        simple = _is_whole(kind) or _is_truth(kind) or is_text(kind)
        if not (simple or pat.is_null(kind)) and (
            whole.name == "as string" or not is_number(kind)
        ):
            hint = "numbers, truth values and text can be cast; floats not to text"
            raise self._refused(whole.arguments[0], "another type", kind, hint)
        result = {"as bigint": INT, "as double": FLOAT, "as string": TEXT}[whole.name]
        return given if kind == result else self._made(whole, [given], result)

    def _rounded(self, whole: Apply, given: Sequence[Typed]) -> Typed:
        """abs, ceil, floor, round, sqrt."""
        value, *digits = given
        self._all(whole, [value], is_number, "a number")
        if digits and not (
            isinstance(digits[0].expression, Literal) and digits[0].type == INT
        ):
            hint = "write round(x, 2)"
            at = whole.arguments[1]
            raise self._refused(at, "a literal number of digits", digits[0].type, hint)
        if _is_whole(value.type) and whole.name in ("ceil", "floor", "round"):
            return _cast(value, INT)
        if _is_whole(value.type) and whole.name == "abs":
            return self._made(whole, [_cast(value, INT)], INT)
        result = INT if whole.name in ("ceil", "floor") else FLOAT
        return self._made(whole, [_cast(value, FLOAT), *digits], result)

    def _common(
        self, whole: Apply, given: Sequence[Typed]
    ) -> tuple[list[Typed], pa.DataType]:
        """All values as one type, or the first that cannot be."""
        known = [one for one in given if not pat.is_null(one.type)]
        if not known:
            return list(given), pa.null()
        first = known[0].type
        if all(is_number(one.type) for one in known):
            same = all(one.type == first for one in known)
            common = first if same else INT if _all_whole(known) else FLOAT
            return [_cast(one, common) for one in given], common
        for one in known[1:]:
            if not _alike(first, one.type):
                written = [at for at in whole.arguments if self._is(at, one)]
                hint = f"it meets {_said(first)}; cast one of them"
                where = written[0] if written else whole
                raise self._refused(where, _said(first), one.type, hint)
        return list(given), first

    def _is(self, written: Expression, made: Typed) -> bool:
        return written.at == made.expression.at

    def _all(
        self,
        whole: Apply,
        given: Sequence[Typed],
        fits: Callable[[pa.DataType], bool],
        wanted: str,
    ) -> None:
        for one, written in zip(given, whole.arguments, strict=False):
            if not fits(one.type) and not pat.is_null(one.type):
                hint = f"{whole.name} takes {wanted}"
                raise self._refused(written, wanted, one.type, hint)

    def _made(self, whole: Apply, given: Sequence[Typed], kind: pa.DataType) -> Typed:
        arguments = tuple(one.expression for one in given)
        return Typed(Apply(whole.name, arguments, at=whole.at), kind)

    def _refused(
        self, at: Expression, wanted: str, kind: pa.DataType, hint: str
    ) -> QueryError:
        return QueryError.at(self._text, *at.at, f"{wanted}, not {_said(kind)}", hint)


def is_number(kind: pa.DataType) -> bool:
    """Whether one can calculate with it."""
    return bool(pat.is_integer(kind) or pat.is_floating(kind) or pat.is_decimal(kind))


def plain(kind: pa.DataType) -> pa.DataType:
    """The type of the values: dictionaries seen through."""
    return kind.value_type if pat.is_dictionary(kind) else kind


def _is_whole(kind: pa.DataType) -> bool:
    return bool(pat.is_integer(kind))


def _is_truth(kind: pa.DataType) -> bool:
    return bool(pat.is_boolean(kind))


def _all_whole(given: Sequence[Typed]) -> bool:
    return all(pat.is_integer(one.type) or pat.is_null(one.type) for one in given)


def _alike(one: pa.DataType, other: pa.DataType) -> bool:
    if pat.is_timestamp(one) and pat.is_timestamp(other):
        return (one.tz is None) == (other.tz is None)
    return one == other or (is_text(one) and is_text(other))


def _said(kind: pa.DataType) -> str:
    return "text" if is_text(kind) else f"type {kind}"


def _cast(one: Typed, kind: pa.DataType) -> Typed:
    if one.type == kind or pat.is_null(one.type):
        return one
    if isinstance(one.expression, Literal) and kind == FLOAT:
        value = one.expression.value
        assert isinstance(value, (int, float))
        return Typed(Literal(float(value), at=one.expression.at), FLOAT)
    name = "as bigint" if kind == INT else "as double"
    return Typed(Apply(name, (one.expression,), at=one.expression.at), kind)


def _literal_type(literal: Literal) -> pa.DataType:
    value = literal.value
    kinds: list[tuple[type, pa.DataType]] = [
        (bool, BOOL),
        (int, INT),
        (float, FLOAT),
        (str, TEXT),
        (dt.datetime, pa.timestamp("us")),
        (dt.date, pa.date32()),
    ]
    return next((kind for type_, kind in kinds if isinstance(value, type_)), pa.null())


def _meet_instants(given: Sequence[Typed]) -> Sequence[Typed]:
    """Literals as what they are compared with: instants in UTC where that has a zone,
    a day as its midnight.
    """
    kinds = [one.type for one in given if not isinstance(one.expression, Literal)]
    if not kinds or not pat.is_timestamp(kinds[0]):
        return given
    zone = dt.UTC if kinds[0].tz is not None else None
    made = []
    for one in given:
        value = getattr(one.expression, "value", None)
        if isinstance(one.expression, Literal) and isinstance(value, dt.date):
            if not isinstance(value, dt.datetime):
                value = dt.datetime(value.year, value.month, value.day)  # noqa: DTZ001
            literal = Literal(value.replace(tzinfo=zone), at=one.expression.at)
            made.append(Typed(literal, pa.timestamp("us", "UTC" if zone else None)))
        else:
            made.append(one)
    return made
