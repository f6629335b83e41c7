"""Plans tiles: slices as a table that can be stored, appended to, and merged later.

    rows     -- plan_tiles  -->  tiles           each a window that tumbles
    tiles    -- plan_longer -->  longer tiles
    tiles    -- plan_merge  -->  windows         made of whole tiles

An aggregate without a partial of bounded size (`collect`, `count_distinct`) is stored
as the list of its values, each once where that will do; windows over those are planned
as windows over the values, at the instants of their tiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import Call, Law, find
from windrow.errors import BadInput, UnknownName, WindowError
from windrow.windows import Duration, Rule, Window, parse_duration, sliding

from .aggregate import Plan, plan_aggregate
from .requests import KernelRequest
from .resolve import Facts, Resolved, resolve
from .tile_kind import ABOUT, TILE, TileKind, write_kind

_COUNTED = "\0count "
_VALUES_OF = "windrow values of "  # in the rows that lists are made of again
PLACE = "windrow place"  # of a value in its list


@dataclass(frozen=True)
class TilePlan:
    """A resolved plan whose product holds the count of every column that is read.

    `calls` are those that were asked for, of which `lists` are made of the values
    themselves, each by a plan of its own; `about` says what tiles of it are.
    """

    resolved: Resolved
    calls: tuple[str, ...]
    lists: Mapping[str, Resolved]
    about: str

    @property
    def plan(self) -> Plan:
        """The plan over one window: a tile."""
        return self.resolved.plan

    @property
    def reads(self) -> list[str]:
        """Every column of rows that tiles are made of, once each."""
        own = [name for part in self.lists.values() for name in part.plan.reads]
        return list(dict.fromkeys([*self.plan.reads, *own]))

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
        for place, bound in enumerate(request.sketches, len(names)):
            places[bound.name] = {"sketch": place}
        counted = {
            bound.name: request.product.outputs[outputs[0]].fields[0]
            for bound, outputs in request.calls
        }
        for bound in self.plan.calls:
            label = _counted(bound.call)
            if bound.name in places and label is not None:
                places[bound.name]["count"] = counted[label]
        for name, part in self.lists.items():
            column = part.plan.calls[0].columns[0].removeprefix(_VALUES_OF)
            places[name] = {"count": counted[_COUNTED + column]}
        return places

    def twins(self) -> dict[int, int]:
        """Places that no call names, and others with the same number."""
        named = {place for own in self.places().values() for place in own.values()}
        return twins_of(self.resolved.request, named)


def twins_of(request: KernelRequest, named: set[int]) -> dict[int, int]:
    """Places of a product that are not named, and named ones with the same number.

    A product holds a number twice where parts that share it are combined apart: the
    maximum of `arg_max` and of `max_count`.
    """
    names = field_names(request)
    inputs = [
        (part.request.slots, part.request.masks)
        for part in request.product.parts
        for _ in part.dtypes
    ]
    meanings = list(zip(names, inputs, strict=True))
    same = {meanings[place]: place for place in named if place < len(names)}
    others = set(range(len(names))) - named
    return {place: same[meanings[place]] for place in sorted(others)}


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
    lists = {
        name: _list_plan(schema, window, by, name, _stored_list(call))
        for name, call in calls.items()
        if is_list(call)
    }
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
    read = [*plan.reads, *(n for part in lists.values() for n in part.plan.reads)]
    reads = pa.schema([schema.field(name) for name in dict.fromkeys(read)])
    lengths = range_, shift % slide, plan.clock.tick
    kind = TileKind(*lengths, plan.clock.column, plan.by, calls, reads)
    text = write_kind(kind)
    return TilePlan(resolved, tuple(calls), lists, text)


def plan_merge(
    kind: TileKind,
    window: Window | Sequence[Window],
    by: str | Sequence[str] | None,
    names: Sequence[str] | None = None,
    tile: pa.DataType | None = None,
) -> TilePlan:
    """Plan windows over tiles: of all aggregates, or of those that are named.

    `tile` is the type of the instants at which they begin.
    """
    keys = kind.by if by is None else (by,) if isinstance(by, str) else tuple(by)
    window = _on_time(window, kind)
    for name in keys:
        if name not in kind.by:
            raise UnknownName.among("key of the tiles", name, kind.by)
    for name in names or ():
        if name not in kind.calls:
            raise UnknownName.among("aggregate of the tiles", name, kind.calls)
    calls = {name: kind.calls[name] for name in (names or kind.calls)}
    for name, call in calls.items():
        if _goes_by_order(call) and set(keys) < set(kind.by):
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
    lists = {
        name: _merge_plan(kind, tile, window, keys, name, call)
        for name, call in calls.items()
        if is_list(call)
    }
    return TilePlan(resolved, tuple(calls), lists, "")


def _on_time(window: Any, kind: TileKind) -> Any:
    """Windows over the time that tiles were cut by, also where it is not said."""
    if isinstance(window, (list, tuple)):
        return [_on_time(one, kind) for one in window]
    if getattr(window, "is_timed", False) and window.on in (None, TILE):
        return replace(window, on=kind.on)
    return window


def plan_longer(kind: TileKind, window: Window, by: Any, tile: pa.DataType) -> TilePlan:
    """Plan longer tiles of shorter ones."""
    plan_merge(kind, window, by)  # refuses what is not made of whole tiles
    tiles = plan_tiles(kind.schema, window, by, kind.calls)
    lists = {
        name: _merge_plan(kind, tile, window, by, name, _stored_list(kind.calls[name]))
        for name in tiles.lists
    }
    return replace(tiles, lists=lists)


def is_list(call: Call) -> bool:
    """Whether a tile holds the values of a call, and no partial."""
    return Law.HOLISTIC in call.aggregate.laws


def _goes_by_order(call: Call) -> bool:
    """Whether the result depends on the order of rows."""
    laws, name = call.aggregate.laws, call.aggregate.name
    return Law.COMMUTATIVE not in laws and name != "count_distinct"


def _stored_list(call: Call) -> Call:
    """The list that a tile keeps for a call: of values, each once if that will do."""
    distinct = call.aggregate.name in ("count_distinct", "collect_distinct")
    return find("collect_distinct" if distinct else "collect")(*call.columns)


def _merge_plan(
    kind: TileKind,
    tile: pa.DataType | None,
    window: Any,
    by: Any,
    name: str,
    call: Call,
) -> Resolved:
    """A plan over the values in lists, at the instants of their tiles."""
    column = _VALUES_OF + call.columns[0]
    fields = [kind.schema.field(key) for key in kind.by]
    fields.append(pa.field(kind.on, tile or kind.schema.field(kind.on).type))
    fields.append(pa.field(column, kind.schema.field(call.columns[0]).type))
    fields.append(pa.field(PLACE, pa.int64()))
    windows = window if isinstance(window, (list, tuple)) else [window]
    placed = [replace(one, ties=(PLACE,)) for one in windows]
    renamed = replace(call, columns=(column,))
    same = placed if windows is window else placed[0]
    return _list_plan(pa.schema(fields), same, by, name, renamed)


def _list_plan(
    schema: pa.Schema, window: Any, by: Any, name: str, call: Call
) -> Resolved:
    return resolve(plan_aggregate(schema, window, by, {name: call}), Facts())


def tile_window(every: Any, on: str | None, kind: TileKind | None = None) -> Window:
    """The window of one tile; of coarser tiles, aligned as the finer ones are."""
    if kind is None and on is None:
        raise BadInput.because(
            "cannot cut rows into tiles",
            "no time column is named",
            "say which, as in wr.tiles(..., on='ts')",
        )
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
        if call.aggregate.is_users:
            raise BadInput.because(
                f"cannot store {name!r} in tiles",
                f"{call.aggregate.name} is an aggregate of your own, and tiles say in "
                "words what they hold, not in functions",
                "leave it out, and compute it with wr.aggregate",
            )
        if is_list(call) and call.aggregate.takes != ("value",):
            raise BadInput.because(
                f"cannot store {name!r} in tiles",
                f"{call.label} is made of more than the values of one column, and a "
                "tile keeps these",
                "leave it out, and compute it with wr.aggregate or wr.over",
            )
    counts = {
        label: find("count")(call.columns[0])
        for call in calls.values()
        if (label := _counted(call)) is not None
    }
    plain = {name: call for name, call in calls.items() if not is_list(call)}
    plan = plan_aggregate(schema, window, by, {**plain, **counts}, slicer="pairs")
    if plan.clock is None or plan.span is not None or plan.counts_rows:
        raise WindowError.because(
            "cannot make windows of tiles",
            "tiles are slices of time, and the window counts rows or events that last",
            "use wr.sliding(..., on=...)",
        )
    facts = Facts(nulls=frozenset(schema.names))
    return resolve(plan, facts, sketches=True, **how)


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
