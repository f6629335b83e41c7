"""Saving and loading: going on gives the same answers as never having stopped."""

from __future__ import annotations

import datetime as dt
import inspect
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.aggregates import BY_NAME
from windrow.loops import interpreting
from windrow.state.codec import pack


@pytest.fixture(autouse=True)
def as_plain_python():
    """Compiled operators have tests of their own."""
    with interpreting():
        yield


def half(operator: wr.Operator) -> None:
    for number in range(20):
        event = {"x": float(number % 7), "who": f"u{number}"}
        operator.insert(event, at=number, key=("odd", "even")[number % 2 == 0])


MANY = {"m": wr.max("x"), "who": wr.arg_max("x", "who"), "mean": wr.mean("x")}


@pytest.mark.parametrize("lateness", [None, 5])
@pytest.mark.parametrize("taken", [True, False])
def test_an_operator_goes_on_as_if_it_had_never_stopped(lateness, taken):
    def life(*, stop: bool) -> list[Any]:
        operator = wr.Operator(wr.sliding(10, every=3), MANY, lateness=lateness)
        half(operator)
        seen = operator.trigger() if taken else []
        if stop:
            operator = wr.Operator.load(operator.save())
        if lateness:
            operator.insert({"x": 50.0, "who": "late"}, at=16, key="odd")
        for number in range(20, 40):
            operator.insert({"x": float(number % 5), "who": "v"}, at=number, key="odd")
        return [
            *seen,
            *operator.trigger(),
            operator.query("odd"),
            operator.query("even"),
        ]

    assert life(stop=True) == life(stop=False)


def test_times_come_back_as_they_went_in():
    day = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    operator = wr.Operator(wr.sliding("1 hour", every="30 minutes"), wr.count())
    operator.insert(at=day)
    operator = wr.Operator.load(operator.save())
    operator.insert(at=day + dt.timedelta(hours=3))

    ends = [one.end for one in operator.trigger()]

    assert ends == [day + dt.timedelta(minutes=m) for m in (30, 60)]


def test_an_operator_without_events_can_be_saved():
    operator = wr.Operator.load(wr.Operator(wr.rows(2), wr.max()).save())
    operator.insert(4)

    assert operator.query() == 4


@pytest.mark.parametrize("algorithm", ["auto", "flat_fat", "two_stacks_lite"])
@pytest.mark.parametrize("window", [wr.rows(5), [wr.rows(5), wr.rows(9)]])
@pytest.mark.parametrize("key", [None, "a"])
def test_equal_operators_save_equal_bytes(monkeypatch, algorithm, window, key):
    def save(filling: float) -> bytes:
        def filled(shape: Any, dtype: Any = float, **_: object) -> Any:
            return np.full(shape, filling, dtype)  # what memory was used for before

        monkeypatch.setattr(np, "empty", filled)
        operator = wr.Operator(window, wr.max(), algorithm=algorithm)
        for value in (3.0, 1.0, 4.0):
            operator.insert(value, **({"key": key} if key else {}))
        return operator.save()

    assert save(7) == save(8)


def saved() -> bytes:
    operator = wr.Operator(wr.rows(5), wr.max())
    operator.feed([3, 1, 4, 1, 5, 9])
    return operator.save()


def test_every_altered_byte_is_noticed():
    blob = saved()
    for place in range(len(blob)):
        altered = bytearray(blob)
        altered[place] ^= 0x41
        with pytest.raises(wr.StateError):
            wr.Operator.load(bytes(altered))


def test_every_cut_is_noticed():
    blob = saved()
    for size in range(len(blob)):
        with pytest.raises(wr.StateError):
            wr.Operator.load(blob[:size])


@pytest.mark.parametrize(
    "foreign",
    [b"", b"PK\3\4 not ours", pack(pa.table({"a": [1]}), "rows", small=True)],
)
def test_what_is_not_a_saved_operator_is_refused(foreign):
    with pytest.raises(wr.StateError, match="cannot read"):
        wr.Operator.load(foreign)


# --- every option is saved

DELTA = wr.window(evict=wr.delta("x", 5.5), trigger=wr.delta("x", 2), ties="y")
SAVED_WINDOWS = [
    None,
    wr.rows(3),
    wr.rows(4, every=3, partial=True, on="ts", ties=["a", "b"], name="w"),
    wr.sliding(10, every=5, offset=3, on="ts", ties="a", name="w"),
    wr.sliding("1 hour", every="10 minutes", offset="5 minutes", tz="Asia/Kolkata"),
    wr.window(evict="1 hour", trigger=7, on="ts", ties=["a"], name="w"),
    wr.window(evict=wr.punctuation("mark"), trigger=wr.punctuation()),
    DELTA,
]
OPTIONS: dict[str, list[Any]] = {
    "window": SAVED_WINDOWS,
    "aggregate": [
        wr.max(),
        {"m": wr.max("x"), "who": wr.arg_max("x", "y")},
        {"q": wr.moment_sketch("x", quantiles=(0.25, 0.5))},
    ],
    "algorithm": ["auto", "flat_fat", "daba", "two_stacks_lite"],
    "latency": [None, "worst-case"],
    "lateness": [None, 0, 7],
    "types": [None, {"value": "int32"}, {"value": "float64"}],
    "nulls": [True, False],
    "capacity": [None, 1, 100],
    "unit": [None],
}


def test_the_list_of_options_is_complete():
    parameters = list(inspect.signature(wr.Operator).parameters)

    assert parameters == list(OPTIONS)


@pytest.mark.parametrize(
    ("option", "value"),
    [(option, value) for option, values in OPTIONS.items() for value in values],
)
@pytest.mark.parametrize("opened", [False, True])
def test_every_option_comes_back_from_a_save(option, value, opened):
    options = {"window": wr.rows(3), "aggregate": wr.max(), option: value}
    operator = wr.Operator(**options)
    if opened and option not in ("window", "aggregate"):
        operator.insert(4, at=1 if value is not None and option == "lateness" else None)

    loaded = wr.Operator.load(operator.save())

    assert loaded.save() == operator.save()
    assert repr(loaded) == repr(operator)
    before, after = operator._setup, loaded._setup
    assert after.window == before.window
    assert list(after.calls) == list(before.calls)
    for name, call in before.calls.items():
        assert after.calls[name].aggregate is call.aggregate
        assert after.calls[name].columns == call.columns
        assert dict(after.calls[name].options) == dict(call.options)
    for kept in ("algorithm", "latency", "lateness", "schema", "nulls", "capacity"):
        assert getattr(after, kept) == getattr(before, kept)


@pytest.mark.parametrize("zone", [None, dt.UTC])
def test_offsets_and_zones_rule_the_windows_that_come_after_a_save(zone):
    def ends(*, stop: bool) -> list[Any]:
        window = wr.sliding("1 hour", every="1 hour", offset="7 minutes")
        operator = wr.Operator(window, wr.count())
        start = dt.datetime(2026, 3, 1, tzinfo=zone)
        operator.insert(at=start)
        if stop:
            operator = wr.Operator.load(operator.save())
        operator.insert(at=start + dt.timedelta(hours=3))
        return [(one.start, one.end) for one in operator.trigger()]

    assert ends(stop=True) == ends(stop=False)
    assert [end.minute for _, end in ends(stop=True)] == [7]


# --- values keep their types


def test_results_past_64_bits_are_saved():
    operator = wr.Operator(None, wr.sum())
    operator.feed([2**62] * 8)
    assert [one.value for one in operator.trigger()] == [2**65]

    loaded = wr.Operator.load(operator.save())

    assert loaded.trigger() == [], "it was taken before"
    loaded.insert(1)
    assert [one.value for one in loaded.trigger()] == [2**65 + 1]


def test_revised_results_past_64_bits_are_saved():
    operator = wr.Operator(wr.sliding(10), wr.sum(), lateness=50)
    operator.feed([2**62] * 8 + [1], at=[1] * 8 + [30])
    seen = [one.value for one in operator.trigger()]
    loaded = wr.Operator.load(operator.save())

    loaded.insert(5, at=2)

    assert seen == [2**65]
    assert [(one.value, one.again) for one in loaded.trigger()] == [(2**65 + 5, True)]


def test_a_column_may_be_called_number():
    operator = wr.Operator(None, wr.last("number"))
    for number in ("a", "b"):
        operator.insert({"number": number})

    assert wr.Operator.load(operator.save()).query() == "b"


@pytest.mark.parametrize("bad", [5, ("x",), 2**70])
def test_what_a_result_may_point_to_has_the_type_of_its_column(bad):
    operator = wr.Operator(None, wr.last("who"))
    handle = operator.insert({"who": "ann"})
    before = operator.save()

    with pytest.raises(wr.BadInput, match="cannot take"):
        operator.insert({"who": bad})
    with pytest.raises(wr.BadInput):
        operator.correct(handle, {"who": bad})

    assert operator.save() == before


# --- saves of earlier versions

SAVES = Path(__file__).parent / "saves"


def read_save(name: str) -> bytes:
    return (SAVES / f"{name}.bin").read_bytes()


@pytest.mark.parametrize(
    ("name", "keys"), [("text_keys", ["ann", "bob"]), ("whole_keys", [1, 2])]
)
def test_a_save_with_a_column_of_keys_is_still_read(name, keys):
    operator = wr.Operator.load(read_save(name))

    assert operator.keys() == keys
    assert operator.query(keys[0]) == {"m": 2.0, "who": "u2"}
    assert [(one.key, one.end, one.value["who"]) for one in operator.trigger()] == [
        (keys[0], 1, "u0"),
        (keys[0], 3, "u2"),
        (keys[1], 1, "u1"),
        (keys[1], 3, "u3"),
    ]
    assert wr.Operator.load(operator.save()).keys() == keys


def test_a_save_with_results_that_were_taken_is_still_read():
    operator = wr.Operator.load(read_save("no_key"))
    late = dt.datetime(2026, 3, 1, 0, 30, tzinfo=dt.UTC)

    operator.insert(100, at=late)

    assert [(one.end.minute, one.value, one.again) for one in operator.trigger()] == [
        (35, 101, True),
        (5, 106, True),
    ]


def test_older_saves_of_built_in_aggregates_are_read_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wr.Operator.load(read_save("text_keys"))


def test_partials_that_another_version_laid_out_are_refused(monkeypatch):
    operator = wr.Operator(wr.rows(3), wr.product())
    operator.feed([2.0, 3.0])
    saved = operator.save()
    newer = replace(BY_NAME["product"], partial_form=3)
    monkeypatch.setitem(BY_NAME, "product", newer)

    with pytest.raises(wr.StateError, match=r"saved in form 2, and this .* form 3"):
        wr.Operator.load(saved)
