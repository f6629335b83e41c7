"""Tests that tasks give the windows of one process, however rows fall into batches.

        chunk 0           chunk 1           chunk 2
    |-----------------|-----------------|-----------------|
          |----------- window ------------|
          opening     total               closing

Rows and slices arrive in batches of any size; stretches are as short as one row, so
that every key is carried over many of them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from strategies import part, range_and_slide
from windrow.loops import interpreting
from windrow.plan.explain_spark import explain_tree

sys.path.insert(0, str(Path(__file__).parent))
from in_tasks import tree_of, windows_of

from explained import named, watched

COMMUTING = {
    "n": wr.count(),
    "valued": wr.count("x"),
    "total": wr.sum("x"),
    "most": wr.max("x"),
    "least": wr.min("name"),
    "mean": wr.mean("x"),
    "ties": wr.max_count("x"),
    "last_name": wr.max("name"),
}
ORDERED = {
    "first": wr.first("name"),
    "last": wr.last("x"),
    "who": wr.arg_max("x", "name"),
    "least_at": wr.arg_min("name", "x"),
    "n": wr.count(),
}
HOLISTIC = {
    "all": wr.collect("x"),
    "kinds": wr.count_distinct("name"),
    "middle": wr.median("x"),
    "often": wr.mode("name"),
    "n": wr.count(),
}


@st.composite
def tables(draw: Any) -> pa.Table:
    """Tables sorted by time, with keys of any size, gaps, ties, negative times."""
    n = draw(st.integers(1, 30))
    column = lambda values: draw(st.lists(values, min_size=n, max_size=n))  # noqa: E731
    times = st.one_of(st.integers(-20, 60), st.integers(-9, 9).map(lambda t: 1000 * t))
    return pa.table(
        {
            "key": pa.array(column(st.sampled_from(["a", "b", None])), pa.string()),
            "at": pa.array(sorted(column(times)), pa.int64()),
            "x": pa.array(column(st.one_of(st.none(), st.integers(-9, 9))), pa.int64()),
            "name": pa.array(
                column(st.sampled_from(["", "p", "q", "zz", None])), pa.string()
            ),
        }
    )


def window_of(range_and_slide: tuple[int, int], offset: int = 0) -> Any:
    length, slide = range_and_slide
    return wr.sliding(length, every=slide, offset=offset, on="at")


def assert_same(actual: pa.Table, expected: pa.Table, by: list[str]) -> None:
    """Check for the same windows with the same results, in any order."""
    names = [*(f"k{i}" for i in range(len(by))), "start", "end"]
    names += [name for name in actual.column_names if name.startswith("r")]
    results = [tuple(row[name] for name in names) for row in actual.to_pylist()]
    rows = [
        (
            *(row[key] for key in by),
            *row["window"].values(),
            *list(row.values())[-calls:],
        )
        for row in expected.to_pylist()
        for calls in [len(row) - len(by) - 1]
    ]
    assert sorted(map(repr, results)) == sorted(map(repr, rows))


cut_in_any_way = given(
    table=tables(),
    window=range_and_slide(),
    by=st.sampled_from([["key"], []]),
    chunk=st.integers(1, 40),
    batch=st.integers(1, 9),
    enough=st.integers(1, 9),
)


@pytest.mark.parametrize("split", ["none", "overlap", "sash"])
@pytest.mark.parametrize("calls", [COMMUTING, ORDERED], ids=["commuting", "ordered"])
@cut_in_any_way
@part(1.0)
def test_slices_folded_apart_and_slid_in_batches_are_the_engines_windows(
    split, calls, table, window, by, chunk, batch, enough
):
    with interpreting():
        expected = wr.aggregate(table, window_of(window), by=by, aggregates=calls)
        tree = tree_of(table, window_of(window), by, calls, split=split, chunk=chunk)

        actual = windows_of(tree, table, batch=batch, enough=enough)

    assert_same(actual, expected, by)


@pytest.mark.parametrize("split", ["none", "overlap"])
@pytest.mark.parametrize("calls", [COMMUTING, ORDERED], ids=["commuting", "ordered"])
@cut_in_any_way
@part(1.0)
def test_windows_that_are_alike_are_sent_once_and_repeated(
    split, calls, table, window, by, chunk, batch, enough
):
    with interpreting():
        expected = wr.aggregate(table, window_of(window), by=by, aggregates=calls)
        tree = tree_of(table, window_of(window), by, calls, split=split, chunk=chunk)

        actual = windows_of(tree, table, batch=batch, enough=enough, alike=True)

    assert_same(actual, expected, by)


@pytest.mark.parametrize("split", ["none", "overlap"])
@pytest.mark.parametrize("calls", [COMMUTING, ORDERED], ids=["commuting", "ordered"])
@cut_in_any_way
@part(1.0)
def test_a_task_runs_the_algorithm_that_explain_names(
    split, calls, table, window, by, chunk, batch, enough
):
    tree = tree_of(table, window_of(window), by, calls, split=split, chunk=chunk)
    with interpreting(), watched() as (ran, _):
        windows_of(tree, table, batch=batch, enough=enough)

    assert ran <= named(str(explain_tree(tree, [])))
    assert ran or not len(table)


@pytest.mark.parametrize("split", ["none", "overlap"])
@cut_in_any_way
@part(1.0)
def test_rows_slid_in_batches_are_the_engines_windows(
    split, table, window, by, chunk, batch, enough
):
    with interpreting():
        expected = wr.aggregate(table, window_of(window), by=by, aggregates=HOLISTIC)
        tree = tree_of(table, window_of(window), by, HOLISTIC, split=split, chunk=chunk)

        actual = windows_of(tree, table, batch=batch, enough=enough)

    assert_same(actual, expected, by)


@given(
    table=tables(),
    window=range_and_slide(most=12),
    partial=st.booleans(),
    batch=st.integers(1, 9),
    enough=st.integers(1, 9),
)
@part(1.0)
def test_count_windows_number_the_rows_of_a_key_across_batches(
    table, window, partial, batch, enough
):
    length, slide = window
    spec = wr.rows(length, every=slide, on="at", partial=partial)
    with interpreting():
        expected = wr.aggregate(table, spec, by="key", aggregates=HOLISTIC)
        tree = tree_of(table, spec, ["key"], HOLISTIC)

        actual = windows_of(tree, table, batch=batch, enough=enough)

    assert_same(actual, expected, ["key"])


@given(
    table=tables(),
    first=range_and_slide(),
    second=range_and_slide(),
    split=st.sampled_from(["none", "overlap", "sash"]),
    chunk=st.integers(1, 40),
    batch=st.integers(1, 9),
)
@part(1.0)
def test_a_list_of_windows_is_answered_each_from_the_same_slices(
    table, first, second, split, chunk, batch
):
    windows = [window_of(first), window_of(second, offset=1)]
    with interpreting():
        expected = wr.aggregate(table, windows, by="key", aggregates=COMMUTING)
        tree = tree_of(table, windows, ["key"], COMMUTING, split=split, chunk=chunk)

        actual = windows_of(tree, table, batch=batch)

    for number in (0, 1):
        rows = actual.filter(pa.compute.equal(actual["q"], number))
        matching = expected.filter(pa.compute.equal(expected["query"], number))
        assert_same(rows, matching.drop_columns("query"), ["key"])


def test_what_is_carried_is_bounded_by_the_window_and_not_by_the_key():
    table = pa.table({"key": ["a"] * 4000, "at": range(4000), "x": [1] * 4000})
    spec = wr.sliding(10, every=1, on="at")
    calls = {"all": wr.collect("x")}
    seen: list[int] = []

    with interpreting():
        tree = tree_of(table, spec, ["key"], calls)
        actual = windows_of(tree, table, batch=10, enough=_Watched(seen))

    assert len(actual) == 4009
    assert max(seen) <= 10


class _Watched(int):
    """A number of rows that records what it is compared with: the rows carried."""

    def __new__(cls, seen: list[int]) -> Self:
        number = super().__new__(cls, 10)
        number.seen = seen
        return number

    def __lt__(self, other: int) -> bool:
        self.seen.append(int(other))
        return int(self) < int(other)

    __gt__ = __lt__


@pytest.mark.parametrize("step", ["slide_panes", "slide_stretches"])
def test_a_first_task_does_not_import_pandas(step):
    code = f"""if True:
        import sys
        sys.path.append({str(Path(__file__).parent)!r})
        import numpy as np, pyarrow as pa
        import windrow as wr
        from in_tasks import _run, tree_of
        numbers = [pa.py_buffer(np.arange(50)), pa.py_buffer(np.arange(50) // 20)]
        at, key = (pa.Array.from_buffers(pa.int64(), 50, [None, b]) for b in numbers)
        table = pa.Table.from_arrays([at, key], names=["at", "key"])
        window = wr.sliding(20, every=2, on="at")
        tree = tree_of(table, window, ["key"], {{"n": wr.count()}})
        panes = pa.Table.from_arrays([key, at, at], names=["k0", "pane", "p0"])
        names = ["k0", "start", "r0"]
        names += ["last"] if {step!r} == "slide_stretches" else []
        gives = pa.schema([(name, pa.int64()) for name in names])
        found = _run({step!r}, tree, ["k0"], panes, gives, 7, 1)
        assert len(found) > 20, found
        assert "pandas" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)
