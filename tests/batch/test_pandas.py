"""What pandas users find: two columns for a window, an index that is read and kept."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

import windrow as wr

TIMES = pd.date_range("2026-03-01", periods=6, freq="min", name="ts", tz="Europe/Rome")
VALUES = [1.0, 5.0, 2.0, 8.0, 3.0, 1.0]
TWO = wr.sliding("2 minutes", every="1 minute", on="ts")


@pytest.fixture
def series():
    return pd.Series(VALUES, index=TIMES, name="x")


def test_a_window_is_two_datetime_columns_that_sort_group_and_merge(series):
    frame = series.reset_index()

    actual = wr.aggregate(frame, TWO, top=wr.max("x"))

    assert actual.columns.tolist() == ["window_start", "window_end", "top"]
    assert (actual.dtypes.iloc[:2] == TIMES.dtype).all()
    assert (actual["window_end"] - actual["window_start"] == pd.Timedelta("2min")).all()
    assert len(actual.sort_values("window_start").groupby("window_end").size()) == 7
    assert len(actual.merge(frame, left_on="window_start", right_on="ts")) == 6


def test_texts_and_tiles_give_two_columns_too(series):
    frame = series.reset_index()
    text = "select window, max(x) as top from S [range 2 minutes slide 1 minute]"
    tiles = wr.tiles(frame, every="1 minute", on="ts", top=wr.max("x"))

    expected = wr.aggregate(frame, TWO, top=wr.max("x"))

    pd.testing.assert_frame_equal(wr.cql(text, S=frame), expected)
    pd.testing.assert_frame_equal(wr.merge_tiles(tiles, TWO), expected)


@pytest.mark.parametrize("name", ["ts", None])
def test_a_datetime_index_is_named_in_on(series, name):
    frame = series.to_frame().rename_axis(name)
    window = TWO.replaced(on=name or "index")

    actual = wr.aggregate(frame, window, top=wr.max("x"))
    rolled = wr.over(frame, on=name or "index", s=wr.sum("x", last="2 minutes"))

    pd.testing.assert_frame_equal(
        actual, wr.aggregate(series.reset_index(), TWO, top=wr.max("x"))
    )
    assert rolled["s"].tolist() == series.rolling("2min").sum().tolist()
    assert rolled.index.equals(frame.index)


def test_a_level_of_an_index_is_a_key(series):
    frame = pd.concat({"a": series, "b": series * 2}, names=["key"]).to_frame()

    actual = wr.aggregate(frame, TWO, by="key", top=wr.max("x"))

    assert actual.groupby("key")["top"].max().to_dict() == {"a": 8.0, "b": 16.0}


def test_rows_windows_of_a_series_have_its_index_as_rolling_has(series):
    actual = wr.slide(series, wr.rows(3), "max")

    pd.testing.assert_series_equal(
        actual, series.rolling(3).max().dropna(), check_freq=False
    )


def test_windows_that_begin_before_the_first_row_stand_at_their_last_row(series):
    actual = wr.slide(series, wr.rows(3, partial=True), "sum")

    assert actual.index[:6].equals(TIMES)
    assert set(actual.index[6:]) == {TIMES[-1]}
    assert actual.iloc[:6].tolist() == series.rolling(3, min_periods=1).sum().tolist()


def test_time_windows_of_a_series_read_its_index_and_stand_at_their_start(series):
    actual = wr.slide(series, TWO, "max")
    table = wr.aggregate(series.reset_index(), TWO, x=wr.max("x"))

    pd.testing.assert_series_equal(actual, table.set_index("window_start")["x"])


def test_several_aggregates_of_a_series_are_series_with_one_index(series):
    actual = wr.slide(series, wr.rows(2), ["max", "min"])

    assert {name: type(one) for name, one in actual.items()} == {
        "max": pd.Series,
        "min": pd.Series,
    }
    assert actual["max"].index.equals(TIMES[1:])


def test_an_empty_series_gives_an_empty_series(series):
    actual = wr.slide(series.iloc[:0], wr.rows(2), "max")

    assert isinstance(actual, pd.Series)
    assert actual.empty


def test_times_of_a_series_that_are_not_in_order_are_refused(series):
    with pytest.raises(wr.BadInput, match="entry 1 lies before entry 0"):
        wr.slide(series.iloc[::-1], TWO, "max")


def test_a_name_that_the_window_has_is_refused(series):
    with pytest.raises(wr.BadInput, match="cannot name a column 'window_end'"):
        wr.aggregate(series.reset_index(), TWO, window_end=wr.max("x"))


def test_an_arrow_table_may_use_these_names(series):
    table = pa.table({"ts": [1, 2], "window_end": [3, 4]})

    actual = wr.aggregate(table, wr.sliding(1, on="ts"), by="window_end", n=wr.count())

    assert actual.column_names == ["window_end", "window", "n"]


@pytest.mark.parametrize(
    ("call", "cause", "hint"),
    [
        (lambda s: {"m": lambda x: x.max()}, "type function", "wr.Aggregate(name="),
        (lambda s: {"m": wr.sum(lambda x: x)}, "of a function", "wr.sum('column')"),
        (lambda s: {"m": wr.sum(s)}, "of a pandas Series", "add to the table first"),
        (lambda s: {"m": wr.sum("x * 2")}, "an expression", "sum(x * 2)"),
    ],
)
def test_what_is_no_aggregate_of_a_column_is_refused_with_the_way(
    series, call, cause, hint
):
    with pytest.raises(wr.WindrowError) as caught:
        wr.aggregate(series.reset_index(), TWO, **call(series))

    fact, _, way = str(caught.value).partition("\nHint: ")
    assert cause in fact
    assert hint in way


def test_a_column_of_spark_is_refused_with_the_way(spark):
    from pyspark.sql import functions as F  # noqa: PLC0415 - needs the session

    with pytest.raises(wr.BadInput, match=r"cannot make sum of a pyspark Column"):
        wr.sum(F.col("x"))


def test_the_name_of_a_file_is_refused_with_the_way_to_read_it(tmp_path):
    path = tmp_path / "calls.csv"

    with pytest.raises(wr.BadInput, match="there is no file of that name"):
        wr.aggregate(str(path), TWO, n=wr.count())
    path.write_text("ts\n")
    with pytest.raises(wr.BadInput, match=r"pyarrow\.csv\.read_csv"):
        wr.aggregate(path, TWO, n=wr.count())
