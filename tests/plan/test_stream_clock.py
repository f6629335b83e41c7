"""Clocks of a stream that cannot be kept are refused, with a way out."""

from __future__ import annotations

import pyarrow as pa
import pytest

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.errors import WindrowError
from windrow.plan import plan_over, plan_windows
from windrow.plan.stream_clock import stream_clock

SCHEMA = pa.schema([("at", pa.timestamp("us", "UTC")), ("x", pa.int64())])
CALLS = gather_calls({"n": wr.count()}, None)
SLIDING = wr.sliding("20 seconds", every="10 seconds", on="at")
LONGER = wr.sliding("1 minute", every="30 seconds", on="at")
SET = {"watermark": "5 seconds"}


def plan_of(window):
    return plan_windows(SCHEMA, window, None, CALLS, algorithm="auto")


def refused(window, **clock):
    """The sentence and the hint."""
    with pytest.raises(WindrowError) as error:
        stream_clock(plan_of(window), **clock)
    return str(error.value).split("\nHint: ")


@pytest.mark.parametrize(
    ("window", "ahead", "every"),
    [
        (SLIDING, "9 seconds", "10 seconds"),
        ([SLIDING, LONGER], "20 seconds", "30 seconds"),
        (wr.calendar("1 month", every="1 day", on="at"), "20 minutes", "1 day"),
        (wr.window(evict=5, trigger="1 minute", on="at"), "20 seconds", "1 minute"),
    ],
)
def test_rows_are_not_set_aside_that_are_ahead_by_less_than_a_slide(
    window, ahead, every
):
    sentence, hint = refused(window, ahead=ahead, **SET)

    assert f"more than {ahead} ahead: a window ends every {every}, and" in sentence
    assert hint == f"make ahead= at least as long as the slide, {every}"
    assert stream_clock(plan_of(window), ahead=every, **SET).ahead is not None


@pytest.mark.parametrize(
    "window", [wr.rows(5, on="at"), wr.window(evict="1 hour", trigger=5, on="at")]
)
def test_windows_that_rows_move_on_have_no_slide_to_be_shorter_than(window):
    assert stream_clock(plan_of(window), ahead="1 second", **SET).ahead is not None


def test_rolling_columns_have_no_slide_either():
    plan = plan_over(SCHEMA, "at", [], gather_calls({"n": wr.count(last="1 h")}, None))

    assert stream_clock(plan, ahead="1 second", **SET).ahead is not None


@pytest.mark.parametrize(
    ("clock", "sentence"),
    [
        ({"idle": "500 microseconds"}, "it is no length of time of 1 millisecond or "),
        ({"idle": 3}, "cannot take idle=3: it is no length of time of 1 millisecond"),
        ({"watermark": "-1 hour"}, "it is no length of time of 0 seconds or more"),
        ({"ahead": "0 seconds", **SET}, "no length of time of 1 nanosecond or more"),
        ({"ahead": "1 hour"}, "Spark moves a watermark before a row can be looked at"),
    ],
)
def test_lengths_that_are_too_short_are_refused_with_the_shortest(clock, sentence):
    assert sentence in refused(SLIDING, **clock)[0]
