"""Combines a slide, counted, beside SlickDeque's Table 1 and LightSaber's Table 1.

SlickDeque (Inv)        2 for each query
TwoStacks               3 for one query; it cannot answer several
FlatFIT                 n for all ranges from 1 to n
here                    inverse: a query + 2, or 2 each for a few queries;
                        no inverse: 2 each, and 2 and a little for all of them
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pytest

from counting import counted, objects
from windrow.graph import slide_graph
from windrow.graph.run import slide_uneven, slide_walked
from windrow.graph.specialise import FEW
from windrow.kernels import Assembly
from windrow.loops import interpreting
from windrow.plan.cards import GRAPH_COSTS
from windrow.windows import Even

N = 6000


def per_slide(ranges: list[int], *, undo: bool) -> float:
    """Combines and inverses a slide, over a long run."""
    tally, product = counted(
        lambda a, b: a + b, identity=0, inverse=(lambda a, b: a - b)
    )
    runs = np.array([0]), np.array([N])
    windows = [(range_, 1) for range_ in ranges]
    slide_graph(product, (objects(range(N)),), *runs, windows, undo=undo)
    return tally.total / N


@pytest.mark.parametrize("width", [2, 16, 512])
def test_one_window_with_an_inverse_takes_two(width):
    assert per_slide([width], undo=True) <= 2


@pytest.mark.parametrize("width", [2, 16, 512])
def test_one_window_without_takes_three(width):
    assert per_slide([width], undo=False) <= 3


@pytest.mark.parametrize("count", [2, 5, 20, 40])
def test_many_windows_with_an_inverse_take_one_each_and_two_scans(count):
    ranges = list(range(10, 10 + 7 * count, 7))
    spent = per_slide(ranges, undo=True)
    if count <= FEW:
        assert spent <= 2 * count  # running values, as SlickDeque (Inv) has them
    else:
        assert spent <= count + 2
        assert spent < 2 * count


@pytest.mark.parametrize("count", [2, 5, 40])
def test_many_windows_without_take_two_each_and_two_scans(count):
    ranges = list(range(70, 70 + 7 * count, 7))
    spent = per_slide(ranges, undo=False)
    assert spent <= 2 * count + 2 + 4 * count / 64
    if count > 3:
        assert spent < 3 * count  # a pair of stacks for each


@pytest.mark.parametrize("n", [8, 32, pytest.param(128, marks=pytest.mark.deep)])
def test_all_ranges_at_once(n):
    """SlickDeque's max-multi-query: Naive takes n (n - 1) / 2, FlatFAT n log n."""
    ranges = list(range(1, n + 1))
    assert per_slide(ranges, undo=False) <= 3 * n
    assert per_slide(ranges, undo=True) <= (2 * n if n <= FEW else n + 2)


def test_one_combine_more_a_slide_would_be_seen():
    """The bounds above are met closely enough to mean something."""
    assert per_slide([512], undo=True) > 1.8
    assert per_slide([512], undo=False) > 2.5
    assert per_slide(list(range(100, 140)), undo=True) > 40


# --- the card --------------------------------------------------------------------


class Spent(NamedTuple):
    """Combines a slide, at most before one result, and partials that were kept."""

    average: float
    worst: int
    kept: int


def spend(monkeypatch, run, slides: int, *, inverse: bool = True) -> Spent:
    """Run a graph over counted partials, and count what its kernel allocates."""
    tally, product = counted(
        lambda a, b: a + b,
        identity=0,
        inverse=(lambda a, b: a - b) if inverse else None,
    )
    rooms: list[int] = []
    made = Assembly.module

    def module(assembly):
        found = made(assembly)
        allocate = found.allocate

        def watched(count):
            rooms.append(int(count))
            return allocate(count)

        monkeypatch.setattr(found, "allocate", watched)
        return found

    with interpreting(), monkeypatch.context() as patched:
        patched.setattr(Assembly, "module", module)
        run(product)
    costs = np.array(tally.per_window) + np.array(tally.inverses)
    return Spent(tally.total / slides, int(costs.max()), sum(rooms))


def value(text: str, **letters: float) -> float:
    """What a formula of the card comes to; products are written without a sign."""
    text = re.sub(r"(?<=\w) (?=[nkE]\b|max)", " * ", text.removeprefix("< "))
    return float(eval(text, {"max": max}, letters))


def check(form: str, found: list[tuple[dict[str, float], Spent]]) -> None:
    """None is past the card, and each of its numbers is met to half at least."""
    costs, near = GRAPH_COSTS[form], np.zeros(3)
    for letters, spent in found:
        card = [
            value(text, **letters) for text in (costs.time, costs.worst, costs.space)
        ]
        assert np.all(np.array(spent) <= card), (letters, spent, card)
        if not costs.time.startswith("<"):
            assert spent.average == pytest.approx(card[0], rel=0.1)
        near = np.maximum(near, np.array(spent) / card)
    assert near.min() > 0.5, near


def even_lists(form: str) -> list[list[int]]:
    """Ranges for a form, the longest first."""
    if "<=" in form:
        return [[64], [100, 50, 33], [300 - i for i in range(16)]]
    if "an inverse" in form:
        return [[64 + i for i in range(17)][::-1], [2000 - i for i in range(40)]]
    if "one" in form:
        return [[64], [100]]
    far = [[100 - 10 * i for i in range(8)], [140, 70], [3000, 1500, 1000]]
    return [*far, [700 - i for i in range(40)]]


@pytest.mark.parametrize("form", [form for form in GRAPH_COSTS if "time" not in form])
def test_a_graph_of_rows_costs_what_its_card_says(form, monkeypatch):
    found = []
    for ranges in even_lists(form):
        n, k = max(ranges), len(ranges)
        count = max(30 * n, 20_000) if n < 400 else 10 * n
        runs, windows = (np.array([0]), np.array([count])), [(r, 1) for r in ranges]
        undo = "an inverse" in form

        def run(product, runs=runs, windows=windows, undo=undo, count=count):
            slide_graph(product, (objects(range(count)),), *runs, windows, undo=undo)

        spent = spend(monkeypatch, run, count)
        if "<=" in form:  # a running value for each, which is not in an array
            assert spent.kept == 0
            spent = spent._replace(kept=k)
        found.append(({"n": n, "k": k}, spent))

    check(form, found)


COUNT = 4_000


def lists_of_time(n: int, k: int):
    """Instants with bursts and gaps; k windows that end after each, up to n rows."""
    instants = np.cumsum(np.random.default_rng(n).integers(0, 3, COUNT))
    stops = np.arange(1, COUNT + 1)
    bounds = [
        (np.searchsorted(instants, instants - (n - i) + 1, "left"), stops)
        for i in range(k)
    ]
    return instants, bounds


@pytest.mark.parametrize("form", [form for form in GRAPH_COSTS if "time" in form])
def test_a_graph_of_time_costs_what_its_card_says(form, monkeypatch):
    found = []
    for n, k in ((60, 2), (90, 8), (600, 30)):
        _, bounds = lists_of_time(n, k)
        undo = "an inverse" in form

        def run(product, bounds=bounds, undo=undo):
            source = (objects(range(COUNT)),)
            slide_uneven(product, source, bounds, leaf="rows", undo=undo)

        widest = max(int((stops - starts).max()) for starts, stops in bounds)
        spent = spend(monkeypatch, run, COUNT)
        found.append(({"n": widest, "k": k, "E": COUNT}, spent))

    check(form, found)


def test_windows_that_are_walked_cost_no_more(monkeypatch):
    """The walk that lists of time windows run, which finds bounds from instants."""
    instants, _ = lists_of_time(90, 1)
    evens, ends = [Even(90 - i, 1, 0) for i in range(8)], np.array([COUNT])

    def run(product):
        source = (objects(range(COUNT)),)
        slide_walked(product, source, instants, np.array([0]), ends, evens, leaf="rows")

    slides = int(instants[-1] - instants[0]) + 90  # a window begins at each instant
    spent = spend(monkeypatch, run, slides, inverse=False)
    widest = (
        int((np.arange(COUNT) - np.searchsorted(instants, instants - 89)).max()) + 1
    )

    letters = {"n": widest, "k": 8, "E": COUNT}
    check("k > 1 windows of time, no inverse", [(letters, spent)])
