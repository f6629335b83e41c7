"""An operator as bytes, by the rules of streaming state: see `streams/blob.py`.

    facts      window, aggregates, types and options, as JSON
    rows       one for each window: its key, its memory, and what waits around it

No code is saved: the functions of your own aggregates are given again on loading, and
must have the names that were saved.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import StateError
from windrow.state.codec import pack, unpack

from .described import call_facts, calls_from, made, plain, schema_from, types_text
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
        "window": plain(setting.window),
        "calls": {name: call_facts(call) for name, call in setting.calls.items()},
        "types": None if setting.schema is None else types_text(setting.schema),
        "algorithm": setting.algorithm,
        "chosen": None if setting.choice is None else setting.choice.algorithm.name,
        "latency": setting.latency,
        "lateness": plain(setting.lateness),
        "nulls": setting.nulls,
        "capacity": setting.capacity,
        "keyed": keyed,
        "zoned": setting.given.instants is not None and setting.given.instants.zoned,
    }
    rows = [_saved(cell) for cell in cells.values()]
    columns: dict[str, Any] = {"key": pa.array(list(cells))}
    for name, kind in _COLUMNS.items():
        columns[name] = pa.array([row[name] for row in rows], kind)
    return pack(pa.table(columns), "operator", facts, small=True)


def load(blob: bytes, aggregate: Any) -> tuple[Setting, dict[Any, Cell], bool | None]:
    """The operator of those bytes."""
    table, facts = unpack(blob, "operator")
    calls = calls_from(facts["calls"], aggregate)
    setting = Setting.of(
        made(facts["window"]),
        calls,
        algorithm=facts["chosen"] or facts["algorithm"],
        latency=facts["latency"],
        lateness=made(facts["lateness"]),
        types=None,
        nulls=facts["nulls"],
        capacity=facts["capacity"],
    )
    if facts["types"] is not None and setting.kit is None:
        setting.open(schema_from(facts["types"]))
    setting.algorithm = facts["algorithm"]
    if setting.given.instants is not None:
        setting.given.instants.zoned = facts["zoned"]
    cells = {}
    for row in table.to_pylist():
        cells[row["key"]] = _restored(setting, row, facts["keyed"])
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
    "told": pa.large_binary(),
    "retold": pa.large_binary(),
}


def _saved(cell: Cell) -> dict[str, Any]:
    numbers = list(cell.payloads)
    payloads = {"number": numbers} | {
        name: [cell.payloads[number][i] for number in numbers]
        for i, name in enumerate(cell.kit.inputs.payloads)
    }
    return {
        "capacity": cell.memory.capacity,
        "memory": _bytes(cell.memory),
        "first": cell.first,
        "newest": cell.newest,
        "last_mark": cell.last_mark,
        "last_signal": cell.last_signal,
        "payloads": _ipc(pa.table(payloads)),
        "waiting": [_ipc(_part_table(part)) for part in cell.waiting],
        "told": _ipc(_values([cell.told[0]] if cell.told else [])),
        "retold": _ipc(_told_table(cell)) if isinstance(cell, RetoldCell) else None,
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
    names = cell.kit.inputs.payloads
    kept = _open(row["payloads"]).to_pylist()
    cell.payloads = {one["number"]: tuple(one[name] for name in names) for one in kept}
    cell.waiting = [_part_of(_open(one), cell) for one in row["waiting"]]
    told = _open(row["told"]).to_pylist()
    cell.told = (told[0]["value"],) if told else None
    if isinstance(cell, RetoldCell):
        _restore_told(cell, _open(row["retold"]))
    return cell


# --- what waits around a window


def _part_table(part: Part) -> pa.Table:
    columns: dict[str, Any] = {"begin": part.begins, "end": part.ends}
    columns |= {f"out{k}": one for k, one in enumerate(part.out)}
    columns |= {f"payload {name}": one for name, one in (part.payloads or {}).items()}
    return pa.table(columns)


def _part_of(table: pa.Table, cell: Cell) -> Part:
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


def _told_table(cell: RetoldCell) -> pa.Table:
    """Windows that were seen and that are due, changes, and the next end."""
    rows = [("seen", end, value) for end, value in cell.seen.items()]
    rows += [("due", end, value) for end, value in cell.due.items()]
    rows += [("changed", tick, None) for tick in cell.changed]
    if cell.boundary is not None:
        rows.append(("boundary", cell.boundary, None))
    return pa.table(
        {
            "kind": pa.array([kind for kind, _, _ in rows], pa.string()),
            "end": pa.array([end for _, end, _ in rows], pa.int64()),
            "value": pa.array([value for _, _, value in rows]),
        }
    )


def _restore_told(cell: RetoldCell, table: pa.Table) -> None:
    for row in table.to_pylist():
        match row["kind"]:
            case "seen":
                cell.seen[row["end"]] = row["value"]
            case "due":
                cell.due[row["end"]] = row["value"]
            case "changed":
                cell.changed.add(row["end"])
            case "boundary":
                cell.boundary = row["end"]


def _values(values: list[Any]) -> pa.Table:
    return pa.table({"value": pa.array(values)})


def _ipc(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _open(data: bytes) -> pa.Table:
    with pa.ipc.open_stream(data) as reader:
        return reader.read_all()


__all__ = ["load", "save"]
