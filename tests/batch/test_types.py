"""Tests the types of result columns for each type of input column."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr

NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def last_two(column, aggregate):
    """The aggregate over windows of two rows."""
    table = pa.table({"x": column})
    result = wr.aggregate(table, wr.rows(2), y=aggregate("x"))
    return result.column("y")


@pytest.mark.parametrize(
    "kind",
    [
        pa.int8(),
        pa.int16(),
        pa.int32(),
        pa.int64(),
        pa.uint8(),
        pa.uint32(),
        pa.uint64(),
    ],
    ids=str,
)
def test_whole_numbers_sum_to_int64_and_keep_their_type_as_extremes(kind):
    column = pa.array([1, 100, 27], kind)

    total, least = last_two(column, wr.sum), last_two(column, wr.min)

    assert total.type == pa.int64()
    assert total.to_pylist() == [101, 127]
    assert least.type == kind
    assert least.to_pylist() == [1, 27]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_floats_sum_to_double_and_keep_their_type_as_extremes(kind):
    column = pa.array(np.array([1.5, 2.5, -1.0]), pa.float64()).cast(kind)

    total, most = last_two(column, wr.sum), last_two(column, wr.max)

    assert total.type == pa.float64()
    assert total.to_pylist() == [4.0, 1.5]
    assert most.type == kind
    assert most.to_pylist() == [2.5, 2.5]


def test_booleans_have_truth_and_a_sum():
    column = pa.array([True, False, None])

    assert last_two(column, wr.any).to_pylist() == [True, False]
    assert last_two(column, wr.all).to_pylist() == [False, False]
    assert last_two(column, wr.sum).to_pylist() == [1, 0]
    assert last_two(column, wr.max).to_pylist() == [True, False]


def test_decimals_are_exact_and_their_sums_and_means_widen_as_in_spark():
    column = pa.array([Decimal("0.10"), Decimal("0.25"), Decimal("-9.99")])
    assert column.type == pa.decimal128(3, 2)

    total, mean, most = (last_two(column, a) for a in (wr.sum, wr.mean, wr.max))

    assert total.type == pa.decimal128(13, 2)
    assert total.to_pylist() == [Decimal("0.35"), Decimal("-9.74")]
    assert mean.type == pa.decimal128(7, 6)
    assert mean.to_pylist() == [Decimal("0.175000"), Decimal("-4.870000")]
    assert most.to_pylist() == [Decimal("0.25"), Decimal("0.25")]


def test_a_decimal_mean_rounds_half_away_from_zero():
    column = pa.array([Decimal(1), Decimal(0), Decimal(0)], pa.decimal128(1, 0))
    table = pa.table({"x": pa.concat_arrays([column, pc_negative(column)])})

    result = wr.aggregate(table, wr.rows(3, every=3), y=wr.mean("x"))

    assert result["y"].to_pylist() == [Decimal("0.3333"), Decimal("-0.3333")]


def pc_negative(column):
    return pa.array([-value.as_py() for value in column], column.type)


def test_decimal_sums_past_one_word_are_exact():
    big = Decimal(10**18 - 1)
    column = pa.array([big] * 30, pa.decimal128(18, 0))
    table = pa.table({"x": column})

    result = wr.aggregate(table, wr.rows(30), s=wr.sum("x"), m=wr.mean("x"))

    assert result["s"].to_pylist() == [big * 30]
    assert result["s"].type == pa.decimal128(28, 0)
    assert result["m"].to_pylist() == [big]


def test_negative_decimal_sums_past_one_word_are_exact():
    column = pa.array([Decimal(-(10**18) + 1)] * 30, pa.decimal128(18, 0))

    result = wr.aggregate(pa.table({"x": column}), wr.rows(30), s=wr.sum("x"))

    assert result["s"].to_pylist() == [Decimal(-(10**18) + 1) * 30]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_keep_unit_and_zone_and_their_range_is_a_duration(unit):
    kind = pa.timestamp(unit, "UTC")
    column = pa.array([NOON, NOON + dt.timedelta(seconds=3), None], kind)

    assert last_two(column, wr.max).type == kind
    assert last_two(column, wr.max).to_pylist() == [NOON + dt.timedelta(seconds=3)] * 2
    assert last_two(column, wr.range).type == pa.duration(unit)
    assert last_two(column, wr.range).cast(pa.duration("s")).to_pylist() == [
        dt.timedelta(seconds=3),
        dt.timedelta(0),
    ]


def test_dates_come_back_as_dates_and_their_range_as_time():
    column = pa.array([dt.date(1969, 12, 31), dt.date(1970, 1, 2)])

    assert last_two(column, wr.min).to_pylist() == [dt.date(1969, 12, 31)]
    assert last_two(column, wr.range).to_pylist() == [dt.timedelta(days=2)]


def test_durations_add_up():
    column = pa.array([dt.timedelta(seconds=1), dt.timedelta(seconds=2)])

    assert last_two(column, wr.sum).to_pylist() == [dt.timedelta(seconds=3)]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_strings_are_ordered_by_code_point(kind):
    column = pa.array(["Zoe", "adam", "Äb", None, ""], kind)

    assert last_two(column, wr.max).to_pylist() == ["adam", "Äb", "Äb", ""]
    assert last_two(column, wr.min).to_pylist() == ["Zoe", "adam", "Äb", ""]
    assert last_two(column, wr.max).type == kind


def test_dictionaries_are_seen_through():
    column = pa.array(["b", "a", "b"]).dictionary_encode()

    assert last_two(column, wr.max).to_pylist() == ["b", "b"]
    assert last_two(column, wr.count_distinct).to_pylist() == [2, 2]


def test_any_type_can_be_first_last_or_picked_by_arg_max():
    table = pa.table(
        {
            "x": [1, 3, 2],
            "what": [{"a": 1}, {"a": 2}, {"a": 3}],
            "tags": [["p"], [], None],
        }
    )

    result = wr.aggregate(
        table,
        wr.rows(3),
        first=wr.first("what"),
        last=wr.last("tags"),
        who=wr.arg_max("x", "what"),
        tags=wr.arg_min("x", "tags"),
    )

    assert result.select(["first", "last", "who", "tags"]).to_pylist() == [
        {"first": {"a": 1}, "last": [], "who": {"a": 2}, "tags": ["p"]}
    ]


def test_a_mean_of_int64_that_could_overflow_is_a_float_mean():
    column = pa.array([2**62, 2**62, 2**62])
    table = pa.table({"x": column})

    result = wr.aggregate(table, wr.rows(3), y=wr.mean("x"))

    assert result["y"].to_pylist() == [float(2**62)]


def test_a_range_of_integers_past_its_type_raises():
    with pytest.raises(wr.SumOverflow, match="passes 2"):
        last_two(pa.array([-(2**63), 2**63 - 1]), wr.range)


def test_a_window_column_counts_in_a_finer_unit_where_the_slide_asks_for_it():
    table = pa.table({"at": pa.array([0, 1], pa.timestamp("s"))})

    result = wr.aggregate(table, wr.sliding("500 ms", on="at"), n=wr.count())

    assert result.schema.field("window").type.field("start").type == pa.timestamp("ms")
    assert result["n"].to_pylist() == [1, 1]


def test_a_date_column_gives_windows_of_timestamps_as_spark_does():
    table = pa.table({"day": [dt.date(2026, 1, 1), dt.date(2026, 1, 3)]})

    result = wr.aggregate(
        table, wr.sliding("2 days", every="1 day", on="day"), n=wr.count()
    )

    starts = [window["start"].isoformat() for window in result["window"].to_pylist()]
    assert starts == [
        "2025-12-31T00:00:00",
        "2026-01-01T00:00:00",
        "2026-01-02T00:00:00",
        "2026-01-03T00:00:00",
    ]


def test_quantiles_of_a_sketch_stand_beside_its_moments():
    values = np.linspace(0.0, 1.0, 1001)

    result = wr.slide(
        pa.array(values), wr.rows(1001), wr.moment_sketch(quantiles=[0.25, 0.5])
    )

    sketch = result.to_pylist()[0]
    assert sketch["count"] == 1001
    assert sketch["least"] == 0.0
    assert sketch["most"] == 1.0
    assert sketch["s1"] == pytest.approx(values.sum())
    assert sketch["quantiles"] == pytest.approx([0.25, 0.5], abs=0.02)
