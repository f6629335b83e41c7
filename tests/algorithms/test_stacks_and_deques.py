"""Stacks, deques and boundary chunks: edge cases, and the docstrings' invariants."""

import importlib
import sys
import threading
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counting import counted, objects, slide_ranges, slide_rows, slide_windows
from windrow.aggregates import find as aggregate
from windrow.algorithms import find, slide_arrays, slide_regular
from windrow.algorithms._kernel import Shape, compile_kernel
from windrow.kernels import Request, product_of
from windrow.loops import interpreting, is_interpreting

FIFO = ["two_stacks", "two_stacks_lite", "daba", "daba_lite", "sba", "pba"]
STREAM = list("abcdefghijklmnopqrstuvwxyz")
TEXT = {"combine": lambda a, b: a + b, "identity": ""}  # order matters, nothing else
SUM = {"combine": lambda a, b: a + b, "identity": 0, "inverse": lambda w, a: w - a}


def folded(stream, windows):
    return ["".join(stream[start:stop]) for start, stop in windows]


@st.composite
def fifo_windows(draw, slices=40):
    """Windows that move on by none, one or several slices, with gaps, some empty."""
    start = stop = 0
    windows = []
    for _ in range(draw(st.integers(0, 25))):
        start = min(start + draw(st.sampled_from([0, 0, 1, 1, 1, 2, 5])), slices)
        stop = min(stop + draw(st.sampled_from([0, 1, 1, 1, 3, 9])), slices)
        if draw(st.integers(0, 9)) == 0:  # a gap, or the next key
            start = min(stop + draw(st.integers(0, 4)), slices)
        stop = max(start, stop)
        windows.append((start, stop))
    return windows


# --- edge cases, with an aggregate for which order matters --------------------------


@pytest.mark.parametrize("name", FIFO)
def test_windows_past_the_flip_are_in_stream_order(name):
    """The front is used up and rebuilt several times.

    a b c d e f g h i j
    |-----|
      |-----|            the first eviction flips
            |-----|      and so does one more window's length
    """
    _, product = counted(**TEXT)
    windows = [(i, i + 4) for i in range(23)]

    actual = slide_windows(find(name), product, STREAM, windows)

    assert actual == folded(STREAM, windows)


@pytest.mark.parametrize("name", FIFO)
def test_a_window_past_a_gap_begins_anew(name):
    """Nothing of the gap, and nothing from before it, is in the window after it.

    a b c d e f g h i j k l
    |-----|
      |-----|
                  |-----|
    """
    _, product = counted(**TEXT)
    windows = [(0, 4), (1, 5), (7, 11), (8, 12), (9, 13)]

    actual = slide_windows(find(name), product, STREAM, windows)

    assert actual == folded(STREAM, windows)


@pytest.mark.parametrize("name", FIFO)
def test_the_next_key_begins_where_the_last_one_stops(name):
    _, product = counted(**TEXT)
    firsts, lasts = np.array([0, 9, 11, 11]), np.array([9, 11, 11, 26])

    actual = slide_regular(find(name), product, (objects(STREAM),), firsts, lasts, 4)

    windows = [(i, i + 4) for i in [*range(6), *range(11, 23)]]
    assert actual[0].tolist() == folded(STREAM, windows)


@pytest.mark.parametrize("name", FIFO)
def test_an_empty_window_gives_the_identity_and_leaves_nothing_behind(name):
    _, product = counted(**TEXT)
    windows = [(0, 0), (0, 3), (3, 3), (3, 3), (3, 6), (4, 6), (6, 6), (8, 8), (8, 10)]

    actual = slide_windows(find(name), product, STREAM, windows)

    assert actual == folded(STREAM, windows)


@pytest.mark.parametrize("name", FIFO)
@pytest.mark.parametrize("step", [2, 3, 5, 7])
def test_one_slide_may_move_by_several_slices(name, step):
    _, product = counted(**TEXT)

    actual = slide_rows(find(name), product, STREAM, 5, step=step)

    assert actual == folded(STREAM, [(i, i + 5) for i in range(0, 22, step)])


@pytest.mark.parametrize("name", FIFO)
def test_leading_windows_are_clipped_at_the_first_slice(name):
    _, product = counted(**TEXT)

    actual = slide_rows(find(name), product, STREAM, 5, lead=True)

    assert actual == folded(STREAM, [(max(i - 4, 0), i + 1) for i in range(26)])


@pytest.mark.parametrize("name", FIFO)
@given(windows=fifo_windows())
def test_any_fifo_windows_are_folded_in_stream_order(name, windows):
    stream = [chr(48 + i) for i in range(40)]
    _, product = counted(**TEXT)

    actual = slide_windows(find(name), product, stream, windows)

    assert actual == folded(stream, windows)


# --- deques -------------------------------------------------------------------------


@pytest.mark.parametrize("values", [[5, 5, 5, 5], [9, 7, 3, 1], [-1, -4, -4, -2], []])
def test_a_deque_keeps_ties_falling_and_negative_values_apart(values):
    _, product = counted(max, -100, laws=["selective"])

    actual = slide_rows(find("slick_deque"), product, values, 2)

    expected = [max(pair) for pair in pairwise(values)]
    assert actual == expected


def test_a_deque_gives_the_first_of_a_window_where_combine_always_keeps_the_older():
    _, product = counted(lambda a, b: a or b, "", laws=["selective"])
    windows = [(0, 3), (1, 4), (1, 6), (6, 6), (9, 11), (10, 14)]

    actual = slide_windows(find("slick_deque"), product, STREAM, windows)

    assert actual == ["a", "b", "b", "", "j", "k"]


@pytest.mark.parametrize("name", ["max", "min"])
def test_a_nan_leaves_the_deque_with_its_row(name):
    """NaN is the largest value: it hides what is older from max, nothing from min."""
    values = np.array([1.0, np.nan, 2.0, np.inf, -np.inf, np.nan, np.nan, 3.0])
    product = product_of([Request(aggregate(name), "float", (0,))])
    runs = np.array([0]), np.array([8])

    with interpreting():
        actual = slide_regular(find("slick_deque"), product, (values,), *runs, 2)[0]

    nan, inf = np.nan, np.inf
    expected = {
        "max": [nan, nan, inf, inf, nan, nan, nan],
        "min": [1.0, 2.0, 2.0, -inf, -inf, nan, 3.0],
    }[name]
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("name", ["slick_deque", "slick_deque_inv", "recompute"])
@given(
    values=st.lists(st.integers(-9, 9), min_size=1, max_size=30),
    ranges=st.lists(st.integers(1, 12), min_size=1, max_size=4, unique=True),
)
def test_many_ranges_are_answered_in_one_pass(name, values, ranges):
    how = {"combine": max, "identity": -99, "laws": ["selective"]}
    fold = max
    if name == "slick_deque_inv":
        how, fold = SUM, sum
    _, product = counted(**how)

    actual = slide_ranges(find(name), product, values, ranges)

    expected = [
        [fold(values[max(stop - r, 0) : stop]) for r in ranges]
        for stop in range(1, len(values) + 1)
    ]
    assert actual == expected


@pytest.mark.parametrize("name", ["slick_deque", "slick_deque_inv"])
def test_ranges_with_slides_of_their_own_and_a_gap_are_answered_in_one_pass(name):
    """Range 0 at each stop, range 1 at every other one, then slices 12 and on."""
    how = SUM if name == "slick_deque_inv" else {"combine": max, "identity": -99}
    fold = sum if name == "slick_deque_inv" else max
    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3]
    windows = [(0, 2, 0), (0, 4, 1), (2, 4, 0), (4, 6, 0), (12, 14, 0), (12, 16, 1)]
    windows += [(14, 16, 0), (16, 16, 0), (16, 18, 0)]
    starts, stops, query = np.array(windows).T.copy()
    keep = np.minimum.accumulate(starts[::-1])[::-1].copy()
    _, product = counted(**how)

    actual = slide_arrays(
        find(name), product, (objects(values),), starts, stops, keep=keep, query=query
    )[0].tolist()

    empty = how["identity"]
    expected = [fold(values[a:b]) if a < b else empty for a, b, _ in windows]
    assert actual == expected


# --- invariants, as the docstrings write them ---------------------------------------
# A partial is the pair (start, stop) of the slices in it, so each aggregate says
# where it comes from, and combining what does not meet is found out at once.


def join(older, newer):
    if older is None or newer is None:
        return newer if older is None else older
    assert older[1] == newer[0]
    return older[0], newer[1]


def cut_off(whole, oldest):
    assert whole[0] == oldest[0]
    return (oldest[1], whole[1]) if oldest[1] < whole[1] else None


def span(start, stop):
    return (start, stop) if start < stop else None


def put(fields, i, partial):
    fields[i] = partial


def watched(name, monkeypatch, check):
    """The algorithm's module over spans; `check` sees its variables at each window."""
    module = importlib.import_module(f"windrow.algorithms.{name}")
    spans = {
        "IDENTITY": None,
        "combine": join,
        "inverse": cut_off,
        "leaf": lambda _, i: (i, i + 1),
        "allocate": lambda n: [None] * n,
        "load": lambda fields, i: fields[i],
        "store": put,
        "peek": lambda array, i: array[i],
        "poke": put,
        "start_of": lambda windows, i: windows[i][0],
        "stop_of": lambda windows, i: windows[i][1],
        "keep_of": lambda windows, i: windows[i][0],
        "query_of": lambda _, i: 0,
    }

    def emit(windows, i, partial):
        assert partial == span(*windows[i])
        check(sys._getframe(1).f_locals)

    modules = {module.__name__, getattr(module, "prepare", module.combine).__module__}
    for part in map(importlib.import_module, modules):
        for word, meaning in {**spans, "emit": emit}.items():
            monkeypatch.setattr(part, word, meaning, raising=False)
    return module


def walk(module, windows):
    widest = max([1, *(stop - start for start, stop in windows)])
    scratch = module.prepare(widest, 0)
    module.slide(None, windows, len(windows), 0, scratch, windows)


@given(windows=fifo_windows())
def test_two_stacks_keeps_its_invariants(windows):
    def check(v):
        start, flip, stop, mask = v["start"], v["flip"], v["stop"], v["mask"]
        for i in range(start, stop):
            below = (i, flip) if i < flip else (flip, i + 1)
            assert v["vals"][i & mask] == (i, i + 1)
            assert v["aggs"][i & mask] == below

    with pytest.MonkeyPatch.context() as monkeypatch:
        walk(watched("two_stacks", monkeypatch, check), windows)


@given(windows=fifo_windows())
def test_daba_keeps_its_invariants(windows):
    def check(v):
        F, E, L, R, A, B = v["ints"]  # noqa: N806
        vals, aggs, mask = v["scratch"]
        assert F <= L <= R <= A <= B <= E
        assert F == E or (R - L == A - R and (B - L) + 1 == (B - F) - (E - B))
        for i in range(F, E):
            assert vals[i & mask] == (i, i + 1)
            expected = (
                (i, B)
                if i < L or A <= i < B
                else (i, R)
                if i < R
                else (R, i + 1)
                if i < A
                else (B, i + 1)
            )
            assert aggs[i & mask] == expected

    with pytest.MonkeyPatch.context() as monkeypatch:
        walk(watched("daba", monkeypatch, check), windows)


@given(windows=fifo_windows())
def test_daba_lite_keeps_its_invariants(windows):
    def check(v):
        F, E, L, R, A, B = v["ints"]  # noqa: N806
        middle, back = v["state"]
        part, mask = v["scratch"]
        assert F <= L <= R <= A <= B <= E
        assert F == E or (R - L == A - R and (B - L) + 1 == (B - F) - (E - B))
        assert middle == span(R, B) or L == R
        assert back == span(B, E)
        for i in range(F, E):
            stop = B if i < L or A <= i < B else R if i < R else i + 1
            assert part[i & mask] == (i, stop)

    with pytest.MonkeyPatch.context() as monkeypatch:
        walk(watched("daba_lite", monkeypatch, check), windows)


@given(windows=fifo_windows())
def test_slick_deque_inv_keeps_its_invariant(windows):
    def check(v):
        q = v["q"]
        assert v["wholes"][q] == span(v["starts"][q], v["stops"][q])

    with pytest.MonkeyPatch.context() as monkeypatch:
        walk(watched("slick_deque_inv", monkeypatch, check), windows)


@given(windows=fifo_windows(), values=st.lists(st.integers(0, 9), min_size=40))
def test_slick_deque_keeps_its_invariants(windows, values):
    def check(v):
        head, tail, mask = v["head"], v["tail"], v["mask"]
        places = [int(v["positions"][k & mask]) for k in range(head, tail)]
        kept = [v["partials"][k & mask] for k in range(head, tail)]
        assert places == sorted(set(places))
        assert all(v["keep"] <= place < v["stop"] for place in places)
        assert all(a > b for a, b in pairwise(kept))
        for i in range(v["keep"], v["stop"]):
            first = next(k for k, place in enumerate(places) if place >= i)
            assert max(values[i : v["stop"]]) == kept[first]

    with pytest.MonkeyPatch.context() as monkeypatch:
        module = watched("slick_deque", monkeypatch, check)
        emitted = []

        def emit(_, i, partial):
            emitted.append(partial)
            check(sys._getframe(1).f_locals)

        monkeypatch.setattr(module, "leaf", lambda _, i: values[i])
        monkeypatch.setattr(module, "combine", max)
        monkeypatch.setattr(module, "same", lambda a, b: a == b)
        monkeypatch.setattr(module, "emit", emit)
        walk(module, windows)

    assert emitted == [max(values[a:b], default=None) for a, b in windows]


@pytest.mark.parametrize("lane", [1, 2, 3])
@given(width=st.integers(1, 40), chunk=st.integers(0, 40), count=st.integers(1, 90))
def test_pba_keeps_its_invariants_in_lanes_of_any_length(lane, width, chunk, count):
    with pytest.MonkeyPatch.context() as monkeypatch:
        module = watched("pba", monkeypatch, lambda v: None)
        for part in (module, watched("_lanes", monkeypatch, lambda v: None)):
            monkeypatch.setattr(part, "LANE", lane)
            monkeypatch.setattr(part, "TURN", 4 * lane)
        first = 5
        windows = [(first + i, first + i + width) for i in range(count)]
        lcs, state, lanes, b = scratch = module.stage(width, chunk)

        module.stride(None, first, count, width, 0, scratch, windows)

        last = first + (count - 1) // b * b  # where the last chunk of starts begins
        assert lcs == [(i, last + b) for i in range(last, last + b)]
        assert len(state) == (width - 1) // b + 2
        assert len(lanes) == 4 * lane


class Counted(list):
    """A list that counts how often it is read."""

    reads = 0

    def __getitem__(self, i):
        self.reads += 1
        return super().__getitem__(i)


@pytest.mark.parametrize("n", [4, 16, 64])
def test_all_ranges_of_a_slide_are_answered_in_one_walk_over_the_deque(n):
    """SlickDeque 4.1, max-multi-query: 2n at worst, when the deque is full."""
    slides = 10
    windows = [
        (stop - r, stop) for stop in range(n, n + slides) for r in range(n, 0, -1)
    ]
    positions = Counted([0] * n)

    with pytest.MonkeyPatch.context() as monkeypatch:
        module = watched("slick_deque", monkeypatch, lambda v: None)
        for word, meaning in {
            "leaf": lambda _, i: -i,  # falling: nothing is ever dropped
            "combine": max,
            "same": lambda a, b: a == b,
            "emit": lambda *_: None,
            "keep_of": lambda windows, i: windows[i][1] - n,
            "make_deque": lambda size: (positions, [0] * n, size - 1),
        }.items():
            monkeypatch.setattr(module, word, meaning)
        module.slide(None, windows, len(windows), 0, n, None)

    eviction = 2 * slides  # the head is looked at once a slide, and moves once
    assert positions.reads - eviction <= slides * 2 * n


# --- the second thread ----------------------------------------------------------------


compiled_only = pytest.mark.skipif(
    is_interpreting(), reason="interpreted kernels hold the lock: one thread is taken"
)


@pytest.fixture
def seen_threads(monkeypatch):
    """Notes each time two threads are put to work; two cores, whatever is here."""
    threads = importlib.import_module("windrow.algorithms._two_threads")
    taken = []

    def overlap(begin, fill, answer):
        taken.append(True)
        return real(begin, fill, answer)

    def chunks(*arguments):
        taken.append(True)
        return real_chunks(*arguments)

    real, real_chunks = threads.overlap, threads._chunks
    monkeypatch.setattr(threads, "overlap", overlap)
    monkeypatch.setattr(threads, "_chunks", chunks)
    monkeypatch.setattr(threads, "LEAST_WINDOW", 3000)
    monkeypatch.setattr(threads, "LEAST_STREAM", 20_000)
    monkeypatch.setattr(threads, "LEAST_RUN", 10_000)
    monkeypatch.setattr(threads, "GROUP", 7000)
    monkeypatch.setattr(threads, "SOME", 7000)
    monkeypatch.setattr(threads, "spare_threads", lambda: 2)
    return taken


def test_each_mark_of_two_threads_has_a_place_of_its_own():
    threads = importlib.import_module("windrow.algorithms._two_threads")
    single = threads.ANSWERED, threads.NEXT, threads.ALONE

    assert sorted({*single}) == [*range(threads.SLOT)]


@pytest.mark.parametrize("group", [1, 8, 1 << 18])
@given(windows=fifo_windows())
def test_two_threads_fold_any_fifo_windows_in_stream_order(group, windows):
    threads = importlib.import_module("windrow.algorithms._two_threads")
    stream = [chr(48 + i) for i in range(40)]
    _, product = counted(**TEXT)

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(threads, "pays", lambda *_: True)
        monkeypatch.setattr(threads, "GROUP", group)
        actual = slide_windows(find("pba"), product, stream, windows)

    assert actual == folded(stream, windows)


@pytest.mark.parametrize("group", [1, 30, 1 << 18])
@given(
    cuts=st.lists(st.integers(0, 60), max_size=4).map(sorted),
    width=st.integers(1, 30),
    chunk=st.integers(0, 30),
    lead=st.booleans(),
)
def test_two_threads_agree_with_one_over_any_runs(group, cuts, width, chunk, lead):
    threads = importlib.import_module("windrow.algorithms._two_threads")
    stream = objects([chr(48 + i) for i in range(60)])
    edges = np.array([0, *cuts, 60])
    given_to_both = (stream,), edges[:-1], edges[1:], width
    _, product = counted(**TEXT)

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(threads, "pays", lambda *_: True)
        monkeypatch.setattr(threads, "SOME", group)
        monkeypatch.setattr(threads, "LEAST_RUN", 5)
        actual = slide_regular(
            find("pba"), product, *given_to_both, chunk=chunk, lead=lead
        )

    expected = slide_regular(find("recompute"), product, *given_to_both, lead=lead)
    assert actual[0].tolist() == expected[0].tolist()


def whole_sum():
    return product_of([Request(aggregate("sum"), "int", (0,))])


def largest():
    """The product of which `agreement/test_algorithms.py` has machine code."""
    return product_of([Request(aggregate("max"), "float", (0,))])


def largest_of_runs(width, *, lead=False):
    """Of NUMBERS in RUNS, by pandas."""
    least = 1 if lead else width
    runs = [pd.Series(FLOATS[a:b]) for a, b in zip(*RUNS, strict=True)]
    return pd.concat([run.rolling(width, least).max().dropna() for run in runs])


RUNS = np.array([0, 400, 31_000, 31_007]), np.array([400, 31_000, 31_007, 60_000])
NUMBERS = np.random.default_rng(5).integers(-999, 999, 60_000)
FLOATS = NUMBERS / 8 + 9000 * np.sin(np.arange(60_000) / 2500)  # rise and fall


@compiled_only
@pytest.mark.parametrize("lead", [False, True])
@pytest.mark.parametrize(("width", "chunk"), [(5000, 0), (9001, 9001), (9001, 2500)])
def test_long_runs_take_two_threads_and_short_ones_between_them_do_not(
    seen_threads, width, chunk, lead
):
    (actual,) = slide_regular(
        find("pba"), largest(), (FLOATS,), *RUNS, width, chunk=chunk, lead=lead
    )

    np.testing.assert_array_equal(actual, largest_of_runs(width, lead=lead))
    assert len(seen_threads) == 2


FAST = Shape(bounds="regular", fast=True)


class NoCore:
    """A thread that never gets a core."""

    def __init__(self, **_):
        pass

    def start(self):
        pass

    def join(self):
        pass


class LateCore(NoCore):
    """A thread that gets a core once the main one is done."""

    def __init__(self, target, **_):
        self.join = target


@compiled_only
@pytest.mark.parametrize("thread", [NoCore, LateCore])
@pytest.mark.parametrize("some", [7000, 1 << 20])
@pytest.mark.usefixtures("seen_threads")
def test_the_main_thread_does_all_where_the_second_gets_no_core(
    thread, some, monkeypatch
):
    threads = importlib.import_module("windrow.algorithms._two_threads")
    alone, chunks = [], threads._chunks

    def note(*arguments):
        alone.append(chunks(*arguments))

    monkeypatch.setattr(threads, "Thread", thread)
    monkeypatch.setattr(threads, "SOME", some)
    monkeypatch.setattr(threads, "_chunks", note)

    (actual,) = slide_regular(find("pba"), largest(), (FLOATS,), *RUNS, 5000)

    np.testing.assert_array_equal(actual, largest_of_runs(5000))
    assert len(alone) == 2
    assert min(alone) > 0


@compiled_only
@pytest.mark.usefixtures("seen_threads")
def test_a_failure_of_the_main_thread_ends_the_second(monkeypatch):
    threads = importlib.import_module("windrow.algorithms._two_threads")
    monkeypatch.setattr(threads, "SOME", 10)
    kernel = compile_kernel(find("pba"), largest(), FAST)
    fails = SimpleNamespace(**vars(kernel))
    fails.answer_behind = lambda *_: 1 / 0
    before = threading.active_count()

    with pytest.raises(ZeroDivisionError):
        threads._chunks(fails, (FLOATS,), 0, 55_001, 5000, 0, 0, (np.empty(55_001),))

    assert threading.active_count() == before


@compiled_only
def test_windows_given_as_arrays_take_two_threads(seen_threads):
    generator = np.random.default_rng(6)
    starts = np.sort(generator.integers(0, 60_000, 20_000))
    ends = np.minimum(starts + generator.integers(0, 7000, 20_000), 60_000)
    stops = np.maximum.accumulate(ends)

    actual = slide_arrays(find("pba"), whole_sum(), (NUMBERS,), starts, stops)

    sums = np.concatenate([[0], np.cumsum(NUMBERS)])
    np.testing.assert_array_equal(actual[0], sums[stops] - sums[starts])
    assert len(seen_threads) == 1


def test_small_windows_and_short_streams_stay_in_one_thread(seen_threads):
    one_run = np.array([0]), np.array([60_000])

    small = slide_regular(find("pba"), largest(), (FLOATS,), *one_run, 100)
    short = slide_regular(
        find("pba"), largest(), (FLOATS[:9000],), *np.array([[0], [9000]]), 5000
    )

    rolled = [pd.Series(FLOATS).rolling(width).max() for width in (100, 5000)]
    np.testing.assert_array_equal(small[0], rolled[0][99:])
    np.testing.assert_array_equal(short[0], rolled[1][4999:9000])
    assert seen_threads == []
