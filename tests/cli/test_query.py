"""From options to windows."""

import pytest
from pyarrow import csv

import windrow as wr
from windrow.cli._options import QueryOptions
from windrow.cli._query import make_query, time_column
from windrow.errors import BadInput, WindowError


def query(*, on="ts", agg=("n=count()",), **options):
    """The arguments of a query with one count, and these options."""
    options = QueryOptions(source="x.csv", on=on, agg=list(agg), **options)
    return make_query(options).arguments


def test_a_window_and_a_slide_are_a_sliding_window():
    actual = query(window=["24 hours"], every=["1 minute"])["window"]

    assert actual == wr.sliding("24 hours", every="1 minute", on="ts")


def test_no_slide_makes_windows_tumble():
    actual = query(window=["1 hour"])["window"]

    assert actual == wr.sliding("1 hour", on="ts")


def test_plain_numbers_are_in_the_unit_of_the_column():
    actual = query(window=["10"], every=["5"], on="at")["window"]

    assert actual == wr.sliding(10, every=5, on="at")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"window": ["1 month"]}, wr.calendar("1 month", on="ts")),
        (
            {"window": ["1 quarter"], "every": ["1 week"]},
            wr.calendar("1 quarter", every="1 week", on="ts"),
        ),
        (
            {"window": ["1 day"], "tz": "Europe/Berlin", "ties": ["id"]},
            wr.calendar("1 day", on="ts", tz="Europe/Berlin", ties="id"),
        ),
        ({"window": ["1 day"]}, wr.sliding("1 day", on="ts")),
    ],
)
def test_months_and_zones_make_a_window_one_of_the_calendar(options, expected):
    assert query(**options)["window"] == expected


def test_calendar_windows_of_one_query_have_names_too():
    actual = query(window=["1 month", "1 year"], every=["1 day"], tz="Asia/Tokyo")

    assert [str(window) for window in actual["window"]] == [
        "range 1 month slide 1 day in Asia/Tokyo",
        "range 1 year slide 1 day in Asia/Tokyo",
    ]
    assert [window.name for window in actual["window"]] == ["1 month", "1 year"]


def test_hours_of_a_zone_are_the_librarys_own_refusal():
    with pytest.raises(WindowError, match="'hour' is shorter than a day"):
        query(window=["1 hour"], tz="Europe/Berlin")


def test_rows_and_a_slide_are_a_count_window():
    actual = query(rows=[1000], every=["10"], ties=["id"])["window"]

    assert actual == wr.rows(1000, every=10, on="ts", ties=["id"])


def test_the_ith_slide_belongs_to_the_ith_window():
    actual = query(window=["1 hour", "1 day"], every=["1 minute", "1 hour"])["window"]

    assert [str(window) for window in actual] == [
        "range 1 hour slide 1 minute",
        "range 1 day slide 1 hour",
    ]
    assert [window.name for window in actual] == ["1 hour", "1 day"]


def test_one_slide_belongs_to_all_windows():
    actual = query(window=["1 hour", "1 day"], every=["1 minute"])["window"]

    assert {window.slide.text for window in actual} == {"1 minute"}


def test_windows_of_one_length_are_named_by_their_slides_too():
    actual = query(window=["1 hour"] * 2, every=["1 minute", "5 minutes"])["window"]

    assert [window.name for window in actual] == [
        "1 hour every 1 minute",
        "1 hour every 5 minutes",
    ]


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ({}, "no window is given"),
        ({"window": ["1 hour"], "rows": [5]}, "both --window and --rows"),
        ({"rows": [5], "tz": "UTC"}, "a time zone is for windows of days"),
        ({"window": ["1 hour"], "on": None}, "no time column is given"),
        ({"window": ["1 h"] * 3, "every": ["1 m"] * 2}, "belongs to the i-th window"),
        ({"rows": [5], "every": ["1 hour"]}, "not a whole number of rows"),
        ({"window": ["1 h"], "agg": []}, "no aggregate is given"),
    ],
)
def test_options_that_make_no_query_are_refused(options, cause):
    with pytest.raises(BadInput, match=cause) as caught:
        query(**options)

    assert "\nHint: " in str(caught.value)


def test_a_slide_longer_than_the_window_is_the_librarys_own_refusal():
    with pytest.raises(WindowError, match="rows between windows would be lost"):
        query(window=["1 hour"], every=["2 hours"])


def test_a_span_names_start_and_end_in_place_of_a_time_column():
    actual = query(on=None, window=["15 minutes"], every=["5 minutes"], span="a, b")

    window = wr.sliding("15 minutes", every="5 minutes", span=("a", "b"))
    assert actual["window"] == window


def test_a_file_is_slid_over_by_the_start_and_end_of_its_events(tmp_path):
    """The query that `windrow run` makes of its options, over the file in process."""
    path = tmp_path / "calls.csv"
    path.write_text(
        "caller,start,end,len\n"
        "ann,2024-01-01 00:01:00,2024-01-01 00:21:00,20\n"
        "bob,2024-01-01 00:02:00,2024-01-01 00:02:00,0\n"
        "ann,2024-01-01 00:16:00,2024-01-01 00:34:00,18\n"
    )
    options = {"window": ["15 minutes"], "every": ["15 minutes"], "by": "caller"}
    agg = ["n=count()", "longest=max(len)"]

    asked = query(on=None, span="start,end", agg=agg, **options)
    found = wr.aggregate(csv.read_csv(path), **asked).to_pylist()

    rows = [
        (r["caller"], r["window"]["start"].minute, r["n"], r["longest"]) for r in found
    ]
    assert rows == [("ann", 0, 1, 20), ("ann", 15, 2, 20), ("ann", 30, 1, 18),
                    ("bob", 0, 1, 0)]  # fmt: skip


def test_the_watermark_of_a_span_is_on_its_ends():
    options = QueryOptions(source="x.csv", window=["15 minutes"], span="start,end")

    assert time_column(options) == "end"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"span": "start", "window": ["1 hour"]}, "names of two columns"),
        ({"span": "a,b", "rows": [10]}, "windows of time, not of rows"),
        ({"span": "a,b", "on": "ts", "window": ["1 hour"]}, "--on is for events"),
        ({"span": "a,b", "window": ["1 month"]}, "of a calendar"),
    ],
)
def test_a_span_that_means_nothing_is_refused(options, words):
    with pytest.raises(BadInput, match=words):
        query(**{"on": None, **options})
