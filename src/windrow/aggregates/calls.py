"""Calls of aggregates, gathered from the forms in which users write them.

wr.max("len")       a call               "max"          an aggregate's name
wr.max              an aggregate         [..], {..}     several of these
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windrow.aggregates import Aggregate, Call, find
from windrow.errors import BadInput


def as_call(given: Any, name: str) -> Call:
    """A call from what a user may write: a call, an aggregate, or its name."""
    if isinstance(given, Call):
        return given
    if isinstance(given, Aggregate):
        return given()
    if isinstance(given, str):
        return find(given)()
    raise BadInput.because(
        f"cannot compute {name!r}",
        f"it is of type {type(given).__name__}, not an aggregate",
        "write an aggregate over a column, such as wr.max('len')",
    )


def gather_calls(
    keyword: Mapping[str, Any], explicit: Mapping[str, Any] | None
) -> dict[str, Call]:
    """The aggregates of both forms, keywords first; each name once."""
    calls: dict[str, Call] = {}
    for name, given in [*keyword.items(), *(explicit or {}).items()]:
        if name in calls:
            raise BadInput.because(
                f"cannot compute {name!r} twice",
                "it is given as a keyword and in aggregates=",
                "use two names",
            )
        calls[name] = as_call(given, name)
    if not calls:
        raise BadInput.because(
            "cannot compute nothing",
            "no aggregate is given",
            "name one, such as longest=wr.max('len')",
        )
    return calls


def calls_of(aggregate: Any) -> dict[str, Call]:
    """The aggregates that a user gives as one, a list, or a dict, by name."""
    if isinstance(aggregate, Mapping):
        return {name: as_call(given, name) for name, given in aggregate.items()}
    given = aggregate if isinstance(aggregate, (list, tuple)) else [aggregate]
    calls: dict[str, Call] = {}
    for one in given:
        call = as_call(one, "a result")
        name = one if isinstance(one, str) else call.aggregate.name
        if name in calls:
            name = call.label if call.label not in calls else f"{name}_{len(calls)}"
        calls[name] = call
    if not calls:
        raise BadInput.because(
            "cannot compute nothing",
            "the list of aggregates is empty",
            "name one: 'max'",
        )
    return calls


__all__ = ["as_call", "calls_of", "gather_calls"]
