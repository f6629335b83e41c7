"""Generates `leaf(source, i)`, which lifts a row or loads a slice partial.

It is text, because numba needs rows and partials field by field, and both depend on the
product (`source.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from .product import Product, ProductPart
from .source import part_title
from .text import Text


def add_lift(text: Text, product: Product) -> None:
    """Add `leaf(source, i)`, which lifts row i; a null row is the identity."""
    calls = []
    for number, part in enumerate(product.parts):
        value = _lifted(text, part, number, "i", _read)
        body = _unless_null(part, number, value, _read)
        text.define(f"def lift_{number}(source, i):  # {part_title(part)}\n{body}")
        calls.append(f"lift_{number}(source, i)")
    text.define(f"def leaf(source, i):\n    return {' + '.join(calls)}")


def _read(slot: int) -> str:
    return f"read(source[{slot}], i)"


def _lifted(
    text: Text,
    part: ProductPart,
    number: int,
    position: str,
    read: Callable[[int], str],
) -> str:
    """The call of `lift` on the part's slots."""
    request, aggregate = part.request, part.request.aggregate
    arguments, slots = [], iter(request.slots)
    for role in aggregate.takes:
        if role == "position":
            arguments.append(position)
        else:
            kind = "float" if role == "other" else request.kind
            arguments.append(_CASTS[kind].format(read(next(slots))))
    values = ", ".join(arguments)
    if aggregate.is_users:
        return f"user{number}_pack(user{number}_lift({values}))"
    flag = " + (1,)" if part.optional else ""
    return f"{text.take(aggregate.lift, after_module=True)}({values}){flag}"


def _unless_null(
    part: ProductPart, number: int, value: str, read: Callable[[int], str]
) -> str:
    if not part.request.masks:
        return f"    return {value}"
    valid = " and ".join(read(slot) for slot in part.request.masks)
    return f"    if {valid}:\n        return {value}\n    return IDENTITY_{number}"


def add_lift_one(text: Text, product: Product) -> None:
    """Add `lift_one(position, v0, v1, ...)`, which lifts one row from its numbers.

    Also `lift_number(position, value)` for a row of one number that is not null, and
    `leaf(source, i)` for rows in arrays: the columns, their validity, and last an array
    that holds the position of row 0.
    """
    slots = [slot for part in product.parts for slot in _slots(part)]
    names = [f"v{slot}" for slot in range(max(slots, default=-1) + 1)]
    calls = []
    for number, part in enumerate(product.parts):
        _add_lift_of(text, part, number, names)
        calls.append(f"lift_{number}({', '.join(['position', *names])})")
    parameters = ", ".join(["position", *names])
    text.define(f"def lift_one({parameters}):\n    return {' + '.join(calls)}")
    numbers = ", ".join(
        ["position", *["value"][: len(names)], *["True"] * (len(names) - 1)]
    )
    text.define(f"def lift_number(position, value):\n    return lift_one({numbers})")
    reads = [f"read(source[{len(names)}], 0) + i"]
    reads += [f"read(source[{slot}], i)" for slot in range(len(names))]
    text.define(f"def leaf(source, i):\n    return lift_one({', '.join(reads)})")


def _slots(part: ProductPart) -> tuple[int, ...]:
    return (*part.request.slots, *part.request.masks)


def _add_lift_of(text: Text, part: ProductPart, number: int, names: list[str]) -> None:
    parameters = ", ".join(["position", *names])
    value = _lifted(text, part, number, "position", lambda slot: f"v{slot}")
    body = _unless_null(part, number, value, lambda slot: f"v{slot}")
    text.define(f"def lift_{number}({parameters}):  # {part_title(part)}\n{body}")


_CASTS = {"int": "np.int64({})", "float": "np.float64({})", "object": "{}"}


def add_loaded_leaf(text: Text, product: Product) -> None:
    """Add `leaf(source, i)` for a source of slice partials."""
    reads = "".join(f"read(source[{i}], i), " for i in range(len(product.dtypes)))
    text.define(f"def leaf(source, i):\n    return ({reads.rstrip()})")


__all__ = ["add_lift", "add_lift_one", "add_loaded_leaf"]
