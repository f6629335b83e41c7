"""Pickles aggregates: built-in ones by name, users' by their attributes.

    MAX                     -> "max"              the same object in the other process
    Aggregate(lift=...)     -> its attributes     functions as the pickler does them

So `is` recognises a built-in aggregate in every process, and its cached kernel is
found again.
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


def pickle_by_name(catalogue: Mapping[str, Aggregate]) -> None:
    """Pickle these aggregates as their names."""
    _built_in.update(catalogue)
    _names.update({id(aggregate): name for name, aggregate in catalogue.items()})


def built_in_name(aggregate: Aggregate) -> str | None:
    """The name that a built-in aggregate travels by; None for a user's own."""
    return _names.get(id(aggregate))


def _built_in_of(name: str) -> Aggregate:
    return _built_in[name]


def _user_aggregate(attributes: dict[str, Any]) -> Aggregate:
    return Aggregate(**attributes)


def _reduce(aggregate: Aggregate) -> tuple[Callable[..., Aggregate], tuple[Any, ...]]:
    name = built_in_name(aggregate)
    if name is not None:
        return _built_in_of, (name,)
    attributes = {
        field.name: getattr(aggregate, field.name) for field in fields(aggregate)
    }
    return _user_aggregate, ({**attributes, "options": dict(aggregate.options)},)


def _call(*attributes: Any) -> Call:
    aggregate, columns, last, closed, options = attributes
    return Call(aggregate, columns, last, closed, MappingProxyType(options))


def _reduce_call(call: Call) -> tuple[Callable[..., Call], tuple[Any, ...]]:
    return _call, (
        call.aggregate,
        call.columns,
        call.last,
        call.closed,
        dict(call.options),
    )


copyreg.pickle(Aggregate, _reduce)
copyreg.pickle(Call, _reduce_call)
