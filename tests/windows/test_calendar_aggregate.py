"""Calendar windows from table to table, against plain `datetime` row by row."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from plain_calendar import DAY, EPOCH, MICROSECOND, PlainCalendar, micros, start_of_day
from windrow.loops import interpreting

WINDOWS = [
    PlainCalendar(1, "day", 1, "day", "Europe/Berlin"),
    PlainCalendar(1, "month", 1, "day", "Europe/Berlin"),
    PlainCalendar(1, "month", 1, "month", "America/Sao_Paulo"),
    PlainCalendar(3, "week", 1, "week", "Asia/Beirut", week_start="sunday"),
    PlainCalendar(10, "day", 4, "day", "Pacific/Apia", days=3),
    PlainCalendar(3, "month", 2, "month", "America/New_York"),
    PlainCalendar(1, "year", 1, "quarter", months=1, days=5),
    PlainCalendar(45, "day", 1, "month", "America/St_Johns"),
]
EACH_WINDOW = pytest.mark.parametrize("plain", WINDOWS, ids=str)
INSTANT = pa.timestamp("us", tz="UTC")


@pytest.fixture(autouse=True)
def plain_kernels():
    """Kernels as plain Python: what they compute has tests of its own."""
    with interpreting():
        yield


def table_of(times, seed=0):
    """Rows of two keys at those microseconds, in any order."""
    rng = np.random.default_rng(seed)
    times = rng.permutation(np.array(times, np.int64))
    return pa.table(
        {
            "ts": pa.array(times, INSTANT),
            "key": rng.choice(["a", "b"], len(times)),
            "x": rng.integers(-9, 9, len(times)),
        }
    )


def times_of(zone, seed=0):
    """Instants around clock changes, on both sides of starts of days."""
    rng = np.random.default_rng(seed)
    turns = [dt.date(2010, 11, 7), dt.date(2011, 12, 30), dt.date(2018, 11, 4)]
    turns += [dt.date(1969, 12, 31), dt.date(2024, 3, 31), dt.date(2024, 10, 27)]
    days = [turn + int(n) * DAY for turn in turns for n in rng.integers(-35, 35, 10)]
    starts = [start_of_day(zone, day) for day in [*turns, *days]]
    return [start + int(d) for start in starts for d in (-1, 0, rng.integers(10**11))]


def window_of(plain, **fields):
    return wr.calendar(**plain.arguments, on="ts", **fields)


def expected_rows(plain, table, lower):
    """For each key and window with a row, in order: bounds and `lower(values)`."""
    groups = {}
    rows = sorted(
        zip(
            table["key"].to_pylist(),
            table["ts"].cast(pa.int64()).to_pylist(),
            table["x"].to_pylist(),
            strict=True,
        )
    )
    for key, time, x in rows:
        for window in plain.windows_over(time):
            groups.setdefault((key, *window), []).append(x)
    return [
        {
            "key": key,
            "window": {
                "start": EPOCH + begin * MICROSECOND,
                "end": EPOCH + end * MICROSECOND,
            },
            **lower(values),
        }
        for (key, begin, end), values in sorted(groups.items())
    ]


def total_and_count(values):
    return {"n": len(values), "total": sum(values), "most": max(values)}


CALLS = {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("x")}


@EACH_WINDOW
def test_windows_hold_the_rows_of_their_days(plain):
    table = table_of(times_of(plain.zone))

    actual = wr.aggregate(table, window_of(plain), by="key", **CALLS)

    assert actual.to_pylist() == expected_rows(plain, table, total_and_count)


@EACH_WINDOW
def test_aggregates_that_look_at_order_and_at_all_values_follow(plain):
    table = table_of(times_of(plain.zone, seed=1), seed=1)

    actual = wr.aggregate(
        table,
        window_of(plain, ties="x"),
        by="key",
        first=wr.first("x"),
        last=wr.last("x"),
        all=wr.collect("x"),
        kinds=wr.count_distinct("x"),
    )

    expected = expected_rows(
        plain,
        table,
        lambda values: {
            "first": values[0],
            "last": values[-1],
            "all": values,
            "kinds": len(set(values)),
        },
    )
    assert actual.to_pylist() == expected


@given(
    plain=st.sampled_from(WINDOWS),
    days=st.lists(st.dates(dt.date(1930, 1, 1), dt.date(2090, 1, 1)), max_size=8),
    seed=st.integers(0, 99),
)
def test_gaps_of_years_make_no_windows(plain, days, seed):
    times = [start_of_day(plain.zone, day) + seed - 50 for day in days]
    table = table_of(times, seed)

    actual = wr.aggregate(table, window_of(plain), by="key", **CALLS)

    assert actual.to_pylist() == expected_rows(plain, table, total_and_count)


@pytest.mark.parametrize(
    "algorithm", ["recompute", "two_stacks", "daba_lite", "flat_fat", "sba", "pba"]
)
def test_any_algorithm_slides_over_uneven_slices(algorithm):
    plain = WINDOWS[1]
    table = table_of(times_of(plain.zone))

    actual = wr.aggregate(
        table, window_of(plain), by="key", algorithm=algorithm, **CALLS
    )

    assert actual.to_pylist() == expected_rows(plain, table, total_and_count)


def test_windows_of_several_lengths_and_zones_stand_in_one_list():
    plains = [
        PlainCalendar(1, "month", 1, "day", "Europe/Berlin"),
        PlainCalendar(1, "week", 1, "day", "America/New_York"),
        PlainCalendar(1, "year", 1, "month"),
    ]
    table = table_of(times_of("Europe/Berlin"))
    windows = [window_of(plain, name=plain.unit) for plain in plains]

    rows = wr.aggregate(table, windows, by="key", **CALLS).to_pylist()

    for plain in plains:
        expected = [
            {**row, "query": plain.unit}
            for row in expected_rows(plain, table, total_and_count)
        ]
        assert [row for row in rows if row["query"] == plain.unit] == expected


def test_a_calendar_window_does_not_stand_in_a_list_with_others():
    table = table_of([0])

    with pytest.raises(wr.BadInput, match="calendar and time windows"):
        wr.aggregate(
            table,
            [wr.calendar("1 day", on="ts"), wr.sliding("1 day", on="ts")],
            n=wr.count(),
        )


def test_a_day_of_25_hours_is_one_window():
    #  27 October 2024 in Berlin      00:00 CEST ... 02:59 CEST, 02:00 CET ... 24:00 CET
    begin = micros(dt.datetime(2024, 10, 26, 22, tzinfo=dt.UTC))
    hours = [begin + hour * 3600 * 10**6 for hour in range(-1, 26)]
    table = table_of(hours)

    found = wr.aggregate(
        table, wr.calendar("1 day", on="ts", tz="Europe/Berlin"), n=wr.count()
    )

    assert found.column("n").to_pylist() == [1, 25, 1]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
def test_a_zone_of_the_column_is_how_it_is_shown_and_no_more(unit, zone):
    moments = [dt.datetime(2024, 3, day, 23, 30, tzinfo=dt.UTC) for day in (30, 31)]
    times = pa.array(moments, pa.timestamp("s", "UTC")).cast(pa.timestamp(unit, zone))
    table = pa.table({"ts": times})

    found = wr.aggregate(
        table, wr.calendar("1 day", on="ts", tz="Europe/Berlin"), n=wr.count()
    )

    starts = [row["window"]["start"] for row in found.to_pylist()]
    expected = [dt.datetime(2024, 3, 30, 23), dt.datetime(2024, 3, 31, 22)]  # noqa: DTZ001
    assert found.schema.field("window").type.field("start").type.unit == unit
    bare = [
        start.replace(tzinfo=None)
        if zone is None
        else start.astimezone(dt.UTC).replace(tzinfo=None)
        for start in starts
    ]
    assert bare == expected


def test_columns_of_dates_have_months():
    days = [dt.date(2024, 1, 31), dt.date(2024, 2, 1), dt.date(2024, 2, 29)]
    table = pa.table({"day": pa.array(days, pa.date32()), "x": [1, 2, 3]})

    found = wr.aggregate(table, wr.calendar("1 month", on="day"), total=wr.sum("x"))

    assert found.column("total").to_pylist() == [1, 5]


def test_a_column_of_numbers_is_refused_with_what_a_calendar_needs():
    table = pa.table({"ts": [1, 2]})

    with pytest.raises(wr.WindowError, match="need a timestamp or date column"):
        wr.aggregate(table, wr.calendar("1 day", on="ts"), n=wr.count())


def test_polars_groups_the_same_months_of_a_zone():
    table = table_of(times_of("Europe/Berlin"))

    found = wr.aggregate(
        table, wr.calendar("1 month", on="ts", tz="Europe/Berlin"), n=wr.count()
    )

    frame = pl.from_arrow(table).with_columns(
        pl.col("ts").dt.convert_time_zone("Europe/Berlin").sort()
    )
    months = frame.group_by_dynamic("ts", every="1mo").agg(pl.len().alias("n"))
    assert found.column("n").to_pylist() == months["n"].to_list()
    starts = [row["window"]["start"] for row in found.to_pylist()]
    assert starts == [start.astimezone(dt.UTC) for start in months["ts"].to_list()]


def test_explain_names_the_window_and_its_zone():
    table = table_of([0])

    said = str(
        wr.explain(
            table,
            wr.calendar("1 month", every="1 day", on="ts", tz="Europe/Berlin"),
            total=wr.sum("x"),
        )
    )

    assert "range 1 month slide 1 day in Europe/Berlin" in said
