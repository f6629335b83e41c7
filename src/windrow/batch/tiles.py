"""Makes tiles of rows or of finer tiles, and windows of tiles, in one process.

    rows  -- fold -->  slices  -- write -->  tiles, stored by whatever means
    tiles -- read -->  slices  -- slide -->  windows, as of the rows themselves

Tiles come in any order, and several of one key and slice are combined.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.loops import as_arrow
from windrow.plan.tiles import ABOUT, TILE, TilePlan
from windrow.slicing import fold
from windrow.windows import clock_of

from .assemble import assemble
from .columns import array_runs
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
from .slices import Job, Slices, slide_slices
from .sorted_rows import SortedRows, check_room, sort_rows, times_of

Array = np.ndarray[Any, Any]


def make_tiles(table: pa.Table, tiles: TilePlan) -> pa.Table:
    """The tiles of rows: one row a key and slice."""
    resolved = tiles.resolved
    folded = Folding(tiles.plan, resolved.request, resolved.slots).fold(table)
    return _written(tiles, folded)


def coarsen_tiles(table: pa.Table, tiles: TilePlan) -> pa.Table:
    """Longer tiles of shorter ones."""
    partials, rows, slices = _read(table, tiles)
    assert slices.partials is not None
    assert rows.times is not None
    runs = np.repeat(np.arange(len(rows.firsts)), rows.lengths)
    keys = rows.keys.take(as_arrow(runs))
    columns = {f"k{i}": keys.column(n) for i, n in enumerate(tiles.plan.by)}
    columns |= {PANE: as_arrow(rows.times)}
    folded = pa.table(columns | write_partials(partials, slices.partials))
    return _written(tiles, folded)


def merge_windows(table: pa.Table, tiles: TilePlan) -> pa.Table:
    """The windows over tiles, as `wr.aggregate` gives them over rows."""
    resolved, plan = tiles.resolved, tiles.plan
    partials, rows, slices = _read(table, tiles)
    check_room(rows.extremes, plan.longest)
    answers = slide_slices(Job(resolved, rows, ()), slices)
    columns = [
        partial_columns(plan.calls, resolved.request, partials, answer.out)
        for answer in answers
    ]
    result = assemble(plan, replace(rows, times=None), answers, columns)
    hidden = {bound.name for bound in plan.calls}.difference(tiles.calls)
    return result.select([name for name in result.column_names if name not in hidden])


def _written(tiles: TilePlan, folded: pa.Table) -> pa.Table:
    """A table of slices with the columns of tiles."""
    plan, request = tiles.plan, tiles.resolved.request
    assert plan.clock is not None
    fields = partial_fields(request, tiles.resolved.slots)
    payloads = {bound.name: bound.payload for bound in plan.calls}
    columns: dict[str, Any] = {
        name: folded.column(f"k{i}") for i, name in enumerate(plan.by)
    }
    panes = folded.column(PANE).to_numpy()
    columns[TILE] = from_ints(panes, plan.clock.instant, None)
    for call, places in tiles.places().items():
        parts = {}
        for name, place in places.items():
            payload = payloads[call]
            own = fields[place].payloads and payload is not None
            column = fields[place].column(payload) if own else fields[place].name  # type: ignore[arg-type]
            parts[name] = folded.column(column).combine_chunks()
        columns[call] = pa.StructArray.from_arrays(list(parts.values()), list(parts))
    about = pa.array([tiles.about]).dictionary_encode()
    columns[ABOUT] = about.take(pa.array(np.zeros(len(folded), np.int32)))
    columns[ABOUT] = columns[ABOUT].cast(pa.string())
    return pa.table(columns).replace_schema_metadata({ABOUT: tiles.about})


def _read(table: pa.Table, tiles: TilePlan) -> tuple[Partials, SortedRows, Slices]:
    """The slices of tiles, each once, run by run, as long as the plan cuts them."""
    plan, request = tiles.plan, tiles.resolved.request
    fields = partial_fields(request, tiles.resolved.slots)
    clock = clock_of(TILE, table.schema.field(TILE).type, ())
    rows = sort_rows(table, plan.by, clock)
    table = table if rows.order is None else table.take(as_arrow(rows.order))
    assert plan.clock is not None
    own = clock.tick or 1
    times = times_of(table, clock)[0]
    times = times * own // (plan.clock.tick or 1)
    times = plan.cuts.begins(times)
    columns: dict[str, Any] = {}
    payloads = {bound.name: bound.payload for bound in plan.calls}
    for call, places in tiles.places().items():
        struct = table.column(call).combine_chunks()
        for name, place in places.items():
            field, payload = fields[place], payloads[call]
            is_own = field.payloads and payload is not None
            column = field.column(payload) if is_own else field.name  # type: ignore[arg-type]
            columns.setdefault(column, struct.field(name))
    partials = read_partials(request, fields, pa.table(columns))
    arrays, firsts, lasts = partials.arrays, rows.firsts, rows.lasts
    runs = np.repeat(np.arange(len(firsts)), lasts - firsts)
    starts, stops = array_runs(runs, times)
    if len(starts) < len(times):
        arrays = fold(request.product, arrays, starts, stops, leaf="slices")
        times = times[starts]
        firsts, lasts = np.searchsorted(starts, [firsts, lasts])
    slices = Slices(None, np.append(firsts, len(times)), arrays)
    keys = rows.keys.rename_columns(list(plan.by)) if plan.by else rows.keys
    stream = SortedRows(None, firsts, lasts, keys, times)
    return partials, stream, slices
