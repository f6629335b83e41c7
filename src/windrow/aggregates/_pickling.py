"""Pickles aggregates: built-in ones by name, users' by their attributes.

    MAX                     -> "max"              the same object in the other process
    Aggregate(lift=...)     -> its attributes     functions as the pickler does them

So `is` recognises a built-in aggregate in every process, and its cached kernel is
found again.
"""

from __future__ import annotations

import copyreg
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from ._aggregate import Aggregate, Call

BUILT_IN: dict[str, Aggregate] = {}
"""The aggregates that travel as their names, as the catalogue fills them in."""


def built_in_name(aggregate: object) -> str | None:
    """The name that a built-in aggregate travels by; None for a user's own."""
    return next((name for name, known in BUILT_IN.items() if known is aggregate), None)


def _built_in_of(name: str) -> Aggregate:
    return BUILT_IN[name]


def _made(kind: type[Any], attributes: dict[str, Any]) -> Any:
    return kind(**attributes | {"options": MappingProxyType(attributes["options"])})


def _reduce(value: Aggregate | Call) -> tuple[Any, ...]:
    name = built_in_name(value)
    if name is not None:
        return _built_in_of, (name,)
    attributes = {field.name: getattr(value, field.name) for field in fields(value)}
    return _made, (type(value), {**attributes, "options": dict(value.options)})


copyreg.pickle(Aggregate, _reduce)
copyreg.pickle(Call, _reduce)
