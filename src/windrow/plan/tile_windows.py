"""Plans what is made of tiles: windows, and longer tiles.

    tiles    -- plan_merge  -->  windows         made of whole tiles
    tiles    -- plan_longer -->  longer tiles

Windows over lists of values are planned as windows over the values, at the instants of
their tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from windrow.aggregates import Call, Law
from windrow.errors import BadInput, UnknownName
from windrow.windows import Window

from .resolved import Resolved
from .tile_kind import TILE, TileKind
from .tiles import (
    PLACE,
    VALUES_OF,
    TilePlan,
    check_whole,
    is_list,
    list_plan,
    plan_tiles,
    resolved_tiles,
    stored_list,
)


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
    resolved = resolved_tiles(kind.schema, window, keys, calls, inputs="slices")
    for rule in resolved.plan.rules:
        check_whole(kind, rule, resolved.plan)
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
        name: _merge_plan(kind, tile, window, by, name, stored_list(kind.calls[name]))
        for name in tiles.lists
    }
    return replace(tiles, lists=lists)


def _goes_by_order(call: Call) -> bool:
    """Whether the result depends on the order of rows."""
    laws, name = call.aggregate.laws, call.aggregate.name
    return Law.COMMUTATIVE not in laws and name != "count_distinct"


def _merge_plan(
    kind: TileKind,
    tile: pa.DataType | None,
    window: Any,
    by: Any,
    name: str,
    call: Call,
) -> Resolved:
    """A plan over the values in lists, at the instants of their tiles."""
    column = VALUES_OF + call.columns[0]
    fields = [kind.schema.field(key) for key in kind.by]
    fields.append(pa.field(kind.on, tile or kind.schema.field(kind.on).type))
    fields.append(pa.field(column, kind.schema.field(call.columns[0]).type))
    fields.append(pa.field(PLACE, pa.int64()))
    windows = window if isinstance(window, (list, tuple)) else [window]
    placed = [replace(one, ties=(PLACE,)) for one in windows]
    renamed = replace(call, columns=(column,))
    same = placed if windows is window else placed[0]
    return list_plan(pa.schema(fields), same, by, name, renamed)
