"""An operator as bytes, by the rules of streaming state: see `state/codec.py`.

    facts      window, aggregates, types and options, as JSON
    rows       one for each window: its key, its memory, and what waits around it

No code is saved: the functions of your own aggregates are given again on loading, and
must have the names that were saved.
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
from .layout import Memory
from .policies import MASK, WORDS
from .results import Part
from .revised_window import RetoldCell
from .setting import Setting
from .window import Cell


def save(setting: Setting, cells: dict[Any, Cell], keyed: bool | None) -> bytes:
    """The bytes of an operator."""
    for cell in cells.values():
        cell.flush()
    if setting.kit is not None and setting.kit.kind.product.interpreted:
        raise StateError.because(
            "cannot save the operator",
            "an aggregate of your own runs as plain Python: its partials are objects",
            "make its functions work on numbers, so that they can be compiled",
        )
    facts = {
        "window": describe(setting.window),
        "calls": {name: describe_call(call) for name, call in setting.calls.items()},
        "python": PYTHON,
        "types": None if setting.schema is None else describe_types(setting.schema),
        "algorithm": setting.algorithm,
        "chosen": None if setting.choice is None else setting.choice.algorithm.name,
        "latency": setting.latency,
        "lateness": describe(setting.lateness),
        "nulls": setting.nulls,
        "capacity": setting.capacity,
        "keyed": keyed,
        "zoned": setting.given.instants is not None and setting.given.instants.zoned,
    }
    rows = [_saved(cell) for cell in cells.values()]
    texts = [_text(key) for key in cells]
    columns: dict[str, Any] = {"key_text": pa.array(texts, pa.string())}
    for name, kind in _COLUMNS.items():
        columns[name] = pa.array([row[name] for row in rows], kind)
    return pack(pa.table(columns), "operator", facts, small=True)


def load(blob: bytes, aggregate: Any) -> tuple[Setting, dict[Any, Cell], bool | None]:
    """The operator of those bytes."""
    table, facts = unpack(blob, "operator")
    calls = calls_from(facts["calls"], aggregate, facts.get("python"))
    setting = Setting.of(
        spec_from(facts["window"]),
        calls,
        algorithm=facts["chosen"] or facts["algorithm"],
        latency=facts["latency"],
        lateness=spec_from(facts["lateness"]),
        types=None,
        nulls=facts["nulls"],
        capacity=facts["capacity"],
    )
    if facts["types"] is not None and setting.kit is None:
        setting.open(types_from(facts["types"]))
    if setting.kit is not None and setting.kit.kind.product.interpreted:
        raise StateError.because(
            "cannot go on with a saved operator",
            "its aggregate was compiled, and runs as plain Python here",
            "load it where functions of your own can be compiled",
        )
    setting.algorithm = facts["algorithm"]
    if setting.given.instants is not None:
        setting.given.instants.zoned = facts["zoned"]
    cells = {}
    for row in table.to_pylist():
        key = row["key"] if "key" in row else _value(row["key_text"])
        cells[key] = _restored(setting, row, facts["keyed"])
    return setting, cells, facts["keyed"]


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


def _saved(cell: Cell) -> dict[str, Any]:
    revisions = _revisions(cell) if isinstance(cell, RetoldCell) else None
    return {
        "capacity": cell.memory.capacity,
        "memory": _bytes(cell.memory),
        "first": cell.first,
        "newest": cell.newest,
        "last_mark": cell.last_mark,
        "last_signal": cell.last_signal,
        "payloads": ipc_bytes(_payload_table(cell)),
        "waiting": [ipc_bytes(_part_table(part, cell)) for part in cell.waiting],
        "reported": _text([cell.told[0]] if cell.told else []),
        "revisions": None if revisions is None else _text(revisions),
    }


def _bytes(memory: Memory) -> bytes:
    """The flat array, also of memory that is kept in pieces."""
    pieces = [memory.words.tobytes()]
    for one, section in zip(memory.layout.sections, memory.sections, strict=True):
        data = section.tobytes()
        pieces.append(data + bytes(8 * one.words(memory.capacity) - len(data)))
    return b"".join(pieces)


def _restored(setting: Setting, row: dict[str, Any], keyed: bool | None) -> Cell:
    cell = setting.cell(keyed=bool(keyed))
    assert setting.kit is not None
    memory = setting.kit.memory(row["capacity"])
    words = np.frombuffer(row["memory"], np.int64)
    size = WORDS + sum(one.words(row["capacity"]) for one in memory.layout.sections)
    if len(words) != size:
        raise StateError.because(
            "cannot read a saved operator",
            f"its memory has {len(words)} words, and {size} are expected",
            "load it with the version that saved it",
        )
    memory.words[:] = words[:WORDS]
    memory.words[MASK] = row["capacity"] - 1
    at = WORDS
    for one, section in zip(memory.layout.sections, memory.sections, strict=True):
        piece = words[at : at + one.words(row["capacity"])].view(one.dtype)
        section[:] = piece[: len(section)]
        at += one.words(row["capacity"])
    cell.adopt(memory)
    for name in ("first", "newest", "last_mark", "last_signal"):
        setattr(cell, name, row[name])
    numbers, *payloads = _columns(table_from(row["payloads"]))
    rows = zip(*payloads, strict=True) if payloads else ()
    cell.payloads = dict(zip(numbers, rows, strict=bool(payloads)))
    cell.waiting = [_part_from(table_from(part), cell) for part in row["waiting"]]
    reported = _reported(row)
    cell.told = (reported[0],) if reported else None
    if isinstance(cell, RetoldCell):
        _restore_revisions(cell, row)
    return cell


# --- what waits around a window


def _payload_table(cell: Cell) -> pa.Table:
    """The numbers of events, then what they point to, column by column."""
    schema, names = cell.kit.inputs.schema, cell.kit.inputs.payloads
    columns = [pa.array(cell.payloads, pa.int64())]
    for place, name in enumerate(names):
        values = [payload[place] for payload in cell.payloads.values()]
        columns.append(pa.array(values, schema.field(name).type))
    return pa.Table.from_arrays(columns, names=["number", *names])


def _columns(table: pa.Table) -> list[list[Any]]:
    return [column.to_pylist() for column in table.columns]


def _part_table(part: Part, cell: Cell) -> pa.Table:
    columns: dict[str, Any] = {"begin": part.begins, "end": part.ends}
    columns |= {f"out{k}": array for k, array in enumerate(part.out)}
    types = {bound.name: bound.result for bound in cell.kit.inputs.bound}
    for name, values in (part.payloads or {}).items():
        columns[f"payload {name}"] = pa.array(values, types[name])
    return pa.table(columns)


def _part_from(table: pa.Table, cell: Cell) -> Part:
    def array(name: str) -> Any:
        return table.column(name).combine_chunks().to_numpy(zero_copy_only=False)

    kinds = cell.kit.kind.product.out_dtypes
    out = tuple(array(f"out{k}").astype(kind) for k, kind in enumerate(kinds))
    payloads = {
        name.removeprefix("payload "): table.column(name).to_pylist()
        for name in table.column_names
        if name.startswith("payload ")
    }
    return Part(None, array("begin"), array("end"), out, payloads or None)


def _revisions(cell: RetoldCell) -> list[tuple[str, int, Any]]:
    """Windows that were seen and that are due, changes, and the next end."""
    rows = [("seen", end, value) for end, value in cell.seen.items()]
    rows += [("due", end, value) for end, value in cell.due.items()]
    rows += [("changed", tick, None) for tick in cell.changed]
    if cell.boundary is not None:
        rows.append(("boundary", cell.boundary, None))
    return rows


def _restore_revisions(cell: RetoldCell, row: dict[str, Any]) -> None:
    if "retold" in row:  # saved before values kept their types
        rows = list(zip(*_columns(table_from(row["retold"])), strict=True))
    else:
        rows = _value(row["revisions"])
    for kind, end, value in rows:
        match kind:
            case "seen":
                cell.seen[end] = value
            case "due":
                cell.due[end] = value
            case "changed":
                cell.changed.add(end)
            case "boundary":
                cell.boundary = end


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
