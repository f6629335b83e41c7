"""Every algorithm, with every aggregate it suits, gives the oracle's answers.

    interpreted lane    the whole matrix, on small streams drawn by hypothesis
    compiled lane       a part that covers every algorithm, every aggregate and every
                        way to give bounds, on fixed streams: a kernel costs about a
                        second to compile

Answers over whole numbers are exact.  Partials that hold logarithms or centred
powers agree to 1e-9; to 1e-6 where an algorithm subtracts them, since a variance
of zero then keeps a residue of rounding (and a deviation its square root).
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from lanes import in_both_lanes
from strategies import (
    edge_integers,
    many_windows,
    monotone_windows,
    part,
    range_and_slide,
    runs,
    shaped,
    small,
    streams,
    with_nulls,
)
from windrow.aggregates import CATALOGUE, WIDE_SUM, Law, find
from windrow.algorithms import BY_NAME, slide_arrays, slide_back, slide_regular
from windrow.algorithms import CATALOGUE as ALGORITHMS
from windrow.kernels import Product, Request, product_of
from windrow.loops import interpreting

VALUE, OTHER, VALID = 0, 1, 2
"""Slots of the source: two columns, and whether both are there."""

INCREMENTAL = [one for one in CATALOGUE if one.in_kernels]


def _pairs(names: Sequence[str] | None = None, *, many: bool = False) -> list[Any]:
    return [
        pytest.param(algorithm, aggregate, id=f"{algorithm.name}-{aggregate.name}")
        for algorithm in ALGORITHMS
        for aggregate in INCREMENTAL
        if algorithm.suits(aggregate.laws)
        and (names is None or aggregate.name in names)
        and (algorithm.many or not many)
    ]


# --- asking a kernel, and the oracle, the same question --------------------------


class Stream:
    """A column of values with nulls, a second column, and what a kernel reads."""

    def __init__(self, kind: str, values: Sequence[Any]) -> None:
        self.kind = kind
        self.values = list(values)
        self.others = [float((7 * at) % 5) for at in range(len(values))]
        dtype = np.int64 if kind == "int" else np.float64
        self.source: tuple[Any, ...] = (
            np.array([0 if v is None else v for v in values], dtype),
            np.array(self.others, np.float64),
            np.array([v is not None for v in values], np.bool_),
        )

    @property
    def masks(self) -> tuple[int, ...]:
        """The validity slot, where some value is null."""
        return (VALID,) if None in self.values else ()

    def request(self, aggregate: Any) -> Request:
        """The aggregate over this stream's columns."""
        slot = {"value": VALUE, "other": OTHER}
        slots = tuple(slot[role] for role in aggregate.takes if role in slot)
        return Request(aggregate, self.kind, slots, self.masks)

    def expected(self, aggregate: Any, windows: Sequence[tuple[int, int]]) -> list[Any]:
        """The oracle's answer for each window; positions for what selects a row."""
        values, others = self.values, None
        positions = list(range(len(values)))
        if aggregate.name in ("first", "last"):
            values = [None if v is None else at for at, v in enumerate(values)]
        elif aggregate.result == "position":
            others = positions
        elif "other" in aggregate.takes:
            others = self.others
        return [
            oracles.lower(
                aggregate.name,
                values[start:stop],
                None if others is None else others[start:stop],
            )
            for start, stop in windows
        ]


def read(product: Product, arrays: Sequence[Any]) -> list[list[Any]]:
    """What a kernel wrote, as Python values with None for null, per request."""
    answers, slot = [], 0
    for output in product.outputs:
        columns = [one.tolist() for one in arrays[slot : slot + len(output.dtypes)]]
        slot += len(output.dtypes)
        listed = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
        if output.request.aggregate.result == "position":
            listed = [None if value < 0 else value for value in listed]
        if output.nullable:
            there = arrays[slot].tolist()
            listed = [v if t else None for v, t in zip(listed, there, strict=True)]
            slot += 1
        answers.append(listed)
    return answers


def tolerance(algorithm: Any) -> float:
    """How far a rounded answer may lie from the exact one."""
    return 1e-6 if Law.INVERTIBLE in algorithm.needs else 1e-9


def draw_stream(data: Any, algorithm: Any, aggregate: Any) -> Stream:
    """Values the pair must get right: no subtraction undoes a NaN or an infinity.

    A product counts them, and its zeros, so that they leave.
    """
    whole = aggregate.accepts == "whole"
    kind = "int" if whole else data.draw(st.sampled_from(["int", "float"]))
    counts = aggregate.name in ("product", "geometric_mean")
    special = counts or Law.INVERTIBLE not in algorithm.needs
    values = streams(kind, special=special)
    if kind == "int" and Law.SELECTIVE in aggregate.laws:
        values = shaped(st.one_of(small, edge_integers))
    return Stream(kind, data.draw(st.one_of(values, with_nulls(values))))


def regular_windows(
    spans: Sequence[tuple[int, int]], width: int, step: int, *, lead: bool
) -> list[tuple[int, int]]:
    """Windows of each run; with `lead` also those before the first complete one."""
    found = []
    for first, last in spans:
        start = first - (width - 1) if lead else first
        while start + width <= last:
            found.append((max(start, first), start + width))
            start += step
    return found


def bounds(windows: Sequence[tuple[int, ...]], column: int) -> Any:
    """One column of a list of windows, as the kernels take it."""
    return np.array([window[column] for window in windows], np.int64)


# --- the interpreted lane: the whole matrix --------------------------------------


@pytest.mark.parametrize(("algorithm", "aggregate"), _pairs())
@part(0.2)
@given(data=st.data())
def test_count_windows_of_each_key_equal_the_oracle(algorithm, aggregate, data):
    stream = draw_stream(data, algorithm, aggregate)
    spans = data.draw(runs(len(stream.values)))
    width, step = data.draw(range_and_slide())
    lead = step == 1 and data.draw(st.booleans())
    product = product_of([stream.request(aggregate)])

    with interpreting():
        firsts, lasts = bounds(spans, 0), bounds(spans, 1)
        arrays = slide_regular(
            algorithm, product, stream.source, firsts, lasts, width, step, lead=lead
        )
    (actual,) = read(product, arrays)

    windows = regular_windows(spans, width, step, lead=lead)
    expected = stream.expected(aggregate, windows)
    assert not oracles.differences(actual, expected, tolerance(algorithm))


@pytest.mark.parametrize(("algorithm", "aggregate"), _pairs())
@part(0.2)
@given(data=st.data())
def test_windows_with_gaps_repeats_and_empty_ones_equal_the_oracle(
    algorithm, aggregate, data
):
    stream = draw_stream(data, algorithm, aggregate)
    windows = data.draw(monotone_windows(len(stream.values)))
    product = product_of([stream.request(aggregate)], may_be_empty=True)

    with interpreting():
        starts, stops = bounds(windows, 0), bounds(windows, 1)
        arrays = slide_arrays(algorithm, product, stream.source, starts, stops)
    (actual,) = read(product, arrays)

    expected = stream.expected(aggregate, windows)
    assert not oracles.differences(actual, expected, tolerance(algorithm))


@pytest.mark.parametrize(("algorithm", "aggregate"), _pairs(["sum", "max", "last"]))
@part(0.5)
@given(data=st.data())
def test_frames_around_instants_equal_the_oracle(algorithm, aggregate, data):
    if algorithm.threads > 1:
        return  # two threads do not walk one cursor
    stream = draw_stream(data, algorithm, aggregate)
    n = len(stream.values)
    cut = data.draw(st.integers(0, n))
    runs = [(0, cut), (cut, n)]
    instants = st.lists(st.integers(-3, 9), min_size=n, max_size=n)
    times = [t for lo, hi in runs for t in sorted(data.draw(instants)[lo:hi])]
    asks = [sorted(data.draw(st.lists(st.integers(-5, 12), max_size=6))) for _ in runs]
    far = data.draw(st.integers(-9, 3))
    near = far + data.draw(st.integers(0, 9))
    most = data.draw(st.sampled_from([0, 0, 1, 3, 2**62]))
    product = product_of([stream.request(aggregate)], may_be_empty=True)
    frames = np.cumsum([0, *map(len, asks)])

    def answers():
        return read(
            product,
            slide_back(
                algorithm,
                product,
                stream.source,
                np.array(times, np.int64),
                (np.array([0, cut]), np.array([cut, n])),
                np.array([ask for some in asks for ask in some], np.int64),
                (frames[:-1], frames[1:]),
                (far, near),
                most=most,
                lane=None,
            ),
        )

    (actual,) = in_both_lanes(answers)

    windows = []
    for (first, last), some in zip(runs, asks, strict=True):
        for ask in some:
            before = [t for t in times[first:last] if t < ask + near]
            rows = most or sum(t >= ask + far for t in before)
            stop = first + len(before)
            windows.append((max(stop - rows, first), stop))
    expected = stream.expected(aggregate, windows)
    assert not oracles.differences(actual, expected, tolerance(algorithm))


@pytest.mark.parametrize(
    ("algorithm", "aggregate"),
    _pairs(
        ["sum", "max", "first", "last", "arg_max", "max_count", "variance"], many=True
    ),
)
@part(0.5)
@given(data=st.data())
def test_several_ranges_in_one_pass_equal_the_oracle(algorithm, aggregate, data):
    stream = draw_stream(data, algorithm, aggregate)
    windows = data.draw(many_windows(len(stream.values)))
    starts = bounds(windows, 0)
    keep = np.minimum.accumulate(starts[::-1])[::-1].copy()
    product = product_of([stream.request(aggregate)], may_be_empty=True)

    with interpreting():
        arrays = slide_arrays(
            algorithm,
            product,
            stream.source,
            starts,
            bounds(windows, 1),
            keep=keep,
            query=bounds(windows, 2),
        )
    (actual,) = read(product, arrays)

    expected = stream.expected(aggregate, [window[:2] for window in windows])
    assert not oracles.differences(actual, expected, tolerance(algorithm))


PARTS = {
    "a range": ["range"],
    "extremes": ["min", "max", "arg_max", "first"],
    "sums beside": ["max", "sum", "count", "mean"],
    "every way": ["range", "product", "mean", "last", "variance", "arg_min"],
}


@pytest.mark.parametrize("several", [False, True], ids=["one range", "several"])
@pytest.mark.parametrize("names", PARTS.values(), ids=list(PARTS))
@given(data=st.data())
def test_deques_for_each_part_and_sums_beside_equal_the_oracle(names, several, data):
    deques, kind = BY_NAME["slick_deque"], data.draw(st.sampled_from(["int", "float"]))
    aggregates = [find(name) for name in names]
    values = streams(kind, special=True)
    stream = Stream(kind, data.draw(st.one_of(values, with_nulls(values))))
    n = len(stream.values)
    windows = data.draw(many_windows(n) if several else monotone_windows(n))
    starts = bounds(windows, 0)
    ranges = {}
    if several:
        keep = np.minimum.accumulate(starts[::-1])[::-1].copy()
        ranges = {"keep": keep, "query": bounds(windows, 2)}
    requests = [stream.request(aggregate) for aggregate in aggregates]
    product = product_of(requests, may_be_empty=True)
    assert deques.by_parts(product)

    with interpreting():
        inputs = stream.source, starts, bounds(windows, 1)
        actual = read(product, slide_arrays(deques, product, *inputs, **ranges))

    for aggregate, answers in zip(aggregates, actual, strict=True):
        expected = stream.expected(aggregate, [window[:2] for window in windows])
        assert not oracles.differences(answers, expected, 1e-9)


@pytest.mark.parametrize(
    ("algorithm", "aggregate"), _pairs(["sum", "max", "first", "last", "variance"])
)
@part(0.5)
@given(data=st.data())
def test_slices_and_a_tail_per_window_equal_the_oracle(algorithm, aggregate, data):
    values = data.draw(shaped(small))
    stream = Stream("int", values)
    edges = sorted(data.draw(st.sets(st.integers(0, len(values)), max_size=9)))
    slices = list(itertools.pairwise(edges))
    windows = [w for w in data.draw(monotone_windows(len(slices))) if w[0] < w[1]]
    rows = [(slices[start][0], slices[stop - 1][1]) for start, stop in windows]
    ends = [data.draw(st.integers(end, len(values))) for _, end in rows]
    product = product_of([stream.request(aggregate)])

    with interpreting():
        arrays = slide_arrays(
            algorithm,
            product,
            partials(aggregate, product, values, slices),
            bounds(windows, 0),
            bounds(windows, 1),
            leaf="slices",
            tails=partials(
                aggregate,
                product,
                values,
                [(end, tail) for (_, end), tail in zip(rows, ends, strict=True)],
            ),
        )
    (actual,) = read(product, arrays)

    whole = [(start, tail) for (start, _), tail in zip(rows, ends, strict=True)]
    expected = stream.expected(aggregate, whole)
    assert not oracles.differences(actual, expected, tolerance(algorithm))


def partials(
    aggregate: Any,
    product: Product,
    values: Sequence[Any],
    spans: Sequence[tuple[int, int]],
) -> tuple[Any, ...]:
    """An array per field: the rows of each span, lifted and folded."""
    folded = []
    for start, stop in spans:
        identity = aggregate.identity
        whole = identity["int"] if isinstance(identity, dict) else identity
        for at in range(start, stop):
            roles = {"value": values[at], "position": at}
            lifted = aggregate.lift(*(roles[role] for role in aggregate.takes))
            whole = aggregate.combine(whole, lifted)
        folded.append(whole)
    return tuple(
        np.array([one[place] for one in folded], dtype)
        for place, dtype in enumerate(product.dtypes)
    )


@pytest.mark.parametrize(("algorithm", "aggregate"), _pairs(["sum", "max", "last"]))
@part(0.5)
@given(data=st.data())
def test_the_chunk_changes_no_answer(algorithm, aggregate, data):
    stream = Stream("int", data.draw(shaped(small)))
    width, step = data.draw(range_and_slide())
    chunk = data.draw(st.integers(1, width))
    spans = data.draw(runs(len(stream.values)))
    product = product_of([stream.request(aggregate)])

    with interpreting():
        firsts, lasts = bounds(spans, 0), bounds(spans, 1)
        arrays = slide_regular(
            algorithm, product, stream.source, firsts, lasts, width, step, chunk=chunk
        )
    (actual,) = read(product, arrays)

    windows = regular_windows(spans, width, step, lead=False)
    expected = stream.expected(aggregate, windows)
    assert actual == expected


# --- the compiled lane: a covering part --------------------------------------------


def fixed_stream(
    kind: str, n: int = 700, *, nulls: bool = False, special: bool = True
) -> Stream:
    """Falling, rising, constant and random stretches, NaN and infinities if float."""
    random_ = random.Random(20_21)
    fifth = n // 5
    values: list[Any] = [*range(fifth, 0, -1), *range(fifth), *[-3] * fifth]
    values += [random_.randint(-9, 9) for _ in range(n - len(values))]
    if kind == "float":
        values = [float(value) for value in values]
        for at in (5, 250, 251, 600) if special else ():
            values[at] = random_.choice([math.nan, math.inf, -math.inf])
    if nulls:
        values = [None if random_.random() < 0.2 else value for value in values]
        values[300:340] = [None] * 40
    return Stream(kind, values)


KEYS = [(0, 350), (350, 351), (351, 700)]


def fixed_windows(n: int) -> list[tuple[int, int]]:
    """Windows as time gives them: growing, repeated, empty, past a gap."""
    random_ = random.Random(7)
    bound = [sorted(random_.randint(0, n) for _ in range(250)) for _ in range(2)]
    drawn = [(min(a, b), max(a, b)) for a, b in zip(*bound, strict=True)]
    return drawn[:100] + [drawn[100]] * 3 + [w for w in drawn[101:] if w[0] > 300]


PRODUCTS = {
    "sum of whole numbers": (["sum"], "int", False),
    "max with NaN": (["max"], "float", False),
    "sum": (["sum"], "float", False),
    "first": (["first"], "int", False),
    "variance": (["variance"], "int", False),
    "mean, max and arg_max with nulls": (["mean", "max", "arg_max"], "float", True),
}


def is_usual(algorithm: Any, product: str) -> bool:
    """Every algorithm over even windows, and some over others: the deep run has all.

    The even ones are machine code that `wr.slide` uses too, in other files.
    """
    if product == "sum of whole numbers":
        return algorithm.name in ("two_stacks_lite", "flat_fat", "pba")
    even = "max with NaN" if algorithm.suits(find("max").laws) else "sum"
    return product == even


COMPILED = [
    pytest.param(
        algorithm,
        product,
        id=f"{algorithm.name}-{product}",
        marks=() if is_usual(algorithm, product) else pytest.mark.deep,
    )
    for algorithm in ALGORITHMS
    for product, (names, *_) in PRODUCTS.items()
    if algorithm.suits(product_of([Request(find(n), "int", (0,)) for n in names]).laws)
]


@pytest.mark.parametrize(("algorithm", "name"), COMPILED)
def test_every_algorithm_compiled_equals_the_oracle(algorithm, name):
    names, kind, nulls = PRODUCTS[name]
    aggregates = [find(one) for one in names]
    stream = fixed_stream(kind, nulls=nulls, special=name != "sum")  # which subtract
    windows = fixed_windows(len(stream.values))
    requests = [stream.request(one) for one in aggregates]
    if not nulls:  # as users give it: the same machine code
        stream.source = stream.source[:1]

    if name in ("sum of whole numbers", "first"):
        product = product_of(requests, may_be_empty=True)
        starts, stops = bounds(windows, 0), bounds(windows, 1)
        arrays = slide_arrays(algorithm, product, stream.source, starts, stops)
    else:
        product = product_of(requests)
        step = 3 if nulls else 1
        firsts, lasts = bounds(KEYS, 0), bounds(KEYS, 1)
        arrays = slide_regular(
            algorithm, product, stream.source, firsts, lasts, 64, step
        )
        windows = regular_windows(KEYS, 64, step, lead=False)
    actual = read(product, arrays)

    expected = [stream.expected(one, windows) for one in aggregates]
    for mine, right in zip(actual, expected, strict=True):
        assert not oracles.differences(mine, right, tolerance(algorithm))


def groups(aggregates: Sequence[Any], *marks: Any) -> list[Any]:
    """Some aggregates each, which are one kernel: that is quicker to compile."""
    parts = [aggregates[at : at + 8] for at in range(0, len(aggregates), 8)]
    names = [" ".join(one.name for one in part) for part in parts]
    return [
        pytest.param(part, id=name, marks=marks)
        for part, name in zip(parts, names, strict=True)
    ]


WHOLE = [one for one in INCREMENTAL if one.accepts == "whole"]
OTHERS = [one for one in INCREMENTAL if one.accepts != "whole"]


# Every aggregate is compiled once in the short run, over nulls and gaps below.
@pytest.mark.parametrize(
    "aggregates",
    [*groups(OTHERS[:8]), *groups(OTHERS[8:], pytest.mark.deep),
     *groups(WHOLE, pytest.mark.deep)],
)  # fmt: skip
@pytest.mark.parametrize(
    "algorithm",
    ["two_stacks_lite", pytest.param("sba", marks=pytest.mark.deep)],  # has 5 loops
)
def test_every_aggregate_compiled_over_count_windows_equals_the_oracle(
    algorithm, aggregates
):
    stream = fixed_stream("int" if aggregates[0] in WHOLE else "float")
    product = product_of([stream.request(one) for one in aggregates])
    firsts, lasts = bounds(KEYS, 0), bounds(KEYS, 1)

    arrays = slide_regular(
        BY_NAME[algorithm], product, stream.source, firsts, lasts, 12, lead=True
    )

    windows = regular_windows(KEYS, 12, 1, lead=True)
    for one, actual in zip(aggregates, read(product, arrays), strict=True):
        expected = stream.expected(one, windows)
        assert not oracles.differences(actual, expected, 1e-9), one.name


@pytest.mark.parametrize(
    "aggregates",
    [*groups(WHOLE), *groups(OTHERS), pytest.param([find("max")], id="max alone")],
)
def test_every_aggregate_compiled_over_nulls_and_gaps_equals_the_oracle(aggregates):
    stream = fixed_stream("int" if aggregates[0] in WHOLE else "float", nulls=True)
    windows = fixed_windows(len(stream.values))
    windows = [(start, min(stop, start + 20)) for start, stop in windows]
    product = product_of([stream.request(one) for one in aggregates], may_be_empty=True)

    arrays = slide_arrays(
        BY_NAME["two_stacks_lite"],
        product,
        stream.source,
        bounds(windows, 0),
        np.maximum.accumulate(bounds(windows, 1)),
    )

    stops = np.maximum.accumulate(bounds(windows, 1)).tolist()
    windows = [(start, stop) for (start, _), stop in zip(windows, stops, strict=True)]
    for one, actual in zip(aggregates, read(product, arrays), strict=True):
        expected = stream.expected(one, windows)
        assert not oracles.differences(actual, expected, 1e-9), one.name


@pytest.mark.parametrize(
    "algorithm", ["two_stacks_lite", pytest.param("sba", marks=pytest.mark.deep)]
)
def test_wide_sums_compiled_stay_exact_past_64_bits(algorithm):
    values = [2**63 - 1, -(2**63), 2**63 - 1, 2**63 - 1, 2**63 - 1, -5, -(2**63)] * 40
    stream = Stream("int", values)
    product = product_of([Request(WIDE_SUM, "int", (VALUE,))])
    first, last = np.array([0]), np.array([len(values)])

    arrays = slide_regular(BY_NAME[algorithm], product, stream.source, first, last, 9)
    (pairs,) = read(product, arrays)
    actual = [high * 2**32 + low for high, low in pairs]

    expected = oracles.slide(values, 9, 1, "sum")
    assert actual == expected


@pytest.mark.deep  # `algorithms/test_sba_stride.py` has the same widths, in one loop
@pytest.mark.parametrize("width", [1, 2, 1023, 1024, 1025, 1537, 2048, 3000])
def test_sba_in_blocks_equals_the_oracle_around_its_block_length(width):
    values = [(at * 7919) % 1009 - 504 for at in range(6500)]
    stream = Stream("int", values)
    product = product_of([stream.request(find("last")), stream.request(find("sum"))])
    first, last = np.array([0]), np.array([len(values)])

    arrays = slide_regular(BY_NAME["sba"], product, stream.source, first, last, width)
    positions, sums = read(product, arrays)

    prefix = [0]
    for value in values:
        prefix.append(prefix[-1] + value)
    count = len(values) - width + 1
    assert positions == [at + width - 1 for at in range(count)]
    assert sums == [prefix[at + width] - prefix[at] for at in range(count)]
