"""Windows of each key, the passing of time, late events, and RA's Figure 1."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.loops import interpreting


@pytest.fixture(autouse=True)
def as_plain_python():
    """Compiled operators have tests of their own."""
    with interpreting():
        yield


DAY = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
CALLS = {
    "mxl": wr.max("len"),
    "num": wr.max_count("len"),
    "who": wr.arg_max("len", "caller"),
    "all": wr.collect("caller"),
    "how many": wr.count_distinct("caller"),
    "last by name": wr.max("caller"),
}


def test_figure_1_longest_calls_of_the_last_24_hours_every_minute():
    rng = random.Random(1)
    minutes = sorted(rng.randrange(3 * 1440) for _ in range(60))
    calls = [
        {
            "at": DAY + dt.timedelta(minutes=minute, seconds=rng.randrange(60)),
            "len": float(rng.randrange(5)),
            "caller": f"c{i % 23}",
        }
        for i, minute in enumerate(minutes)
    ]
    calls.sort(key=lambda call: call["at"])
    operator = wr.Operator(wr.sliding("24 hours", every="1 minute"), CALLS)
    found = []
    for call in calls:
        operator.insert(call, at=call["at"])
        found += operator.trigger()
    found += operator.trigger(at=calls[-1]["at"] + dt.timedelta(days=2))

    expected = []
    end = DAY
    while end <= calls[-1]["at"] + dt.timedelta(days=2):
        held = [c for c in calls if end - dt.timedelta(days=1) <= c["at"] < end]
        if held:
            longest = max(c["len"] for c in held)
            ties = [c["caller"] for c in held if c["len"] == longest]
            callers = [c["caller"] for c in held]
            value = {
                "mxl": longest,
                "num": len(ties),
                "who": ties[0],
                "all": callers,
                "how many": len(set(callers)),
                "last by name": max(callers),
            }
            expected.append((end - dt.timedelta(days=1), end, value))
        end += dt.timedelta(minutes=1)
    assert [(one.start, one.end, one.value) for one in found] == expected


def test_each_key_has_a_window_of_its_own():
    operator = wr.Operator(wr.rows(2), wr.sum())
    for key, value in [("a", 1), ("b", 10), ("a", 2), ("a", 4)]:
        operator.insert(value, key=key)

    assert (operator.query("a"), operator.query("b")) == (6, 10)
    assert operator.query("c") is None
    assert operator.keys() == ["a", "b"]
    assert len(operator) == 3
    with pytest.raises(wr.BadInput, match="no key is given"):
        operator.query()


def test_a_batch_is_told_apart_by_key():
    operator = wr.Operator(wr.rows(2), wr.sum())
    fed = operator.feed([1, 10, 2, 4, 20], key=["a", "b", "a", "a", "b"])

    assert [(one.key, one.value) for one in fed] == [("a", 3), ("a", 6), ("b", 30)]
    assert fed.to_arrow().to_pydict() == {
        "key": ["a", "a", "b"],
        "start": [0, 1, 0],
        "end": [2, 3, 2],
        "sum": [3, 6, 30],
    }


def test_idle_keys_can_be_forgotten():
    operator = wr.Operator(wr.sliding(10, every=5), wr.sum())
    operator.insert(1, at=1, key="a")
    operator.insert(2, at=50, key="b")
    assert operator.expire(before=20) == [], "a result waits to be taken"

    assert [one.end for one in operator.trigger()] == [5, 10]
    assert operator.expire() == ["a"]
    assert operator.expire(before=70) == []
    assert [one.end for one in operator.trigger()] == [55, 60]
    assert operator.expire() == ["b"]
    assert operator.keys() == []


def test_time_moves_windows_out_without_events():
    operator = wr.Operator(wr.sliding(10, every=5), wr.sum())
    operator.insert(3, at=7)

    assert operator.trigger(at=9) == []
    assert [one.end for one in operator.trigger(at=10)] == [10]
    assert [one.end for one in operator.trigger(at=1000)] == [15]
    assert operator.query() is None
    with pytest.raises(wr.BadInput, match="cannot go back"):
        operator.insert(1, at=999)


def test_a_day_evicted_every_hundred_rows_told():
    operator = wr.Operator(wr.window(evict="24 hours", trigger=100), wr.count())
    times = [DAY + dt.timedelta(minutes=10 * i) for i in range(350)]

    fed = operator.feed(pa.table({"x": times}), at=times)

    assert [one.value for one in fed] == [100, 144, 144]
    assert [one.end for one in fed] == [100, 200, 300]


def test_punctuations_by_hand_and_by_column():
    by_hand = wr.Operator(
        wr.window(evict=wr.punctuation(), trigger=wr.punctuation()), wr.sum()
    )
    for value in (1, 2):
        by_hand.insert(value)
    by_hand.punctuate()
    by_hand.punctuate()
    by_hand.insert(4)
    by_hand.punctuate()

    assert [one.value for one in by_hand.trigger()] == [3, 4]
    assert len(by_hand) == 0


@pytest.mark.parametrize(("flag", "results"), [(256, 1), (True, 1), (0, 0), (None, 0)])
def test_a_flag_is_a_truth_one_by_one_and_in_batches(flag, results):
    window = wr.window(evict=3, trigger=wr.punctuation("last"))
    types = {"x": "int64", "last": "int64"}
    single, fed = (wr.Operator(window, wr.sum("x"), types=types) for _ in range(2))
    single.insert({"x": 1, "last": flag})

    assert len(single.trigger()) == results
    assert len(fed.feed({"x": [1], "last": [flag]})) == results


def test_a_batch_without_nulls_is_counted_by_a_column_that_nobody_reads():
    operator = wr.Operator(None, {"n": wr.count("x"), "l": wr.last("x")})
    operator.feed({"x": [3.0, 4.0]})
    operator.feed({"x": [5.0, None]})

    assert operator.query() == {"n": 3, "l": 5.0}


def test_nulls_are_skipped():
    operator = wr.Operator(wr.rows(3), {"m": wr.max("x"), "n": wr.count("x")})
    operator.feed({"x": [1.0, None, None]})
    assert operator.query() == {"m": 1.0, "n": 1}
    operator.insert({"x": None})
    assert operator.query() == {"m": None, "n": 0}

    lone = wr.Operator(wr.rows(2), wr.max())
    assert [lone.insert(v) and lone.query() for v in (5.0, None, None, 2.0)] == (
        [0, 5.0, None, 2.0]
    )


def test_sums_of_whole_numbers_are_exact_past_64_bits():
    operator = wr.Operator(None, wr.sum())
    for _ in range(4):
        operator.insert(2**62)

    assert operator.query() == 2**64


late_steps = st.lists(
    st.tuples(st.integers(-12, 6), st.integers(-5, 5), st.booleans()), max_size=40
)


@given(steps=late_steps, batch=st.booleans())
def test_late_events_change_the_windows_that_hold_them(steps, batch):
    """The last word on each window is what its events add up to."""
    lateness = 12
    with interpreting():
        operator = wr.Operator(wr.sliding(10, every=4), wr.sum(), lateness=lateness)
        newest, events, said = 0, [], {}
        for later, value, take in steps:
            tick = max(newest + later, 0)
            newest = max(newest, tick)
            events.append((tick, value))
            if batch:
                operator.feed([value], at=[tick])
            else:
                operator.insert(value, at=tick)
            for one in operator.trigger() if take else ():
                assert one.again == (one.end in said)
                assert said.get(one.end) != one.value
                said[one.end] = one.value
        for one in operator.trigger():
            said[one.end] = one.value

    expected = {}
    for end in range(2, newest + 1, 4):
        held = [value for tick, value in events if end - 10 <= tick < end]
        if held:
            expected[end] = sum(held)
    assert said == expected


def test_a_correction_and_an_eviction_change_reported_windows():
    operator = wr.Operator(wr.sliding(10), wr.sum(), lateness=100)
    first = operator.insert(1, at=1)
    second = operator.insert(2, at=12)
    operator.insert(4, at=25)
    assert [one.value for one in operator.trigger()] == [1, 2]

    operator.correct(first, 7)
    operator.evict(second)

    changed = operator.trigger()
    assert [(one.end, one.value, one.again) for one in changed] == [
        (10, 7, True),
        (20, None, True),
    ]
    assert operator.trigger() == []


def test_the_open_window_is_what_counts_where_events_are_kept_longer():
    operator = wr.Operator(wr.sliding(10), wr.sum(), lateness=100)
    for at in (1, 12, 14, 25, 26):
        operator.insert(at, at=at)

    assert (len(operator), operator.query()) == (2, 51)
    operator.evict()
    assert (len(operator), operator.query()) == (1, 26)


def test_arrays_of_any_library_are_fed():
    values: list[Any] = [[1.5, 2.5], np.array([1.5, 2.5]), pa.array([1.5, 2.5])]
    for given_ in values:
        operator = wr.Operator(wr.rows(2), wr.mean())
        assert operator.feed(given_)["mean"].to_pylist() == [2.0]


def test_punctuations_of_a_key_and_of_all_keys():
    policy = wr.window(evict=wr.punctuation(), trigger=wr.punctuation())
    operator = wr.Operator(policy, wr.sum())
    for key, value in (("a", 1), ("b", 2), ("a", 4)):
        operator.insert(value, key=key)

    operator.punctuate("a")
    operator.insert(8, key="a")
    operator.punctuate("nobody")
    operator.punctuate()
    operator.punctuate()

    told = [(one.key, one.start, one.end, one.value) for one in operator.trigger()]
    assert sorted(told) == [("a", 0, 2, 5), ("a", 2, 3, 8), ("b", 0, 1, 2)]


@pytest.mark.parametrize("batch", [None, 1, 7, 100])
def test_each_key_has_moved_on_by_itself(batch):
    policy = wr.window(evict=wr.delta("km", 3.0), trigger=wr.delta("km", 2.0))
    rng = random.Random(11)
    rows, km = [], {"a": 0.0, "b": 0.0, "c": 0.0}
    for value in range(100):
        key = rng.choice("abc")
        km[key] += rng.choice([0.0, 0.5, 1.0, 4.0])
        rows.append({"key": key, "km": km[key], "x": value})
    together = wr.Operator(policy, wr.sum("x"))
    alone = {key: wr.Operator(policy, wr.sum("x")) for key in km}

    told = []
    for row in rows:
        alone[row["key"]].insert(row)
        if batch is None:
            together.insert(row, key=row["key"])
    for i in range(0, len(rows), batch or len(rows)):
        if batch is not None:
            some = pa.Table.from_pylist(rows[i : i + batch])
            told += together.feed(some, key=some["key"])
    told += together.trigger()

    for key, operator in alone.items():
        expected = [(one.start, one.end, one.value) for one in operator.trigger()]
        found = [(one.start, one.end, one.value) for one in told if one.key == key]
        assert found == expected
        assert len(expected) > 5
    with pytest.raises(wr.BadInput, match="must never fall"):
        together.insert({"km": -1.0, "x": 0}, key="b")


@given(
    range_=st.integers(1, 9),
    every=st.integers(1, 9),
    backs=st.lists(st.integers(0, 9), min_size=1, max_size=4),
    silence=st.integers(0, 30),
)
def test_an_event_that_comes_late_after_a_silence_counts_in_all_its_windows(
    range_, every, backs, silence
):
    """Time goes on without events, and each window is told as it is in the end."""
    every, now = min(every, range_), 0
    operator = wr.Operator(wr.sliding(range_, every=every), wr.sum(), lateness=9)
    events, told = [], {}
    for value, back in enumerate(backs, 1):
        operator.insert(value, at=now)
        events.append((now, value))
        now += silence
        told |= {one.end: one.value for one in operator.trigger(at=now)}
        operator.insert(-value, at=now - back)
        events.append((now - back, -value))
    told |= {one.end: one.value for one in operator.trigger(at=now + 30)}

    ends = {end for at, _ in events for end in range(at + 1, at + range_ + 1)}
    assert told == {
        end: sum(value for at, value in events if end - range_ <= at < end)
        for end in ends
        if (end - range_) % every == 0
    }
