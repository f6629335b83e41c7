"""Infers the types of a user's partial by compiling the functions.

`lift` is compiled, then `combine` on its result, until the types no longer change, then
`lower`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError

from windrow.aggregates import ABSENT, Aggregate
from windrow.loops.parts import part

from .user import NotCompiled


@lru_cache(maxsize=512)
def jitted(function: Any) -> Any:
    """The compiled form of a function; a compiled function is returned as it is."""
    if numba.extending.is_jitted(function):
        return function
    return part(error_model="numpy", nogil=True)(function)


def infer(aggregate: Aggregate, kinds: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """The dtypes of the partial's fields and of the result, and if it is a scalar."""
    try:
        return _infer(aggregate, kinds)
    except NumbaError as error:
        raise NotCompiled(_cause(str(error))) from error


def _infer(aggregate: Aggregate, kinds: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    arguments = tuple(types.int64 if kind == "int" else types.float64 for kind in kinds)
    lift, combine = jitted(aggregate.lift), jitted(aggregate.combine)
    partial = _plain_type(_return_type(lift, arguments))
    if aggregate.identity is not ABSENT:
        partial = _unify(partial, numba.typeof(aggregate.identity), aggregate)
    for _ in range(8):
        wider = _unify(partial, _return_type(combine, (partial, partial)), aggregate)
        if wider == partial:
            break
        partial = wider
    result = _plain_type(_return_type(jitted(aggregate.lower), (partial,)))
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
    if (
        isinstance(a, types.BaseTuple)
        and isinstance(b, types.BaseTuple)
        and len(a) == len(b)
    ):
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
