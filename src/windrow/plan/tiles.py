"""Plans tiles: slices as a table that can be stored, appended to, and merged later.

    rows     -- plan_tiles  -->  tiles           each a window that tumbles

An aggregate without a partial of bounded size (`collect`, `count_distinct`) is stored
as the list of its values, each once where that will do.  What is made of tiles is
planned in `tile_windows.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import Call, Law, find
from windrow.errors import BadInput, WindowError
from windrow.windows import Duration, Rule, Window, parse_duration, sliding

from .aggregate import Plan, plan_aggregate
from .facts import Facts
from .requests import KernelRequest
from .resolve import resolve
from .resolved import Resolved
from .tile_kind import ABOUT, TILE, TileKind, write_kind

_COUNTED = "\0count "
VALUES_OF = "windrow values of "  # in the rows that lists are made of again
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
            column = part.plan.calls[0].columns[0].removeprefix(VALUES_OF)
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
    resolved = resolved_tiles(schema, window, by, calls)
    lists = {
        name: list_plan(schema, window, by, name, stored_list(call))
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


def is_list(call: Call) -> bool:
    """Whether a tile holds the values of a call, and no partial."""
    return Law.HOLISTIC in call.aggregate.laws


def stored_list(call: Call) -> Call:
    """The list that a tile keeps for a call: of values, each once if that will do."""
    distinct = call.aggregate.name in ("count_distinct", "collect_distinct")
    return find("collect_distinct" if distinct else "collect")(*call.columns)


def list_plan(
    schema: pa.Schema, window: Any, by: Any, name: str, call: Call
) -> Resolved:
    """The plan of one call over values."""
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
    if on not in (None, kind.on):
        raise BadInput.because(
            f"cannot make longer tiles by {on!r}",
            f"they were cut by {kind.on!r}, which says where a tile stands",
            "leave on= out",
        )
    shift = kind.shift * kind.tick if kind.tick else kind.shift
    offset = Duration("shift", **{"nanoseconds" if kind.tick else "number": shift})
    return sliding(every, on=kind.on, offset=offset)


def resolved_tiles(
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


def check_whole(kind: TileKind, rule: Rule, plan: Plan) -> None:
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
