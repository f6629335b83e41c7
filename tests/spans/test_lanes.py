"""Loops over whole columns against the same loops as plain Python.

    loop(*arguments)            one event after the other, as it is compiled
    columns(*arguments)         all events at once

Whole numbers throughout, so that nothing but equality will do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import range_and_slide
from windrow.aggregates import Law
from windrow.aggregates import find as find_aggregate
from windrow.algorithms import find as find_algorithm
from windrow.kernels import Product, Request, product_of
from windrow.loops import Lane, interpreting, pinned
from windrow.slicing import Comb
from windrow.spans import (
    Events,
    LaidEvents,
    Windows,
    Work,
    add_goes,
    fill_buckets,
    find,
    measure,
    number_slices,
    parts_of,
)
from windrow.spans._numbering import begin, count_bounds, extents, join, number
from windrow.windows import Even, Periodic

FAR = 10**9
TECHNIQUES = ("se_slicing", "se_ml_slicing", "starts_and_ends", "selective_sweeping")


@st.composite
def runs_of_events(draw: Any, *, least: int = 0) -> Events:
    """Runs of events in the order of their ends: ties, gaps, points, long ones."""
    starts, lasts, sizes = [], [], []
    for _ in range(draw(st.integers(least, 4))):
        start = st.one_of(
            st.integers(-30, 60), st.integers(0, 9).map(lambda k: FAR + k)
        )
        length = st.one_of(st.integers(0, 9), st.integers(0, 150))
        bounds = draw(st.lists(st.tuples(start, length), min_size=1, max_size=12))
        bounds.sort(key=sum)
        starts += [start for start, _ in bounds]
        lasts += [start + length for start, length in bounds]
        sizes.append(len(bounds))
    stops = np.cumsum(sizes, dtype=np.int64)
    firsts = stops - np.array(sizes, np.int64)
    return Events(np.array(starts, np.int64), np.array(lasts, np.int64), firsts, stops)


combs = st.lists(st.builds(Comb, st.integers(1, 12), st.integers(-3, 5)),
                 min_size=1, max_size=3)  # fmt: skip


def equal(mine: Any, other: Any) -> bool:
    if isinstance(mine, tuple):
        return len(mine) == len(other) and all(map(equal, mine, other))
    return np.array_equal(mine, other)


def both(loop: Any, *arguments: Any) -> tuple[Any, Any]:
    """What a loop returns, and what it does over columns."""
    return loop.function(*arguments), loop.columns(*arguments)


@given(events=runs_of_events(least=1), some=combs)
def test_slices_are_numbered_alike(events, some):
    periods = np.array([comb.period for comb in some])
    phases = np.array([comb.phase for comb in some])
    origin = events.starts.min()
    teeth = periods, phases, origin - (origin - phases) % periods

    assert equal(*both(number, events.lasts, *teeth))
    firsts, lasts = (number.columns(t, *teeth) for t in (events.starts, events.lasts))
    bounds = events.firsts, events.stops
    assert equal(*both(extents, events.starts, firsts, lasts, *bounds))
    order = np.lexsort((firsts, events.run))
    stretches = both(join, order, events.starts, firsts, lasts, events.run)
    assert equal(*stretches)
    _, _, sizes, since, _ = stretches[0]
    if sizes.sum() < 10_000:
        offsets = np.append(0, np.cumsum(sizes))
        assert equal(*both(begin, since, offsets, periods, phases))
    near = lasts - firsts.min() < 10_000
    counted = firsts[near] - firsts.min(), lasts[near] - firsts.min(), 10_000
    assert equal(*both(count_bounds, *counted))


@given(data=st.data())
def test_the_instants_of_events_are_measured_alike(data):
    pair = st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.booleans())
    rows = data.draw(st.lists(pair, max_size=9))
    starts, ends = (np.array([r[i] for r in rows], np.int64) for i in (0, 1))
    known = np.array([row[2] for row in rows], bool)
    for mask in (known, np.empty(0, bool)):
        assert equal(*both(measure, starts, ends, mask))


def product(*names: str) -> Product:
    """Those aggregates over one column of whole numbers, of which some are null."""
    found = [find_aggregate(name) for name in names]
    return product_of(
        [Request(a, "int", (0,) if a.takes.count("value") else (), (1,)) for a in found]
    )


def source_of(laid: LaidEvents) -> tuple[np.ndarray, ...]:
    places = np.arange(len(laid.events))
    return (places * 7919 % 23 - 9, places % 5 != 3)


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize(
    "names", [("count", "sum"), ("max",), ("sum", "max"), ("last",), ("last", "sum")]
)
@given(events=runs_of_events(), data=st.data())
def test_each_technique_answers_alike(technique, names, events, data):
    whole = product(*names)
    if not find(technique).suits(whole.laws):
        return
    even = Even(*data.draw(range_and_slide()), 0)
    laid = number_slices(events, [Comb(even.slide, 0), Comb(even.slide, even.range)])
    laid = laid.lay()
    frames = laid.windows(Periodic(0, "", even))
    windows = [Windows(frames, even.range, find_algorithm("two_stacks_lite"))]
    height = data.draw(st.integers(1, 6))
    work = Work(laid, whole, source_of(laid), height, lane=None)

    with interpreting():
        expected = find(technique).run(work, windows)
        buckets = fill_buckets(laid, frames)
    with pinned(Lane.COLUMNS):
        actual = find(technique).run(work, windows)
        assert equal(fill_buckets(laid, frames), buckets)

    assert equal(tuple(actual), tuple(expected))


@pytest.mark.parametrize("technique", TECHNIQUES[:3])
@pytest.mark.parametrize("names", [("count", "sum"), ("max",), ("sum", "max")])
@given(events=runs_of_events(least=1), data=st.data())
def test_parts_that_are_shipped_are_alike(technique, names, events, data):
    whole = product(*names)
    if not find(technique).suits(whole.laws):
        return
    laid = number_slices(events, [Comb(data.draw(st.integers(1, 12)), 0)]).lay()
    work = Work(laid, whole, source_of(laid), data.draw(st.integers(1, 6)), lane=None)
    slices = np.array(data.draw(st.lists(st.integers(0, len(laid) - 1), max_size=9)),
                      np.int64)  # fmt: skip
    tails = tuple(np.arange(len(slices)).astype(dtype) for dtype in whole.dtypes)

    def parts() -> Any:
        ends, goes = parts_of(work, find(technique))
        if goes:
            add_goes(replace(work, leaf="slices"), (ends, goes), tails, slices)
        return ends, goes

    with interpreting():
        expected = parts()
    with pinned(Lane.COLUMNS):
        actual = parts()

    assert equal(actual, expected)
    assert bool(expected[1]) == (Law.IDEMPOTENT not in whole.laws)


FIRST = """
import sys
import numpy as np, pyarrow as pa, windrow as wr
n, dice = 2_000, np.random.default_rng(0)
starts = dice.integers(0, 20_000, n)
for longest in (100, 5_000):
    table = pa.table({"k": dice.integers(0, 5, n), "s": starts, "x": dice.random(n),
                      "e": starts + dice.integers(0, longest, n), "i": starts})
    window = wr.sliding(60, every=10, span=("s", "e"))
    rows = wr.aggregate(table, window, by="k", a=wr.mean("x"), b=wr.max("x"),
        c=wr.count(), d=wr.first("x"), e=wr.variance("x"), f=wr.collect("i"))
    assert len(rows) > 1_000
assert "numba" not in sys.modules
"""


def test_the_first_call_waits_for_no_compiler(tmp_path):
    """Every technique that the planner can choose, in a process with no cache."""
    environment = {**os.environ, "WINDROW_CACHE_DIR": str(tmp_path)}
    environment |= {"WINDROW_COMPILE": "auto", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", FIRST], check=True, env=environment)


def test_a_technique_asked_for_by_name_runs_compiled():
    laid = number_slices(Events(*(np.array([v]) for v in (0, 9, 0, 1))), [Comb(5, 0)])
    work = Work(laid.lay(), product("sum"), (np.array([4]), np.array([True])))

    def loop(out):
        out[0] = 1

    out = np.zeros(1, np.int64)
    with pinned(Lane.COLUMNS):
        work.run(loop, out, columns=lambda out: out.fill(2))

    assert work.lane is Lane.COMPILED
    assert out[0] == 1
