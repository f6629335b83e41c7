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
from counting import counted, objects
from windrow.algorithms import _two_threads
from windrow.loops import Lane, interpreting, pinned
from windrow.operator import array_feed, list_feed

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
    monkeypatch.setattr(list_feed, "LEAST", 1)


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
    pba = {"algorithm": "pba", "types": {"value": "float64"}}
    operator = wr.Operator(wr.rows(10), aggregate, **pba)
    values = np.arange(200.0) % 17
    operator.insert(3.0)
    operator.query()

    fed = operator.feed(values)
    short = operator.feed(values[:40])

    alone = wr.Operator(wr.rows(10), aggregate, **pba)
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
    operator = wr.Operator(wr.rows(10), wr.sum(), algorithm="pba")
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
WAYS = ["one graph", "one window after the other", "shared laps"]


@pytest.mark.parametrize("nulls", [True, False])
@pytest.mark.parametrize("name", ["sum", "max", "range", "first"])
@pytest.mark.parametrize("way", WAYS)
@given(data=st.data(), ranges=RANGES)
def test_batches_of_a_list_give_what_one_event_at_a_time_gives(
    way, name, nulls, data, ranges
):
    """In the order of events, whatever comes between the batches."""
    windows = [wr.rows(range_, name=f"w{range_}") for range_ in ranges]

    def operator():
        types = {"value": "int64"}
        return wr.Operator(windows, getattr(wr, name)(), nulls=nulls, types=types)

    arrays, single = operator(), operator()
    both = arrays, single
    between = ["insert", "add", "remove", "query", "nothing", "save", "evict"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(list_feed, "LONG", 1 if way == WAYS[0] else 10**9)
        patch.setattr(list_feed, "SHORT", 1 if way == WAYS[2] else 10**9)
        patch.setattr(list_feed, "PIECE", 7)
        patch.setattr(list_feed, "BLOCK", 7)
        for _ in range(5):
            what = data.draw(st.sampled_from(between))
            names = list(single.query())
            if what == "insert":
                assert arrays.insert(5) == single.insert(5)
            if what == "add" and "w20" not in names:
                new = wr.rows(20, name="w20")
                assert arrays.add(new) == single.add(new)
            if what == "remove" and len(names) > 1:
                for each in both:
                    each.remove(names[0])
            if what == "evict" and len(single):
                for each in both:
                    each.evict()
            if what == "query":
                assert arrays.query() == single.query()
            if what == "save":
                arrays = wr.Operator.load(arrays.save())
                both = arrays, single
            most = data.draw(st.sampled_from([9, 2**62]))
            batch = data.draw(st.lists(st.integers(-most, most - 1), max_size=50))
            fed = arrays.feed(np.array(batch, np.int64))
            assert list(fed) == list(single.feed(batch))
        assert arrays.query() == single.query()
        assert len(arrays) == len(single)


def test_sums_take_two_words_where_large_values_came_one_by_one():
    operator = wr.Operator([wr.rows(1, name="one"), wr.rows(20, name="all")], wr.sum())
    operator.feed(np.zeros(40, np.int64))
    operator.insert(0)
    operator.feed(np.array([0] * 17 + [-1, -(2**62), -(2**62)]))  # one by one

    last = list(operator.feed(np.zeros(2, np.int64)))[-2:]

    assert [result.value for result in last] == [0, -(2**63) - 1]


def test_a_long_batch_of_a_list_is_answered_by_one_graph(monkeypatch):
    seen = []
    graph = list_feed.slide_graph
    monkeypatch.setattr(list_feed, "LONG", 30)
    monkeypatch.setattr(
        list_feed,
        "slide_graph",
        lambda *given, **how: seen.append(given[4]) or graph(*given, **how),
    )
    operator = wr.Operator([wr.rows(2, name="a"), wr.rows(5, name="b")], wr.sum())

    operator.feed(np.arange(30))
    operator.feed(np.arange(29))
    operator.feed(np.arange(30))

    assert seen == [[(2, 1), (5, 1)]] * 2
    assert operator.query() == {"a": 57, "b": 135}


def test_a_batch_of_a_list_goes_through_one_window_after_the_other(monkeypatch):
    """Memories stay between batches; after other events they are filled again."""
    fed: list[tuple[int, int]] = []
    feed = list_feed.WindowsAlone.feed

    def spy(own: Any, values: Any, first: int) -> Any:
        fed.append((len(values), first))
        return feed(own, values, first)

    monkeypatch.setattr(list_feed.WindowsAlone, "feed", spy)
    operator = wr.Operator([wr.rows(2, name="a"), wr.rows(50, name="b")], wr.sum())

    for _ in range(3):
        operator.feed(np.arange(30))
    assert operator.query()["a"] == 57
    operator.feed(np.arange(30))
    assert fed == [(0, 0), (30, 0), (30, 30), (30, 60), (30, 90)]

    operator.insert(7)
    for _ in range(4):
        operator.feed(np.arange(30))

    assert fed[5:] == [(50, 131), (30, 181), (30, 211)]
    assert operator.query() == {"a": 57, "b": sum(range(10, 30)) + sum(range(30))}


@pytest.fixture
def by_laps(monkeypatch):
    """The lengths of batches that went by laps."""
    seen: list[int] = []
    slide = list_feed.SharedLaps.slide

    def spy(own: Any, values: Any, count: int, first: int) -> Any:
        seen.append(count)
        return slide(own, values, count, first)

    monkeypatch.setattr(list_feed.SharedLaps, "slide", spy)
    return seen


@pytest.mark.parametrize("aggregate", ["sum", "max", "range"])
@pytest.mark.parametrize("ranges", [(64, 300, 97), (100, 64, 800), (70, 71)])
def test_windows_of_a_list_share_laps(aggregate, ranges, by_laps):
    """Batches down to half of the longest window."""
    values = np.random.default_rng(2).integers(-99, 99, 2_500)
    windows = [wr.rows(range_, name=str(range_)) for range_ in ranges]
    operator = wr.Operator(windows, aggregate, nulls=False)
    found = [
        result for batch in np.split(values, [1, 30, 900, 1_300, 1_310, 2_200]) for
        result in operator.feed(batch)
    ]  # fmt: skip

    folds = {"sum": np.sum, "max": np.max, "range": np.ptp}
    for range_ in ranges:
        own = [result.value for result in found if result.query == str(range_)]
        views = np.lib.stride_tricks.sliding_window_view(values, range_)
        assert own == folds[aggregate](views, axis=1).tolist()
    batches = [1, 29, 870, 400, 10, 890, 300]
    assert by_laps == [count for count in batches if 2 * count >= max(ranges)]


@pytest.mark.parametrize("ranges", [(3, 9, 5), (4, 4), (8, 3, 30, 11)])
def test_laps_keep_the_order_of_values(ranges, monkeypatch):
    monkeypatch.setattr(list_feed, "BLOCK", 23)
    _, product = counted(lambda older, newer: older + newer, identity="")
    texts = objects([f"{i} " for i in range(200)])
    with interpreting():
        laps = list_feed.SharedLaps(product, np.array(ranges), min(ranges))
        (early,) = laps.slide(texts[:40], 40, 0)
        (late,) = laps.slide(texts[40 - max(ranges) + 1 :], 160, 40)

    both = np.hstack([early.reshape(-1, 40), late.reshape(-1, 160)])
    for row, range_ in zip(both, ranges, strict=True):
        ends = range(range_, 201)
        assert row[range_ - 1 :].tolist() == [
            "".join(texts[end - range_ : end]) for end in ends
        ]


def test_results_by_laps_take_two_combines_each():
    """And two for the scans that all windows share, beside the totals of laps."""
    tally, product = counted(max, identity=-1)
    ranges = np.array([100, 200, 350])
    with interpreting():
        laps = list_feed.SharedLaps(product, ranges, 100)
        laps.slide(objects(range(4_349)), 4_000, 349)

    scanned = 4_000 + 349 * -(-4_000 // 700)
    assert tally.total < 2 * len(ranges) * 4_000 + 2.1 * scanned


def test_windows_that_are_too_short_or_too_long_share_no_laps(by_laps):
    for ranges in [(63, 200), (64, 64 * 64 + 1), (100,)]:
        windows = [wr.rows(range_, name=str(range_)) for range_ in ranges]
        operator = wr.Operator(windows, "max", types={"value": "int64"}, nulls=False)
        assert len(operator.feed(np.arange(300))) == sum(
            max(301 - range_, 0) for range_ in ranges
        )

    assert not by_laps


@pytest.mark.parametrize(
    "aggregate", ["sum", pytest.param("max", marks=pytest.mark.deep)]
)
def test_machine_code_of_shared_laps(aggregate, compiled_lane, by_laps):
    values = np.random.default_rng(2).integers(-99, 99, 9_000)
    ranges = 1_500, 512, 600
    operator = wr.Operator(
        [wr.rows(range_, name=str(range_)) for range_ in ranges], aggregate, nulls=False
    )
    found = [
        result for batch in np.split(values, [1_000, 3_000, 5_001]) for result in
        operator.feed(batch)
    ]  # fmt: skip

    for range_ in ranges:
        own = [result.value for result in found if result.query == str(range_)]
        views = np.lib.stride_tricks.sliding_window_view(values, range_)
        assert own == getattr(views, aggregate)(axis=1).tolist()
    assert by_laps == [1_000, 2_000, 2_001, 3_999]


@pytest.mark.parametrize(
    "aggregate", [pytest.param("sum", marks=pytest.mark.deep), "max"]
)
def test_machine_code_of_a_list(aggregate, compiled_lane, monkeypatch):
    values = np.random.default_rng(2).integers(-99, 99, 5_000)
    operator = wr.Operator(
        [wr.rows(range_, name=str(range_)) for range_ in (1, 70, 1_500)],
        aggregate,
        nulls=False,
    )

    found = [
        result for batch in np.split(values, [1_000, 3_000]) for result in
        operator.feed(batch)
    ]  # fmt: skip

    for range_ in (1, 70, 1_500):
        own = [result.value for result in found if result.query == str(range_)]
        views = np.lib.stride_tricks.sliding_window_view(values, range_)
        assert own == getattr(views, aggregate)(axis=1).tolist()


def test_the_first_batch_of_numbers_is_slid_over_as_an_array(slid):
    operator = wr.Operator(wr.rows(10), wr.sum(), algorithm="pba")

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
    taken = []
    alone = list_feed.WindowsAlone

    def spy(program, product, ranges):
        taken.append(len(product.dtypes))
        return alone(program, product, ranges)

    monkeypatch.setattr(list_feed, "WindowsAlone", spy)
    values = np.arange(6_000) % 7 * scale
    windows = [wr.rows(width, name=str(width)) for width in (3, 1_000)]
    operator = wr.Operator(windows, "sum", types={"value": "int64"}, nulls=False)

    fed = [result for at in (0, 3_000) for result in operator.feed(values[at:][:3_000])]

    totals = [0, *itertools.accumulate(values.tolist())]
    actual = [(result.query, result.end, result.value) for result in fed]
    assert taken == [words]
    assert actual == [
        (str(width), end, totals[end] - totals[end - width])
        for end in range(1, 6_001)
        for width in (3, 1_000)
        if end >= width
    ]
