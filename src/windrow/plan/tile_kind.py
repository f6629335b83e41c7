"""Writes and reads what tiles are: a text that stands in every row of them.

    card | tile     | spend                     | tiles
    7    | 12:00:00 | {total: 30.0, count: 2}   | {"format": "windrow tiles 1", ...}

`tile` is the instant at which a slice begins.  A column for each aggregate holds the
fields of its partial, by name, and how many values it has seen; or these values.
`tiles` says in every row what the others are, since readers drop what a schema says
beside them.  Two rows of one key and tile are combined.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import Call, find
from windrow.errors import BadInput

FORMAT = "windrow tiles 1"
TILE, ABOUT = "tile", "tiles"
VALUES = "values"  # the field of a list


@dataclass(frozen=True)
class TileKind:
    """What tiles are, as their own column says."""

    every: int
    shift: int
    tick: int
    on: str
    by: tuple[str, ...]
    calls: Mapping[str, Call]
    schema: pa.Schema


def write_kind(kind: TileKind) -> str:
    """The text that says what tiles are."""
    about = {
        "format": FORMAT,
        "every": kind.every,
        "shift": kind.shift,
        "tick": kind.tick,
        "on": kind.on,
        "by": list(kind.by),
        "aggregates": {name: _written(call) for name, call in kind.calls.items()},
        "schema": base64.b64encode(kind.schema.serialize()).decode(),
    }
    return json.dumps(about, separators=(",", ":"))


def check_columns(names: Sequence[str], kind: TileKind | None = None) -> None:
    """Refuse a table that lacks a column of tiles, or one that they say they have."""
    missing = [name for name in (TILE, ABOUT) if name not in names]
    if missing:
        raise BadInput.because(
            "cannot read tiles",
            f"the table has no column {missing[0]!r}",
            "give a table that wr.tiles has made",
        )
    own = () if kind is None else (*kind.by, *kind.calls)
    absent = [name for name in own if name not in names]
    if absent:
        raise BadInput.because(
            "cannot read tiles",
            f"they say that they have a column {absent[0]!r}, and have not",
            "give the table as wr.tiles has made it",
        )


def read_kind(about: Sequence[str | None]) -> TileKind:
    """What tiles are, from the distinct values of their own column."""
    if len(about) != 1:
        raise BadInput.because(
            "cannot read tiles",
            f"their column {ABOUT!r} has {len(about)} different values, not one",
            "give tiles that were made with the same wr.tiles(...)",
        )
    try:
        content = json.loads(about[0] or "")
        if content["format"] != FORMAT:
            cause = f"their format is {content['format']!r}, not {FORMAT!r}"
            hint = "read them with the version that wrote them"
            raise BadInput.because("cannot read tiles", cause, hint)
        calls = {
            name: find(call["aggregate"])(*call["columns"], **call["options"])
            for name, call in content["aggregates"].items()
        }
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(content["schema"])))
        every, shift, tick = (int(content[n]) for n in ("every", "shift", "tick"))
        by = tuple(content["by"])
        return TileKind(every, shift, tick, content["on"], by, calls, schema)
    except (ValueError, KeyError, TypeError, pa.ArrowException) as error:
        if isinstance(error, BadInput):
            raise
        cause = f"their column {ABOUT!r} is not what wr.tiles writes"
        hint = "give a table that wr.tiles has made"
        raise BadInput.because("cannot read tiles", cause, hint) from error


def _written(call: Call) -> dict[str, Any]:
    return {
        "aggregate": call.aggregate.name,
        "columns": list(call.columns),
        "options": dict(call.options),
    }
