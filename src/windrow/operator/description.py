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
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import BY_NAME, Aggregate, Call, function_digests
from windrow.aggregates.calls import calls_of
from windrow.errors import BadInput, StateError, StateWarning
from windrow.windows import CATALOGUE, Delta, Duration, PolicyWindow, Punctuation

WINDOW_KINDS = {
    **{kind.__name__: kind for kind in (*CATALOGUE, Duration, Delta, Punctuation)},
    "Reactive": PolicyWindow,  # its name in saves of version 0.1
}
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""Digests of functions can be compared within a minor version of Python only."""


# --- windows, aggregates and types


def describe(spec: Any) -> Any:
    """A window, a policy, a duration or an option as JSON has it."""
    if dataclasses.is_dataclass(spec) and not isinstance(spec, type):
        fields = {
            field.name: describe(getattr(spec, field.name))
            for field in dataclasses.fields(spec)
        }
        return {"kind": type(spec).__name__, **fields}
    return list(spec) if isinstance(spec, tuple) else spec


def spec_from(description: Any) -> Any:
    """The window, policy, duration or option of a description."""
    if isinstance(description, dict):
        fields = {
            name: spec_from(value)
            for name, value in description.items()
            if name != "kind"
        }
        return WINDOW_KINDS[description["kind"]](**fields)
    return tuple(description) if isinstance(description, list) else description


def describe_call(call: Call) -> dict[str, Any]:
    """A call; functions that a user wrote by their digests."""
    aggregate = call.aggregate
    own = BY_NAME.get(aggregate.name) is not aggregate
    return {
        "aggregate": aggregate.name,
        "own": own,
        "columns": list(call.columns),
        "options": {name: describe(value) for name, value in call.options.items()},
        "functions": function_digests(aggregate) if own else None,
    }


def calls_from(
    descriptions: dict[str, Any], aggregate: Any, python: str | None
) -> dict[str, Call]:
    """The calls again; `aggregate` has those whose functions a user wrote.

    `python` is the version that the functions' digests were made with.
    """
    calls_given = {} if aggregate is None else calls_of(aggregate)
    calls = {}
    for name, description in descriptions.items():
        if description["own"]:
            own = calls_given[name].aggregate if name in calls_given else None
            _check_own(name, description, own, python)
        else:
            own = BY_NAME[description["aggregate"]]
        assert own is not None
        options = {
            key: spec_from(value) for key, value in description["options"].items()
        }
        calls[name] = Call(own, tuple(description["columns"]), options=options)
    return calls


def _check_own(
    name: str, description: dict[str, Any], own: Aggregate | None, python: str | None
) -> None:
    """Refuse an aggregate whose functions are not those that the state came from."""
    label = description["aggregate"]
    if own is None or own.name != label:
        raise StateError.because(
            f"cannot go on with {name!r}",
            f"it was computed by an aggregate of your own, {label!r}, "
            "whose functions are not saved",
            "give it again: wr.Operator.load(saved, aggregate)",
        )
    before = description.get("functions")
    if before is None or python != PYTHON:
        version = (
            "an older version of windrow" if before is None else f"Python {python}"
        )
        warnings.warn(
            f"cannot tell whether {name!r} was computed by this {label!r}: it was "
            f"saved by {version}\n"
            "Hint: make sure that its functions have not changed, and save it again",
            StateWarning,
            stacklevel=5,
        )
        return
    now = function_digests(own)
    changed = [batch for batch in now if now[batch] != before.get(batch)]
    if changed:
        raise StateError.because(
            f"cannot go on with {name!r}",
            f"{' and '.join(changed)} of {label!r} changed since it was saved",
            "give the aggregate as it was, or start with an empty operator",
        )


def describe_types(schema: pa.Schema) -> str:
    """A schema as text."""
    return str(schema.serialize().to_pybytes().hex())


def types_from(text: str) -> pa.Schema:
    """The schema of such a text."""
    return pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(text)))


# --- keys and values


def tagged(value: Any) -> Any:
    """A value as JSON has it, with its type where JSON has no such type."""
    kind = type(value)
    if value is None or kind in (str, bool):
        return value
    if kind is int:
        return value if -(2**63) <= value < 2**63 else {"int": hex(value)}
    if kind is float:
        return {"float": value.hex()}
    if kind is bytes:
        return {"bytes": value.hex()}
    if kind is tuple or kind is list:
        return {kind.__name__: [tagged(entry) for entry in value]}
    if kind is dict:
        return {"dict": [[tagged(key), tagged(value[key])] for key in value]}
    if kind is dt.date:
        return {"date": value.isoformat()}
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
    match tag:
        case "int":
            return int(content, 16)
        case "float":
            return float.fromhex(content)
        case "bytes":
            return bytes.fromhex(content)
        case "tuple":
            return tuple(untagged(entry) for entry in content)
        case "list":
            return [untagged(entry) for entry in content]
        case "dict":
            return {untagged(key): untagged(value) for key, value in content}
        case "date":
            return dt.date.fromisoformat(content)
        case "datetime":
            return dt.datetime.fromisoformat(content)
        case "datetime in zone":
            local, fold, zone = content
            at = dt.datetime.fromisoformat(local)
            return at.replace(fold=fold, tzinfo=zoneinfo.ZoneInfo(zone))
        case "numpy":
            return np.frombuffer(bytes.fromhex(content[1]), content[0])[0]
        case _:
            table = table_from(bytes.fromhex(described["arrow"]))
            return table.column("value")[0].as_py()


def check_key(key: Any) -> None:
    """Refuse a key that would come back from a save as another one.

    Text, bytes, truths, numbers, dates, datetimes, NumPy's scalars and tuples of them
    come back equal and of the same type.  A NaN equals nothing, so that its window
    could never be found again; objects of other types would have to be pickled.
    """
    if type(key) in (str, int, bool, bytes):
        return
    if type(key) is tuple:
        hashable(key)
        for entry in key:
            check_key(entry)
        return
    try:
        back = untagged(json.loads(json.dumps(tagged(hashable(key)))))
        same = type(back) is type(key) and bool(back == key)
    except (TypeError, ValueError, OverflowError, pa.ArrowException):
        same = False
    if not same:
        cause = f"an object of type {type(key).__name__} cannot be saved"
        if key != key:
            cause = "it does not equal itself, and could not be found again"
        raise _unusable(key, cause)


def hashable(key: Any) -> Any:
    """The key, refused if windows cannot be found by it."""
    try:
        hash(key)
    except TypeError as error:
        raise _unusable(key, str(error)) from error
    return key


def _unusable(key: Any, cause: str) -> BadInput:
    return BadInput.because(
        f"cannot keep a window for the key {key!r}",
        cause,
        "use text, bytes, numbers, dates, datetimes, or tuples of these",
    )


def ipc_bytes(table: pa.Table) -> bytes:
    """A table as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def table_from(data: bytes) -> pa.Table:
    """The table of an Arrow stream."""
    with pa.ipc.open_stream(data) as reader:
        return reader.read_all()


__all__ = [
    "PYTHON",
    "calls_from",
    "check_key",
    "describe",
    "describe_call",
    "describe_types",
    "hashable",
    "ipc_bytes",
    "spec_from",
    "table_from",
    "tagged",
    "types_from",
    "untagged",
]
