"""Cards tell the truth: each form of each algorithm is counted, and compared with it.

Averages are those of long streams, without the first window, and equal the card's to a
tenth, or stay below its bound; what is counted never exceeds the card's worst and
space, and comes to half of them at least.
"""

from __future__ import annotations

import importlib
import math
import random
import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from counting import counted, objects, slide_ranges
from windrow.aggregates import Law
from windrow.algorithms import (
    CATALOGUE,
    ROOM,
    Shape,
    compile_kernel,
    slide_arrays,
    slide_regular,
)
from windrow.algorithms import find as find_algorithm
from windrow.loops import interpreting

steps = importlib.import_module("windrow.operator.steps")
threads = importlib.import_module("windrow.algorithms._two_threads")

SIZES = [64, 100]
LONG = [1500, 5000]  # beyond the blocks and lanes of the fast paths
FEW = 4  # windows of which a stream is long, where it is interpreted
EACH = [
    pytest.param(algorithm, n, id=f"{algorithm.name}-{n}")
    for algorithm in CATALOGUE
    for n in SIZES
]


class Counted(NamedTuple):
    """Combines and inverses of each window, and partials that were kept."""

    costs: list[int]
    kept: int


def formula(text: str, n: int, k: int = 1) -> float:
    """What a formula of a card comes to; products are written without a sign."""
    names = {"n": n, "k": k, "p": 1 << (n - 1).bit_length()}
    words = r"(?<=[\w)]) (?=(?:[nkp]\b|log2|sqrt|max|min))(?<!if )(?<!else )"
    text = re.sub(words, " * ", text.removeprefix("< "))
    known = {"log2": math.log2, "sqrt": math.sqrt, "max": max, "min": min}
    return float(eval(text, known, names))


def laws_of(algorithm):
    if Law.SELECTIVE in algorithm.needs:
        return {"combine": max, "identity": -(10**9), "laws": ["selective"]}
    laws = {"combine": lambda a, b: a + b, "identity": 0}
    if Law.INVERTIBLE in algorithm.needs:
        laws["inverse"] = lambda whole, oldest: whole - oldest
    return laws


def stream(algorithm, n: int, count: int) -> list[int]:
    """Random; for a deque, falling for a window and then one value above them all."""
    rng = random.Random(n)
    values = [rng.randrange(1000) for _ in range(count)]
    if Law.SELECTIVE not in algorithm.needs:
        return values
    return [
        (-i if i // n % 2 else value) + 10**4 * (i % (2 * n) == 2 * n - 1)
        for i, value in enumerate(values)
    ]


def run_counted(algorithm, product, shape, run) -> int:
    """Run a kernel; how many partials it made room for."""
    kept = 0

    def watched(function):
        def allocate(count):
            nonlocal kept
            kept += int(count)
            return function(count)

        return allocate

    with interpreting(), pytest.MonkeyPatch.context() as monkeypatch:
        module = compile_kernel(algorithm, product, shape)
        for name in ("allocate", "allocate_tallies"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, watched(getattr(module, name)))
        run()
    return kept


def over_arrays(algorithm, n: int, slides: int, *, even: bool) -> Counted:
    tally, product = counted(**laws_of(algorithm))
    values = objects(stream(algorithm, n, slides + n))
    starts = np.arange(slides + 1)

    def run():
        if even:
            ends = np.array([0]), np.array([len(values)])
            slide_regular(algorithm, product, (values,), *ends, n)
        else:
            slide_arrays(algorithm, product, (values,), starts, starts + n)

    shape = Shape("rows", "regular", fast=True) if even else Shape("rows", "arrays")
    kept = run_counted(algorithm, product, shape, run)
    costs = [c + i for c, i in zip(tally.per_window, tally.inverses, strict=True)]
    return Counted(costs, kept)


def check(costs, found: Counted, average: float, n: int, k: int = 1) -> None:
    expected = formula(costs.time, n, k)
    if costs.time.startswith("<"):
        assert expected / 2 < average < expected
    else:
        assert average == pytest.approx(expected, rel=0.1)
    worst, space = formula(costs.worst, n, k), formula(costs.space, n, k)
    assert worst / 2 <= max(found.costs) <= worst
    assert found.kept <= space <= 2 * found.kept + 3


@pytest.mark.parametrize(("algorithm", "n"), EACH)
def test_windows_given_as_arrays(algorithm, n):
    found = over_arrays(algorithm, n, 8 * (n - 1), even=False)

    check(
        algorithm.forms["arrays"],
        Counted(found.costs[1:], found.kept),
        np.mean(found.costs[1:]),
        n,
    )


@pytest.mark.parametrize(
    ("algorithm", "n"),
    [
        pytest.param(algorithm, n, id=f"{algorithm.name}-{n}")
        for algorithm in CATALOGUE
        for n in (*SIZES, *(LONG if algorithm.name in ("sba", "pba") else ()))
        if algorithm.stride is not None
    ],
)
def test_even_windows_by_the_fast_path(algorithm, n):
    """Results come in groups: what a slide costs is told by streams of two lengths."""
    slides = max(FEW * n, 3_000)

    short = over_arrays(algorithm, n, slides, even=True)
    found = over_arrays(algorithm, n, 2 * slides, even=True)

    average = (sum(found.costs) - sum(short.costs)) / slides
    worst = found.costs if algorithm.name in ("sba", "pba") else found.costs[1:]
    check(algorithm.forms["even arrays"], Counted(worst, found.kept), average, n)


@pytest.mark.parametrize("n", SIZES)
def test_two_threads(n, monkeypatch):
    monkeypatch.setattr(threads, "pays", lambda *_: True)
    monkeypatch.setattr(threads, "LEAST_RUN", 1)
    slots, room = [], threads._room
    monkeypatch.setattr(
        threads, "_room", lambda kernel, size: slots.append(size) or room(kernel, size)
    )
    pba = find_algorithm("pba")
    tally, product = counted(**laws_of(pba))
    values = objects(stream(pba, n, 9 * n))
    ends = np.array([0]), np.array([len(values)])

    kept = run_counted(
        pba,
        product,
        Shape("rows", "regular", fast=True),
        lambda: slide_regular(pba, product, (values,), *ends, n),
    )

    found = Counted(tally.per_window[1:], kept + sum(slots))
    check(pba.forms["two threads"], found, np.mean(found.costs), n)
    assert tally.elsewhere > 0


class Watch:
    """An operator over an aggregate that counts."""

    def __init__(self, algorithm, window):
        self.calls = 0
        self.reports: list[int] = []  # calls so far, as each result was written
        laws = laws_of(algorithm)
        inverse = laws.get("inverse")

        def watched(function):
            def call(a, b):
                self.calls += 1
                return function(a, b)

            return call

        aggregate = wr.Aggregate(
            name="watched",
            identity=laws["identity"],
            lift=lambda value: value,
            combine=watched(laws["combine"]),
            inverse=inverse and watched(inverse),
            lower=lambda partial: self.reports.append(self.calls) or partial,
            laws=laws.get("laws", ()),
        )
        self.operator = wr.Operator(
            window, aggregate, algorithm=algorithm.name, nulls=False
        )

    def costs(self, values, skip: int) -> list[int]:
        costs = []
        for value in values:
            self.operator.insert(value)
            self.calls = 0
            self.operator.query()
            costs.append(self.calls)
        return costs[skip:]

    def costs_fed(self, values) -> list[int]:
        self.operator.feed(np.array(values))
        return np.diff(self.reports).tolist()

    def kept(self) -> int:
        window = self.operator._windows[None]
        memory = window.memory
        own = [
            len(array)
            for section, array in zip(memory.layout, memory.sections, strict=True)
            if section.name.startswith(("ring", "state"))
        ]
        return sum(own) + sum(map(len, getattr(window, "answers", ())))


@pytest.mark.parametrize(
    ("algorithm", "n"), [each for each in EACH if each.values[0].steps is not None]
)
def test_one_event_at_a_time(algorithm, n):
    with interpreting():
        watch = Watch(algorithm, wr.rows(n))
        costs = watch.costs(stream(algorithm, n, 9 * n), n)
        found = Counted(costs, watch.kept())

    check(algorithm.forms["operator"], found, np.mean(costs), n)


@pytest.mark.parametrize(
    ("algorithm", "n"),
    [
        pytest.param(algorithm, n, id=f"{algorithm.name}-{n}")
        for algorithm in CATALOGUE
        if algorithm.steps is not None and algorithm.steps.slide_rows is not None
        for n in (*SIZES, *LONG)
    ],
)
def test_batches_in_stretches(algorithm, n, monkeypatch):
    """One batch, which is not cut where it is interpreted."""
    values = stream(algorithm, n, 5 * n)
    monkeypatch.setattr(steps, "BLOCK", len(values))
    with interpreting():
        watch = Watch(algorithm, wr.rows(n))
        costs = watch.costs_fed(values)
        found = Counted(costs, watch.kept() + ROOM)

    check(algorithm.forms["operator, batches"], found, np.mean(costs[n:]), n)


def range_lists(n: int) -> list[list[int]]:
    """Lists whose longest range is n: close together, far apart, drawn."""
    drawn = [n, *random.Random(n).sample(range(1, n), 4)]
    return [
        [n],
        [n - 9, n, n - 3],
        [n - 2 * i for i in range(8)],
        [n - i * n // 8 for i in range(8)],
        [n, math.isqrt(n)],
        [n, round(n / 1.618)],  # the dearest for FlatFIT
        drawn,
    ]


def check_ranges(costs, found: dict[int, list[Counted]], n: int) -> None:
    """No list of ranges costs more than the card says, and some come near it.

    On average for each k from two on; at worst for some: what is dear seldom coincides.
    """
    nearest = 0.0
    for k, ones in found.items():
        time, worst = formula(costs.time, n, k), formula(costs.worst, n, k)
        space = formula(costs.space, n, k)
        averages = [float(np.mean(one.costs)) for one in ones]
        if costs.time.startswith("<"):
            assert time / 3 * (k > 1) < max(averages) < time
        else:
            assert averages == pytest.approx([time] * len(ones), rel=0.1)
        for one in ones:
            assert max(one.costs) <= worst
            assert one.kept <= space <= 2 * one.kept + 3
            nearest = max(nearest, max(one.costs) / worst)
    assert nearest > 0.5


SEVERAL = [each for each in EACH if each.values[0].many]
LISTED = [
    each
    for each in EACH
    if each.values[0].steps is not None and each.values[0].steps.many
]


@pytest.mark.parametrize(("algorithm", "n"), SEVERAL)
def test_windows_of_k_ranges_given_as_arrays(algorithm, n):
    found = {}
    for ranges in range_lists(n):
        values, k = stream(algorithm, n, 9 * n), len(ranges)
        tally, product = counted(**laws_of(algorithm))
        answers = []

        def run(product=product, values=values, ranges=ranges, answers=answers):
            answers.extend(slide_ranges(algorithm, product, values, ranges))

        kept = run_counted(algorithm, product, Shape("rows", "many"), run)
        fold = max if Law.SELECTIVE in algorithm.needs else sum
        assert answers[-1] == [fold(values[-r:]) for r in ranges]
        costs = np.array(tally.per_window) + np.array(tally.inverses)
        by_slide = costs.reshape(-1, k).sum(axis=1)[n:].tolist()
        found.setdefault(k, []).append(Counted(by_slide, kept))

    check_ranges(algorithm.forms["arrays, k ranges"], found, n)


@pytest.mark.parametrize(("algorithm", "n"), LISTED)
def test_windows_of_k_ranges_one_event_at_a_time(algorithm, n):
    found = {}
    for ranges in range_lists(n):
        with interpreting():
            watch = Watch(algorithm, [wr.rows(r, name=str(r)) for r in ranges])
            costs = watch.costs(stream(algorithm, n, 9 * n), n)
            found.setdefault(len(ranges), []).append(Counted(costs, watch.kept()))

    check_ranges(algorithm.forms["operator, k ranges"], found, n)


def test_an_operator_and_explain_name_the_algorithm_that_runs():
    operator = wr.Operator(
        wr.rows(3), wr.sum(), algorithm="sba", types={"value": "int64"}
    )
    table = pa.table({"t": [0, 1, 5, 9], "x": [1.0, 2.0, 3.0, 4.0]})

    def lines(algorithm):
        window = wr.sliding(4, every=1, on="t")
        return str(wr.explain(table, window, m=wr.max("x"), algorithm=algorithm))

    assert "with sba, by two_stacks_lite" in str(operator)
    assert "two_stacks_lite runs, since windows are not even" in lines("sba")
    assert "two_stacks_lite runs in one thread, since" in lines("pba")


def test_every_form_that_there_is_has_costs():
    for algorithm in CATALOGUE:
        forms = ["arrays"]
        forms += ["even arrays"] * (algorithm.stride is not None)
        forms += ["two threads"] * (algorithm.threads > 1)
        forms += ["operator"] * (algorithm.steps is not None)
        if algorithm.steps is not None:
            forms += ["operator, batches"] * (algorithm.steps.slide_rows is not None)
        forms += ["arrays, k ranges"] * algorithm.many
        if algorithm.steps is not None:
            forms += ["operator, k ranges"] * algorithm.steps.many
        assert list(algorithm.forms) == forms


def test_a_form_that_another_algorithm_serves_names_it():
    """The functions of a form are those of the algorithm that its card names."""
    own = {algorithm.name: algorithm for algorithm in CATALOGUE}
    for algorithm in CATALOGUE:
        for form, costs in algorithm.forms.items():
            runs = own[costs.by or algorithm.name]
            if form == "arrays":
                assert algorithm.slide is runs.slide
                makers = algorithm.slide.__module__.rpartition(".")[2]
                assert makers == runs.name
            if form == "even arrays":
                assert algorithm.stride is runs.stride
            if form.startswith("operator"):
                maker = algorithm.steps.insert.__module__.rpartition(".")[2]
                served = ("subtract_on_evict",)  # of which it is the form of one range
                assert maker.strip("_").removesuffix("_steps") in (
                    runs.name,
                    *SHARED.get(runs.name, ()),
                    *served * (runs.name == "slick_deque_inv"),
                )


SHARED = {"flat_fat": ("fat",), "pba": ("pba",)}


@pytest.mark.parametrize("n", SIZES)
def test_a_tree_climbs_one_path_for_even_windows_of_what_commutes(n):
    laws = {"combine": lambda a, b: a + b, "identity": 0, "laws": ["commutative"]}
    tally, product = counted(**laws)
    values = objects(list(range(5 * n)))

    with interpreting():
        ends = np.array([0]), np.array([len(values)])
        slide_regular(find_algorithm("flat_fat"), product, (values,), *ends, n)

    assert set(tally.per_window[1:]) == {math.ceil(math.log2(n))}
