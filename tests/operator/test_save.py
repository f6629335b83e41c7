"""Saving and loading: going on gives the same answers as never having stopped."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from windrow.kernels import interpreting
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
