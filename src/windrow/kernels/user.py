"""Puts a user's own aggregate into a kernel.

The functions are not lifted by their source, since the source of a lambda or a closure
is not complete: they are put into the kernel's namespace as `user0_lift` and so on,
where 0 is the number of the part.  Generated around them, for the inferred fields, are

    user0_pack(p)        fixes the type of each field
    user0_combine_       guards the empty side where there is no identity:
                         the last field then says whether there is a value

The field types are inferred by compiling `lift`, then `combine` on its result, until
the types no longer change.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError

from windrow.aggregates import ABSENT, Aggregate

from .product import Product, ProductPart
from .text import Text, typed_literal


class NotCompiled(Exception):
    """A user's functions cannot be compiled; the message says why."""


def add_user_part(
    text: Text, part: ProductPart, number: int
) -> tuple[str, str | None, str]:
    """Add a user's combine, inverse and identity; return their names."""
    aggregate = part.request.aggregate
    dtypes = part.dtypes[:-1] if part.optional else part.dtypes
    items = ["p"] if part.request.scalar else [f"p[{i}]" for i in range(len(dtypes))]
    packed = "".join(f"{_cast(*pair)}, " for pair in zip(dtypes, items, strict=True))
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
                plain = getattr(function, "py_func", function)
                form = _jitted(function) if compiled else plain
                namespace[f"user{number}_{what}"] = form
    return namespace


@lru_cache(maxsize=512)
def _jitted(function: Any) -> Any:
    """The compiled form of a function; a compiled function is returned as it is."""
    if numba.extending.is_jitted(function):
        return function
    return numba.njit(error_model="numpy", nogil=True)(function)


def infer_schema(
    aggregate: Aggregate, kinds: Sequence[str]
) -> tuple[tuple[str, ...], bool]:
    """The dtypes of the partial's fields and of the result, and if it is a scalar.

    Raises `NotCompiled`, with the cause, where a function cannot be compiled.
    """
    try:
        return _infer(aggregate, kinds)
    except NumbaError as error:
        raise NotCompiled(_cause(str(error))) from error


def _infer(aggregate: Aggregate, kinds: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    arguments = tuple(types.int64 if kind == "int" else types.float64 for kind in kinds)
    lift, combine = _jitted(aggregate.lift), _jitted(aggregate.combine)
    partial = _plain_type(_return_type(lift, arguments))
    if aggregate.identity is not ABSENT:
        partial = _unify(partial, numba.typeof(aggregate.identity), aggregate)
    for _ in range(8):
        wider = _unify(partial, _return_type(combine, (partial, partial)), aggregate)
        if wider == partial:
            break
        partial = wider
    result = _plain_type(_return_type(_jitted(aggregate.lower), (partial,)))
    scalar = not isinstance(partial, types.BaseTuple)
    fields = (partial,) if scalar else tuple(partial)
    return tuple(_dtype(t, aggregate) for t in (*fields, result)), scalar


def _cause(report: str) -> str:
    """The line of numba's report that a user can act on."""
    noise = ("Failed in", "[1] During", "-", "File", "<")
    for line in report.splitlines():
        text = line.strip()
        if text and not text.startswith(noise):
            return text.rstrip(".")
    return "for a reason that numba does not give"


def interpreted_schema() -> tuple[tuple[str, ...], bool]:
    """The schema of functions that cannot be compiled: one object is the partial."""
    return ("object", "object"), True


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


def _guarded(
    text: Text, part: ProductPart, number: int, what: str, left: str, right: str
) -> str:
    width = len(part.dtypes) - 1 if part.optional else len(part.dtypes)
    span = "[0]" if part.request.scalar else f"[:{width}]" if part.optional else ""
    guard = ""
    if part.optional:
        guard = (
            f"    if {left}[{width}] == 0:\n        return {right}\n"
            f"    if {right}[{width}] == 0:\n        return {left}\n"
        )
    call = f"user{number}_{what}({left}{span}, {right}{span})"
    body = f"    return user{number}_pack({call})"
    name = f"user{number}_{what}_"
    text.define(f"def {name}({left}, {right}):\n{guard}{body}")
    if part.optional and what == "combine":
        text.define(f"def user{number}_join_({left}, {right}):\n{body}")
    return name


def _return_type(dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    dispatcher.compile(arguments)
    return dispatcher.overloads[arguments].signature.return_type


def _plain_type(kind: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        return types.Tuple([_plain_type(item) for item in kind])
    kind = types.unliteral(kind)
    if isinstance(kind, types.Integer):
        return types.int64
    return types.float64 if isinstance(kind, types.Float) else kind


def _unify(a: Any, b: Any, aggregate: Aggregate) -> Any:
    a, b = _plain_type(a), _plain_type(b)
    if all(isinstance(t, types.BaseTuple) for t in (a, b)) and len(a) == len(b):
        return types.Tuple([_unify(x, y, aggregate) for x, y in zip(a, b, strict=True)])
    if a == b:
        return a
    if {a, b} == {types.int64, types.float64}:
        return types.float64
    raise NumbaError(f"{aggregate.name} gives partials of two types, {a} and {b}")


def _dtype(kind: Any, aggregate: Aggregate) -> str:
    names = {types.int64: "int64", types.float64: "float64", types.boolean: "bool"}
    if kind not in names:
        raise NumbaError(f"{aggregate.name} gives a {kind}, which is not a number")
    return names[kind]
