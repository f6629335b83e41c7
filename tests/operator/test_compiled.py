"""Operators as machine code: each algorithm once, against arrays and a plain list."""

from __future__ import annotations

import random

import numpy as np
import pytest

import windrow as wr
from plain_window import PlainWindow
from windrow.algorithms import CATALOGUE
from windrow.operator import quick

AGGREGATES = {
    "subtract_on_evict": "sum",
    "slick_deque_inv": "sum",
    "slick_deque": "max",
}
STEPWISE = [one.name for one in CATALOGUE if one.steps is not None]
# the deep run has all; FlatFAT is what late events take, below
USUAL = ("two_stacks_lite",)
DOUBLED = wr.Aggregate(
    name="doubled",
    lift=lambda value: 2.0 * value,
    combine=lambda older, newer: older + newer,
    lower=lambda partial: partial,
)
OTHER = wr.Aggregate(
    name="tripled", lift=DOUBLED.lift, combine=DOUBLED.combine, lower=DOUBLED.lower
)


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setenv("WINDROW_COMPILE", "always")


@pytest.mark.parametrize(
    "algorithm",
    [
        pytest.param(name, marks=() if name in USUAL else pytest.mark.deep)
        for name in STEPWISE
    ],
)
def test_batches_and_single_events_give_what_arrays_give(algorithm):
    aggregate = AGGREGATES.get(algorithm, "sum")
    values = np.random.default_rng(7).integers(-50, 50, 400)
    expected = wr.slide(values, wr.rows(37), aggregate).tolist()
    operator = wr.Operator(wr.rows(37), aggregate, algorithm=algorithm)
    found = []
    for i, value in enumerate(values[:150].tolist()):
        operator.insert(value)
        if i >= 36:
            found.append(operator.query())
    found += [one.value for one in operator.feed(values[150:300])]
    found += [one.value for one in operator.feed(values[300:].tolist())]

    assert found == expected


def test_late_events_corrections_and_evictions():
    rng = random.Random(3)
    operator = wr.Operator(wr.rows(20), wr.sum(), lateness=30)
    plain, handles, newest = PlainWindow(20), {}, 0
    for _ in range(300):
        step = rng.random()
        if step < 0.6 or not plain.events:
            tick = max(newest + rng.randint(-25, 10), 0)
            newest = max(newest, tick)
            value = rng.randint(-9, 9)
            handle = operator.insert(value, at=tick)
            handles[plain.insert(tick, value)] = handle
        elif step < 0.8:
            event = rng.choice(plain.events)
            operator.correct(handles[event.number], 5)
            plain.correct(event.number, 5)
        else:
            event = rng.choice(plain.events)
            operator.evict(handles[event.number])
            plain.evict(event.number)
        assert operator.query() == (sum(plain.values) if plain.values else None)


def test_functions_of_your_own_are_given_again(monkeypatch):
    monkeypatch.setenv("WINDROW_COMPILE", "never")  # a save needs no machine code
    operator = wr.Operator(wr.rows(3), {"d": DOUBLED("x")})
    operator.insert(1.5)
    blob = operator.save()

    for aggregate in (None, {"d": OTHER("x")}, {"e": DOUBLED("x")}):
        with pytest.raises(wr.StateError, match="functions are not saved"):
            wr.Operator.load(blob, aggregate)

    assert wr.Operator.load(blob, {"d": DOUBLED("x")}).query() == 3.0


@pytest.mark.parametrize("nulls", [True, pytest.param(False, marks=pytest.mark.deep)])
def test_plain_numbers_take_the_short_ways(monkeypatch, nulls):
    """In a window of rows without anything else known; others do not."""
    operator = wr.Operator(wr.rows(3), wr.max(), types={"value": "int64"}, nulls=nulls)
    accounts, taken = operator._setup.program.steps.accounts, []
    for name in ("call_quick", "call_rows"):
        step = accounts[name]
        call = step.compiled
        seen = lambda *given, name=name, call=call: taken.append(name) or call(*given)  # noqa: E731
        monkeypatch.setattr(step, "compiled", seen)
    operator.insert(1)
    assert operator.query() == 1
    operator.insert(7)
    assert operator.query() == 7
    before = len(taken)
    operator.feed(np.array([2, 3]))
    operator.feed([4])

    assert set(taken[:before]) == {"call_quick"}
    assert set(taken[before:]) == {"call_rows"}


@pytest.fixture
def calls_past_the_dispatcher(monkeypatch):
    """A list that grows by an entry with each call of machine code itself."""
    calls, entry_of = [], quick.entry_of

    def seen(compiled):
        entry = entry_of(compiled)
        return entry and (lambda *them: calls.append(1) or entry(*them))

    monkeypatch.setattr(quick, "entry_of", seen)
    return calls


def test_results_after_the_first_go_past_the_dispatcher(calls_past_the_dispatcher):
    operator = wr.Operator(wr.rows(3), wr.max(), types={"value": "int64"})
    found = []
    for value in (1, 9, 2, 3, 4):
        operator.insert(value)
        found.append(operator.query())

    assert found == [1, 9, 9, 9, 4]
    assert len(calls_past_the_dispatcher) >= 3


def test_windows_of_keys_grow_shrink_and_tick(monkeypatch, calls_past_the_dispatcher):
    values = np.random.default_rng(8).integers(-50, 50, 300).tolist()

    def run():
        operator, found, at = wr.Operator(wr.sliding(90, every=6), wr.max()), [], 0
        for i, value in enumerate(values):
            at += 1 if i % 200 < 100 else 9  # a burst, then few
            operator.insert(value, at=at, key=i % 2)
            if i % 50 < 9:
                found.append(operator.query(i % 2))
        found += operator.trigger(at=at + 50)
        operator.insert(3, at=at + 51, key=0)
        operator.evict(key=0)
        return found, len(operator)

    compiled = run()
    monkeypatch.setenv("WINDROW_COMPILE", "never")

    assert len(calls_past_the_dispatcher) >= 20  # of 54: where none is due
    assert compiled == run()


@pytest.mark.parametrize(
    ("aggregate", "how"),
    [
        (wr.max(), {}),
        (wr.max(), {"algorithm": "flat_fat"}),
        (wr.max(), {"lateness": 5}),
        (DOUBLED, {}),
    ],
)
def test_kernels_count_no_holders_of_arrays(aggregate, how):
    operator = wr.Operator(wr.rows(3), aggregate, **how)
    operator.insert(1.0, at=1 if "lateness" in how else None)
    kernel = operator._windows[None].program.kernel

    text = kernel.assembly(interpreted=False).text().render()

    assert text.count("@njit(") == text.count("_nrt=False") > 10


@pytest.mark.deep  # compiles arrays, for seconds
def test_functions_of_your_own_may_make_arrays_all_the_same():
    clipped = wr.Aggregate(
        name="clipped",
        lift=lambda value: np.sort(np.array([value, 5.0]))[0],
        combine=lambda older, newer: np.maximum(
            np.array([older]), np.array([newer])
        ).sum(),
        lower=lambda partial: partial,
    )
    operator = wr.Operator(wr.rows(4), clipped)

    fed = operator.feed(np.arange(9.0))

    assert [each.value for each in fed] == [3, 4, 5, 5, 5, 5]
