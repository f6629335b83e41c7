"""Contenders are called by what runs, which their kernels' own functions tell.

sba over time windows    slide stands in two_stacks_lite.py   "sba, by two_stacks_lite"
sba over count windows   stride stands in sba.py              "sba"
"""

from __future__ import annotations

import numpy as np
import pytest

from windrow.algorithms import CATALOGUE, find
from windrow_bench.bars import operators
from windrow_bench.measure import sliced
from windrow_bench.measure.kernels import kernel_contender
from windrow_bench.measure.sharing import multi_contender
from windrow_bench.measure.sliced import cut_stream, sliced_contender
from windrow_bench.pba import latency as pba_latency
from windrow_bench.ra import _schemes as ra
from windrow_bench.ra import base_intervals, break_even
from windrow_bench.slickdeque import latency as slick_latency
from windrow_bench.slickdeque import memory as slick_memory

VALUES = np.random.default_rng(1).integers(0, 99, 60).astype(float)
TIMES = np.cumsum(np.random.default_rng(2).integers(1, 4, 60))
SAME = {"slick_deque_inv": "subtract_on_evict"}  # with one range
EACH = [pytest.param(one, id=one.name) for one in CATALOGUE]


def told_by(name):
    """The algorithm that a contender's name says runs."""
    return name.removesuffix(", many").rpartition(", by ")[2]


def home(function):
    """The module of an algorithm's function; forms of one algorithm share some."""
    return function.__module__.rpartition(".")[2].removeprefix("_")


def fitting(algorithm):
    inverse = ("subtract_on_evict", "slick_deque_inv", "slide_side_inv")
    return "sum" if algorithm.name in inverse else "max"


@pytest.mark.parametrize("algorithm", EACH)
def test_contenders_over_arrays_are_named_by_the_slide_that_runs(algorithm):
    aggregate, runs = fitting(algorithm), home(algorithm.slide)

    timed = sliced_contender(algorithm, aggregate, cut_stream(VALUES, TIMES, 12, 3))
    strided = kernel_contender(algorithm, aggregate, VALUES, 12, every=3)

    assert told_by(timed.name) == told_by(strided.name) == runs
    assert timed.name.split(",")[0] == strided.name.split(",")[0] == algorithm.name


@pytest.mark.parametrize("algorithm", EACH)
def test_contenders_over_even_windows_are_named_by_the_stride_that_runs(algorithm):
    aggregate, runs = fitting(algorithm), home(algorithm.stride or algorithm.slide)

    counted = sliced_contender(algorithm, aggregate, cut_stream(VALUES, None, 12, 3))
    strided = kernel_contender(algorithm, aggregate, VALUES, 12)

    assert counted.name == strided.name
    assert told_by(counted.name) == algorithm.name
    assert runs.removesuffix("_scans") in (algorithm.name, SAME.get(algorithm.name))


def test_the_second_thread_of_pba_has_a_loop_of_its_own(monkeypatch):
    monkeypatch.setattr(sliced, "LEAST_WINDOW", 4)
    monkeypatch.setattr(sliced, "LEAST_STREAM", 20)
    over = cut_stream(VALUES, TIMES, 12, 3)

    def name(threads):
        monkeypatch.setattr(sliced, "spare_threads", lambda: threads)
        return sliced_contender(find("pba"), "max", over).name

    assert (name(2), name(1)) == ("pba", "pba, by two_stacks_lite")
    assert "pba_walk" in {home(one) for one in find("pba").slide_entries}


@pytest.mark.parametrize(
    "algorithm", [pytest.param(one, id=one.name) for one in CATALOGUE if one.many]
)
def test_contenders_for_many_ranges_run_their_own_slide(algorithm):
    one = multi_contender(algorithm, fitting(algorithm), VALUES, [3, 12])

    assert told_by(one.name) == home(algorithm.slide)


def test_operators_of_experiments_take_their_own_steps():
    """Series and panels that carry a name alone may stand for no other."""
    aggregates = pba_latency.PEERS.values()
    named = {
        *(name for names in aggregates for name in names),
        pba_latency.LITE,
        pba_latency.PBA,
        *slick_latency.PEERS,
        *slick_latency.OWN.values(),
        *(name for name, _ in slick_memory.SERIES.values()),
        *ra.SCHEMES.values(),
        *base_intervals.ALGORITHMS.values(),
        *(line.rival for line in break_even.TABLE.values()),
        "daba_lite",
    }

    assert {name for name in named if find(name).online_name != name} == set()
    assert {name for name in named if find(name).uneven_name != name} <= {"pba"}


def test_panels_and_claims_of_feed_say_whose_steps_run():
    panels = {one.name for one in operators.OPERATORS.panels}
    claims = [one.text for one in operators.OPERATORS.claims]

    assert "feed, max, sba, by two_stacks_lite" in panels
    assert {"feed, max, sba", "feed, max, by sba"} & panels == set()
    assert [
        one for one in claims if "sba" in one and "two_stacks_lite" not in one
    ] == []
