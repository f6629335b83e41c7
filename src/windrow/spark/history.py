"""A stream that begins with history: tiles as the first state of its buckets.

    tiles before `since`  -> slices, packed by bucket -> initial state
    rows of the stream    -> those from `since` on    -> as ever
    windows               -> those that end after `since`

Tiles are slices of the query's own aggregates.  A bucket takes them in before its first
rows, and moves on to `since` without giving a window.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampNTZType

from windrow._later import dataclass
from windrow.batch.partials import PANE, ROWS, partial_fields
from windrow.errors import BadInput
from windrow.plan.aggregate import Plan
from windrow.plan.flow import Flow
from windrow.plan.tile_kind import TILE, TileKind
from windrow.plan.tile_windows import plan_merge
from windrow.plan.tiles import field_names, twins_of

from . import sql
from .partials import slice_type
from .schema import field_of, quoted
from .tiles import read_tiles, tile_type


@dataclass(frozen=True)
class History:
    """Tiles before an instant in ticks."""

    tiles: DataFrame
    kind: TileKind
    source: DataFrame
    since: int


def open_history(
    frame: DataFrame, window: Any, flow: Flow, tiles: Any, since: object
) -> History:
    """Check that tiles hold what a query over a stream needs, up to `since`."""
    plan = flow.plan
    assert plan.clock is not None
    fact = "cannot begin a stream with tiles"
    if flow.fed != "slices":
        raise BadInput.because(
            fact,
            f"{flow.fed_reason}",
            "use aggregates that commute, without late='keep'",
        )
    assert isinstance(plan, Plan)
    if not isinstance(tiles, DataFrame) and not hasattr(tiles, "isStreaming"):
        tiles = frame.sparkSession.createDataFrame(tiles)
    kind, source, stored = read_tiles(tiles)
    if kind.on != plan.clock.column:
        cause = (
            f"they were cut by {kind.on!r}, and the windows go by {plan.clock.column!r}"
        )
        raise BadInput.because(fact, cause, "make them of the stream's own columns")
    names = [bound.name for bound in plan.calls]
    plan_merge(kind, window, plan.by, names, tile_type(stored))
    for bound in plan.calls:
        own, call = kind.calls[bound.name], bound.call
        pair = [(c.aggregate.name, c.columns, dict(c.options)) for c in (own, call)]
        if pair[0] != pair[1]:
            cause = f"their {bound.name!r} is {own.label}, and the query's {call.label}"
            raise BadInput.because(fact, cause, "name results as the tiles do")
    ticks = _ticks(since, frame, plan)
    every, shift = (
        n * kind.tick // plan.clock.tick if kind.tick else n
        for n in (kind.every, kind.shift)
    )
    if (ticks - shift) % every:
        raise BadInput.because(
            fact,
            f"since={since!r} lies within a tile, whose rows would count twice or not",
            "give an instant at which a tile begins",
        )
    return History(stored, kind, source, ticks)


def history_slices(history: History, frame: DataFrame, flow: Flow) -> DataFrame:
    """Tiles as slices of the query: keys as k0, k1, ..., panes, partials."""
    plan, stored = flow.plan, history.tiles
    assert isinstance(plan, Plan)
    time = sql.ticks(TILE, field_of(stored, TILE).dataType)
    columns = [
        F.col(quoted(name)).cast(field_of(frame, name).dataType).alias(f"k{i}")
        for i, name in enumerate(plan.by)
    ]
    begin = plan.cuts.sql(time)
    columns += [F.expr(f"{begin} as {PANE}"), F.expr(f"0L as {ROWS}")]
    names, fields = field_names(flow.request), partial_fields(flow.request, flow.slots)
    paths: dict[int, str] = {}
    for bound, outputs in flow.request.calls:
        for number in outputs:
            output = flow.request.product.outputs[number]
            present = [] if output.present_in is None else [output.present_in]
            for place in (*output.fields, *present):
                call = quoted(bound.name)
                paths[place] = f"{call}.{quoted(names[place])}"
                if names[place] == "there":
                    paths[place] = f"if({call}.count > 0, 1L, 0L)"
    for place, there in twins_of(flow.request, set(paths)).items():
        paths[place] = paths[there]
    columns += [
        F.expr(paths[place]).cast(slice_type(field, frame)).alias(field.name)
        for place, field in enumerate(fields)
    ]
    return stored.where(F.expr(f"{time} < {history.since}L")).select(*columns)


def _ticks(since: object, frame: DataFrame, plan: Plan) -> int:
    """An instant in ticks of the query."""
    assert plan.clock is not None
    fact = f"cannot begin a stream since {since!r}"
    if not plan.clock.tick:
        if isinstance(since, int):
            return since
        raise BadInput.because(fact, "times are numbers", "give a whole number")
    if isinstance(since, str):
        try:
            since = dt.datetime.fromisoformat(since)
        except ValueError as error:
            raise BadInput.because(
                fact, str(error), "write 2024-05-01T00:00+00:00"
            ) from error
    if not isinstance(since, dt.datetime):
        raise BadInput.because(
            fact,
            "rows before an instant are in the tiles, and it has to be said which",
            "give since=datetime(...), at which the first tile that is missing begins",
        )
    local = isinstance(field_of(frame, plan.clock.column).dataType, TimestampNTZType)
    if (since.tzinfo is None) != local:
        cause = (
            "it has no time zone, and times have" if not local else "times have no zone"
        )
        raise BadInput.because(fact, cause, "write it as the stream's times are")
    zero = dt.datetime(1970, 1, 1, tzinfo=None if local else dt.UTC)
    micros = (since - zero) // dt.timedelta(microseconds=1)
    return micros * 1000 // plan.clock.tick
