"""Puts off, until it is used, what a package exports and what a dataclass generates.

    __getattr__ = load_later(__name__, {"slide_graph": ".run", "initial": ".graph"})

A first call should import only what it runs: whole packages (graphs, events with a
duration, pyarrow's compute functions) are a third of what all of it would take.
Readers write `from windrow import graph` and `graph.slide_graph(...)`: taking the name
itself out of the package, when a module is imported, would load it.

    @dataclass(frozen=True)
    class Duration: ...

Here `dataclass` means what it means in the standard library, which compiles six
methods of each class as its module is imported (0.2 ms a class, a fifth of a first
call that meets 79 of them).  This one waits for the first instance, compiles
`__init__` alone, and gives all classes the same functions for the rest.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from operator import attrgetter
from reprlib import recursive_repr
from threading import RLock
from typing import TYPE_CHECKING, Any


def load_later(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are in these modules."""

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}", name=name
            )
        value = getattr(import_module(modules[name], package), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


def _finish_later(
    *, frozen: bool, eq: bool = True, kw_only: bool = False
) -> Callable[[Any], Any]:
    """Make a class a frozen dataclass when it has its first instance."""
    assert frozen, "a class that may change is one of the standard library's"

    def put_off(cls: Any) -> Any:
        def finish() -> None:
            with _FINISHING:
                if "_finish" in cls.__dict__:
                    for base in cls.__mro__[1:]:
                        base.__dict__.get("_finish", lambda: None)()
                    _finish(cls, eq=eq, kw_only=kw_only)
                    del cls.__setstate__, cls._finish

        def initialise(self: Any, *args: Any, **named: Any) -> None:
            finish()
            self.__init__(*args, **named)

        def restore(self: Any, state: dict[str, Any]) -> None:  # out of a pickle
            finish()
            self.__dict__.update(state)

        cls._finish, cls.__init__, cls.__setstate__ = finish, initialise, restore
        return cls

    return put_off


_FINISHING = RLock()


def _finish(cls: Any, *, eq: bool, kw_only: bool) -> None:
    own = set(cls.__dict__)
    dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
    fields = dataclasses.fields(cls)
    if "__repr__" not in own:
        cls.__repr__ = _represent
    if eq:
        compared = [field.name for field in fields if field.compare]
        is_equal, compute_hash = _comparison(compared)
        if "__eq__" not in own:
            cls.__eq__ = is_equal
        if cls.__dict__.get("__hash__") is None:
            cls.__hash__ = compute_hash
    cls.__setattr__, cls.__delattr__ = _refuse, _refuse
    cls.__init__ = _initialiser(cls, fields)


def _comparison(names: list[str]) -> tuple[Any, Any]:
    """Equality and hash by these attributes."""
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def is_equal(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return (values(self),) == (values(other),)  # a tuple: arrays by identity

    return is_equal, lambda self: hash((values(self),))


@recursive_repr()
def _represent(self: Any) -> str:
    shown = [field.name for field in dataclasses.fields(self) if field.repr]
    text = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({text})"


def _refuse(_: Any, name: str, *__: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")


def _initialiser(cls: Any, fields: tuple[Any, ...]) -> Any:
    """An `__init__` that sets each field; text, since calls with names are fast so."""
    missing = dataclasses.MISSING
    names: dict[str, Any] = {"put": object.__setattr__, "missing": missing}
    parameters: dict[bool, list[str]] = {False: ["self"], True: []}
    lines = []
    for field in fields:
        name = value = field.name
        if field.default_factory is not missing:
            names[f"make_{name}"] = field.default_factory
            value = f"make_{name}() if {name} is missing else {name}"
            names[f"default_{name}"] = missing
        elif field.default is not missing:
            names[f"default_{name}"] = field.default
        ending = f"=default_{name}" if f"default_{name}" in names else ""
        parameters[field.kw_only].append(name + ending)
        lines.append(f" put(self, {name!r}, {value})\n")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()\n")
    star = ["*"] if parameters[True] else []
    signature = ", ".join(parameters[False] + star + parameters[True])
    text = f"def __init__({signature}):\n" + "".join(lines or [" pass"])
    exec(text, names)  # noqa: S102 - the names of fields, as in the standard library
    return names["__init__"]


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _finish_later

__all__ = ["dataclass", "load_later"]
