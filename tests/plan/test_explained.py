"""What `explain` names is what runs, whatever the windows, aggregates and data."""

from __future__ import annotations

import contextlib
import re
from functools import partial

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from explained import named, watched
from windrow.algorithms import BY_NAME as ALGORITHMS
from windrow.loops import interpreting
from windrow.spans import BY_NAME as TECHNIQUES

HUGE = 2**60
AGGREGATES = {
    "sum": wr.sum("x"),
    "mean": wr.mean("x"),
    "max": wr.max("x"),
    "count": wr.count(),
    "last": wr.last("x"),
    "std": wr.std("f"),
    "fsum": wr.sum("f"),
    "any": wr.any("x"),
    "collect": wr.collect("x"),
}


@st.composite
def tables(draw):
    rows = draw(st.integers(0, 60))
    largest = draw(st.sampled_from([9, 2**31, HUGE, 2**62]))
    whole = st.integers(-largest, largest)
    numbers = draw(st.sampled_from([whole, st.none() | whole]))
    column = draw(st.lists(numbers, min_size=rows, max_size=rows))
    times = draw(st.lists(st.integers(0, 200), min_size=rows, max_size=rows))
    keys = draw(st.lists(st.sampled_from("ab"), min_size=rows, max_size=rows))
    floats = draw(st.lists(st.floats(-9, 9), min_size=rows, max_size=rows))
    return pa.table(
        {
            "at": pa.array(times, pa.int64()),
            "key": pa.array(keys, pa.string()),
            "x": pa.array(column, pa.int64()),
            "f": pa.array(floats, pa.float64()),
        }
    )


@st.composite
def counted(draw):
    range_ = draw(st.sampled_from([1, 2, 5, 12, 50, 80]))
    slide = draw(st.sampled_from([s for s in (1, 2, 3, 5) if s <= range_]))
    return wr.rows(range_, every=slide, partial=draw(st.booleans()), on="at")


@st.composite
def timed(draw):
    range_ = draw(st.sampled_from([1, 4, 10, 30]))
    slide = draw(st.sampled_from([s for s in (1, 2, 3, 10) if s <= range_]))
    return wr.sliding(range_, every=slide, on="at")


def windows():
    lists = [st.lists(kind(), min_size=1, max_size=3) for kind in (counted, timed)]
    return counted() | timed() | st.one_of(lists)


calls = st.dictionaries(
    st.sampled_from(sorted(AGGREGATES)), st.just(None), min_size=1, max_size=3
).map(lambda names: {name: AGGREGATES[name] for name in names})


@given(tables(), windows(), calls, st.sampled_from([None, "key"]))
def test_aggregate_runs_the_algorithms_that_explain_names(table, window, calls, by):
    with interpreting():
        text = str(wr.explain(table, window, by=by, **calls))
        with watched() as (ran, products), contextlib.suppress(wr.SumOverflow):
            wr.aggregate(table, window, by=by, **calls)

    assert named(text) == ran
    wide = any(
        output.request.aggregate.result == "wide"
        for product in products
        for output in product.outputs
    )
    assert ("in two words" in text) == wide


@given(tables(), calls, st.sampled_from([3, 40, 7, None]), st.booleans())
def test_over_runs_the_algorithms_that_explain_names(table, calls, rows, closed):
    last = rows or 25
    if rows is None:
        table = table.set_column(0, "at", table["at"].cast(pa.timestamp("s")))
        last = "25 s"
    side = {"closed": "left"} if closed and rows is None else {}
    frames = {
        name: call.aggregate(*call.columns, last=last, **side)
        for name, call in calls.items()
    }
    with interpreting():
        text = str(wr.explain(table, on="at", by="key", **frames))
        with watched() as (ran, _), contextlib.suppress(wr.SumOverflow):
            wr.over(table, on="at", by="key", **frames)

    assert named(text) == ran


def test_the_mean_of_enormous_values_is_explained_as_it_is_computed():
    table = pa.table({"x": [HUGE] * 80})

    text = str(wr.explain(table, wr.rows(50), m=wr.mean("x")))
    with watched() as (ran, _):
        wr.aggregate(table, wr.rows(50), m=wr.mean("x"))

    assert ran == {"sba"} == named(text)
    assert "two words" not in text


@pytest.mark.parametrize("length", [1, 300])
def test_spans_run_the_technique_that_explain_names(length, monkeypatch):
    starts = list(range(0, 4000, 3))
    table = pa.table({"a": starts, "b": [s + length for s in starts], "x": starts})
    window = wr.sliding(60, every=5, span=("a", "b"))
    ran = set()
    for technique in TECHNIQUES.values():
        answer = technique.answer

        def spy(*args, name=technique.name, answer=answer):
            ran.add(name)
            return answer(*args)

        monkeypatch.setitem(technique.__dict__, "answer", spy)
        if technique.walk is not None:
            walked = partial(spy, answer=technique.walk)
            monkeypatch.setitem(technique.__dict__, "walk", walked)

    text = str(wr.explain(table, window, m=wr.max("x"), n=wr.count()))
    wr.aggregate(table, window, m=wr.max("x"), n=wr.count())

    lines = re.findall(r"^  technique  ([a-z_]+):", text, re.MULTILINE)
    assert set(lines) == ran
    assert named(text) <= set(ALGORITHMS)


def test_sba_over_gaps_says_what_runs_in_its_place():
    window = wr.sliding(60, every=1, on="at")

    def line(instants):
        table = pa.table({"at": instants, "x": [1.0] * len(instants)})
        text = str(wr.explain(table, window, m=wr.max("x"), algorithm="sba"))
        return next(line for line in text.splitlines() if "algorithm" in line)

    assert line([1, 2, 3, 4]) == "  algorithm  sba: asked for by name"
    assert line([1, 2, 30]).endswith("two_stacks_lite runs, since windows are not even")
