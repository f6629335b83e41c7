"""Tests that a result is of the same library as the input table."""

import datetime as dt
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import windrow as wr

ROWS = {"who": ["a", "b", "a"], "at": [1, 2, 12], "len": [3.0, 5.0, 4.0]}
WINDOW = wr.sliding(10, on="at")
EXPECTED = [
    {"who": "a", "window": {"start": 0, "end": 10}, "longest": 3.0},
    {"who": "a", "window": {"start": 10, "end": 20}, "longest": 4.0},
    {"who": "b", "window": {"start": 0, "end": 10}, "longest": 5.0},
]


def aggregate(data):
    return wr.aggregate(data, WINDOW, by="who", longest=wr.max("len"))


def test_a_pyarrow_table_gives_a_pyarrow_table():
    actual = aggregate(pa.table(ROWS))

    assert isinstance(actual, pa.Table)
    assert actual.to_pylist() == EXPECTED


def test_a_record_batch_and_a_reader_give_a_table():
    table = pa.table(ROWS)

    assert aggregate(table.to_batches()[0]).to_pylist() == EXPECTED
    assert aggregate(table.to_reader()).to_pylist() == EXPECTED


def test_a_polars_frame_gives_a_polars_frame():
    actual = aggregate(pl.DataFrame(ROWS))

    assert isinstance(actual, pl.DataFrame)
    assert actual.to_dicts() == EXPECTED


def test_a_pandas_frame_gives_a_pandas_frame():
    actual = aggregate(pd.DataFrame(ROWS))

    assert isinstance(actual, pd.DataFrame)
    assert actual["longest"].tolist() == [3.0, 4.0, 5.0]
    assert actual.columns.tolist() == ["who", "window_start", "window_end", "longest"]
    assert actual["window_start"].tolist() == [0, 10, 0]
    assert actual["window_end"].tolist() == [10, 20, 10]


def test_a_duckdb_relation_is_read_through_its_arrow_stream():
    table = pa.table(ROWS)
    relation = duckdb.from_arrow(table)

    assert aggregate(relation).to_pylist() == EXPECTED


def test_over_keeps_a_pandas_frame_with_its_index_and_columns():
    frame = pd.DataFrame(ROWS, index=[7, 8, 9])

    actual = wr.over(frame, on="at", by="who", two=wr.sum("len", last=2))

    assert actual.index.tolist() == [7, 8, 9]
    assert actual.columns.tolist() == ["who", "at", "len", "two"]
    assert actual["two"].tolist() == [3.0, 5.0, 7.0]
    assert frame.columns.tolist() == ["who", "at", "len"]


def test_over_keeps_a_polars_frame():
    actual = wr.over(pl.DataFrame(ROWS), on="at", by="who", two=wr.sum("len", last=2))

    assert isinstance(actual, pl.DataFrame)
    assert actual["two"].to_list() == [3.0, 5.0, 7.0]


def test_over_keeps_the_order_of_rows_that_are_not_sorted():
    table = pa.table({"at": [5, 1, 3], "x": [50, 10, 30]})

    actual = wr.over(table, on="at", s=wr.sum("x", last=2))

    assert actual["at"].to_pylist() == [5, 1, 3]
    assert actual["s"].to_pylist() == [80, 10, 40]


def test_chunked_columns_are_read_across_their_chunks():
    table = pa.concat_tables([pa.table(ROWS), pa.table(ROWS)])

    actual = aggregate(table)

    assert actual.to_pylist() == EXPECTED


def test_a_sliced_table_is_read_from_its_offset():
    table = pa.table(
        {
            "who": ["z", *ROWS["who"]],
            "at": [0, *ROWS["at"]],
            "len": [None, *ROWS["len"]],
        }
    ).slice(1)

    assert aggregate(table).to_pylist() == EXPECTED


def test_no_rows_in_no_rows_out():
    empty = pa.table(ROWS).slice(0, 0)

    actual = aggregate(empty)
    listed = wr.aggregate(empty, [WINDOW], by="who", n=wr.count(), c=wr.collect("len"))
    beside = wr.over(empty, on="at", n=wr.count(last=3))

    assert actual.num_rows == 0
    assert actual.schema.names == ["who", "window", "longest"]
    assert listed.num_rows == 0
    assert beside.num_rows == 0


@pytest.mark.parametrize(
    "kind",
    [
        lambda table: table,
        lambda table: table.to_batches()[0],
        lambda table: table.to_reader(),
        lambda table: table.to_pandas(),
        pl.DataFrame,
    ],
    ids=["table", "batch", "reader", "pandas", "polars"],
)
def test_rows_are_counted_where_no_column_is_read(kind):
    actual = wr.aggregate(kind(pa.table(ROWS)), wr.rows(2), n=wr.count())

    assert list(actual["n"]) in ([2, 2], [pa.scalar(2), pa.scalar(2)])


@pytest.mark.parametrize("by", [None, []])
def test_without_keys_there_are_no_key_columns(by):
    actual = wr.aggregate(pa.table(ROWS), WINDOW, by=by, n=wr.count())

    assert actual.schema.names == ["window", "n"]
    assert actual["n"].to_pylist() == [2, 1]


def test_rows_without_a_time_are_left_out_of_aggregate():
    table = pa.table({"who": ["a", "b", "c"], "at": [1, None, 2]})

    actual = wr.aggregate(table, WINDOW, by="who", n=wr.count())

    assert actual["who"].to_pylist() == ["a", "c"]


def test_several_keys_come_out_in_their_order_nulls_first():
    table = pa.table(
        {"a": ["x", None, "x", "w"], "b": [2, 5, None, 1], "at": [1, 1, 1, 1]}
    )

    actual = wr.aggregate(table, WINDOW, by=["a", "b"], n=wr.count())

    keys = list(zip(actual["a"].to_pylist(), actual["b"].to_pylist(), strict=True))
    assert keys == [(None, 5), ("w", 1), ("x", None), ("x", 2)]


def test_names_that_collide_with_parameters_go_into_aggregates():
    actual = wr.aggregate(
        pa.table(ROWS), WINDOW, aggregates={"by": wr.count(), "slicer": wr.max("len")}
    )

    assert actual.schema.names == ["window", "by", "slicer"]


@pytest.mark.parametrize("name", ["mode", "late", "by", "threads"])
@pytest.mark.parametrize(
    "call",
    [
        lambda **given: wr.aggregate(pa.table(ROWS), WINDOW, n=wr.count(), **given),
        lambda **given: wr.over(pa.table(ROWS), on="at", n=wr.count(last=2), **given),
    ],
)
def test_an_aggregate_given_to_a_parameter_is_refused_not_left_out(call, name):
    with pytest.raises(wr.BadInput, match=f"'{name}': it is a parameter") as caught:
        call(**{name: wr.mode("len")})

    assert f"Hint: write aggregates={{'{name}': ...}}" in str(caught.value)


@pytest.mark.parametrize("name", ["hot", "threads", "ties", "delay"])
def test_a_feature_given_to_a_parameter_is_refused_not_left_out(name):
    rows = pa.table(ROWS)

    with pytest.raises(wr.BadInput, match=f"'{name}': it is a parameter"):
        wr.as_of(rows, rows, at="at", on="at", n=wr.count(), **{name: wr.max("len")})


def test_a_list_of_windows_comes_out_in_long_form_by_key_query_start():
    actual = wr.aggregate(
        pa.table(ROWS),
        [wr.sliding(10, on="at"), wr.sliding(20, on="at", name="long")],
        by="who",
        n=wr.count(),
    )

    rows = [(r["who"], r["query"], r["window"]["start"]) for r in actual.to_pylist()]
    assert rows == [
        ("a", "0", 0),
        ("a", "0", 10),
        ("a", "long", 0),
        ("b", "0", 0),
        ("b", "long", 0),
    ]


def test_a_zone_moves_the_starts_to_its_own_midnight():
    at = dt.datetime(2026, 1, 1, 19, tzinfo=dt.UTC)
    table = pa.table({"ts": pa.array([at], pa.timestamp("us", "UTC"))})

    actual = wr.aggregate(
        table, wr.sliding("1 day", on="ts", tz="Asia/Kolkata"), n=wr.count()
    )

    start = actual["window"].to_pylist()[0]["start"]
    assert start == dt.datetime(2026, 1, 1, 18, 30, tzinfo=dt.UTC)


def test_ties_decide_the_order_within_an_instant():
    table = pa.table({"at": [1, 1, 1], "rank": [2, 3, 1], "x": ["b", "c", "a"]})

    arrival = wr.aggregate(table, wr.sliding(5, on="at"), x=wr.collect("x"))
    ranked = wr.aggregate(table, wr.sliding(5, on="at", ties="rank"), x=wr.collect("x"))

    assert arrival["x"].to_pylist() == [["b", "c", "a"]]
    assert ranked["x"].to_pylist() == [["a", "b", "c"]]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.array([1.0, 2.0, 3.0]), np.ndarray),
        ([1.0, 2.0, 3.0], np.ndarray),
        (pa.array([1.0, 2.0, 3.0]), pa.Array),
        (pd.Series([1.0, 2.0, 3.0]), pd.Series),
        (pl.Series([1.0, 2.0, 3.0]), pl.Series),
    ],
    ids=["numpy", "list", "pyarrow", "pandas", "polars"],
)
def test_slide_gives_the_kind_of_array_that_came_in(values, kind):
    actual = wr.slide(values, wr.rows(2), "sum")

    assert isinstance(actual, kind)
    assert [
        float(v) if not isinstance(v, pa.Scalar) else v.as_py() for v in actual
    ] == [
        3.0,
        5.0,
    ]


def test_importing_windrow_does_not_import_spark():
    code = (
        "import windrow, sys; print('pyspark' in sys.modules, 'pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["False", "False"]
