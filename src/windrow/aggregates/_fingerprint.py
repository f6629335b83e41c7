"""Fingerprints an aggregate's functions by their code, so that a change is noticed.

State that was computed by one `combine` must not be carried on by another of the same
name.  A fingerprint covers all that the functions of a user's aggregate do:

    code        instructions, with the constants and names that they use
    helpers     functions and plain values that are read from globals
    closures    the same, but not what the function itself rebinds, such as a counter
    defaults    of parameters
    identity    as a value

and nothing that changes without a change of meaning: files, line numbers, docstrings,
names of local variables, addresses.  Instructions differ between minor versions of
Python, so a digest can be compared only with one of the same version.  An object that
is none of the above counts by its type alone.
"""

from __future__ import annotations

import dis
import enum
import functools
import inspect
import operator
import struct
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from windrow.loops import digest

from . import _pickling
from ._aggregate import FUNCTIONS, Aggregate

_UNNAMED = frozenset((*dis.haslocal, *dis.hasfree))
_FORM = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)
_REBUILT = (
    functools.partial,
    operator.attrgetter,
    operator.itemgetter,
    operator.methodcaller,
)


def functions_fingerprint(aggregate: Aggregate) -> str:
    """A digest of an aggregate's functions; the name of a built-in aggregate.

    >>> half = Aggregate(
    ...     name="half", lift=lambda v: v / 2, combine=max, lower=lambda p: p
    ... )
    >>> third = Aggregate(
    ...     name="half", lift=lambda v: v / 3, combine=max, lower=lambda p: p
    ... )
    >>> functions_fingerprint(half) == functions_fingerprint(third)
    False
    """
    name = _pickling.built_in_name(aggregate)
    return name or _hex(repr(sorted(function_digests(aggregate).items())))


def function_digests(aggregate: Aggregate) -> dict[str, str]:
    """A digest of each function of an aggregate, and of its identity, by name."""
    labels = (*FUNCTIONS, "identity")
    return {label: _hex(_value(getattr(aggregate, label), ())) for label in labels}


def _hex(text: str) -> str:
    return digest(text.encode("utf-8", "surrogatepass"))


def _value(value: Any, around: tuple[Any, ...]) -> str:
    """Any value as text; `around` are the functions and containers that it is in."""
    for depth, outer in enumerate(around):
        if value is outer:
            return f"outer {depth}"
    here = (*around, value)
    match value:
        case enum.Enum():
            return f"{_name(type(value))}.{value.name}"
        case None | bool() | int() | str() | bytes():
            return f"{type(value).__name__} {value!r}"
        case float() | complex():
            parts = struct.pack(">dd", value.real, value.imag)
            return f"{type(value).__name__} {parts.hex()}"
        case tuple() | list():
            return _text(type(value).__name__, (_value(x, here) for x in value))
        case set() | frozenset():
            return _text("set", sorted(_value(x, here) for x in value))
        case dict():
            pairs = ((_value(k, here), _value(value[k], here)) for k in value)
            return _text("dict", sorted(_text("", pair) for pair in pairs))
        case np.ndarray() | np.generic() if not value.dtype.hasobject:
            data = digest(np.ascontiguousarray(value).tobytes())
            return f"array {value.dtype.str} {value.shape} {data}"
        case FunctionType():
            return _function(value, here)
        case MethodType() if isinstance(value.__func__, FunctionType):
            return _bound(value.__func__, value.__self__, here)
        case CodeType():
            return _code(value)
        case _ if isinstance(value, _REBUILT):
            return _text("made", (_value(x, here) for x in value.__reduce__()))
        case ModuleType() | np.ufunc():
            return f"named {value.__name__}"
        case type() | BuiltinFunctionType():
            return f"named {_name(value)}"
    if hasattr(value, "py_func"):  # what numba makes of a function
        return _value(value.py_func, around)
    call = getattr(value, "__call__", None)  # noqa: B004 -- the method is wanted
    if isinstance(call, MethodType) and isinstance(call.__func__, FunctionType):
        return _bound(call.__func__, value, here)
    return f"of type {_name(type(value))}"


def _bound(function: FunctionType, owner: Any, around: tuple[Any, ...]) -> str:
    """A method with its object's attributes, but those that it sets itself."""
    changed = set(_used(function.__code__, "STORE_ATTR"))
    state = getattr(owner, "__dict__", {})
    attributes = {name: state[name] for name in state if name not in changed}
    return _text("method", (_function(function, around), _value(attributes, around)))


def _function(function: FunctionType, around: tuple[Any, ...]) -> str:
    """A function: its code, its defaults, and what it reads from outside."""
    code = function.__code__
    rebound = set(_used(code, "STORE_DEREF", "STORE_GLOBAL"))
    defaults = function.__defaults__, function.__kwdefaults__
    pieces = [_code(code), *(_value(values, around) for values in defaults)]
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        if name not in rebound:
            try:
                pieces.append(f"{name} = {_value(cell.cell_contents, around)}")
            except ValueError:
                pieces.append(f"{name} is empty")
    outside = function.__globals__
    read = sorted((set(_used(code, "LOAD_GLOBAL")) - rebound) & outside.keys())
    pieces += [f"{name} = {_value(outside[name], around)}" for name in read]
    return _text("function", pieces)


def _code(code: CodeType) -> str:
    """Instructions with what they refer to; places of locals, not their names."""
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    pieces = [f"{counts} {code.co_flags & _FORM} {code.co_exceptiontable.hex()}"]
    for step in dis.get_instructions(code):
        argument = step.arg if step.opcode in _UNNAMED else step.argval
        pieces.append(f"{step.opname} {_value(argument, ())}")
    return _text("code", pieces)


def _used(code: CodeType, *operations: str) -> Iterator[str]:
    """Names that such instructions use, in functions within the code too."""
    for step in dis.get_instructions(code):
        if step.opname in operations:
            yield str(step.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _used(constant, *operations)


def _name(thing: Any) -> str:
    return f"{getattr(thing, '__module__', None)}.{thing.__qualname__}"


def _text(title: str, pieces: Any) -> str:
    """Pieces in a row; lengths stand before them, so that no two rows look alike."""
    return f"{title}(" + "".join(f"{len(piece)}:{piece}" for piece in pieces) + ")"
