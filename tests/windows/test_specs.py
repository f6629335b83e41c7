"""Window specifications: defaults, alignment, and what is refused."""

from __future__ import annotations

import dataclasses
import datetime as dt

import pyarrow as pa
import pytest

import windrow as wr
from windrow.loops import interpreting

HOUR = 3600 * 10**9


def test_a_time_window_tumbles_unless_told_how_often():
    window = wr.sliding("24 hours", on="ts")

    assert window.slide.nanoseconds == window.range.nanoseconds == 24 * HOUR
    assert window.shift.amount == 0


def test_a_rows_window_moves_on_by_one_row_unless_told_otherwise():
    window = wr.rows(1000)

    assert (window.range, window.slide, window.partial) == (1000, 1, False)


def test_specifications_cannot_be_changed():
    window = wr.rows(3)

    with pytest.raises(dataclasses.FrozenInstanceError):
        window.range = 4


def test_equal_specifications_are_equal_and_hash_alike():
    one = wr.sliding("1 hour", every="5 minutes", on="ts", ties="id")
    other = wr.sliding("1 hour", every="5 minutes", on="ts", ties=["id"])

    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize(
    ("tz", "hours"),
    [
        ("UTC", 0),
        ("Europe/Berlin", -1),
        ("Asia/Kolkata", -5.5),
        ("America/New_York", 5),
    ],
)
def test_a_zone_moves_starts_to_its_own_midnight_of_1970(tz, hours):
    window = wr.sliding("12 hours", on="ts", tz=tz)

    actual = window.shift.amount

    expected = round(hours * HOUR)
    assert actual == expected


def test_an_offset_is_added_to_the_midnight_of_the_zone():
    window = wr.sliding("12 hours", on="ts", tz="Europe/Berlin", offset="6 hours")

    actual = window.shift.amount

    expected = 5 * HOUR
    assert actual == expected


def test_days_of_a_zone_begin_at_its_midnight_in_results():
    #  Tokyo     14th 23:30       15th 00:30
    #  UTC       14th 14:30       14th 15:30
    instants = [dt.datetime(2026, 1, 14, hour, 30, tzinfo=dt.UTC) for hour in (14, 15)]
    table = pa.table({"ts": pa.array(instants, pa.timestamp("us", tz="UTC"))})

    with interpreting():
        window = wr.sliding("1 day", on="ts", tz="Asia/Tokyo")
        result = wr.aggregate(table, window, n=wr.count())
    actual = [row["window"]["start"] for row in result.to_pylist()]

    expected = [dt.datetime(2026, 1, day, 15, tzinfo=dt.UTC) for day in (13, 14)]
    assert actual == expected


REFUSED = {
    "a range of zero": (lambda: wr.sliding("0 s"), "a range must be more than zero"),
    "a negative range": (lambda: wr.sliding(-5), "a range must be more than zero"),
    "a slide of zero": (
        lambda: wr.sliding("1 h", every="0 h"),
        "a slide must be more than zero",
    ),
    "a negative slide": (
        lambda: wr.sliding("1 h", every="-5 minutes"),
        "a slide must be more than zero",
    ),
    "a slide past the range": (
        lambda: wr.sliding("1 h", every="61 m"),
        "the slide is longer than the range",
    ),
    "a month": (lambda: wr.sliding("1 month"), "a month has no fixed length"),
    "a slide in years": (
        lambda: wr.sliding("1 day", every="1 year"),
        "a year has no fixed length",
    ),
    "an unknown unit": (lambda: wr.sliding("3 moons"), "unknown unit 'moons'"),
    "a range that is a truth value": (lambda: wr.sliding(True), "bool"),
    "a fractional range": (lambda: wr.sliding(1.5), "float"),
    "time with a plain slide": (
        lambda: wr.sliding("1 h", every=5),
        "one is a time, the other a plain number",
    ),
    "a number with a time offset": (
        lambda: wr.sliding(60, offset="1 s"),
        "one is a time, the other a plain number",
    ),
    "a zone for plain numbers": (
        lambda: wr.sliding(60, tz="Europe/Berlin"),
        "the range is a plain number",
    ),
    "an unknown zone": (
        lambda: wr.sliding("1 h", tz="Mars/Olympus"),
        "no such zone is known here",
    ),
    "days of a zone whose clocks change": (
        lambda: wr.sliding("1 day", tz="Europe/Berlin"),
        "24 hours are not always a day",
    ),
    "hours that slide by days of such a zone": (
        lambda: wr.sliding("36 h", every="1 day", tz="America/New_York"),
        "24 hours are not always a day",
    ),
    "no rows": (lambda: wr.rows(0), "a range must be more than zero"),
    "negative rows": (lambda: wr.rows(-1), "a range must be more than zero"),
    "no rows to slide by": (
        lambda: wr.rows(5, every=0),
        "a slide must be more than zero",
    ),
    "rows past the range": (
        lambda: wr.rows(5, every=6),
        "the slide is longer than the range",
    ),
    "rows that are a truth value": (lambda: wr.rows(True), "bool"),
    "a fraction of rows": (lambda: wr.rows(2.0), "float"),
    "rows in text": (lambda: wr.rows("5"), "str"),
    "a frame of zero": (
        lambda: wr.sum("x", last=0),
        "a frame must be more than zero",
    ),
    "a side that is not there": (
        lambda: wr.sum("x", last="1 h", closed="middle"),
        "there is no such side",
    ),
    "a side of a number of rows": (
        lambda: wr.sum("x", last=3, closed="both"),
        "only the newest of them may be in or out",
    ),
}


@pytest.mark.parametrize(("make", "cause"), REFUSED.values(), ids=REFUSED)
def test_a_window_that_makes_no_sense_is_refused_with_cause_and_hint(make, cause):
    with pytest.raises(wr.WindowError) as refused:
        make()

    fact, _, hint = str(refused.value).partition("\nHint: ")
    assert fact.startswith("cannot ")
    assert cause in fact
    assert hint
