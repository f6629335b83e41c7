"""A user's functions are compiled once a process, not once a call."""

import numpy as np

import windrow as wr
from windrow.loops import load

MY_SUM = wr.Aggregate(
    name="my_sum",
    lift=lambda value: value,
    combine=lambda older, newer: older + newer,
    lower=lambda partial: partial,
)


def test_a_second_call_with_the_same_aggregate_compiles_nothing(monkeypatch):
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    first = wr.slide(values, wr.rows(5), MY_SUM)
    made = []
    real = load._in_memory
    monkeypatch.setattr(
        load, "_in_memory", lambda *a, **k: made.append(1) or real(*a, **k)
    )

    again = wr.slide(values, wr.rows(5), MY_SUM)
    other = wr.slide(values, wr.rows(5), MY_SUM, algorithm="daba_lite")

    assert first.tolist() == again.tolist() == other.tolist() == [14.0, 20.0]
    assert len(made) == 1
