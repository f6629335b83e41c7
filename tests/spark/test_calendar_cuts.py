"""Calendar slices as Spark's SQL cuts them: the same as the rule's, whatever session.

Java has zone tables of its own, so the zones and years in which it agrees with Python
are checked too: those that differ are listed in docs/calendar.md.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.windows import clock_of
from windrow.windows.zone_days import start_sql, starts_of_days

DOCS = Path(__file__).parents[2] / "docs" / "calendar.md"
EPOCH = dt.date(1970, 1, 1)
HOUR = 3600 * 10**6
YEARS = (1916, 1945, 1969, 1970, 1999, 2010, 2011, 2024, 2025, 2037)
ZONES = [
    "UTC",
    "Africa/Casablanca",
    "America/Havana",
    "America/New_York",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Pacific/Apia",
]
WINDOWS = {
    "days": {"range": "1 day"},
    "days that overlap": {"range": "10 days", "every": "4 days", "offset": "3 days"},
    "weeks": {"range": "1 week", "week_start": "sunday"},
    "months": {"range": "1 month"},
    "months by day": {"range": "1 month", "every": "1 day"},
    "months that overlap": {"range": "3 months", "every": "2 months"},
    "fiscal years": {"range": "1 year", "offset": "3 months 5 days"},
    "days by month": {"range": "45 days", "every": "1 month"},
}


def instants_of(zone, years=YEARS):
    """Starts of days and what lies around them, to the microsecond."""
    days = np.concatenate(
        [
            np.arange(
                (dt.date(year, 1, 1) - EPOCH).days, (dt.date(year, 12, 31) - EPOCH).days
            )
            for year in years
        ]
    )
    starts = starts_of_days(zone, days) * 10**6
    around = (-HOUR - 1, -30 * 60 * 10**6, -1, 0, 1, 12 * HOUR + 123456)
    return np.concatenate([starts + distance for distance in around])


def rule_of(window):
    return window.rule(0, clock_of("ts", pa.timestamp("us"), window.lengths))


def answers(spark, times, texts):
    """Columns that the texts make of the column t, in the order of `times`."""
    frame = spark.createDataFrame(pa.table({"t": times})).coalesce(1)
    found = frame.selectExpr(
        "t", *(f"{text} as `{name}`" for name, text in texts.items())
    )
    table = found.toArrow()
    assert (table.column("t").to_numpy() == times).all()
    return {name: table.column(name).to_numpy() for name in texts}


@pytest.mark.parametrize("zone", ZONES)
def test_sql_cuts_as_the_rule_does_in_every_session(zone, spark, settings_of):
    rules = {
        name: rule_of(wr.calendar(**words, tz=zone)) for name, words in WINDOWS.items()
    }
    times = instants_of(zone)

    for session in ("Asia/Tokyo", "UTC")[: 2 if zone in ZONES[-2:] else 1]:
        with settings_of({"spark.sql.session.timeZone": session}):
            texts = {name: rule.cut_sql("t") for name, rule in rules.items()}
            actual = answers(spark, times, texts)

        for name, rule in rules.items():
            wrong = times[actual[name] != rule.cut(times)]
            assert not len(wrong), (name, session, wrong[:5])


def test_sql_keeps_slices_whole_where_clocks_went_over_midnight(spark):
    rule = rule_of(wr.calendar("1 day", tz="America/Toronto"))
    start = rule.begin((dt.date(1919, 3, 31) - EPOCH).days)
    times = start + np.arange(-60, 120) * 10**6 * 60

    cuts = answers(spark, times, {"cut": rule.cut_sql("t")})["cut"]

    assert (cuts <= times).all()
    assert (rule.last_over(cuts) == rule.last_over(times)).all()


TRUNCATED = {
    "day": "1 day",
    "week": "1 week",
    "month": "1 month",
    "quarter": "1 quarter",
    "year": "1 year",
}


TWICE = ("America/Havana", "America/St_Johns")
"""Where midnight comes twice Spark truncates to the second, and we to the first."""


@pytest.mark.parametrize("zone", [zone for zone in ZONES if zone not in TWICE])
def test_windows_begin_where_date_trunc_of_the_session_says(zone, spark, settings_of):
    times = instants_of(zone, YEARS[1:])  # in 1916 it came twice in Berlin

    with settings_of({"spark.sql.session.timeZone": zone}):
        texts = {
            unit: f"unix_micros(date_trunc('{unit}', timestamp_micros(t)))"
            for unit in TRUNCATED
        }
        expected = answers(spark, times, texts)

    for unit, length in TRUNCATED.items():
        rule = rule_of(wr.calendar(length, tz=zone))
        actual = rule.begin(rule.last_over(times))
        wrong = times[actual != expected[unit]]
        assert not len(wrong), (unit, wrong[:5])


# --- Java's zone tables -------------------------------------------------------------

LISTED = re.compile(r"([A-Z][\w/+-]*) (\d{4}-\d\d-\d\d)")
UNKNOWN = re.compile(r"Java does not know (.*?)\.", re.DOTALL)


@pytest.mark.deep
def test_the_zones_in_which_java_differs_from_python_are_listed(spark):
    """Days from 1900 to 2037 whose start Java has elsewhere: the last one of a zone."""
    text = DOCS.read_text("utf-8")
    listed = dict(LISTED.findall(text))
    unknown = set(re.findall(r"`([\w/]+)`", UNKNOWN.search(text)[1]))
    first, last = ((dt.date(year, 1, 1) - EPOCH).days for year in (1900, 2038))
    days = np.arange(first, last)

    found = {}
    for zone in sorted(zoneinfo.available_timezones() - unknown):
        frame = spark.range(first, last, 1, 1).selectExpr(start_sql(zone, "id") + " s")
        java = frame.toArrow().column("s").to_numpy()
        wrong = days[java != starts_of_days(zone, days) * 10**6]
        if len(wrong):
            found[zone] = str(EPOCH + dt.timedelta(days=int(wrong[-1])))

    surplus = [
        f"{zone} {day}" for zone, day in found.items() if day > listed.get(zone, "")
    ]
    assert surplus == []
