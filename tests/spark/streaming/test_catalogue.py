"""Every aggregate on a stream equals the in-process engine, your own included.

kept as slices     partials of bounded size
kept as rows       holistic ones, and own ones that plain Python runs
"""

from __future__ import annotations

import datetime as dt
import math
from random import Random

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answers import assert_same_rows
from micro_batches import closed, run, stream_of, write_files
from typed import TYPES, calls_over, table_of

import windrow as wr
from windrow.aggregates import CATALOGUE
from windrow.loops import interpreting

WINDOW = wr.sliding("30 seconds", every="7 seconds", offset="2 seconds", on="at")
EVERY = [
    pytest.param(kind, marks=() if kind == "double" else pytest.mark.deep)
    for kind in TYPES
]
LISTS = [
    pytest.param(kind, marks=() if kind == "string" else pytest.mark.deep)
    for kind in TYPES
]
WHOLE = {  # what floats do not have, and text as what is compared and carried
    "any": wr.any("whole"),
    "all": wr.all("whole"),
    "bit_and": wr.bit_and("whole"),
    "bit_or": wr.bit_or("whole"),
    "bit_xor": wr.bit_xor("whole"),
    "whole total": wr.sum("whole"),
    "who": wr.arg_max("whole", "text"),
    "most text": wr.max("text"),
    "first text": wr.first("text"),
}
LOG_SUM_EXP = wr.Aggregate(
    name="log_sum_exp",
    identity=(-math.inf, 0.0),
    lift=lambda value: (value, 1.0),
    combine=lambda a, b: (
        (a[0], a[1] + b[1] * math.exp(b[0] - a[0]))
        if a[0] >= b[0]
        else (b[0], b[1] + a[1] * math.exp(a[0] - b[0]))
    ),
    lower=lambda partial: partial[0] + math.log(partial[1]),
    laws="commutative",
)
ALTERNATING = wr.Aggregate(  # v0 - v1 + v2 - ..., in the order of time
    name="alternating",
    identity=(0, 1),
    lift=lambda value: (value, -1),
    combine=lambda older, newer: (older[0] + older[1] * newer[0], older[1] * newer[1]),
    lower=lambda partial: partial[0],
)


def batches_of(table: pa.Table) -> list[pa.Table]:
    """A table out of order, in micro-batches, and a row that closes all windows."""
    later = pc.add(table["at"], pa.scalar(dt.timedelta(days=20_000)))
    table = table.set_column(1, "at", later)
    times = table["at"].to_pylist()
    random = Random(1)
    arrival = [time + dt.timedelta(seconds=random.uniform(0, 20)) for time in times]
    order = sorted(range(len(table)), key=arrival.__getitem__)
    table = table.take(order)
    ahead = table.slice(0, 1)
    ahead = ahead.set_column(0, "key", pa.array(["flush"]))
    far = pa.array([max(times) + dt.timedelta(days=1)], table.schema.field("at").type)
    ahead = ahead.set_column(1, "at", far)
    return [table.slice(0, 80), pa.concat_tables([table.slice(80), ahead])]


def assert_as_in_process(spark, folder, table, calls):
    batches = batches_of(table)
    write_files(folder / "in", batches)
    stream = stream_of(spark, folder / "in", late_by="20 seconds")

    query = wr.aggregate(stream, WINDOW, by="key", buckets=4, aggregates=calls)
    ran = run(query, folder / "checkpoint")

    with interpreting():
        table = pa.concat_tables(batches)
        expected = wr.aggregate(table, WINDOW, by="key", aggregates=calls)
    assert ran.metric("late_rows") == 0
    assert_same_rows(ran.rows, closed(expected, ran.watermark))


@pytest.mark.parametrize("kind", EVERY)
def test_partials_over_each_type_give_the_answers_of_the_engine(
    streaming, tmp_path, kind
):
    whole, text = table_of("bigint")["x"], table_of("string")["y"]
    table = table_of(kind).append_column("whole", whole).append_column("text", text)
    calls = calls_over(kind, holistic=False) | WHOLE

    assert_as_in_process(streaming, tmp_path, table, calls)


def test_sketches_are_kept_in_pages_and_give_the_answers_of_the_engine(
    streaming, tmp_path
):
    calls = {
        "kinds": wr.approx_distinct("y"),
        "n": wr.count(),
        "bins": wr.histogram("x", [-50, 0, 50]),
        "ends": wr.approx_quantile("x", [0, 0.5, 1], method="ddsketch"),
        "median": wr.approx_quantile("x", 0.5),
        "top": wr.approx_top_k("y", 2),
        "bytes": wr.hll_sketch("y"),
    }

    assert_as_in_process(streaming, tmp_path, table_of("double"), calls)


@pytest.mark.parametrize("kind", LISTS)
def test_holistic_aggregates_over_each_type_give_the_answers_of_the_engine(
    streaming, tmp_path, kind
):
    calls = calls_over(kind, holistic=True)

    assert_as_in_process(streaming, tmp_path, table_of(kind), calls)


def test_every_aggregate_of_the_catalogue_is_compared_in_every_run():
    compared = {
        *calls_over("double", holistic=False),
        *calls_over("double", holistic=True),
        *calls_over("string", holistic=True),
        *WHOLE,
    }

    exact = [one for one in CATALOGUE if not one.sketch]
    assert compared >= {one.name for one in exact if "own" not in one.takes}


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(LOG_SUM_EXP, id="commutes", marks=pytest.mark.deep),
        pytest.param(ALTERNATING, id="not", marks=pytest.mark.deep),
    ],
)
def test_own_aggregates_give_the_answers_of_the_engine(streaming, tmp_path, own):
    calls = {own.name: own("x")}

    assert_as_in_process(streaming, tmp_path, table_of("smallint"), calls)
