"""Saves of aggregates of your own: the functions that load them must be the same.

These operators are compiled: an aggregate that runs as plain Python is not saved.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import windrow as wr
from windrow.loops import interpreting
from windrow.operator import description

SAVES = Path(__file__).parent / "saves"


def doubled(**functions: Any) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "lift": lambda value: 2.0 * value,
        "combine": lambda older, newer: older + newer,
        "lower": lambda partial: partial,
    }
    return {"d": wr.Aggregate(name="doubled", **parts | functions)("x")}


@pytest.fixture(scope="module")
def own() -> bytes:
    operator = wr.Operator(wr.rows(3), doubled())
    operator.insert(1.5)
    return operator.save()


def test_the_same_functions_carry_a_save_on(own):
    assert wr.Operator.load(own, doubled()).query() == 3.0


@pytest.mark.parametrize(
    ("functions", "changed"),
    [
        ({"lift": lambda value: 3.0 * value}, "lift"),
        ({"combine": lambda older, newer: older - newer}, "combine"),
        ({"lower": lambda partial: partial + 1.0}, "lower"),
        ({"inverse": lambda whole, oldest: whole - oldest}, "inverse"),
        ({"identity": 0.0}, "identity"),
        (
            {
                "lift": lambda value: 3.0 * value,
                "lower": lambda partial: partial + 1.0,
            },
            "lift and lower",
        ),
    ],
)
def test_other_functions_of_the_same_name_are_refused(own, functions, changed):
    with pytest.raises(wr.StateError) as refusal:
        wr.Operator.load(own, doubled(**functions))

    assert f"{changed} of 'doubled' changed since it was saved" in str(refusal.value)
    assert "\nHint: " in str(refusal.value)


def test_functions_of_another_python_are_taken_with_a_warning(own, monkeypatch):
    monkeypatch.setattr(description, "PYTHON", "2.7")

    with pytest.warns(wr.StateWarning, match="cannot tell whether 'd'"):
        operator = wr.Operator.load(own, doubled())

    assert operator.query() == 3.0


def test_functions_that_an_older_save_does_not_know_are_taken_with_a_warning():
    old = (SAVES / "own_aggregate.bin").read_bytes()

    with pytest.warns(wr.StateWarning, match="an older version of windrow"):
        operator = wr.Operator.load(old, doubled())

    assert operator.query() == 8.0


def test_a_compiled_aggregate_is_not_carried_on_as_plain_python(own):
    with interpreting(), pytest.raises(wr.StateError, match="runs as plain Python"):
        wr.Operator.load(own, doubled())
