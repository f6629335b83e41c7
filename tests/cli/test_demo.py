"""The demo's parts: its data, its comparison, its picture.

The whole of it is `make demo`.
"""

import numpy as np
import pandas as pd
import pytest
from pyspark.sql.functions import expr

from windrow.cli import _demo_picture, _demo_steps, _flights
from windrow.cli._demo_comparison import SparkComparison
from windrow.cli._demo_picture import AIRPORTS, CARRIERS, RANGES
from windrow.errors import WindrowError


@pytest.fixture
def comparison(spark, tmp_path):
    """A comparison over a few flights of two airports."""
    begun = pd.Timestamp("2013-03-08 12:00")
    flights = spark.createDataFrame(
        [
            (
                (begun + pd.Timedelta(minutes=7 * i)).to_pydatetime(),
                origin,
                float(i % 5) or None,
            )
            for i in range(9)
            for origin in ("EWR", "JFK")
        ],
        "scheduled timestamp, origin string, delay double",
    )
    return SparkComparison(spark, flights, tmp_path)


@pytest.mark.deep  # half a minute: a year of flights, twice
def test_a_row_that_differs_from_sparks_own_ends_the_demo(comparison):
    comparison.time("Windrow", "1 hour")
    comparison.time("Spark's own", "1 hour")

    equal = comparison.check("1 hour")
    theirs = comparison.result("Spark's own", "1 hour")
    folder = comparison.path("Spark's own", "1 hour")
    theirs.limit(1).write.mode("append").parquet(folder)

    assert equal == 2 * 23  # starts from 11:05 to 12:55, every 5 minutes
    with pytest.raises(WindrowError, match="1 rows of the 1 hour windows differ"):
        comparison.check("1 hour")


class MadeUpTimes(SparkComparison):
    """A comparison whose times are known, and whose rows are all equal."""

    def time(self, label, length):
        return self.seconds[label][length]

    def check(self, length):
        return 9


def test_a_line_that_is_slower_than_sparks_own_says_so(tmp_path, capsys):
    ours = {"1 hour": 2.0, "6 hours": 2.05, "24 hours": 2.0, "7 days": 2.2}
    theirs = {"1 hour": 1.5, "6 hours": 2.0, "24 hours": 40.0}
    seconds = {"Windrow": ours, "Spark's own": theirs}

    _demo_steps.run_lengths(MadeUpTimes(None, None, tmp_path, seconds))

    lines = capsys.readouterr().out.splitlines()
    (hour,) = [line for line in lines if line.strip().startswith("1 hour")]
    assert "slower: 0.75" in hour
    assert [line for line in lines if "slower" in line] == [hour]
    assert any("20.0" in line for line in lines)


@pytest.mark.deep  # half a minute: a year of flights
def test_the_flights_are_the_years(spark, tmp_path):
    flights = _flights.read_flights(spark, tmp_path)

    actual = flights.selectExpr(
        "count(*)", "count(delay)", "min(scheduled)", "count(distinct origin)"
    ).first()
    flights.unpersist()

    assert tuple(actual) == (336_776, 328_521, pd.Timestamp("2013-01-01 10:15"), 3)


def test_carriers_have_names():
    actual = _flights.carriers()

    assert actual["UA"] == "United"
    assert set(CARRIERS) < set(actual)


def test_clocks_are_new_yorks():
    winter = _demo_steps.clock("2013-01-01 10:05")
    summer = _demo_steps.clock("2013-07-12 10:05")

    assert (winter, summer) == ("Tue  1 Jan, 05:05", "Fri 12 Jul, 06:05")


def test_the_picture_is_drawn_into_a_new_folder(tmp_path):
    times = pd.date_range("2013-01-01", "2014-01-01", freq="6h")
    waves = 20 + 10 * np.sin(np.arange(len(times)) / 9)
    daily = pd.concat(
        pd.DataFrame({"origin": name, "end": times, "mean": waves}) for name in AIRPORTS
    )
    several = pd.concat(
        pd.DataFrame(
            {"query": name, "origin": "LGA", "end": times, "mean": waves, "flown": 50}
        )
        for name in RANGES
    )
    recent = pd.concat(
        pd.DataFrame({"carrier": code, "scheduled": times, "week": waves})
        for code in CARRIERS
    )
    seconds = {
        "Windrow": {"1 hour": 2.0, "24 hours": 2.1, "7 days": 2.3},
        "Spark's own": {"1 hour": 3.0, "24 hours": 40.0},
    }
    path = tmp_path / "new" / "flights.png"

    _demo_picture.draw_delays(
        daily, several, recent, seconds, _flights.carriers(), path
    )

    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.deep  # half a minute: a year of flights
def test_planes_in_the_air_are_those_of_a_join_on_overlap(spark, tmp_path):
    flights = _flights.read_flights(spark, tmp_path)
    week = flights.where("scheduled >= '2013-07-08' and scheduled < '2013-07-15'")
    begin = 1_373_155_200 // 300  # a day before, in steps of five minutes
    windows = spark.range(begin, begin + 9 * 288).selectExpr(
        "timestamp_seconds(id * 300) as b", "timestamp_seconds(id * 300 + 900) as stop"
    )
    met = week.join(windows, expr("departed < stop and landed > b"))
    joined = met.groupBy("origin", "b", "stop").agg(
        expr("count(*) as flying"), expr("max(air_time) as longest")
    )
    flat = ("origin", "window.start as b", "window.end as stop", "flying", "longest")

    ours = _flights.in_the_air(week).selectExpr(*flat)
    year = _flights.in_the_air(flights).selectExpr(*flat)
    copied = _flights.in_the_air_by_spark(flights).selectExpr(*flat)

    assert ours.count() == joined.count() > 5_000
    assert ours.exceptAll(joined).count() == 0
    assert year.count() == copied.count() > 200_000
    assert year.exceptAll(copied).count() == 0
    flights.unpersist()


def test_planes_that_differ_end_the_demo_and_a_week_of_them_is_drawn(tmp_path):
    times = pd.date_range("2013-07-07", "2013-07-16", freq="2h")
    rows = pd.concat(
        pd.DataFrame({"origin": name, "end": times, "flying": 9, "longest": 60.0})
        for name in AIRPORTS
    )
    path = tmp_path / "new" / "air.png"

    _demo_steps.check_airborne(rows, rows[::-1])
    _demo_picture.draw_airborne(rows, path)

    assert path.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(WindrowError, match="planes in the air differ"):
        _demo_steps.check_airborne(rows, rows.assign(flying=8))


def test_flights_have_what_was_known_when_they_were_due(spark, capsys):
    begun = pd.Timestamp("2013-03-08 12:00")
    minutes = [pd.Timedelta(minutes=7 * i) for i in range(80)]
    rows = [
        (
            (begun + due).to_pydatetime(),
            "EWR",
            "UA" if i % 3 else "B6",
            float(i % 11),
            (begun + due + pd.Timedelta(minutes=i % 11)).to_pydatetime(),
            100.0,
        )
        for i, due in enumerate(minutes)
    ]
    names = "scheduled timestamp, origin string, carrier string, delay double, "
    names += "departed timestamp, air_time double"
    flights = spark.createDataFrame(rows, names)

    _demo_steps.when_due(flights)

    assert "all equal" in capsys.readouterr().out
