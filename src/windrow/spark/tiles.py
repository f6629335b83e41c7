"""`wr.tiles` and `wr.merge_tiles` on DataFrames: lazily, and as tables of one process.

    rows    -> slices (Catalyst, or a task)  -> structs                 wr.tiles
    tiles   -> slices -> shuffle, sort -> mapInArrow(slide) -> windows  wr.merge_tiles
    tiles   -> slices -> shuffle, sort -> mapInArrow(merge) -> structs  longer tiles

Slices are the rows that `wr.aggregate` has between its two levels.  Lists of values are
grouped by Catalyst, and merged as rows at the instants of their tiles.

What tiles are stands in the metadata of their column `tiles`, which Spark keeps in
Parquet; where another program wrote them, one row is read while the query is built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import LongType, StructField, StructType

from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import PANE
from windrow.batch.tiles import stored_columns, struct_fields
from windrow.errors import BadInput
from windrow.plan.tile_kind import (
    ABOUT,
    TILE,
    VALUES,
    TileKind,
    check_columns,
    read_kind,
)
from windrow.plan.tile_windows import plan_longer, plan_merge
from windrow.plan.tiles import PLACE, TilePlan, plan_tiles, tile_window
from windrow.plan.tree import Tree, choose_level1, choose_split, grow_tree

from . import ship, sql
from .aggregate import aggregate, shuffle_slices, windows_of
from .expressions import with_masks
from .partials import kernel_slices, native_slices, partial_schema, select_inputs
from .result import instant
from .schema import (
    arrow_schema,
    field_of,
    key_fields,
    key_names,
    quoted,
    required,
    with_instants,
)
from .shuffle import normalise_key, shuffle_by, shuffle_rows

_MARK = "windrow tiles"  # in the metadata of a column


def tiles(
    frame: DataFrame, every: Any, on: str | None, by: Any, named: Any, aggregates: Any
) -> DataFrame:
    """The tiles of rows, or longer ones of tiles; no job is run over rows."""
    if {TILE, ABOUT} <= set(frame.columns) and not (named or aggregates):
        return _longer(frame, every, on, by)
    window = tile_window(every, on)
    assert on is not None
    asked = gather_calls(named, aggregates, locals())
    frame, calls = with_masks(with_instants(frame, on), asked)
    plan = plan_tiles(arrow_schema(frame), window, by, calls)
    level1, reason = choose_level1(plan.plan, plan.resolved.request)
    nested = [key for key in plan.plan.by if pa.types.is_nested(_type(plan, key))]
    if level1 == "rows" and nested:
        raise BadInput.because(
            f"cannot make tiles by key {nested[0]!r}",
            "it is nested, and one of the aggregates is folded by our own kernel",
            "use its fields as keys, or make tiles of that aggregate in one process",
        )
    tree = Tree(plan.resolved, level1, reason, "none", "", 0)
    lists = lambda inputs: _list_texts(plan, inputs)  # noqa: E731
    if level1 == "native":
        return _written(frame, plan, native_slices(frame, tree, lists))
    if level1 == "rows":  # in order of time, a key at once
        schema = StructType(_slice_fields(frame, tree))
        rows = shuffle_rows(frame, tree)
        slices = ship.run_step(rows, "fold_keys", tree, schema, of_rows=True)
    else:
        slices = _merge_slices(frame, kernel_slices(frame, tree), tree)
    if not plan.lists:
        return _written(frame, plan, slices)
    rows, inputs = select_inputs(frame, tree)
    pane = F.expr(f"{plan.plan.cuts.number_sql(sql.TICKS)} as {PANE}")
    grouped = rows.groupBy(*key_names(plan.plan), pane)
    texts = _list_texts(plan, inputs)
    own = grouped.agg(*(F.expr(f"{text} as {name}") for name, text in texts.items()))
    begin = f"{plan.plan.cuts.begin_sql(PANE)} as {PANE}"
    own = own.selectExpr(*key_names(plan.plan), begin, *texts)
    return _written(frame, plan, _join(slices, own, [*key_names(plan.plan), PANE]))


def merge_tiles(
    frame: DataFrame, window: Any, by: Any, only: Sequence[str] | None, **hints: Any
) -> DataFrame:
    """The windows over tiles; no job is run but that which finds out what they are."""
    kind, source, frame = read_tiles(frame)
    plan = plan_merge(kind, window, by, only, tile_type(frame))
    split, chunk, reason = choose_split(plan.plan, "kernel", **hints)
    tree = Tree(plan.resolved, "kernel", "tiles hold partials", split, reason, chunk)
    slices = _slices(frame, plan, tree, source)
    result = windows_of(source, tree, shuffle_slices(source, tree, slices))
    named = [*plan.plan.by, *(["query"] if plan.plan.listed else []), "window"]
    for name, part in plan.lists.items():
        rows = _list_rows(frame, kind, plan, name)
        own = grow_tree(part.plan, frozenset(rows.columns), **hints)
        result = _join(result, aggregate(rows, own), named)
    return result.select(*(quoted(name) for name in (*named, *plan.calls)))


def _longer(frame: DataFrame, every: Any, on: str | None, by: Any) -> DataFrame:
    """Longer tiles of shorter ones."""
    kind, source, frame = read_tiles(frame)
    keys = kind.by if by is None else by
    window = tile_window(every, on, kind)
    plan = plan_longer(kind, window, keys, tile_type(frame))
    tree = Tree(plan.resolved, "kernel", "tiles hold partials", "none", "", 0)
    slices = _merge_slices(source, _slices(frame, plan, tree, source), tree)
    if plan.lists:
        texts = {}
        for i, (name, part) in enumerate(plan.lists.items()):
            pairs = f"collect_list(struct(t, {quoted(name)}.{VALUES} as v))"
            text = f"flatten(transform(array_sort({pairs}), x -> x.v))"
            distinct = part.plan.calls[0].aggregate.name != "collect"
            texts[f"l{i}"] = f"array_distinct({text})" if distinct else text
        time = sql.ticks(TILE, field_of(frame, TILE).dataType)
        rows = frame.select("*", F.expr(f"{time} as t"))
        pane = F.expr(f"{_pane(plan, time)} as {PANE}")
        grouped = rows.groupBy(*_keys(rows, plan), pane)
        own = grouped.agg(*(F.expr(f"{t} as {name}") for name, t in texts.items()))
        slices = _join(slices, own, [*key_names(plan.plan), PANE])
    return _written(source, plan, slices)


def read_tiles(frame: DataFrame) -> tuple[TileKind, DataFrame, DataFrame]:
    """What tiles are, an empty frame as they were made of, and the tiles, checked."""
    check_columns(frame.columns)
    about = field_of(frame, ABOUT).metadata.get(_MARK)
    if about is None:  # written by another program, which keeps no metadata
        rows = frame.select(ABOUT).limit(1).collect()
        about = rows[0][0] if rows else None
    kind = read_kind([about])
    check_columns(frame.columns, kind)
    schema = pa.schema([(field.name, _of_spark(field.type)) for field in kind.schema])
    made_of = from_arrow_schema(schema, prefer_timestamp_ntz=True)
    source = frame.sparkSession.createDataFrame([], made_of)
    own = replace(kind, schema=arrow_schema(source))
    checked = frame.withColumn(TILE, F.expr(_checked(about)))
    return own, source, checked


def _of_spark(kind: pa.DataType) -> pa.DataType:
    """A type as Spark has it: dates are midnights, instants are microseconds."""
    if pa.types.is_dictionary(kind):
        return _of_spark(kind.value_type)
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    return kind


def _checked(about: str | None) -> str:
    """The instant of a tile, in SQL; tiles of another kind are refused as they come."""
    said = (
        f"cannot read tiles: their column {ABOUT} has several different values"
        "\nHint: give tiles that were made with the same wr.tiles(...)"
    )
    wrong = f"raise_error({sql.text(said)})"
    return f"if({ABOUT} <=> {sql.text(about or '')}, {TILE}, {wrong})"


def tile_type(frame: DataFrame) -> pa.DataType:
    """The type of the instants at which tiles begin."""
    return arrow_schema(frame.select(TILE)).field(TILE).type


def _pane(plan: TilePlan, time: str) -> str:
    return plan.plan.cuts.sql(time)


def _keys(frame: DataFrame, plan: TilePlan) -> list[Any]:
    columns = []
    for name, alias in zip(plan.plan.by, key_names(plan.plan), strict=True):
        normal = normalise_key(frame, name)
        column = F.col(quoted(name)) if normal is None else normal
        columns.append(column.alias(alias))
    return columns


def _slices(
    frame: DataFrame, plan: TilePlan, tree: Tree, source: DataFrame
) -> DataFrame:
    """Tiles as slices: keys, panes as long as the plan cuts them, partials."""
    time = sql.ticks(TILE, field_of(frame, TILE).dataType)
    paths = {
        column: f"{quoted(call)}.{quoted(name)}"
        for column, (call, name) in stored_columns(plan).items()
    }
    partials = [
        F.expr(paths[field.name]).cast(field.dataType).alias(field.name)
        for field in partial_schema(source, tree)
    ]
    pane = F.expr(f"{_pane(plan, time)} as {PANE}")
    return frame.select(*_keys(frame, plan), pane, *partials)


def _merge_slices(source: DataFrame, slices: DataFrame, tree: Tree) -> DataFrame:
    """Slices, each once."""
    keys = key_names(tree.plan)
    sorted_slices = shuffle_by(slices, keys, [PANE])
    schema = StructType(_slice_fields(source, tree))
    return ship.run_step(sorted_slices, "merge_panes", tree, schema)


def _slice_fields(source: DataFrame, tree: Tree) -> list[StructField]:
    own = key_fields(source, tree.plan.by), required(LongType(), PANE)
    return [*own[0], *own[1], *partial_schema(source, tree)]


def _type(plan: TilePlan, name: str) -> pa.DataType:
    return plan.plan.schema.field(name).type


def _list_texts(plan: TilePlan, inputs: sql.Inputs) -> dict[str, str]:
    """The lists of values, in SQL, as columns l0, l1, ..."""
    texts = {}
    for i, part in enumerate(plan.lists.values()):
        (bound,) = part.plan.calls
        value = inputs.names[bound.columns[0]]
        if bound.aggregate.name == "collect":
            pair = (
                f"if({value} is null, null, struct({inputs.time} as t, {value} as v))"
            )
            texts[f"l{i}"] = (
                f"transform(array_sort(collect_list({pair})), pair -> pair.v)"
            )
        else:
            texts[f"l{i}"] = f"collect_set({value})"
    return texts


def _list_rows(
    frame: DataFrame, kind: TileKind, plan: TilePlan, name: str
) -> DataFrame:
    """The values of a call's lists as rows, at the instants of their tiles."""
    (bound,) = plan.lists[name].plan.calls
    keys = [F.col(quoted(key)) for key in plan.plan.by]
    time = F.col(TILE).alias(kind.on)
    values = F.posexplode_outer(F.col(f"{quoted(name)}.{VALUES}"))
    rows = frame.select(*keys, time, values.alias(PLACE, bound.columns[0]))
    return rows.withColumn(PLACE, F.col(PLACE).cast("bigint"))


def _written(frame: DataFrame, plan: TilePlan, slices: DataFrame) -> DataFrame:
    """Slices with the columns of tiles."""
    assert plan.plan.clock is not None
    keys = zip(key_names(plan.plan), plan.plan.by, strict=True)
    columns = [F.col(alias).alias(name) for alias, name in keys]
    kind = field_of(frame, plan.plan.clock.column).dataType
    columns.append(F.expr(f"{instant(PANE, kind)} as {TILE}"))
    parts: dict[str, list[str]] = {
        name: [f"l{i} as {VALUES}"] for i, name in enumerate(plan.lists)
    }
    for call, name, column in struct_fields(plan):
        parts.setdefault(call, []).append(f"{column} as {quoted(name)}")
    structs = {call: f"struct({', '.join(parts[call])})" for call in plan.calls}
    columns += [F.expr(text).alias(call) for call, text in structs.items()]
    about = F.lit(plan.about).alias(ABOUT, metadata={_MARK: plan.about})
    return slices.select(*columns, about)


def _join(left: DataFrame, right: DataFrame, names: Sequence[str]) -> DataFrame:
    """Both sides of rows that agree in columns of those names, nulls included."""
    mine: Mapping[str, str] = {name: f"j{i}" for i, name in enumerate(names)}
    others = [quoted(name) for name in right.columns if name not in mine]
    own = [F.col(quoted(name)).alias(alias) for name, alias in mine.items()]
    right = right.select(*own, *others)
    same = [left[quoted(name)].eqNullSafe(right[alias]) for name, alias in mine.items()]
    condition = same[0]
    for test in same[1:]:
        condition &= test
    return left.join(right, condition).drop(*mine.values())
