"""Calls of aggregates, gathered from the forms in which users write them.

wr.max("len")       a call               "max"          an aggregate's name
wr.max              an aggregate         [..], {..}     several of these
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windrow.aggregates import BY_NAME, FRAME, Aggregate, Call, find
from windrow.errors import BadInput


def as_call(call: Any, name: str) -> Call:
    """A call from what a user may write: a call, an aggregate, or its name."""
    if isinstance(call, str):
        call = find(call)
    if isinstance(call, Aggregate):
        call = call()
    if isinstance(call, Call):
        return call
    if callable(call):
        raise BadInput.because(
            f"cannot compute {name!r}",
            f"it is of type {type(call).__name__}: a window is never handed to a "
            "function as a whole, which would cost its length for each slide",
            "write an aggregate over a column, such as wr.max('len'), or your own as "
            "wr.Aggregate(name=, lift=, combine=, lower=)",
        )
    raise BadInput.because(
        f"cannot compute {name!r}",
        f"it is of type {type(call).__name__}, not an aggregate",
        "write an aggregate over a column, such as wr.max('len')",
    )


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse an aggregate that was given to a parameter of the call.

    It would be left out of the result, as `mode=wr.mode("x")` once was.
    """
    for name, value in parameters.items():
        if isinstance(value, Aggregate | Call):
            raise BadInput.because(
                f"cannot compute {name!r}",
                "it is a parameter, which takes no aggregate",
                f"write aggregates={{{name!r}: ...}}, or another name",
            )


def gather_calls(
    keyword: Mapping[str, Any],
    explicit: Mapping[str, Any] | None,
    parameters: Mapping[str, Any] | None = None,
) -> dict[str, Call]:
    """The aggregates of both forms, keywords first; each name once."""
    check_parameters(parameters or {})
    explicit = explicit or {}
    for name in explicit:
        if name in keyword:
            raise BadInput.because(
                f"cannot compute {name!r} twice",
                "it is given as a keyword and in aggregates=",
                "use two names",
            )
    if not keyword and not explicit:
        hint = "name one, such as longest=wr.max('len')"
        raise BadInput.because("cannot compute nothing", "no aggregate is given", hint)
    for word in FRAME:
        if word in keyword:
            _check_word(word, keyword[word])
    return {name: as_call(call, name) for name, call in {**keyword, **explicit}.items()}


def _check_word(word: str, value: Any) -> None:
    """Refuse a frame for all results at once; one of them may be called so."""
    if isinstance(value, (Call, Aggregate)) or (
        isinstance(value, str) and value in BY_NAME
    ):
        return
    frame = f"last={value!r}" if word == "last" else f"last=3, {word}={value!r}"
    raise BadInput.because(
        f"cannot take {word}={value!r} for all results",
        "each of them has a frame of its own",
        f"write it there, as in wr.sum('x', {frame})",
    )


def calls_of(aggregates: Any) -> dict[str, Call]:
    """The aggregates that a user gives as one, a list, or a dict, by name."""
    if isinstance(aggregates, Mapping):
        return {name: as_call(call, name) for name, call in aggregates.items()}
    several = isinstance(aggregates, (list, tuple))
    calls: dict[str, Call] = {}
    for aggregate in aggregates if several else [aggregates]:
        call = as_call(aggregate, "a result")
        name = aggregate if isinstance(aggregate, str) else call.aggregate.name
        if name in calls:
            name = call.label if call.label not in calls else f"{name}_{len(calls)}"
        calls[name] = call
    if not calls:
        cause = "the list of aggregates is empty"
        raise BadInput.because("cannot compute nothing", cause, "name one: 'max'")
    return calls
