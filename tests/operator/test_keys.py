"""Keys: those that are taken come back from a save, all others are refused."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import uuid
import zoneinfo
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.loops import interpreting

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
ZONES = st.sampled_from([None, dt.UTC, BERLIN, dt.timezone(dt.timedelta(hours=-3))])
WHOLE = st.integers() | st.integers(min_value=2**63) | st.integers(max_value=-(2**63))
NUMBERS = WHOLE | st.floats(allow_nan=False)
SCALARS = (
    st.text(st.characters())
    | st.binary()
    | st.booleans()
    | NUMBERS
    | st.dates()
    | st.datetimes(timezones=ZONES)
    | st.integers(-100, 100).map(np.int16)
    | st.floats(allow_nan=False, width=32).map(np.float32)
    | st.integers(0, 2**40).map(lambda n: np.datetime64(n, "ns"))
    | st.text(st.characters(codec="utf-8"), min_size=1).map(np.str_)
)
KEYS = st.recursive(
    SCALARS, lambda inner: st.lists(inner | st.none(), max_size=3).map(tuple)
)


@pytest.fixture(autouse=True)
def as_plain_python():
    with interpreting():
        yield


def same(a: Any, b: Any) -> bool:
    """Equal, and of the same types all the way down."""
    if type(a) is tuple:
        return type(b) is tuple and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and bool(a == b)


@given(st.lists(KEYS, min_size=1, max_size=6))
def test_every_key_comes_back_from_a_save_as_it_is(keys):
    operator = wr.Operator(None, wr.count())
    for key in keys:
        operator.insert(key=key)
    before = operator.keys()

    loaded = wr.Operator.load(operator.save())

    assert len(loaded.keys()) == len(before)
    assert all(map(same, loaded.keys(), before))
    assert [loaded.query(key) for key in keys] == [operator.query(key) for key in keys]


@given(st.lists(KEYS, min_size=1, max_size=6), st.integers(1, 3))
def test_a_batch_of_keys_is_the_same_as_one_by_one(keys, times):
    keys = keys * times
    single, batch = (wr.Operator(wr.rows(2), wr.sum()) for _ in range(2))
    for value, key in enumerate(keys):
        single.insert(value, key=key)

    fed = batch.feed(list(range(len(keys))), key=keys)

    assert batch.keys() == single.keys()
    assert [batch.query(key) for key in keys] == [single.query(key) for key in keys]
    assert {result.key for result in fed} <= set(keys)


@pytest.mark.parametrize(
    "keys",
    [
        [("a", "b"), ("a", "c")],
        [("a", 1), ("b", 2)],
        ["a", 1],
        [1, 2.5, True],
        [2**70, -(2**70), 10**5000],
        [(("a",), None), ()],
        [decimal.Decimal("1.10"), dt.time(3, 4), dt.timedelta(seconds=2)],
        [dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN)],
        ["\ud800", "\0", ""],
    ],
)
def test_keys_that_arrow_has_no_column_for_are_saved_too(keys):
    operator = wr.Operator(None, wr.count())
    operator.feed([1] * len(keys), key=keys)

    loaded = wr.Operator.load(operator.save())

    assert all(map(same, loaded.keys(), dict.fromkeys(keys)))


def test_keys_that_are_equal_are_one_key_and_the_first_is_kept():
    operator = wr.Operator(None, wr.count())
    for key in (True, 1, 1.0, np.int8(1), 0.0, -0.0):
        operator.insert(key=key)
    operator.feed([1, 1], key=np.array([-0.0, 0.0]))

    loaded = wr.Operator.load(operator.save())

    assert [repr(key) for key in loaded.keys()] == ["True", "0.0"]  # noqa: SIM118
    assert (loaded.query(1), loaded.query(0)) == (4, 4)


def test_events_of_equal_keys_keep_their_order_in_a_batch():
    operator = wr.Operator(None, wr.last("x"))

    operator.feed({"x": [1, 2, 3]}, key=np.array([0.0, -0.0, 0.0]))

    assert operator.query(0.0) == 3


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


UNUSABLE = {
    "a list": ([1], "unhashable type: 'list'"),
    "a list in a tuple": (("a", [1]), "unhashable type: 'list'"),
    "nan": (float("nan"), "does not equal itself"),
    "nan in a tuple": (("a", float("nan")), "does not equal itself"),
    "numpy nan": (np.float32("nan"), "does not equal itself"),
    "no time": (np.datetime64("NaT"), "does not equal itself"),
    "an object": (object(), "type object cannot be saved"),
    "an enum": (Colour.RED, "type Colour cannot be saved"),
    "a whole number of another type": (Level.LOW, "type Level cannot be saved"),
    "a set": (frozenset([1]), "type frozenset cannot be saved"),
}


@pytest.mark.parametrize(("key", "cause"), UNUSABLE.values(), ids=list(UNUSABLE))
@pytest.mark.parametrize(
    "ask",
    [
        lambda operator, key: operator.insert(6, key=key),
        lambda operator, key: operator.feed([6, 7], key=["a", key]),
    ],
)
def test_any_other_key_is_refused_and_nothing_has_changed(key, cause, ask):
    operator = wr.Operator(wr.rows(3), wr.sum())
    operator.insert(5, key="a")
    before = operator.save()

    with pytest.raises(wr.BadInput) as refusal:
        ask(operator, key)

    assert "cannot keep a window for the key" in str(refusal.value)
    assert cause in str(refusal.value)
    assert "\nHint: " in str(refusal.value)
    assert operator.save() == before


def test_a_refused_first_key_leaves_an_operator_without_types():
    operator = wr.Operator(wr.rows(3), wr.sum())

    with pytest.raises(wr.BadInput):
        operator.insert(6, key=object())

    operator.insert(0.5)
    assert operator.query() == 0.5


def test_a_key_that_cannot_be_looked_up_is_refused_in_a_query():
    operator = wr.Operator(wr.rows(3), wr.sum())
    operator.insert(5, key="a")

    with pytest.raises(wr.BadInput, match="unhashable type: 'list'"):
        operator.query(key=["a"])


@pytest.mark.parametrize(
    "keys",
    [
        pa.array(["a", "b", "a"]),
        pa.chunked_array([["a", "b"], ["a"]]),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays([0, 1, 0], ["a", "b", "unused"]),
        np.array(["a", "b", "a"]),
        np.array(["a", "b", "a"], object),
        ("a", "b", "a"),
        iter(["a", "b", "a"]),
    ],
)
def test_keys_of_a_batch_may_be_any_sequence(keys):
    operator = wr.Operator(None, wr.sum())

    operator.feed([1, 2, 4], key=keys)

    assert {key: operator.query(key) for key in operator.keys()} == {"a": 5, "b": 2}  # noqa: SIM118


@pytest.mark.parametrize("keys", [["a", None], pa.array([1, None]), [("a",), None]])
def test_an_event_needs_a_key_where_others_have_one(keys):
    operator = wr.Operator(None, wr.sum())

    with pytest.raises(wr.BadInput, match="a key is null"):
        operator.feed([1, 2], key=keys)


@pytest.mark.parametrize(
    "keys", [[("a", 1), "b"], [np.datetime64(5, "ns"), np.int16(3)], [2**70, 1]]
)
def test_results_of_keys_without_a_column_can_be_iterated(keys):
    operator = wr.Operator(wr.rows(1), wr.sum())

    fed = operator.feed([1, 2], key=keys)

    assert [(one.key, one.value) for one in fed] == list(zip(keys, [1, 2], strict=True))
    with pytest.raises(wr.BadInput, match="iterate over the results"):
        fed.to_arrow()


def test_uuids_are_keys_only_where_they_come_back():
    """Arrow has learnt them lately: taken or refused, but never half."""
    operator, key = wr.Operator(None, wr.count()), uuid.UUID(int=7)
    try:
        operator.insert(key=key)
    except wr.BadInput:
        assert operator.keys() == []
    else:
        assert wr.Operator.load(operator.save()).keys() == [key]


def test_a_refused_batch_after_all_keys_have_expired_changes_nothing():
    operator = wr.Operator(wr.sliding(10, every=5), wr.sum())
    operator.insert(1, at=0, key="a")
    operator.trigger(at=100)
    operator.expire(before=100)
    assert operator.keys() == []
    with pytest.raises(wr.errors.BadInput):
        operator.feed(np.arange(2.0), at=np.array([105, 101]), key=["b", "b"])

    operator.insert(7, at=102, key="b")

    assert operator.query("b") == 7
    assert operator.keys() == ["b"]
    assert len(operator) == 1
