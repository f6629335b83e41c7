"""How aggregates travel to other processes: built-in ones by name.

    MAX                     -> "max"                   the very same object over there
    Aggregate(lift=...)     -> its attributes, its functions by whoever pickles

So `is` tells a built-in aggregate on both sides, and a kernel that is kept for it
is found again.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from ._aggregate import Aggregate, Call

_built_in: dict[str, Aggregate] = {}
_names: dict[int, str] = {}


def by_name(catalogue: Mapping[str, Aggregate]) -> None:
    """Let those aggregates travel as their names."""
    _built_in.update(catalogue)
    _names.update({id(aggregate): name for name, aggregate in catalogue.items()})


def built_in_name(aggregate: Aggregate) -> str | None:
    """The name that a built-in aggregate travels by; None for a user's own."""
    return _names.get(id(aggregate))


def _there(name: str) -> Aggregate:
    return _built_in[name]


def _anew(attributes: dict[str, Any]) -> Aggregate:
    return Aggregate(**attributes)


def _send(aggregate: Aggregate) -> tuple[Callable[..., Aggregate], tuple[Any, ...]]:
    name = built_in_name(aggregate)
    if name is not None:
        return _there, (name,)
    attributes = {
        field.name: getattr(aggregate, field.name) for field in fields(aggregate)
    }
    return _anew, ({**attributes, "options": dict(aggregate.options)},)


def _call(*attributes: Any) -> Call:
    aggregate, columns, last, closed, options = attributes
    return Call(aggregate, columns, last, closed, MappingProxyType(options))


def _send_call(call: Call) -> tuple[Callable[..., Call], tuple[Any, ...]]:
    return _call, (
        call.aggregate,
        call.columns,
        call.last,
        call.closed,
        dict(call.options),
    )


copyreg.pickle(Aggregate, _send)
copyreg.pickle(Call, _send_call)
