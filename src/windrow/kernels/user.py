"""Puts a user's own aggregate into a kernel.

The functions are not lifted by their source, since the source of a lambda or a closure
is not complete: they are put into the kernel's namespace as `user0_lift` and so on,
where 0 is the number of the part.  Generated around them, for the inferred fields, are

    user0_pack(p)        fixes the type of each field
    user0_combine_       guards the empty side where there is no identity:
                         the last field then says whether there is a value

`trial.py` finds the types of the fields on arrays, or `infer.py` by compiling.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

from windrow.aggregates import Aggregate
from windrow.errors import InterpretedWarning
from windrow.loops import Lane, forced_lane
from windrow.loops.text import Text, typed_literal

from .product import Product, ProductPart
from .trial import schema_on_arrays


class NotCompiled(Exception):
    """A user's functions cannot be compiled; the message says why."""


def add_user_part(
    text: Text, part: ProductPart, number: int
) -> tuple[str, str | None, str]:
    """Add a user's combine, inverse and identity; return their names."""
    aggregate = part.request.aggregate
    dtypes = part.dtypes[:-1] if part.optional else part.dtypes
    items = ["p"] if part.request.scalar else [f"p[{i}]" for i in range(len(dtypes))]
    cast = _cast_column if text.columns else _cast
    packed = "".join(f"{cast(*pair)}, " for pair in zip(dtypes, items, strict=True))
    present = "1," if part.optional else ""
    text.define(f"def user{number}_pack(p):\n    return ({packed}{present})")
    text.add(f"IDENTITY_{number} = {_identity(part, dtypes)}")
    combine = _guarded(text, part, number, "combine", "older", "newer")
    inverse = None
    if aggregate.inverse is not None:
        inverse = _guarded(text, part, number, "inverse", "whole", "oldest")
    return combine, inverse, f"IDENTITY_{number}"


def user_functions(product: Product, *, compiled: bool) -> dict[str, Any]:
    """The functions that the users' parts of a product add to a kernel's namespace."""
    namespace: dict[str, Any] = {}
    for number, part in enumerate(product.parts):
        aggregate = part.request.aggregate
        if not aggregate.is_users:
            continue
        for what in ("lift", "combine", "lower", "inverse"):
            function = getattr(aggregate, what)
            if function is not None:
                form = _jitted(function) if compiled else plain(function)
                namespace[f"user{number}_{what}"] = form
    return namespace


def _jitted(function: Any) -> Any:
    """The compiled form of a function: numba is loaded when a kernel is."""
    from .infer import jitted  # noqa: PLC0415

    return jitted(function)


def infer_schema(
    aggregate: Aggregate, kinds: tuple[str, ...]
) -> tuple[tuple[str, ...], bool, bool]:
    """The dtypes of the partial's fields and of the result, and if it is a scalar.

    And whether the functions can be given arrays, so that nothing was compiled.
    Raises `NotCompiled`, with the cause, where a function cannot be compiled.
    """
    if forced_lane() is not Lane.COMPILED:
        schema = schema_on_arrays(aggregate, kinds)
        if schema is not None:
            return (*schema, True)
    return (*_infer(aggregate, kinds), False)


def _infer(aggregate: Aggregate, kinds: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    from .infer import infer  # noqa: PLC0415 - as above

    return infer(aggregate, kinds)


def are_compiled(product: Product) -> bool:
    """Whether all users' functions can be compiled; those tried on arrays are now."""
    for part in product.parts:
        request = part.request
        if request.on_arrays:
            roles = request.aggregate.takes
            try:
                _infer(
                    request.aggregate,
                    ["float" if role == "other" else request.kind for role in roles],
                )
            except NotCompiled as error:
                warn_interpreted(request.aggregate, error)
                return False
    return True


def warn_interpreted(aggregate: Aggregate, error: NotCompiled) -> None:
    """Warn at the user's own line that functions run uncompiled."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals["__name__"].startswith("windrow"):
        frame, level = frame.f_back, level + 1
    warnings.warn(
        f"{aggregate.name} runs as plain Python, many times slower: "
        f"its functions could not be compiled ({error})\n"
        "Hint: use numbers, tuples and math in lift, combine and lower",
        InterpretedWarning,
        stacklevel=level,
    )


def plain(function: Any) -> Any:
    """The interpreted form of a function."""
    return getattr(function, "py_func", function)


def interpreted_schema() -> tuple[tuple[str, ...], bool, bool]:
    """The schema of functions that cannot be compiled: one object is the partial."""
    return ("object", "object"), True, False


def _identity(part: ProductPart, dtypes: Sequence[str]) -> str:
    aggregate = part.request.aggregate
    if part.optional:
        empty = ", ".join(_ZERO.get(dtype, "0") for dtype in dtypes)
        return f"({empty}, 0)"
    value = aggregate.identity
    return typed_literal((value,) if part.request.scalar else value, dtypes)


_ZERO = {"float64": "0.0", "bool": "False", "object": "None"}


def _cast(dtype: str, item: str) -> str:
    if dtype == "object":
        return item
    return f"bool({item})" if dtype == "bool" else f"np.{dtype}({item})"


def _cast_column(dtype: str, item: str) -> str:
    return f"np.asarray({item}).astype(np.{dtype})"


def _guarded(
    text: Text, part: ProductPart, number: int, what: str, left: str, right: str
) -> str:
    width = len(part.dtypes) - 1 if part.optional else len(part.dtypes)
    span = "[0]" if part.request.scalar else f"[:{width}]" if part.optional else ""
    call = f"user{number}_pack(user{number}_{what}({left}{span}, {right}{span}))"
    body = f"    return {call}"
    if part.optional and what == "combine":
        text.define(f"def user{number}_join_({left}, {right}):\n{body}")
    if part.optional and text.columns:
        body = (
            f"    both = choose({left}[{width}] == 0, {right}, {call})\n"
            f"    return choose({right}[{width}] == 0, {left}, both)"
        )
    elif part.optional:
        body = (
            f"    if {left}[{width}] == 0:\n        return {right}\n"
            f"    if {right}[{width}] == 0:\n        return {left}\n"
            f"{body}"
        )
    name = f"user{number}_{what}_"
    text.define(f"def {name}({left}, {right}):\n{body}")
    return name
