"""Describes an operator in plain JSON: window, aggregates, types, keys and values.

    wr.rows(3)           {"kind": "Rows", "range": 3, ...}
    wr.max("len")        {"aggregate": "max", "own": false, "columns": ["len"], ...}
    ("a", 1, 2.5)        {"tuple": ["a", 1, {"float": "0x1.4000000000000p+1"}]}

Python values keep their types by tags; text, truths, None and numbers of 64 bits need
none.  Nothing here is code: functions of a user's own aggregate are described by
digests, and a save can be carried on only with the functions that have the same.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import sys
import warnings
import zoneinfo
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import BY_NAME, Aggregate, Call, function_digests
from windrow.aggregates.calls import calls_of
from windrow.errors import StateError, StateWarning
from windrow.windows import CATALOGUE, Delta, Duration, PolicyWindow, Punctuation

WINDOW_KINDS = {
    **{kind.__name__: kind for kind in (*CATALOGUE, Duration, Delta, Punctuation)},
    "Reactive": PolicyWindow,  # its name in saves of version 0.1
}
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""Digests of functions can be compared within a minor version of Python only."""


def describe(spec: Any) -> Any:
    """A window, a policy, a duration or an option as JSON has it."""
    if dataclasses.is_dataclass(spec) and not isinstance(spec, type):
        names = [field.name for field in dataclasses.fields(spec)]
        fields = {name: describe(getattr(spec, name)) for name in names}
        return {"kind": type(spec).__name__, **fields}
    return list(spec) if isinstance(spec, tuple) else spec


def spec_from(description: Any) -> Any:
    """The window, policy, duration or option of a description."""
    if isinstance(description, dict):
        fields = {name: spec_from(value) for name, value in description.items()}
        return WINDOW_KINDS[fields.pop("kind")](**fields)
    return tuple(description) if isinstance(description, list) else description


def describe_call(call: Call) -> dict[str, Any]:
    """A call; functions that a user wrote by their digests."""
    aggregate = call.aggregate
    own = BY_NAME.get(aggregate.name) is not aggregate
    return {
        "aggregate": aggregate.name,
        "own": own,
        "form": aggregate.partial_form,
        "columns": list(call.columns),
        "options": {name: describe(value) for name, value in call.options.items()},
        "functions": function_digests(aggregate) if own else None,
        **({} if call.where is None else {"where": call.where}),
    }


def calls_from(
    descriptions: dict[str, Any], aggregate: Any, python: str | None
) -> dict[str, Call]:
    """The calls again; `aggregate` has those whose functions a user wrote.

    `python` is the version that the functions' digests were made with.
    """
    users = {} if aggregate is None else calls_of(aggregate)
    calls = {}
    for name, description in descriptions.items():
        if description["own"]:
            source = _users_aggregate(name, description, users.get(name), python)
        else:
            source = BY_NAME[description["aggregate"]]
            _check_form(name, source, description.get("form", 1))
        described = description["options"].items()
        options = {option: spec_from(value) for option, value in described}
        columns, where = tuple(description["columns"]), description.get("where")
        calls[name] = Call(source, columns, options=options, where=where)
    return calls


def _check_form(name: str, aggregate: Aggregate, form: int) -> None:
    """Refuse partials that another version of windrow laid out in other fields."""
    if form != aggregate.partial_form:
        raise StateError.because(
            f"cannot go on with {name!r}",
            f"its partials of {aggregate.name} were saved in form {form}, and this "
            f"version of windrow keeps form {aggregate.partial_form}",
            "start with an empty operator, or load it with the version that saved it",
        )


def _users_aggregate(
    name: str, description: dict[str, Any], call: Call | None, python: str | None
) -> Aggregate:
    """Refuse an aggregate whose functions are not those that the state came from."""
    label = description["aggregate"]
    if call is None or call.aggregate.name != label:
        raise StateError.because(
            f"cannot go on with {name!r}",
            f"it was computed by an aggregate of your own, {label!r}, "
            "whose functions are not saved",
            "give it again: wr.Operator.load(saved, aggregate)",
        )
    before = description.get("functions")
    if before is None or python != PYTHON:
        by = "an older version of windrow" if before is None else f"Python {python}"
        warnings.warn(
            f"cannot tell whether {name!r} was computed by this {label!r}: it was "
            f"saved by {by}\n"
            "Hint: make sure that its functions have not changed, and save it again",
            StateWarning,
            stacklevel=5,
        )
        return call.aggregate
    now = function_digests(call.aggregate)
    changed = [function for function in now if now[function] != before.get(function)]
    if changed:
        raise StateError.because(
            f"cannot go on with {name!r}",
            f"{' and '.join(changed)} of {label!r} changed since it was saved",
            "give the aggregate as it was, or start with an empty operator",
        )
    return call.aggregate


_WRITE: dict[type, tuple[str, Callable[[Any], Any]]] = {
    float: ("float", float.hex),
    bytes: ("bytes", bytes.hex),
    tuple: ("tuple", lambda value: [tagged(entry) for entry in value]),
    list: ("list", lambda value: [tagged(entry) for entry in value]),
    dict: ("dict", lambda value: [[tagged(k), tagged(value[k])] for k in value]),
    dt.date: ("date", dt.date.isoformat),
}
_READ: dict[str, Callable[..., Any]] = {
    "int": lambda text: int(text, 16),
    "float": float.fromhex,
    "bytes": bytes.fromhex,
    "tuple": lambda entries: tuple(map(untagged, entries)),
    "list": lambda entries: list(map(untagged, entries)),
    "dict": lambda pairs: {untagged(k): untagged(value) for k, value in pairs},
    "date": dt.date.fromisoformat,
    "datetime": dt.datetime.fromisoformat,
    "datetime in zone": lambda parts: dt.datetime.fromisoformat(parts[0]).replace(
        fold=parts[1], tzinfo=zoneinfo.ZoneInfo(parts[2])
    ),
    "numpy": lambda parts: np.frombuffer(bytes.fromhex(parts[1]), parts[0])[0],
    "arrow": lambda text: table_from(bytes.fromhex(text)).column("value")[0].as_py(),
}


def tagged(value: Any) -> Any:
    """A value as JSON has it, with its type where JSON has no such type."""
    kind = type(value)
    if value is None or kind in (str, bool):
        return value
    if kind is int:
        return value if -(2**63) <= value < 2**63 else {"int": hex(value)}
    if kind in _WRITE:
        tag, write = _WRITE[kind]
        return {tag: write(value)}
    if kind is dt.datetime:
        zone = value.tzinfo
        if zone is None or type(zone) is dt.timezone:
            return {"datetime": value.isoformat()}
        if type(zone) is zoneinfo.ZoneInfo and zone.key is not None:
            local = value.replace(tzinfo=None).isoformat()
            return {"datetime in zone": [local, value.fold, zone.key]}
    if isinstance(value, np.generic) and not value.dtype.hasobject:
        return {"numpy": [value.dtype.str, value.tobytes().hex()]}
    return {"arrow": ipc_bytes(pa.table({"value": pa.array([value])})).hex()}


def untagged(described: Any) -> Any:
    """The value that `tagged` was given."""
    if not isinstance(described, dict):
        return described
    ((tag, content),) = described.items()
    return _READ[tag](content)


def text_of(value: Any) -> str:
    """A value as the text of its description."""
    return json.dumps(tagged(value), separators=(",", ":"))


def value_of(text: str | bytes) -> Any:
    """The value that `text_of` was given."""
    return untagged(json.loads(text))


def ipc_bytes(table: pa.Table) -> bytes:
    """A table as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def table_from(data: bytes) -> pa.Table:
    """The table of an Arrow stream."""
    return pa.ipc.open_stream(data).read_all()
