"""Windows, aggregates and types as JSON has them, and back."""

from __future__ import annotations

import dataclasses
from typing import Any

import pyarrow as pa

from windrow.aggregates import Aggregate, Call, find
from windrow.aggregates.calls import calls_of
from windrow.errors import StateError
from windrow.windows import Delta, Duration, Punctuation, Reactive, Rows, Sliding

KINDS = {
    one.__name__: one for one in (Rows, Sliding, Reactive, Duration, Delta, Punctuation)
}


def plain(thing: Any) -> Any:
    """A window, a policy or a duration as JSON has it."""
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        fields = {
            one.name: plain(getattr(thing, one.name))
            for one in dataclasses.fields(thing)
        }
        return {"kind": type(thing).__name__, **fields}
    return list(thing) if isinstance(thing, tuple) else thing


def made(thing: Any) -> Any:
    """What `plain` was made of."""
    if isinstance(thing, dict):
        fields = {name: made(value) for name, value in thing.items() if name != "kind"}
        return KINDS[thing["kind"]](**fields)
    return tuple(thing) if isinstance(thing, list) else thing


def call_facts(call: Call) -> dict[str, Any]:
    """A call, without its functions."""
    own = call.aggregate.is_users
    return {
        "aggregate": call.aggregate.name,
        "own": own,
        "columns": list(call.columns),
        "options": {name: plain(value) for name, value in call.options.items()},
    }


def calls_from(saved: dict[str, Any], aggregate: Any) -> dict[str, Call]:
    """The calls again; `aggregate` has those whose functions a user wrote."""
    given = {} if aggregate is None else calls_of(aggregate)
    calls = {}
    for name, one in saved.items():
        found: Aggregate | None = None
        if not one["own"]:
            found = find(one["aggregate"])
        elif name in given:
            found = given[name].aggregate
        if found is None or found.name != one["aggregate"]:
            raise StateError.because(
                f"cannot go on with {name!r}",
                f"it was computed by an aggregate of your own, {one['aggregate']!r}, "
                "whose functions are not saved",
                "give it again: wr.Operator.load(saved, aggregate)",
            )
        options = {key: made(value) for key, value in one["options"].items()}
        calls[name] = Call(found, tuple(one["columns"]), options=options)
    return calls


def types_text(schema: pa.Schema) -> str:
    """A schema as text."""
    return str(schema.serialize().to_pybytes().hex())


def schema_from(text: str) -> pa.Schema:
    """The schema of such a text."""
    return pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(text)))


__all__ = [
    "call_facts",
    "calls_from",
    "made",
    "plain",
    "schema_from",
    "types_text",
]
