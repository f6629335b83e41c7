"""Durations: what is read, and what is refused with which words."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.errors import WindowError
from windrow.windows import parse_duration

SECOND = 10**9
UNITS = {
    "ns": 1, "nanosecond": 1, "nanoseconds": 1,
    "us": 10**3, "µs": 10**3, "microsecond": 10**3, "microseconds": 10**3,
    "ms": 10**6, "millisecond": 10**6, "milliseconds": 10**6,
    "s": SECOND, "sec": SECOND, "second": SECOND, "seconds": SECOND,
    "m": 60 * SECOND, "min": 60 * SECOND, "minute": 60 * SECOND, "minutes": 60 * SECOND,
    "h": 3600 * SECOND, "hour": 3600 * SECOND, "hours": 3600 * SECOND,
    "d": 86400 * SECOND, "day": 86400 * SECOND, "days": 86400 * SECOND,
    "w": 604800 * SECOND, "week": 604800 * SECOND, "weeks": 604800 * SECOND,
}  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@given(number=st.integers(0, 10**9), gap=st.sampled_from(["", " ", "  "]))
def test_a_number_and_a_unit_are_so_many_nanoseconds(unit, number, gap):
    text = f"{number}{gap}{unit}"

    actual = parse_duration(text).nanoseconds

    expected = number * UNITS[unit]
    assert actual == expected


@given(
    terms=st.lists(
        st.tuples(st.integers(0, 999), st.sampled_from(sorted(UNITS))),
        min_size=1,
        max_size=4,
    )
)
def test_terms_side_by_side_are_added(terms):
    text = "".join(f"{number}{unit} " for number, unit in terms)

    actual = parse_duration(text).nanoseconds

    expected = sum(number * UNITS[unit] for number, unit in terms)
    assert actual == expected


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1h30m", 5400 * SECOND),
        ("1 hr 5 mins", 3900 * SECOND),
        ("1 H 30 Min", 5400 * SECOND),
        ("  24 hours  ", 86400 * SECOND),
        ("1 day -1 s", 86399 * SECOND),
    ],
)
def test_spelling_may_be_loose(text, nanoseconds):
    actual = parse_duration(text)

    assert actual.nanoseconds == nanoseconds
    assert actual.number is None
    assert actual.is_time


@pytest.mark.parametrize(
    ("value", "nanoseconds"),
    [
        (dt.timedelta(days=-1, seconds=1, microseconds=2), -86398999998000),
        (dt.timedelta(days=999_999_999), 999_999_999 * 86400 * SECOND),
        (np.timedelta64(90, "s"), 90 * SECOND),
        (np.timedelta64(3, "D"), 3 * 86400 * SECOND),
        (pd.Timedelta(1_000_000_001, "ns"), 1_000_000_001),
    ],
)
def test_time_deltas_are_read_to_the_nanosecond(value, nanoseconds):
    actual = parse_duration(value).nanoseconds

    assert actual == nanoseconds


@pytest.mark.parametrize("value", [15, np.int32(15), np.uint64(15)])
def test_a_bare_number_has_the_unit_of_the_time_column(value):
    actual = parse_duration(value)

    assert (actual.number, actual.nanoseconds) == (15, None)
    assert not actual.is_time


REFUSED = {
    "a month": ("1 month", "a month has no fixed length", "use days or weeks"),
    "a year in short": ("2y", "a y has no fixed length", "use days or weeks"),
    "a quarter": ("1 Quarter", "a Quarter has no fixed length", "use days or weeks"),
    "an unknown unit": ("3 fortnights", "unknown unit 'fortnights'", "'24 hours'"),
    "no unit": ("24", "'24' is not a number and a unit", "'24 hours'"),
    "no number": ("hours", "'hours' is not a number and a unit", "'24 hours'"),
    "a fraction in text": ("1.5 hours", "'1.5 hours' is not a number", "'1h30m'"),
    "an interval of SQL": (
        "INTERVAL 1 DAY",
        "is not a number and a unit",
        "'24 hours'",
    ),
    "nothing": ("", "it is empty", "'24 hours'"),
    "blanks": ("   ", "is not a number and a unit", "'24 hours'"),
    "a truth value": (True, "bool", "a whole number in the unit"),
    "a fraction": (1.5, "float", "a whole number in the unit"),
    "null": (None, "NoneType", "a timedelta"),
    "a list": ([1], "list", "a timedelta"),
}


@pytest.mark.parametrize(("value", "cause", "hint"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_a_duration_is_refused_with_cause_and_hint(value, cause, hint):
    with pytest.raises(WindowError) as refused:
        parse_duration(value, what="a range")

    fact, _, advice = str(refused.value).partition("\nHint: ")
    assert fact.startswith(f"cannot read a range from {value!r}: ")
    assert cause in fact
    assert hint in advice
