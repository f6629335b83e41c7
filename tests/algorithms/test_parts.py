"""Parts of a product that go their own way in one pass: deques, sums, stacks."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.aggregates import find
from windrow.algorithms import (
    BY_NAME,
    Shape,
    compile_kernel,
    slide_arrays,
    slide_regular,
)
from windrow.kernels import Request, product_of
from windrow.loops import Lane, interpreting, pinned

DEQUES = BY_NAME["slick_deque"]


class Counts:
    """An aggregate that counts its combines and inverses, and what it was told last."""

    def __init__(self, combine, identity, **laws):
        self.combines = self.inverses = 0

        def counted(older, newer):
            self.combines += 1
            return combine(older, newer)

        def taken_off(whole, oldest):
            self.inverses += 1
            return whole - oldest

        inverse = taken_off if laws.pop("inverse", False) else None
        self.aggregate = wr.Aggregate(
            name=combine.__name__,
            identity=identity,
            lift=lambda value: value,
            combine=counted,
            inverse=inverse,
            lower=lambda partial: partial,
            **laws,
        )

    @property
    def request(self):
        # whole numbers: an inverse is exact
        return Request(self.aggregate, "object", (0,), (), ("int64", "int64"), True)


def add(a, b):
    return a + b


def parts():
    largest = Counts(max, -(10**9), laws=["selective"])
    least = Counts(min, 10**9, laws=["selective"])
    total = Counts(add, 0, inverse=True)
    other = Counts(add, 0)
    counts = (largest, least, total, other)
    return counts, product_of([each.request for each in counts])


@pytest.mark.parametrize("width", [1, 7, 64])
def test_each_part_costs_what_its_own_way_costs(width):
    counts, product = parts()
    values = np.random.default_rng(3).integers(-50, 50, 1_000)
    ends = np.array([0]), np.array([len(values)])

    with interpreting():
        out = slide_regular(DEQUES, product, (values,), *ends, width)

    expected = np.lib.stride_tricks.sliding_window_view(values, width)
    assert out[0].tolist() == expected.max(axis=1).tolist()
    assert out[1].tolist() == expected.min(axis=1).tolist()
    assert out[2].tolist() == out[3].tolist() == expected.sum(axis=1).tolist()
    largest, least, total, other = counts
    assert largest.combines < 2 * len(values) > least.combines
    assert total.combines == len(values)
    assert total.inverses <= len(values)
    assert other.combines <= 3 * len(values)


@pytest.mark.parametrize(
    "values",
    [range(300, 0, -1), range(300), [5] * 300, [0, 9] * 150],
    ids=["falling", "rising", "tied", "sawtooth"],
)
def test_shapes_that_fill_or_empty_a_deque(values):
    _, product = parts()
    values = np.array(values)
    ends = np.array([0]), np.array([len(values)])

    with interpreting():
        out = slide_regular(DEQUES, product, (values,), *ends, 50, 3)

    windows = np.lib.stride_tricks.sliding_window_view(values, 50)[::3]
    assert out[0].tolist() == windows.max(axis=1).tolist()
    assert out[1].tolist() == windows.min(axis=1).tolist()
    assert out[2].tolist() == windows.sum(axis=1).tolist()


def test_several_ranges_share_the_deques_and_have_sums_of_their_own():
    counts, product = parts()
    values = np.random.default_rng(5).integers(-50, 50, 400)
    ranges = (40, 11, 3)
    windows = [
        (max(stop - width, 0), stop, q)
        for stop in range(1, len(values) + 1)
        for q, width in enumerate(ranges)
    ]
    starts, stops, query = np.array(windows, np.int64).T.copy()
    keep = np.minimum.accumulate(starts[::-1])[::-1].copy()

    with interpreting():
        out = slide_arrays(
            DEQUES, product, (values,), starts, stops, keep=keep, query=query
        )

    held = [values[start:stop] for start, stop, _ in windows]
    assert out[0].tolist() == [some.max() for some in held]
    assert out[1].tolist() == [some.min() for some in held]
    assert out[2].tolist() == out[3].tolist() == [some.sum() for some in held]
    largest, least, total, _ = counts
    assert largest.combines < 2 * len(values) > least.combines, "once for all ranges"
    assert total.combines == 3 * len(values)


def test_an_aggregate_that_selects_nothing_is_still_refused():
    with pytest.raises(wr.UnsuitableAlgorithm, match="selective"):
        wr.slide(np.arange(9.0), wr.rows(3), ["sum", "mean"], algorithm="slick_deque")


def test_compiled_parts_give_what_other_algorithms_give(compiled_lane):
    rng = np.random.default_rng(1)
    values = rng.normal(size=3_000).round(2)
    values[rng.integers(0, 3_000, 40)] = np.nan
    names = ["range", "count", "mean", "arg_max"]

    actual = wr.slide(values, wr.rows(170, every=3), names, algorithm="slick_deque")

    with pinned(Lane.COLUMNS):
        expected = wr.slide(values, wr.rows(170, every=3), names)
    for name in names:
        np.testing.assert_allclose(actual[name], expected[name], rtol=1e-9)


# --- products, from which anything can be taken off -----------------------------------

TAKES_OFF = ["subtract_on_evict", "slick_deque_inv", "slide_side_inv"]


@pytest.mark.parametrize("algorithm", TAKES_OFF)
@pytest.mark.parametrize("name", ["product", "geometric_mean"])
@pytest.mark.parametrize(
    "odd", [0.0, -0.0, math.nan, math.inf, -math.inf, 1e300, 5e-324]
)
def test_nothing_that_left_is_seen_in_a_product(algorithm, name, odd):
    values = np.array([2.0, 3.0, odd, odd, 5.0, 0.5, 7.0, 1e-300, 8.0, 4.0])
    clean = values[4:]

    with interpreting():
        actual = wr.slide(values, wr.rows(3), name, algorithm=algorithm)[4:]
        expected = wr.slide(clean, wr.rows(3), name, algorithm="recompute")

    np.testing.assert_allclose(actual, expected, rtol=1e-14)


@pytest.mark.parametrize("algorithm", [*TAKES_OFF[:2], "two_stacks_lite", "sba"])
def test_a_product_of_whole_numbers_is_exact_below_two_to_the_53(algorithm):
    values = np.random.default_rng(2).integers(-9, 10, 500)

    with interpreting():
        actual = wr.slide(values, wr.rows(11), "product", algorithm=algorithm)

    expected = [math.prod(values[i : i + 11].tolist()) for i in range(490)]
    assert actual.tolist() == expected


def test_a_product_does_not_overflow_on_its_way():
    values = np.array([1e200, 1e200, 1e-200, 1e-200, -1e200, 1e-100])

    with interpreting():
        actual = wr.slide(values, wr.rows(4), "product", algorithm="recompute")

    np.testing.assert_allclose(actual, [1.0, -1.0, -1e-300], rtol=1e-12)


def test_the_planner_divides_no_float_unless_it_is_asked_to():
    table = pa.table({"x": np.arange(9.0)})

    lines = str(wr.explain(table, wr.rows(5), p=wr.product("x")))

    assert "subtract_on_evict" not in lines
    assert "floats, which are never subtracted" in lines


# --- memory of the deque ------------------------------------------------------------


def test_the_ring_of_nodes_grows_with_them_and_is_given_back(monkeypatch):
    falls, rises = range(3_000, 0, -1), range(6_000, 9_000)
    values = np.array([*falls, *rises], np.int64)
    product = product_of([Request(find("max"), "int", (0,))])
    ends, width = (np.array([0]), np.array([len(values)])), 2_000
    sizes = []
    with interpreting():
        module = compile_kernel(DEQUES, product, Shape("rows", "regular"))
        resize = module.resize_deque

        def watched(deque, size, head, tail):
            sizes.append(size)
            assert tail - head <= size
            return resize(deque, size, head, tail)

        monkeypatch.setattr(module, "resize_deque", watched)
        (actual,) = slide_regular(DEQUES, product, (values,), *ends, width)

    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    assert actual.tolist() == windows.max(axis=1).tolist()
    assert sizes == [512, 1024, 2048, 256], "three times doubled, once given back"


@pytest.mark.parametrize("sign", [1, -1], ids=["rising", "falling"])
def test_deques_of_several_parts_move_each_from_its_own_places(sign):
    """One deque is long and has moved on, the other has one node at its first place."""
    calls = {"r": wr.range("x"), "s": wr.sum("x"), "p": wr.product("x")}
    with interpreting():
        operator = wr.Operator(None, calls, algorithm="slick_deque")
        held = []
        for number in range(1, 400):
            operator.insert({"x": sign * number})
            held.append(sign * number)
            if number % 5 and number < 200:  # grows slowly, then fast, then shrinks
                operator.evict()
                held.pop(0)
            if held:
                found = operator.query()
                assert found["r"] == max(held) - min(held)
                assert found["s"] == sum(held)
        for _ in range(len(held) - 3):
            operator.evict()
            held.pop(0)
            assert operator.query()["r"] == max(held) - min(held)
        assert operator._windows[None].memory.capacity == 16, "memory is given back"
    assert operator.query()["p"] == pytest.approx(math.prod(map(float, held)))
