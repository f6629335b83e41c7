"""Makes tiles of rows or of finer tiles, and windows of tiles, in one process.

    rows  -- fold -->  slices  -- write -->  tiles, stored by whatever means
    tiles -- read -->  slices  -- slide -->  windows, as of the rows themselves

Tiles come in any order, and several of one key and slice are combined.  Lists of values
are merged as rows, at the instants of their tiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow._later import dataclass
from windrow.loops import as_arrow, in_threads, limited, steadily, thread_count
from windrow.loops.threads import PIECE
from windrow.plan.aggregate import Plan
from windrow.plan.resolved import Resolved
from windrow.plan.tile_kind import ABOUT, TILE, VALUES
from windrow.plan.tiles import PLACE, TilePlan
from windrow.slicing import fold
from windrow.windows import Clock, clock_of

from .aggregate import open_windows
from .assemble import assemble, join_tables
from .columns import plain_array
from .keys import key_codes
from .partials import (
    PANE,
    Folding,
    Partials,
    partial_columns,
    partial_fields,
    read_partials,
    write_partials,
)
from .results import from_ints
from .sketches import sketch_columns
from .slices import Job, Slices, slide_slices
from .sorted_rows import SortedRows, check_room, rows_in_order, sort_rows

Array = np.ndarray[Any, Any]


def make_tiles(table: pa.Table, tiles: TilePlan) -> pa.Table:
    """The tiles of rows: one row a key and slice."""
    resolved = tiles.resolved
    folded = Folding(tiles.plan, resolved.request, resolved.slots).fold(table)
    lists = {
        name: _run(table.select(part.plan.reads), part).column(name)
        for name, part in tiles.lists.items()
    }
    return _written(tiles, folded, lists)


def coarsen_tiles(table: pa.Table, tiles: TilePlan) -> pa.Table:
    """Longer tiles of shorter ones."""
    stored = _read(table, tiles)
    rows, slices = _slices(tiles, stored.rows, stored.partials.arrays)
    assert slices.partials is not None
    assert rows.times is not None
    runs = np.repeat(np.arange(len(rows.firsts)), rows.lengths)
    keys = rows.keys.take(as_arrow(runs))
    columns = {f"k{i}": keys.column(n) for i, n in enumerate(tiles.plan.by)}
    columns |= {PANE: as_arrow(rows.times)}
    folded = pa.table(columns | write_partials(stored.partials, slices.partials))
    return _written(tiles, folded, _merged_lists(table, tiles))


def merge_windows(table: pa.Table, tiles: TilePlan) -> pa.Table:
    """The windows over tiles, as `wr.aggregate` gives them over rows."""
    resolved, plan = tiles.resolved, tiles.plan
    threads = resolved.threads(thread_count(None, len(table)))
    with steadily(), limited(threads):
        stored = _read(table, tiles)
        check_room(stored.rows.extremes, plan.longest)
        parts = stored.parts() if resolved.divides else []

        def solve(number: int) -> pa.Table:
            rows, arrays = stored.part(*parts[number])
            return _windows(tiles, stored.partials, *_slices(tiles, rows, arrays))

        if len(parts) < 2:
            slices = _slices(tiles, stored.rows, stored.partials.arrays)
            result = _windows(tiles, stored.partials, *slices)
        else:
            result = join_tables(in_threads(solve, len(parts), threads))
    for name, column in _merged_lists(table, tiles).items():
        result = result.append_column(name, column)
    results = {bound.name for bound in plan.calls}.union(tiles.calls)
    own = [name for name in result.column_names if name not in results]
    return result.select([*own, *tiles.calls])


def _windows(
    tiles: TilePlan, partials: Partials, rows: SortedRows, slices: Slices
) -> pa.Table:
    """The windows over slices of whole keys, without the calls that have lists."""
    resolved, plan = tiles.resolved, tiles.plan
    answers = slide_slices(Job(resolved, rows, ()), slices)
    columns = []
    for answer in answers:
        bounds = answer.row_starts, answer.row_stops
        sketched = sketch_columns(resolved.request, slices.partials or (), *bounds)
        work = plan.calls, resolved.request, partials, answer.out, sketched
        columns.append(partial_columns(*work))
    return assemble(plan, replace(rows, times=None), answers, columns)


def _merged_lists(table: pa.Table, tiles: TilePlan) -> dict[str, Any]:
    """The results of calls over the values in the lists of tiles.

    A tile without a value has a null, so that all calls have the same windows.
    """
    return {
        name: _run(list_rows(table, name, part.plan), part).column(name)
        for name, part in tiles.lists.items()
    }


def list_rows(table: pa.Table, name: str, plan: Plan) -> pa.Table:
    """The values of a call's lists as rows, at the instants of their tiles."""
    assert plan.clock is not None
    lists = plain_array(table.column(name)).field(VALUES)
    counts = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    owners = np.repeat(np.arange(len(table)), np.maximum(counts, 1))
    has_value = np.repeat(counts > 0, np.maximum(counts, 1))
    places = np.cumsum(has_value) - 1
    values = plain_array(pc.list_flatten(lists)).take(as_arrow(places, ~has_value))
    rows = table.select([*plan.by, TILE]).take(as_arrow(owners))
    rows = rows.rename_columns([*plan.by, plan.clock.column])
    rows = rows.append_column(plan.calls[0].columns[0], values)
    return rows.append_column(PLACE, as_arrow(np.arange(len(owners))))


def _run(table: pa.Table, resolved: Resolved) -> pa.Table:
    result: pa.Table = open_windows(table, resolved.plan, 1).run(resolved)
    return result


def _written(tiles: TilePlan, folded: pa.Table, lists: dict[str, Any]) -> pa.Table:
    """A table of slices with the columns of tiles."""
    plan = tiles.plan
    assert plan.clock is not None
    columns: dict[str, Any] = {
        name: folded.column(f"k{i}") for i, name in enumerate(plan.by)
    }
    panes = folded.column(PANE).to_numpy()
    columns[TILE] = from_ints(panes, plan.clock.instant, None)
    parts: dict[str, dict[str, Any]] = {}
    for call, name, column in struct_fields(tiles):
        parts.setdefault(call, {})[name] = folded.column(column).combine_chunks()
    for call, column in lists.items():
        parts[call] = {VALUES: plain_array(column), **parts[call]}
    for call in tiles.calls:
        own = parts[call]
        columns[call] = pa.StructArray.from_arrays(list(own.values()), list(own))
    once = np.zeros(len(folded), np.int32), pa.array([tiles.about])
    columns[ABOUT] = pa.DictionaryArray.from_arrays(*once)  # the text is long
    return pa.table(columns).replace_schema_metadata({ABOUT: tiles.about})


def struct_fields(tiles: TilePlan) -> Iterator[tuple[str, str, str]]:
    """Each field of each call's struct: the call, its name there, and its column."""
    fields = partial_fields(tiles.resolved.request, tiles.resolved.slots)
    payloads = {bound.name: bound.payload for bound in tiles.plan.calls}
    for call, places in tiles.places().items():
        payload = payloads.get(call)
        for name, place in places.items():
            field = fields[place]
            is_place = field.payloads and payload is not None
            yield call, name, field.column(payload) if is_place else field.name  # type: ignore[arg-type]


def stored_columns(tiles: TilePlan) -> dict[str, tuple[str, str]]:
    """Where each column of partials stands in tiles: the call, and the field's name."""
    stored = {column: (call, name) for call, name, column in struct_fields(tiles)}
    fields = partial_fields(tiles.resolved.request, tiles.resolved.slots)
    for place, there in tiles.twins().items():
        stored[fields[place].name] = stored[fields[there].name]
    return stored


@dataclass(frozen=True)
class _StoredTiles:
    """Tiles by key and time, and the arrays of their partials in that order."""

    partials: Partials
    rows: SortedRows

    def parts(self) -> list[tuple[slice, slice]]:
        """Whole keys with about PIECE tiles together: their runs, and their tiles."""
        firsts, lasts = self.rows.firsts, self.rows.lasts
        begins = np.flatnonzero(np.diff(firsts // PIECE, prepend=-1)).tolist()
        ends = [*begins[1:], len(firsts)]
        return [
            (slice(a, b), slice(int(firsts[a]), int(lasts[b - 1])))
            for a, b in zip(begins, ends, strict=False)
        ]

    def part(self, runs: slice, rows: slice) -> tuple[SortedRows, tuple[Array, ...]]:
        """The tiles of a part, and their arrays."""
        arrays = tuple(values[rows] for values in self.partials.arrays)
        return self.rows.part(runs, rows), arrays


def _read(table: pa.Table, tiles: TilePlan) -> _StoredTiles:
    """The partials of tiles by key and time.

    Only the numbers of partials are put in order: what a tile is says each row again,
    and to take all columns was three quarters of the time.
    """
    plan, request = tiles.plan, tiles.resolved.request
    clock = clock_of(TILE, table.schema.field(TILE).type, ())
    rows = _in_order(table, plan.by, clock) or sort_rows(table, plan.by, clock)
    assert plan.clock is not None
    assert rows.times is not None
    units = clock.tick or 1, plan.clock.tick or 1
    times = rows.times if units[0] == units[1] else rows.times * units[0] // units[1]
    structs = {call: plain_array(table.column(call)) for call in tiles.calls}
    columns = {
        column: structs[call].field(name)
        for column, (call, name) in stored_columns(tiles).items()
    }
    fields = partial_fields(request, tiles.resolved.slots)
    partials = read_partials(request, fields, pa.table(columns))
    order = rows.order
    arrays = tuple(
        values
        if order is None
        else values[order]
        if values.dtype == object
        else rows.gather(values)
        for values in partials.arrays
    )
    placed = SortedRows(None, rows.firsts, rows.lasts, rows.keys, times)
    return _StoredTiles(replace(partials, arrays=arrays), placed)


def _slices(
    tiles: TilePlan, rows: SortedRows, arrays: tuple[Array, ...]
) -> tuple[SortedRows, Slices]:
    """Tiles as slices, run by run, each once and as long as the plan cuts them."""
    cuts, times = tiles.plan.cuts, rows.times
    assert times is not None
    cut = cuts.cut(times, rows.firsts, rows.lasts)
    assert cut is not None
    starts, stops = cut[0][:-1], cut[0][1:]
    if len(starts) < len(times):
        product = tiles.resolved.request.product
        arrays = fold(product, arrays, starts, stops, leaf="slices")
        times = times[starts]
    slices = Slices(None, cut[1], arrays)
    sliced = SortedRows(None, *slices.bounds, rows.keys, cuts.begins(times))
    return sliced, slices


def _in_order(table: pa.Table, by: tuple[str, ...], clock: Clock) -> SortedRows | None:
    """The rows of tiles that stand by key and time, as they are made; else None."""
    rows = rows_in_order(table, by, clock)
    assert rows.times is not None
    if rows.unplaced is not None or 8 * len(rows.firsts) > len(table) + 8:
        return None
    falls = rows.times[1:] < rows.times[:-1]
    falls[rows.firsts[1:] - 1] = False
    codes = key_codes(rows.keys, list(by))[0] if by else np.zeros(1, int)
    return None if falls.any() or (np.diff(codes) <= 0).any() else rows
