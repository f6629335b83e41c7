"""Generates `leaf(source, i)`, which lifts a row or loads a slice partial.

It is text, because numba needs rows and partials field by field, and both depend on the
product (`source.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from windrow.loops.text import Text

from .product import Product, ProductPart
from .source import part_title


def add_lift(text: Text, product: Product, computed: Mapping[int, str]) -> None:
    """Add `leaf(source, i)`, which lifts row i; a null row is the identity.

    Slots that are `computed` have texts; all others are read.
    """

    def read(slot: int) -> str:
        return computed.get(slot, f"read(source[{slot}], i)")

    position = "places(i)" if text.columns else "i"
    calls = _add_lifts(text, product, "source, i", position, read)
    text.define(f"def leaf(source, i):\n    return {calls}")


def add_lift_one(text: Text, product: Product) -> None:
    """Add `lift_one(position, v0, v1, ...)`, which lifts one row from its numbers.

    Also `lift_number(position, value)` for a row of one number that is not null, and
    `leaf(source, i)` for rows in arrays: the columns, their validity, and last an array
    that holds the position of row 0.
    """
    requests = [part.request for part in product.parts]
    slots = [slot for r in requests for slot in (*r.slots, *r.masks)]
    width = max(slots, default=-1) + 1
    parameters = ", ".join(["position", *(f"v{slot}" for slot in range(width))])
    calls = _add_lifts(text, product, parameters, "position", "v{}".format)
    text.define(f"def lift_one({parameters}):\n    return {calls}")
    numbers = ", ".join(["position", *["value"][:width], *["True"] * (width - 1)])
    text.define(f"def lift_number(position, value):\n    return lift_one({numbers})")
    reads = [f"read(source[{width}], 0) + i"]
    reads += [f"read(source[{slot}], i)" for slot in range(width)]
    text.define(f"def leaf(source, i):\n    return lift_one({', '.join(reads)})")


def _add_lifts(
    text: Text,
    product: Product,
    parameters: str,
    position: str,
    read: Callable[[int], str],
) -> str:
    """Add the lift of each part; return the sum of their calls."""
    calls = []
    for number, part in enumerate(product.parts):
        lifted = _lifted(text, part, number, position, read)
        body = f"    return {lifted}"
        if part.request.masks:
            valid = " & ".join(read(slot) for slot in part.request.masks)
            body = f"    if {valid}:\n    {body}\n    return IDENTITY_{number}"
            if text.columns:
                body = f"    return choose({valid}, {lifted}, IDENTITY_{number})"
        title = part_title(part)
        text.define(f"def lift_{number}({parameters}):  # {title}\n{body}")
        calls.append(f"lift_{number}({parameters})")
    return " + ".join(calls)


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
            arguments.append(CASTS[kind].format(read(next(slots))))
    values = ", ".join(arguments)
    if aggregate.is_users:
        return f"user{number}_pack(user{number}_lift({values}))"
    flag = " + (1,)" if part.optional else ""
    return f"{text.take(aggregate.lift, after_module=True)}({values}){flag}"


CASTS = {"int": "np.int64({})", "float": "np.float64({})", "object": "{}"}


def add_loaded_leaf(text: Text, product: Product) -> None:
    """Add `leaf(source, i)` for a source of slice partials."""
    reads = "".join(f"read(source[{i}], i), " for i in range(len(product.dtypes)))
    text.define(f"def leaf(source, i):\n    return ({reads.rstrip()})")
