"""Long batches: what lies between both ends is slid over as an array."""

from __future__ import annotations

import itertools
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.algorithms import _two_threads
from windrow.loops import Lane, pinned
from windrow.operator import array_feed

ALGORITHMS = [
    "auto",
    "sba",
    "pba",
    "subtract_on_evict",
    "two_stacks_lite",
    "daba",
    "flat_fat",
]


@pytest.fixture
def slid(monkeypatch):
    """How many values were slid over as arrays, batch by batch."""
    lengths: list[int] = []
    slide = array_feed.slide_batch

    def spy(program: Any, values: Any) -> Any:
        lengths.append(len(values))
        return slide(program, values)

    monkeypatch.setattr(array_feed, "slide_batch", spy)
    return lengths


@pytest.fixture(autouse=True)
def short_batches(monkeypatch):
    """Batches of any length may go by arrays."""
    monkeypatch.setattr(array_feed, "LEAST", 1)
    monkeypatch.setattr(array_feed, "LIST_LEAST", 1)


def windows(values: list[int], range_: int, fold: Any) -> list[int]:
    return [fold(values[i : i + range_]) for i in range(len(values) - range_ + 1)]


@pytest.mark.parametrize(
    ("algorithm", "nulls"), [("auto", False), *((name, True) for name in ALGORITHMS)]
)
@given(data=st.data(), range_=st.integers(1, 9))
def test_batches_of_any_length_give_the_windows_of_their_values(
    algorithm, nulls, data, range_
):
    operator = wr.Operator(
        wr.rows(range_),
        wr.sum(),
        algorithm=algorithm,
        nulls=nulls,
        types={"value": "int64"},
    )
    seen: list[int] = []
    values: list[int] = []
    for _ in range(4):
        if data.draw(st.booleans()):
            operator.insert(7)
            values.append(7)
            if len(values) >= range_:
                seen.append(sum(values[-range_:]))
        batch = data.draw(st.lists(st.integers(-9, 9), max_size=60))
        seen += [each.value for each in operator.feed(np.array(batch, np.int64))]
        values += batch
        assert len(operator) == min(len(values), range_)

    assert seen == windows(values, range_, sum)
    assert operator.query() == (sum(values[-range_:]) if values else None)


@pytest.mark.parametrize("aggregate", [wr.max(), wr.mean(), wr.range()])
def test_batches_are_slid_over_as_arrays_with_the_events_before_them(aggregate, slid):
    operator = wr.Operator(wr.rows(10), aggregate, types={"value": "float64"})
    values = np.arange(200.0) % 17
    operator.insert(3.0)
    operator.query()

    fed = operator.feed(values)
    short = operator.feed(values[:40])

    alone = wr.Operator(wr.rows(10), aggregate, types={"value": "float64"})
    alone.insert(3.0)
    expected = [each.value for each in alone.feed(values.tolist())]
    assert slid == [200, 9 + 40], "the second with the nine events before it"
    assert [each.value for each in fed] == expected
    assert [each.end for each in fed] == list(range(10, 202))
    assert [each.value for each in short] == [
        each.value for each in alone.feed(values[:40].tolist())
    ]
    assert operator.save() == wr.Operator.load(operator.save()).save()


def test_two_threads_slide_over_a_batch_with_pba(compiled_lane, slid, monkeypatch):
    started = []

    class SpiedThread(Thread):
        def start(self):
            started.append(self.name)
            super().start()

    for least in ("LEAST_WINDOW", "LEAST_STREAM", "LEAST_RUN"):
        monkeypatch.setattr(_two_threads, least, 1)
    monkeypatch.setattr(_two_threads, "Thread", SpiedThread)
    monkeypatch.setattr(_two_threads, "spare_threads", lambda: 2)
    operator = wr.Operator(wr.rows(500), wr.max(), algorithm="pba")
    values = np.random.default_rng(1).random(20_000)
    operator.insert(0.5)
    operator.query()

    fed = operator.feed(values)["max"].to_numpy()

    assert slid == [20_000]
    assert started == ["windrow-lcs"]
    with pinned(Lane.COLUMNS):
        expected = wr.slide(values, wr.rows(500), "max")
    np.testing.assert_array_equal(fed[1:], expected)


def test_memory_is_filled_again_when_somebody_needs_it(slid):
    operator = wr.Operator(wr.rows(10), wr.sum(), types={"value": "int64"})
    operator.insert(1)
    operator.query()
    operator.feed(np.arange(50))
    window = operator._windows[None]
    assert window.tail.tolist() == list(range(40, 50))
    assert "memory" not in vars(window)

    operator.insert(7)

    assert operator.query() == sum(range(41, 50)) + 7
    assert window.tail is None
    assert len(operator) == 10
    operator.evict()
    assert operator.query() == sum(range(42, 50)) + 7
    assert [each.value for each in operator.feed(np.arange(3))] == [
        sum(range(42, 50)) + 7 + 0,
        sum(range(43, 50)) + 7 + 0 + 1,
        sum(range(44, 50)) + 7 + 0 + 1 + 2,
    ]


RANGES = st.lists(st.integers(1, 9), min_size=1, max_size=4, unique=True)


@pytest.mark.parametrize("nulls", [True, False])
@pytest.mark.parametrize("name", ["sum", "max", "range"])
@given(data=st.data(), ranges=RANGES)
def test_batches_of_a_list_give_what_one_event_at_a_time_gives(
    name, nulls, data, ranges
):
    """By one graph, in the order of events, whatever comes between the batches."""
    windows = [wr.rows(range_, name=f"w{range_}") for range_ in ranges]

    def operator():
        types = {"value": "int64"}
        return wr.Operator(windows, getattr(wr, name)(), nulls=nulls, types=types)

    arrays, single = operator(), operator()
    for _ in range(3):
        what = data.draw(st.sampled_from(["insert", "add", "query", "nothing", "save"]))
        if what == "insert":
            arrays.insert(5)
            single.insert(5)
        if what == "add" and f"w{20}" not in arrays.query():
            assert arrays.add(wr.rows(20, name="w20")) == single.add(
                wr.rows(20, name="w20")
            )
        if what == "query":
            assert arrays.query() == single.query()
        if what == "save":
            arrays = wr.Operator.load(arrays.save())
        batch = data.draw(st.lists(st.integers(-9, 9), max_size=70))
        fed = arrays.feed(np.array(batch, np.int64))
        assert list(fed) == list(single.feed(batch))
        assert arrays.query() == single.query()


def test_a_list_is_answered_by_one_graph(monkeypatch):
    seen = []
    graph = array_feed.slide_graph
    monkeypatch.setattr(
        array_feed,
        "slide_graph",
        lambda *given, **how: seen.append(given[4]) or graph(*given, **how),
    )
    operator = wr.Operator([wr.rows(2, name="a"), wr.rows(5, name="b")], wr.sum())
    operator.insert(1)
    operator.query()

    operator.feed(np.arange(30))
    operator.feed(np.arange(30))

    assert seen == [[(2, 1), (5, 1)]] * 2
    assert operator.query() == {"a": 57, "b": 135}


def test_the_first_batch_of_numbers_is_slid_over_as_an_array(slid):
    operator = wr.Operator(wr.rows(10), wr.sum())

    fed = operator.feed(np.arange(50))

    assert slid == [50]
    assert [each.value for each in fed] == windows(list(range(50)), 10, sum)


def test_short_batches_between_long_ones_are_not_left_out(slid, monkeypatch):
    """Windows are in memory for short ones, and an array for long ones."""
    monkeypatch.setattr(array_feed, "LEAST", 64)
    values = np.arange(400) ** 2
    operator = wr.Operator(wr.rows(32), wr.sum(), algorithm="pba")

    seen = []
    for batch in np.split(values, np.cumsum([3, 70, 8, 3, 64, 65, 1, 80, 63])):
        seen += [each.value for each in operator.feed(batch)]

    assert seen == windows(values.tolist(), 32, sum)
    assert slid == [70, 64, 65 + 31, 80]


@pytest.mark.parametrize(("scale", "words"), [(1, 1), (-(2**40) - 3, 1), (2**52, 2)])
def test_sums_of_a_list_take_one_word_where_that_is_enough(scale, words, monkeypatch):
    graph, taken = array_feed.slide_graph, []

    def spy(product, *arguments, **named):
        taken.append(len(product.dtypes))
        return graph(product, *arguments, **named)

    monkeypatch.setattr(array_feed, "slide_graph", spy)
    values = np.arange(6_000) % 7 * scale
    windows = [wr.rows(width, name=str(width)) for width in (3, 1_000)]
    operator = wr.Operator(windows, "sum", types={"value": "int64"}, nulls=False)

    fed = [result for at in (0, 3_000) for result in operator.feed(values[at:][:3_000])]

    totals = [0, *itertools.accumulate(values.tolist())]
    actual = [(result.query, result.end, result.value) for result in fed]
    assert taken == [words, words]
    assert actual == [
        (str(width), end, totals[end] - totals[end - width])
        for end in range(1, 6_001)
        for width in (3, 1_000)
        if end >= width
    ]
