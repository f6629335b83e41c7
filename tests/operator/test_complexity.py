"""What an event costs in calls of combine: RA's Theorem 4.2 and 5.1.1, PBA's bound.

Counted in an operator that runs as plain Python, with an aggregate that counts.
"""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest

import windrow as wr
from windrow.loops import interpreting

SIZES = [16, 64, 256, 1024]


class Counted:
    """A concatenation, which tells order, and how often it was asked for."""

    def __init__(self) -> None:
        self.calls = 0
        self.aggregate = wr.Aggregate(
            name="counted",
            lift=lambda value: ((value, value),),
            combine=self._combine,
            lower=lambda partial: partial[0],
        )

    def _combine(self, older: Any, newer: Any) -> Any:
        """Spans of numbers that must meet: nothing is combined out of order."""
        self.calls += 1
        assert older[0][1] + 1 == newer[0][0], "not in stream order"
        return ((older[0][0], newer[0][1]),)

    def since(self) -> int:
        """Calls since the last time that this was asked."""
        calls, self.calls = self.calls, 0
        return calls


@pytest.fixture(autouse=True)
def as_plain_python():
    with interpreting():
        yield


def full(size: int, **options: Any) -> tuple[wr.Operator, Counted, Any]:
    counted = Counted()
    operator = wr.Operator(
        None, counted.aggregate, algorithm="flat_fat", capacity=size, **options
    )
    for number in range(size):
        operator.insert(number)
    return operator, counted, operator.query


@pytest.mark.parametrize("size", SIZES)
def test_new_makes_n_minus_1_calls(size):
    _, counted, query = full(size)

    assert query() == (0, size - 1)
    assert counted.since() == size - 1
    assert query() == (0, size - 1)
    assert counted.since() == 0, "aggregate() makes none"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("many", [1, 2, 3, 7, 16])
def test_an_update_of_m_places_is_within_the_bound(size, many):
    operator, counted, query = full(size)
    query()
    counted.since()
    for places in (range(many), random.Random(size).sample(range(size), many)):
        for place in places:
            operator.correct(place, place)
        query()

        bound = many * (1 + math.ceil(math.log2(size / many)))
        assert 0 < counted.since() <= bound


@pytest.mark.parametrize("size", SIZES)
def test_a_slide_is_two_paths_and_an_answer_of_suffix_and_prefix(size):
    operator, counted, query = full(size)
    query()
    counted.since()
    for number in range(size, 3 * size):
        operator.evict()
        operator.insert(number)
        assert query() == (number - size + 1, number)

        paths, answer = 2 * math.log2(size), 2 * math.log2(size) + 1
        assert counted.since() <= paths + answer


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("back", [1, 2, 5, 12])
def test_a_late_event_costs_by_its_distance_from_the_newest(size, back):
    """O(d + d log(n/d)) for distance d: the leaves that shift, and what is above."""
    calls = 0

    def combine(older, newer):
        nonlocal calls
        calls += 1
        return max(older, newer)

    largest = wr.Aggregate(
        name="largest", lift=lambda v: v, combine=combine, lower=lambda p: p
    )
    operator = wr.Operator(None, largest, lateness=10**6, capacity=2 * size)
    for number in range(size):
        operator.insert(number, at=10 * number)
    operator.query()
    calls = 0

    operator.insert(-1, at=10 * (size - back) - 5)

    assert operator.query() == size - 1
    moved = back + 1
    assert calls <= moved * (1 + math.ceil(math.log2(2 * size / moved)))


def test_resizing_and_squeezing_are_paid_by_the_events_between():
    """RA 5.1.1: each event is copied a bounded number of times."""
    counted = Counted()
    operator = wr.Operator(None, counted.aggregate, algorithm="flat_fat")
    copied, events = 0, 0
    capacity = lambda: operator._windows[None].memory.capacity  # noqa: E731
    rng = random.Random(5)
    for grow in itertools.chain([0.9] * 2_000, [0.1] * 2_000, [0.5] * 2_000):
        before = capacity() if operator._windows else 0
        if rng.random() < grow or not len(operator):
            operator.insert(events)
        else:
            operator.evict()
        len(operator)
        events += 1
        if capacity() != before:
            copied += max(before, capacity())
        size = len(operator)
        assert capacity() <= max(16, 4 * size), "at least a quarter is in use"

    assert copied <= 8 * events


def test_holes_are_squeezed_out_and_not_doubled():
    operator = wr.Operator(None, wr.sum(), algorithm="flat_fat", capacity=64)
    for number in range(64):
        operator.insert(number)
    for number in range(10, 30):
        operator.evict(number)
    left = [*range(10), *range(30, 64)]

    for number in range(64, 84):
        operator.insert(number)

    assert operator._windows[None].memory.capacity == 64
    assert operator.query() == sum([*left, *range(64, 84)])
    operator.correct(63, 0)
    assert operator.query() == sum([*left, *range(64, 84)]) - 63


@pytest.mark.parametrize(
    ("algorithm", "most"), [("daba", 8), ("daba_lite", 6), ("pba", 4)]
)
@pytest.mark.parametrize("size", [*range(1, 12), 33, 64, 257])
def test_no_event_waits_for_many_others(algorithm, most, size):
    counted = Counted()
    operator = wr.Operator(wr.rows(size), counted.aggregate, algorithm=algorithm)
    worst = 0
    for number in range(5 * size + 7):
        operator.insert(number)
        assert operator.query() == (max(number - size + 1, 0), number)
        worst = max(worst, counted.since())

    assert worst <= most


def test_worst_case_latency_asks_for_such_an_algorithm():
    operator = wr.Operator(wr.rows(9), wr.mean(), latency="worst-case")
    operator.insert(1.0)

    assert "daba_lite" in repr(operator)


SECOND = 10**9
BURSTS = {
    "100 events a second": lambda rng: 10 * 10**6,
    "bursts and silences": lambda rng: 0 if rng.random() < 0.95 else 3 * SECOND,
    "one burst, then silence": lambda rng: 0 if rng.random() < 0.999 else 60 * SECOND,
    "uneven": lambda rng: rng.randrange(40 * 10**6) ** 2 // 10**7,
}


@pytest.mark.parametrize("rhythm", BURSTS)
@pytest.mark.parametrize(("range_", "every"), [(40, 1), (41, 3), (40, 40)])
@pytest.mark.parametrize("ticks", [False, True])
def test_pba_over_time_works_in_proportion_to_the_time_that_passed(
    rhythm, range_, every, ticks
):
    """Instants in nanoseconds: 3 combines and a constant for an event, and a constant
    for each slide of time that has passed since the last one.
    """
    counted, rng = Counted(), random.Random(5)
    window = wr.sliding(f"{range_} seconds", every=f"{every} seconds")
    operator = wr.Operator(window, counted.aggregate, algorithm="pba", unit="ns")
    now, held = 10**18, []
    for number in range(5_000):
        before, now = now, now + BURSTS[rhythm](rng)
        if ticks:  # time passes slide by slide, and each is answered
            for instant in range(before + every * SECOND, now, every * SECOND):
                operator.trigger(at=instant)
                assert counted.since() <= 8 + 8, "one slide has passed"
                before = instant
        operator.insert(number, at=now)
        held.append((now, number))
        operator.trigger()
        slides = (now - before) // (every * SECOND) + 1
        assert counted.since() <= 3 + 4 + 8 * slides, (number, slides)
    shift = (range_ % every) * SECOND
    end = now - (now - shift) % (every * SECOND) + every * SECOND
    inside = [each for at, each in held if end - range_ * SECOND <= at < end]
    assert operator.query() == (inside[0], inside[-1])


def test_pba_over_time_without_slides_keeps_its_bound_in_a_steady_stream():
    """A window of 4,000 events at 100 Hz took 2,001 combines where a chunk ended."""
    counted = Counted()
    window = wr.window(evict="40 seconds", trigger=None)
    operator = wr.Operator(window, counted.aggregate, algorithm="pba", unit="ns")
    worst = 0
    for number in range(13_000):
        operator.insert(number, at=10**18 + number * 10**7)
        assert operator.query() == (max(number - 3999, 0), number)
        worst = max(worst, counted.since())

    assert worst <= 8
