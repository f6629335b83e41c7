"""Saves an operator as bytes, and loads it again: one blob of `state/codec.py`.

    facts      window, aggregates, types and options, as JSON (`description.py`)
    rows       one for each window: its key, its memory, and what waits around it

No code is saved: the functions of a user's own aggregates are given again on loading.
"""

from __future__ import annotations

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
    ipc_bytes,
    spec_from,
    table_from,
    text_of,
    value_of,
)
from .keyed import KeyedWindows
from .late_windows import RevisedWindow
from .layout import Array, Memory
from .many import ManyWindow
from .policies import MASK
from .saved_columns import (
    batches_from,
    load_keys,
    payload_table,
    save_keys,
    saved_batches,
    schema_of,
    types_text,
)
from .setup import OperatorSetup
from .window import KeyWindow

_OPTIONS = ("latency", "nulls", "capacity", "unit")
_COUNTERS = ("first", "newest", "last_mark", "last_signal")
_ROW = pa.schema(
    {
        "key_text": pa.string(),
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
        "list": pa.large_binary(),
        "answers": pa.large_binary(),
    }
)


def save(
    setup: OperatorSetup,
    windows: dict[Any, KeyWindow],
    shared: KeyedWindows | None,
    keyed: bool | None,
) -> bytes:
    """The bytes of an operator."""
    program = setup.program
    facts = {
        "window": describe(setup.window)
        if setup.many is None
        else [describe(window) for window in setup.window],
        "calls": {name: describe_call(call) for name, call in setup.calls.items()},
        "python": PYTHON,
        "types": types_text(None if program is None else program.columns),
        "algorithm": setup.algorithm,
        "chosen": program and program.kernel.algorithm.name,
        "lateness": describe(setup.lateness),
        "keyed": keyed,
        "zoned": setup.reader.zoned,
        **{name: getattr(setup, name) for name in _OPTIONS},
    }
    if shared is not None:
        return pack(save_keys(shared), "operator", {**facts, "keys": 1}, small=True)
    rows = [_row(key, window) for key, window in windows.items()]
    return pack(pa.Table.from_pylist(rows, _ROW), "operator", facts, small=True)


def load(
    blob: bytes, aggregate: Any
) -> tuple[OperatorSetup, dict[Any, KeyWindow], KeyedWindows | None, bool | None]:
    """The operator of those bytes."""
    table, facts = unpack(blob, "operator")
    setup = OperatorSetup(
        _window_from(facts["window"]),
        calls_from(facts["calls"], aggregate, facts.get("python")),
        algorithm=facts["chosen"] or facts["algorithm"],
        lateness=spec_from(facts["lateness"]),
        **{name: facts[name] for name in _OPTIONS if name in facts},
    )
    if facts["types"] is not None and setup.program is None:
        setup.open(schema_of(facts["types"]))
    if setup.program is not None and setup.program.kernel.product.interpreted:
        raise StateError.because(
            "cannot go on with a saved operator",
            "its aggregate was compiled, and runs as plain Python here",
            "load it where functions of your own can be compiled",
        )
    setup.algorithm = facts["algorithm"]
    setup.reader.zoned = facts["zoned"]
    windows: dict[Any, KeyWindow] = {}
    if facts.get("keys"):
        shared = setup.new_windows()
        assert shared is not None
        load_keys(shared, table)
        return setup, windows, shared, True
    for row in table.to_pylist():
        key = row["key"] if "key" in row else value_of(row["key_text"])
        windows[key] = setup.new_window(keyed=bool(facts["keyed"]))
        _restore(windows[key], row)
    return setup, windows, None, facts["keyed"]


def _row(key: Any, window: KeyWindow) -> dict[str, Any]:
    window.flush()
    revisions = _revisions(window) if isinstance(window, RevisedWindow) else None
    listed = window if isinstance(window, ManyWindow) else None
    columns = window.program.columns
    payloads = [(number, *payload) for number, payload in window.payloads.items()]
    return {
        "key_text": text_of(key),
        "capacity": window.memory.capacity,
        "memory": window.memory.flat.tobytes(),
        **{name: getattr(window, name) for name in _COUNTERS},
        "payloads": ipc_bytes(payload_table(("number",), payloads, columns)),
        "waiting": saved_batches(window.untaken, columns),
        "reported": text_of([window.last_report[0]] if window.last_report else []),
        "revisions": None if revisions is None else text_of(revisions),
        "list": listed and ipc_bytes(_list_table(listed)),
        "answers": listed and ipc_bytes(_answer_table(listed)),
    }


def _window_from(description: Any) -> Any:
    if isinstance(description, list):
        return [spec_from(window) for window in description]
    return spec_from(description)


def _list_table(window: ManyWindow) -> pa.Table:
    """The rules and last reports of the windows of a list."""
    nothing = object()
    reports = [window.reported.get(name, nothing) for name in window.names]
    texts = [None if value is nothing else text_of([value]) for value in reports]
    rules = {f"rule{k}": window.rules[:, k] for k in range(window.rules.shape[1])}
    return pa.table({"reported": pa.array(texts, pa.string()), **rules})


def _answer_table(window: ManyWindow) -> pa.Table:
    """One row, a list for each field: not every part of a product keeps answers."""
    lists = [
        pa.ListArray.from_arrays([0, len(array)], array) for array in window.answers
    ]
    return pa.table(lists, [f"field{k}" for k in range(len(lists))])


def _restore_list(window: ManyWindow, data: bytes, answers: bytes) -> None:
    window.begin_ranges()
    reports, *columns = table_from(data).columns
    for place, column in enumerate(columns):
        window.rules[:, place] = column.to_numpy()
    fields = table_from(answers).columns
    for array, column in zip(window.answers, fields, strict=True):
        is_list = pa.types.is_list(column.type)  # it was a column of numbers before
        array[:] = (column.combine_chunks().flatten() if is_list else column).to_numpy()
    window.reported = {
        name: value_of(text)[0]
        for name, text in zip(window.names, reports.to_pylist(), strict=True)
        if text is not None
    }


def _restore(window: KeyWindow, row: dict[str, Any]) -> None:
    """Fill a new window with what was saved of one."""
    memory = window.program.memory(row["capacity"])
    words = np.frombuffer(row["memory"], np.int64)
    if len(words) != len(memory.flat):
        words = _older_words(words, memory)
    memory.flat[:] = words
    memory.words[MASK] = memory.capacity - 1
    window.adopt(memory)
    for name in _COUNTERS:
        setattr(window, name, row[name])
    numbers, *payloads = _columns(row["payloads"])
    rows = zip(*payloads, strict=True)  # none where results point to nothing
    window.payloads = dict(zip(numbers, rows, strict=False))
    window.untaken = batches_from(row["waiting"], window.program.kernel.product)
    # "told" and "retold" were saved before values had tags
    reported = _columns(row["told"])[0] if "told" in row else value_of(row["reported"])
    window.last_report = (reported[0],) if reported else None
    if isinstance(window, ManyWindow):
        _restore_list(window, row["list"], row["answers"])
    if isinstance(window, RevisedWindow):
        if "retold" in row:
            revisions = list(zip(*_columns(row["retold"]), strict=True))
        else:
            revisions = value_of(row["revisions"])
        _revise(window, revisions)


_OLD_HEADER, _OLD_RULES, _OLD_FLOATS = 24, slice(12, 20), 3


def _older_words(words: Array, memory: Memory) -> Array:
    """Memory as versions up to 0.5 laid it out: a longer header, always floats."""
    rules = words[_OLD_RULES]
    parts = [rules, words[: len(memory.words) - len(rules)]]
    at = _OLD_HEADER
    for section in memory.layout:
        size = section.words(memory.capacity)
        parts.append(words[at : at + size])
        at += _OLD_FLOATS if section.name == "floats" else size
    if at != len(words):
        raise StateError.because(
            "cannot read a saved operator",
            f"its memory has {len(words)} words, and {at} are expected",
            "load it with the version that saved it",
        )
    return np.concatenate(parts)


def _columns(data: bytes) -> list[list[Any]]:
    return [column.to_pylist() for column in table_from(data).columns]


def _revisions(window: RevisedWindow) -> list[tuple[str, int, Any]]:
    """Windows that were seen and that are due, changes, and the next end."""
    rows = [("seen", end, value) for end, value in window.reported.items()]
    rows += [("due", end, value) for end, value in window.due.items()]
    rows += [("changed", tick, None) for tick in window.changed]
    if window.boundary is not None:
        rows.append(("boundary", window.boundary, None))
    return rows


def _revise(window: RevisedWindow, revisions: list[tuple[str, int, Any]]) -> None:
    for kind, end, value in revisions:
        if kind == "boundary":
            window.boundary = end
        elif kind == "changed":
            window.changed.add(end)
        else:
            (window.due if kind == "due" else window.reported)[end] = value
