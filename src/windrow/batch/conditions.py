"""Writes conditions as text for the loop that folds rows into cells.

    event_type = 0      (np.int64(read(source[1], i)) == np.int64(0))

A condition has two texts, where it is true and where it is false: elsewhere it is null.
What has no text (words, sums that could overflow, `number_texts.py`) is left to Arrow.
"""

from __future__ import annotations

from windrow.query.tree import Apply, Expression

from .number_texts import LoopColumns, NoTextError, NumberText, number_text

_FLIPPED = {">": "<", ">=": "<="}
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


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
