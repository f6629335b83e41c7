"""Plans tiles: slices as a table that can be stored, appended to, and merged later.

    card | tile     | spend                     | tiles
    7    | 12:00:00 | {total: 30.0, count: 2}   | {"format": "windrow tiles 1", ...}

`tile` is the instant at which a slice begins.  A column for each aggregate holds the
fields of its partial, by name, and how many values it has seen where nulls may be among
them; `tiles` says in every row what the others are, since readers drop what a schema
says beside them.  Two rows of one key and tile are combined.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import Call, Law, find
from windrow.errors import BadInput, UnknownName, WindowError
from windrow.windows import Duration, Rule, Window, parse_duration, sliding

from .aggregate import Plan, plan_aggregate
from .requests import KernelRequest
from .resolve import Facts, Resolved, resolve

FORMAT = "windrow tiles 1"
TILE, ABOUT = "tile", "tiles"
_COUNTED = "\0count "


@dataclass(frozen=True)
class TilePlan:
    """A resolved plan whose product holds the count of every column that is read.

    `calls` are those that were asked for; `about` says what tiles of it are.
    """

    resolved: Resolved
    calls: tuple[str, ...]
    about: str

    @property
    def plan(self) -> Plan:
        """The plan over one window: a tile."""
        return self.resolved.plan

    def places(self) -> dict[str, dict[str, int]]:
        """For each call, the fields of its partial: places in the product, by name."""
        request, names = self.resolved.request, field_names(self.resolved.request)
        places: dict[str, dict[str, int]] = {}
        for bound, outputs in request.calls:
            if bound.name in self.calls:
                own = places.setdefault(bound.name, {})
                for number in outputs:
                    output = request.product.outputs[number]
                    present = [] if output.present_in is None else [output.present_in]
                    for place in (*output.fields, *present):
                        own[names[place]] = place
        counted = {
            bound.name: request.product.outputs[outputs[0]].fields[0]
            for bound, outputs in request.calls
        }
        for bound, _ in request.calls:
            label = _counted(bound.call)
            if bound.name in places and label is not None:
                places[bound.name]["count"] = counted[label]
        return places


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


def field_names(request: KernelRequest) -> list[str]:
    """The names of a product's fields, by which tiles know them."""
    names = []
    for part in request.product.parts:
        own = [field.name for field in part.request.aggregate.fields]
        names += [own[i] if i < len(own) else "there" for i in range(len(part.dtypes))]
    return names


def plan_tiles(
    schema: pa.Schema,
    window: Window,
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
) -> TilePlan:
    """Plan tiles of rows: one window each."""
    resolved = _resolved(schema, window, by, calls)
    plan, (rule,) = resolved.plan, resolved.plan.rules
    assert plan.clock is not None
    for name in (*plan.by, *calls):
        if name in (TILE, ABOUT):
            raise BadInput.because(
                f"cannot make tiles with a column called {name!r}",
                f"{TILE} and {ABOUT} are columns of theirs",
                "choose another name",
            )
    range_, slide, shift = rule.even
    reads = pa.schema([schema.field(name) for name in plan.reads])
    about = {
        "format": FORMAT,
        "every": range_,
        "shift": shift % slide,
        "tick": plan.clock.tick,
        "on": plan.clock.column,
        "by": list(plan.by),
        "aggregates": {name: _written(call) for name, call in calls.items()},
        "schema": base64.b64encode(reads.serialize()).decode(),
    }
    text = json.dumps(about, separators=(",", ":"))
    return TilePlan(resolved, tuple(calls), text)


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


def plan_merge(
    kind: TileKind,
    window: Window | Sequence[Window],
    by: str | Sequence[str] | None,
    names: Sequence[str] | None = None,
) -> TilePlan:
    """Plan windows over tiles: of all aggregates, or of those that are named."""
    keys = kind.by if by is None else (by,) if isinstance(by, str) else tuple(by)
    for name in keys:
        if name not in kind.by:
            raise UnknownName.among("key of the tiles", name, kind.by)
    for name in names or ():
        if name not in kind.calls:
            raise UnknownName.among("aggregate of the tiles", name, kind.calls)
    calls = {name: kind.calls[name] for name in (names or kind.calls)}
    for name, call in calls.items():
        if Law.COMMUTATIVE not in call.aggregate.laws and set(keys) < set(kind.by):
            lost = next(key for key in kind.by if key not in keys)
            raise BadInput.because(
                f"cannot merge {name!r} of the tiles without key {lost!r}",
                f"{call.aggregate.name} goes by the order of rows, and a tile of one "
                "key does not say which of another's came before",
                f"add {lost!r} to by=, or leave {name!r} out with only=[...]",
            )
    resolved = _resolved(kind.schema, window, keys, calls, inputs="slices")
    for rule in resolved.plan.rules:
        _check_whole(kind, rule, resolved.plan)
    return TilePlan(resolved, tuple(calls), "")


def tile_window(every: Any, on: str, kind: TileKind | None = None) -> Window:
    """The window of one tile; of coarser tiles, aligned as the finer ones are."""
    if kind is None:
        return sliding(every, on=on)
    shift = kind.shift * kind.tick if kind.tick else kind.shift
    offset = Duration("shift", **{"nanoseconds" if kind.tick else "number": shift})
    return sliding(every, on=kind.on, offset=offset)


def _resolved(
    schema: pa.Schema, window: Any, by: Any, calls: Mapping[str, Call], **how: str
) -> Resolved:
    """The plan of calls and of the counts of their columns, whatever the rows."""
    for name, call in calls.items():
        if call.aggregate.is_users or not call.aggregate.in_kernels:
            kind = "an aggregate of your own" if call.aggregate.is_users else "holistic"
            raise BadInput.because(
                f"cannot store {name!r} in tiles",
                f"{call.aggregate.name} is {kind}, and a tile holds numbers only",
                "leave it out, and compute it with wr.aggregate",
            )
    counts = {
        label: find("count")(call.columns[0])
        for call in calls.values()
        if (label := _counted(call)) is not None
    }
    plan = plan_aggregate(schema, window, by, {**calls, **counts}, slicer="pairs")
    if plan.clock is None or plan.span is not None or plan.counts_rows:
        raise WindowError.because(
            "cannot make windows of tiles",
            "tiles are slices of time, and the window counts rows or events that last",
            "use wr.sliding(..., on=...)",
        )
    return resolve(plan, Facts(nulls=frozenset(schema.names)), **how)


def _counted(call: Call) -> str | None:
    """The name of the count of the values that a call over one column sees."""
    one = len(call.columns) == 1 or call.aggregate.result == "position"
    return _COUNTED + call.columns[0] if call.columns and one else None


def _check_whole(kind: TileKind, rule: Rule, plan: Plan) -> None:
    """Refuse windows that begin or end within a tile."""
    assert plan.clock is not None
    unit = plan.clock.tick or 1
    every = kind.every * (kind.tick or 1) // unit
    shift = kind.shift * (kind.tick or 1) // unit
    if not rule.is_even:
        raise WindowError.because(
            f"cannot make windows ({rule.text}) of tiles",
            "they are not equally long, and may begin within a tile",
            "use wr.sliding with a range of whole tiles, or wr.aggregate over the rows",
        )
    range_, slide, begin = rule.even
    if every == 0 or range_ % every or slide % every or (begin - shift) % every:
        text = str(every)
        if kind.tick:
            text = parse_duration(np.timedelta64(every * unit, "ns")).text
        raise WindowError.because(
            f"cannot make windows ({rule.text}) of tiles",
            f"tiles are {text} long, and the windows are not made of whole ones",
            f"use a range and a slide that are multiples of {text}",
        )


def _written(call: Call) -> dict[str, Any]:
    return {
        "aggregate": call.aggregate.name,
        "columns": list(call.columns),
        "options": dict(call.options),
    }
