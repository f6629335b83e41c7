"""What an operator refuses: one sentence and a hint, and nothing has changed."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest

import windrow as wr
from windrow.loops import interpreting


@pytest.fixture(autouse=True)
def as_plain_python():
    """Compiled operators have tests of their own."""
    with interpreting():
        yield


def fed(window: Any = None, aggregate: Any = None, **options: Any) -> wr.Operator:
    operator = wr.Operator(window, aggregate or wr.sum(), **options)
    for value in (1, 2, 3):
        operator.insert(value)
    return operator


def at_times(**options: Any) -> wr.Operator:
    operator = wr.Operator(wr.sliding(10, every=5), wr.sum(), **options)
    for tick in (1, 4, 6):
        operator.insert(tick, at=tick)
    return operator


UNCHANGED = [
    (at_times, lambda op: op.insert(9, at=5), "cannot go back to 5: the newest event"),
    (at_times, lambda op: op.feed([9, 9], at=[7, 5]), "cannot go back to 5"),
    (at_times, lambda op: op.insert(9), "it has no instant"),
    (at_times, lambda op: op.insert(9, at="soon"), "cannot place an event at 'soon'"),
    (at_times, lambda op: op.insert(9, at=dt.datetime.now(dt.UTC)), "plain number"),
    (
        lambda: at_times(lateness=3),
        lambda op: op.insert(9, at=2),
        "events may be 3 late",
    ),
    (fed, lambda op: op.insert(9, at=4), "the window knows no time"),
    (fed, lambda op: op.insert(9, key="a"), "has one window, and no keys"),
    (fed, lambda op: op.query(key="a"), "has one window, and no keys"),
    (fed, lambda op: op.feed([1, 2], key=["a", "b"]), "has one window, and no keys"),
    (fed, lambda op: op.punctuate(), "has none"),
    (fed, lambda op: op.insert("nine"), "cannot take 'nine' in 'value'"),
    (fed, lambda op: op.insert(9.5), "cannot take 9.5 in 'value'"),
    (fed, lambda op: op.insert(2**70), "in 'value'"),
    (fed, lambda op: op.feed([0.5]), "the column is of type int64"),
    (fed, lambda op: op.feed(["x"]), "the column is of type int64"),
    (fed, lambda op: op.evict(1), "algorithm='flat_fat'"),
    (fed, lambda op: op.evict("one"), "that is no handle"),
    (
        lambda: fed(algorithm="flat_fat"),
        lambda op: op.evict((None, None, "one")),
        "that is no handle",
    ),
    (
        lambda: fed(algorithm="flat_fat"),
        lambda op: op.correct(None, 5),
        "that is no handle",
    ),
    (
        lambda: fed(algorithm="flat_fat"),
        lambda op: op.evict(17),
        "not in the window any more",
    ),
    (lambda: fed(nulls=False), lambda op: op.insert(None), "made with nulls=False"),
    (lambda: fed(nulls=False), lambda op: op.feed([1, None]), "made with nulls=False"),
    (
        lambda: fed(None, wr.collect(), nulls=False),
        lambda op: op.insert(None),
        "made with nulls=False",
    ),
    (
        lambda: fed(None, wr.collect(), nulls=False),
        lambda op: op.feed([1, None]),
        "made with nulls=False",
    ),
]


@pytest.mark.parametrize(("make", "ask", "words"), UNCHANGED)
def test_what_is_refused_leaves_the_operator_as_it_was(make, ask, words):
    operator = make()
    before = operator.query(), len(operator), operator.save()

    with pytest.raises(wr.WindrowError) as refusal:
        ask(operator)

    assert words in str(refusal.value)
    assert "\nHint: " in str(refusal.value)
    assert (operator.query(), len(operator), operator.save()) == before


def of_time(**options: Any) -> wr.Operator:
    return wr.Operator(wr.sliding(10), wr.sum(), **options)


def of_days(**options: Any) -> wr.Operator:
    return wr.Operator(wr.window(evict="1 day"), wr.sum(), **options)


def of_rows() -> wr.Operator:
    return wr.Operator(wr.rows(3), wr.sum())


def of_distance() -> wr.Operator:
    return wr.Operator(wr.window(evict=wr.delta("d", 5)), wr.sum("x"))


def texts() -> wr.Operator:
    return wr.Operator(None, wr.arg_max("x", "who"))


NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
WHOLE = np.array([1, 2])
FIRST = [
    (of_time, lambda op: op.feed([1, 2]), lambda op: op.insert(0.5, at=1)),
    (of_time, lambda op: op.feed(WHOLE), lambda op: op.insert(0.5, at=1)),
    (of_time, lambda op: op.feed([1, 2], at=[5, 4]), lambda op: op.insert(0.5, at=1)),
    (
        of_time,
        lambda op: op.feed([1, 2], at=[5, 4], key=["a", "a"]),
        lambda op: op.insert(0.5, at=1, key="a"),
    ),
    (
        lambda: of_time(lateness=1),
        lambda op: op.feed([1, 2], at=[5, 3], key=["a", "a"]),
        lambda op: op.insert(0.5, at=1),
    ),
    (
        of_days,
        lambda op: op.feed([1, 2], at=[NOON, NOON - dt.timedelta(1)]),
        lambda op: op.insert(0.5, at=dt.datetime(2026, 1, 1)),  # noqa: DTZ001
    ),
    (of_rows, lambda op: op.feed([1, 2], at=[1, 2]), lambda op: op.insert(0.5)),
    (of_rows, lambda op: op.insert(2**70), lambda op: op.insert(0.5)),
    (of_rows, lambda op: op.feed([1, None], key=["a"]), lambda op: op.insert(0.5)),
    (of_rows, lambda op: op.feed([1, 2], key=["a", None]), lambda op: op.insert(0.5)),
    (
        lambda: wr.Operator([wr.sliding(9), wr.sliding(4)], wr.sum()),
        lambda op: op.feed([1, 2], at=[5, 4]),
        lambda op: op.insert(0.5, at=1),
    ),
    (
        of_distance,
        lambda op: op.insert({"x": 1, "d": "far"}),
        lambda op: op.insert({"x": 0.5, "d": 1.0}),
    ),
    (
        of_distance,
        lambda op: op.feed({"x": [1, 1], "d": [2.0, 1.0]}),
        lambda op: op.insert({"x": 0.5, "d": 1.0}),
    ),
    (
        texts,
        lambda op: op.feed({"x": [1, 2], "who": ["a", "b"]}, at=[1, 2]),
        lambda op: op.insert({"x": 0.5, "who": 7}),
    ),
]


@pytest.mark.parametrize(("make", "ask", "insert"), FIRST)
def test_what_is_refused_first_tells_no_types(make, ask, insert):
    operator, untouched = make(), make()
    before = operator.save()

    with pytest.raises(wr.WindrowError):
        ask(operator)

    assert operator.save() == before
    insert(operator)
    insert(untouched)
    assert len(operator) == len(untouched) == 1
    assert operator.keys() == untouched.keys()


@pytest.mark.parametrize("key", [None, "a"])
def test_a_refused_instant_tells_no_zone(key):
    operator = of_days()
    for day in (2, 3):
        operator.insert(1, at=dt.datetime(2026, 1, day), key=key)  # noqa: DTZ001
    before = operator.save()

    with pytest.raises(wr.BadInput, match="cannot go back"):
        operator.insert(1, at=NOON, key=key)
    with pytest.raises(wr.BadInput, match="key"):
        operator.query(None if key else "a", at=NOON)

    assert operator.save() == before
    operator.insert(1, at=NOON.replace(month=2), key=key)
    assert operator.query(key) == 1


NEVER_MADE = [
    ((None, wr.sum("value", last=3)), {}, "cannot keep sum(value) over the last 3"),
    ((None, wr.sum("value", next=3)), {}, "cannot keep sum(value) with next="),
    ((None, wr.sum("value", min_periods=3)), {}, "with min_periods="),
    ((None, wr.sum("value", closed="left")), {}, "with closed="),
    ((None, wr.sum("value", where="value >")), {}, "expected"),
    (
        (None, wr.sum("value", where="value > 1 group by value")),
        {},
        "it is more than a condition",
    ),
    ((None, wr.sum("value", where="value > 1")), {"nulls": False}, "nulls=False"),
    (
        (None, wr.max()),
        {"latency": "worst-case", "algorithm": "two_stacks_lite"},
        "two_stacks_lite cannot promise a latency",
    ),
    ((3, wr.sum()), {}, "cannot keep 3 as a window"),
    ((None, wr.sum()), {"algorithm": "slide_side_inv"}, "over whole arrays only"),
    ((None, wr.max()), {"algorithm": "subtract_on_evict"}, "not invertible"),
    ((None, wr.sum()), {"algorithm": "slick_deque"}, "not selective"),
    ((None, wr.sum()), {"algorithm": "pba"}, "has to know how long a window is"),
    ((None, wr.sum()), {"latency": "low"}, "cannot promise a latency"),
    ((None, wr.sum()), {"lateness": 5, "algorithm": "daba"}, "use flat_fat"),
    (
        (None, wr.arg_max("value", "o")),
        {"types": {"value": "string", "o": "int64"}},
        "whose order",
    ),
    ((None, wr.max()), {"types": {"value": "soup"}}, "cannot read a type"),
    ((None, wr.max()), {"types": {}}, "types= has no entry"),
    ((None, wr.covariance()), {}, "it needs 2 columns"),
    ((None, wr.max()), {"capacity": 0}, "a capacity is at least 1"),
    ((None, wr.max()), {"capacity": 2.5}, "it is no whole number"),
    ((None, wr.max()), {"types": "int64"}, "cannot read types from 'int64'"),
    ((wr.sliding("1 h"), wr.max()), {"lateness": 5}, "in another unit"),
    ((None, wr.max()), {"lateness": -5}, "a lateness is zero or more"),
]


@pytest.mark.parametrize(("given", "options", "words"), NEVER_MADE)
def test_what_makes_no_sense_is_never_made(given, options, words):
    with pytest.raises(wr.WindrowError) as refusal:
        wr.Operator(*given, **options).insert(1)

    assert words in str(refusal.value)
    assert "\nHint: " in str(refusal.value)


def test_a_first_null_does_not_tell_a_type():
    with pytest.raises(wr.BadInput, match="its first value is null"):
        wr.Operator(None, wr.max()).insert(None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"evict": 0}, "cannot evict by 0"),
        ({"evict": "-1 s"}, "cannot evict by -1 s"),
        ({"evict": 1.5}, "cannot evict by 1.5"),
        ({"evict": 5, "trigger": True}, "cannot trigger by True"),
        ({"trigger": "soon"}, "cannot trigger by 'soon'"),
    ],
)
def test_policies_that_make_no_sense_are_refused(given, words):
    with pytest.raises(wr.WindowError) as refusal:
        wr.window(**given)

    assert words in str(refusal.value)


@pytest.mark.parametrize("distance", [-1, float("nan"), float("inf"), "5", True])
def test_a_delta_needs_a_distance(distance):
    with pytest.raises(wr.WindowError, match="cannot measure 'odometer'"):
        wr.delta("odometer", distance)


def test_a_delta_must_never_fall():
    operator = wr.Operator(wr.window(evict=wr.delta("d", 5)), wr.sum("x"))
    operator.insert({"x": 1, "d": 3.0})

    with pytest.raises(wr.BadInput, match="must never fall"):
        operator.insert({"x": 1, "d": 2.0})
    with pytest.raises(wr.BadInput, match="must never fall"):
        operator.feed({"x": [1, 1], "d": [4.0, 3.5]})

    assert len(operator) == 1


def test_a_window_without_a_name_gets_the_first_number_that_is_free():
    operator = wr.Operator([wr.rows(2), wr.rows(3)], wr.sum())
    operator.remove("0")
    operator.add(wr.rows(4))
    operator.add(wr.rows(5))

    for value in range(1, 7):
        operator.insert(value)

    assert operator.query() == {"1": 15, "0": 18, "2": 20}
