"""Saves an operator as bytes, and loads it again: one blob of `state/codec.py`.

    facts      window, aggregates, types and options, as JSON (`description.py`)
    rows       one for each window: its key, its memory, and what waits around it

No code is saved: the functions of a user's own aggregates are given again on loading.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import StateError
from windrow.state.codec import pack, unpack

from .description import (
    PYTHON,
    calls_from,
    describe,
    describe_call,
    describe_types,
    ipc_bytes,
    spec_from,
    table_from,
    tagged,
    types_from,
    untagged,
)
from .late_windows import RevisedWindow
from .layout import Memory
from .policies import MASK, WORDS
from .results import ResultBatch
from .setup import OperatorSetup
from .window import KeyWindow


def save(
    setup: OperatorSetup, windows: dict[Any, KeyWindow], keyed: bool | None
) -> bytes:
    """The bytes of an operator."""
    for window in windows.values():
        window.flush()
    if setup.program is not None and setup.program.kernel.product.interpreted:
        raise StateError.because(
            "cannot save the operator",
            "an aggregate of your own runs as plain Python: its partials are objects",
            "make its functions work on numbers, so that they can be compiled",
        )
    facts = {
        "window": describe(setup.window),
        "calls": {name: describe_call(call) for name, call in setup.calls.items()},
        "python": PYTHON,
        "types": None if setup.schema is None else describe_types(setup.schema),
        "algorithm": setup.algorithm,
        "chosen": None if setup.plan is None else setup.plan.choice.algorithm.name,
        "latency": setup.latency,
        "lateness": describe(setup.lateness),
        "nulls": setup.nulls,
        "capacity": setup.capacity,
        "keyed": keyed,
        "zoned": setup.reader.instants is not None and setup.reader.instants.zoned,
    }
    rows = [_saved(window) for window in windows.values()]
    texts = [_text(key) for key in windows]
    columns: dict[str, Any] = {"key_text": pa.array(texts, pa.string())}
    for name, kind in _COLUMNS.items():
        columns[name] = pa.array([row[name] for row in rows], kind)
    return pack(pa.table(columns), "operator", facts, small=True)


def load(
    blob: bytes, aggregate: Any
) -> tuple[OperatorSetup, dict[Any, KeyWindow], bool | None]:
    """The operator of those bytes."""
    table, facts = unpack(blob, "operator")
    calls = calls_from(facts["calls"], aggregate, facts.get("python"))
    setup = OperatorSetup.of(
        spec_from(facts["window"]),
        calls,
        algorithm=facts["chosen"] or facts["algorithm"],
        latency=facts["latency"],
        lateness=spec_from(facts["lateness"]),
        types=None,
        nulls=facts["nulls"],
        capacity=facts["capacity"],
    )
    if facts["types"] is not None and setup.program is None:
        setup.open(types_from(facts["types"]))
    if setup.program is not None and setup.program.kernel.product.interpreted:
        raise StateError.because(
            "cannot go on with a saved operator",
            "its aggregate was compiled, and runs as plain Python here",
            "load it where functions of your own can be compiled",
        )
    setup.algorithm = facts["algorithm"]
    if setup.reader.instants is not None:
        setup.reader.instants.zoned = facts["zoned"]
    windows = {}
    for row in table.to_pylist():
        key = row["key"] if "key" in row else _value(row["key_text"])
        windows[key] = _restored(setup, row, facts["keyed"])
    return setup, windows, facts["keyed"]


_COLUMNS = {
    "capacity": pa.int64(),
    "memory": pa.large_binary(),
    "first": pa.int64(),
    "newest": pa.int64(),
    "last_mark": pa.float64(),
    "last_signal": pa.float64(),
    "payloads": pa.large_binary(),
    "waiting": pa.large_list(pa.large_binary()),
    "reported": pa.large_string(),
    "revisions": pa.large_string(),
}


def _saved(window: KeyWindow) -> dict[str, Any]:
    revisions = _revisions(window) if isinstance(window, RevisedWindow) else None
    return {
        "capacity": window.memory.capacity,
        "memory": _bytes(window.memory),
        "first": window.first,
        "newest": window.newest,
        "last_mark": window.last_mark,
        "last_signal": window.last_signal,
        "payloads": ipc_bytes(_payload_table(window)),
        "waiting": [ipc_bytes(_batch_table(batch, window)) for batch in window.untaken],
        "reported": _text([window.last_report[0]] if window.last_report else []),
        "revisions": None if revisions is None else _text(revisions),
    }


def _bytes(memory: Memory) -> bytes:
    """The flat array, also of memory that is kept in pieces."""
    pieces = [memory.words.tobytes()]
    for section, array in zip(memory.layout.sections, memory.sections, strict=True):
        data = array.tobytes()
        pieces.append(data + bytes(8 * section.words(memory.capacity) - len(data)))
    return b"".join(pieces)


def _restored(
    setup: OperatorSetup, row: dict[str, Any], keyed: bool | None
) -> KeyWindow:
    window = setup.new_window(keyed=bool(keyed))
    capacity = row["capacity"]
    memory = window.program.memory(capacity)
    words = np.frombuffer(row["memory"], np.int64)
    size = WORDS + sum(section.words(capacity) for section in memory.layout.sections)
    if len(words) != size:
        raise StateError.because(
            "cannot read a saved operator",
            f"its memory has {len(words)} words, and {size} are expected",
            "load it with the version that saved it",
        )
    memory.words[:] = words[:WORDS]
    memory.words[MASK] = capacity - 1
    at = WORDS
    for section, array in zip(memory.layout.sections, memory.sections, strict=True):
        piece = words[at : at + section.words(capacity)].view(section.dtype)
        array[:] = piece[: len(array)]
        at += section.words(capacity)
    window.adopt(memory)
    for name in ("first", "newest", "last_mark", "last_signal"):
        setattr(window, name, row[name])
    numbers, *payloads = _columns(table_from(row["payloads"]))
    rows = zip(*payloads, strict=True) if payloads else ()
    window.payloads = dict(zip(numbers, rows, strict=bool(payloads)))
    window.untaken = [
        _batch_from(table_from(batch), window) for batch in row["waiting"]
    ]
    reported = _reported(row)
    window.last_report = (reported[0],) if reported else None
    if isinstance(window, RevisedWindow):
        _restore_revisions(window, row)
    return window


# --- what waits around a window


def _payload_table(window: KeyWindow) -> pa.Table:
    """The numbers of events, then what they point to, column by column."""
    schema, names = window.program.columns.schema, window.program.columns.payloads
    columns = [pa.array(window.payloads, pa.int64())]
    for place, name in enumerate(names):
        values = [payload[place] for payload in window.payloads.values()]
        columns.append(pa.array(values, schema.field(name).type))
    return pa.Table.from_arrays(columns, names=["number", *names])


def _columns(table: pa.Table) -> list[list[Any]]:
    return [column.to_pylist() for column in table.columns]


def _batch_table(batch: ResultBatch, window: KeyWindow) -> pa.Table:
    columns: dict[str, Any] = {"begin": batch.begins, "end": batch.ends}
    columns |= {f"out{k}": array for k, array in enumerate(batch.out)}
    types = {bound.name: bound.result for bound in window.program.columns.bound}
    for name, values in (batch.payloads or {}).items():
        columns[f"payload {name}"] = pa.array(values, types[name])
    return pa.table(columns)


def _batch_from(table: pa.Table, window: KeyWindow) -> ResultBatch:
    def array(name: str) -> Any:
        return table.column(name).combine_chunks().to_numpy(zero_copy_only=False)

    kinds = window.program.kernel.product.out_dtypes
    out = tuple(array(f"out{k}").astype(kind) for k, kind in enumerate(kinds))
    payloads = {
        name.removeprefix("payload "): table.column(name).to_pylist()
        for name in table.column_names
        if name.startswith("payload ")
    }
    return ResultBatch(None, array("begin"), array("end"), out, payloads or None)


def _revisions(window: RevisedWindow) -> list[tuple[str, int, Any]]:
    """Windows that were seen and that are due, changes, and the next end."""
    rows = [("seen", end, value) for end, value in window.reported.items()]
    rows += [("due", end, value) for end, value in window.due.items()]
    rows += [("changed", tick, None) for tick in window.changed]
    if window.boundary is not None:
        rows.append(("boundary", window.boundary, None))
    return rows


def _restore_revisions(window: RevisedWindow, row: dict[str, Any]) -> None:
    if "retold" in row:  # saved before values kept their types
        rows = list(zip(*_columns(table_from(row["retold"])), strict=True))
    else:
        rows = _value(row["revisions"])
    for kind, end, value in rows:
        match kind:
            case "seen":
                window.reported[end] = value
            case "due":
                window.due[end] = value
            case "changed":
                window.changed.add(end)
            case "boundary":
                window.boundary = end


def _reported(row: dict[str, Any]) -> list[Any]:
    """The value that was last reported by hand, if any was."""
    if "told" in row:  # saved before values kept their types
        return _columns(table_from(row["told"]))[0]
    values: list[Any] = _value(row["reported"])
    return values


def _text(value: Any) -> str:
    return json.dumps(tagged(value), separators=(",", ":"))


def _value(text: str) -> Any:
    return untagged(json.loads(text))


__all__ = ["load", "save"]
