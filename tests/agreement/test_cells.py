"""Rows that are folded where they stand give what rows that are sorted give.

    keys x slices      . . 3 . 1 . .       a cell for each, most of the time
    or sorted          by key and time     the same answers, row for row

Both ways, interpreted and over columns, are held against the oracle.  Floats agree to
1e-9; where slices are folded in both, every bit is the same.
"""

from __future__ import annotations

import contextlib
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import menus
import oracles
import strategies
import windrow as wr
from lanes import in_both_lanes
from strategies import part, range_and_slide
from windrow.batch.cells import UnsortedRows
from windrow.loops import Lane, interpreting, pinned
from windrow.slicing import cells

TOLERANCE = 1e-9
RESOLVE = sys.modules["windrow.plan.resolve"]  # `windrow.plan.resolve` is the function
KEYS = {
    "small": (pa.int16(), st.integers(-2, 3)),
    "word": (pa.dictionary(pa.int32(), pa.string()), st.sampled_from("cab")),
    "truth": (pa.bool_(), st.booleans()),
    "far": (pa.int64(), st.sampled_from([-(2**63), 0, 2**62])),
}


@contextlib.contextmanager
def sorted_always():
    """Refuse cells, whatever the rows are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RESOLVE, "why_sorted", lambda *_: "a test says so")
        yield


@contextlib.contextmanager
def watched_folds():
    """The calls that fold rows into cells within."""
    folds = []
    real = UnsortedRows.fold

    def fold(self, *rest):
        folds.append(self)
        return real(self, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(UnsortedRows, "fold", fold)
        yield folds


@st.composite
def keyed_tables(draw, calls, kinds):
    n = draw(st.integers(0, 14))
    columns = {
        f"key{i}": draw(st.lists(st.none() | KEYS[kind][1], min_size=n, max_size=n))
        for i, kind in enumerate(kinds)
    }
    columns["at"] = draw(strategies.times(n, nulls=True))
    if draw(st.booleans()):
        columns["at"].sort(key=lambda at: -(10**9) if at is None else at)
    return {**columns, **draw(menus.columns(calls.values(), n))}


@pytest.mark.parametrize("name", menus.NAMES)
@part(0.3)
@given(data=st.data())
def test_both_ways_equal_the_oracle(name, data):
    calls = {"r": data.draw(menus.calls(name)), "n": ("count", (), {})}
    kinds = data.draw(st.lists(st.sampled_from(list(KEYS)), min_size=1, max_size=3))
    columns = data.draw(keyed_tables(calls, kinds))
    by = [f"key{i}" for i in range(len(kinds))]
    specs = data.draw(st.lists(range_and_slide(), min_size=1, max_size=2))
    windows = [wr.sliding(length, every=slide, on="at") for length, slide in specs]
    types = {key: KEYS[kind][0] for key, kind in zip(by, kinds, strict=True)}
    table = menus.table_of(columns, {**types, "at": pa.int64()})
    wanted = {label: menus.asked(call) for label, call in calls.items()}

    def ask():
        return menus.flat(wr.aggregate(table, windows, by=by, aggregates=wanted))

    actual = in_both_lanes(ask)
    with sorted_always():
        plain = in_both_lanes(ask)

    rules = [
        oracles.Time(length, slide, query=i) for i, (length, slide) in enumerate(specs)
    ]
    expected = oracles.aggregate(menus.rows_of(columns), by, rules, calls)
    assert not oracles.differences(actual, expected, TOLERANCE)
    assert not oracles.differences(plain, expected, TOLERANCE)


def readings(rows=4_000, *, in_order=True, seed=3):
    rng = np.random.default_rng(seed)
    at = rng.integers(0, 300, rows)
    return pa.table(
        {
            "at": np.sort(at) if in_order else at,
            "key": rng.integers(0, 4, rows),
            "x": rng.normal(size=rows) * 10.0 ** rng.integers(-8, 8, rows),
        }
    )


FLOATS = {"a": wr.sum("x"), "v": wr.var("x"), "m": wr.mean("x"), "n": wr.count()}


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("lane", [None, Lane.COLUMNS])
def test_cells_of_many_rows_are_the_slices_of_sorted_rows_bit_for_bit(in_order, lane):
    table, window = readings(), wr.sliding(40, every=20, on="at")
    if not in_order:  # two tables in one, of which no slice is in both
        early = pc.less(table["at"], 160)
        table = pa.concat_tables([table.filter(pc.invert(early)), table.filter(early)])

    def ask():
        return wr.aggregate(table, window, by="key", aggregates=FLOATS)

    with interpreting() if lane is None else pinned(lane):
        with watched_folds() as folds:
            actual = ask()
        with sorted_always():
            expected = ask()

    assert len(folds) == 1
    assert actual.equals(expected)


ORDERED = {
    "f": wr.first("x"),
    "l": wr.last("x"),
    "a": wr.arg_max("tenth", "x"),
    "w": wr.arg_min("tenth", "x"),
}


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("lane", [None, Lane.COLUMNS])
def test_aggregates_that_do_not_commute_see_rows_in_order_of_time(in_order, lane):
    table, window = readings(900, in_order=in_order), wr.sliding(40, every=20, on="at")
    tenths = np.arange(900) % 10
    table = table.append_column("tenth", pa.array(tenths))

    def ask():
        return wr.aggregate(table, window, by="key", aggregates=ORDERED)

    with interpreting() if lane is None else pinned(lane):
        with watched_folds() as folds:
            actual = ask()
        with sorted_always():
            expected = ask()

    assert len(folds) == in_order
    assert actual.equals(expected)
    first = {}
    for row in sorted(table.to_pylist(), key=lambda row: row["at"]):
        for start, _ in oracles.time_windows([row["at"]], 40, 20):
            first.setdefault((row["key"], start), row["x"])
    assert actual["f"].to_pylist() == [first[key] for key in sorted(first)]


def test_a_compiled_loop_folds_as_the_columns_do():
    table, window = readings(), wr.sliding(20, on="at")

    def ask():
        return wr.aggregate(table, window, by="key", aggregates=FLOATS)

    with pinned(Lane.COMPILED), watched_folds() as folds:
        actual = ask()
    with pinned(Lane.COLUMNS):
        expected = ask()

    assert folds
    assert actual.equals(expected)


@pytest.mark.parametrize(
    ("calls", "how", "reason"),
    [
        ({"c": wr.collect("x")}, {}, "an aggregate needs the rows of each window"),
        ({"f": wr.first("x")}, {}, "first(x) depends on order"),
        ({"m": wr.max("x")}, {"algorithm": "sba"}, "was asked for by name"),
        ({"m": wr.max("x")}, {"slicer": "cutty"}, "was asked for by name"),
    ],
)
def test_explain_says_why_rows_are_sorted(calls, how, reason):
    table, window = readings(in_order=False), wr.sliding(20, every=10, on="at")

    with watched_folds() as folds, interpreting():
        wr.aggregate(table, window, by="key", aggregates=calls, **how)
    words = str(wr.explain(table, window, by="key", aggregates=calls, **how))

    assert not folds
    assert "  cells      none, rows are sorted by key: " in words
    assert reason in words


def test_a_table_that_would_be_mostly_empty_is_not_made():
    table = pa.table({"at": np.arange(0, 10**12, 10**9), "key": [1, 2] * 500})
    window = wr.sliding(10, on="at")

    with watched_folds() as folds:
        wr.aggregate(table, window, by="key", n=wr.count())

    assert not folds
    assert "for 1,000 rows would be mostly empty" in str(
        wr.explain(table, window, by="key", n=wr.count())
    )


def test_explain_says_that_rows_are_folded_where_they_stand():
    words = str(wr.explain(readings(), wr.sliding(20, on="at"), by="key", n=wr.count()))

    assert (
        "  cells      4 keys x 15 slices: rows are folded where they stand, none is "
        "sorted"
    ) in words


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_pieces_for_threads_change_no_bit(threads, monkeypatch):
    table, window = readings(), wr.sliding(40, every=20, on="at")
    expected = wr.aggregate(table, window, by="key", aggregates=FLOATS)
    pieces = []
    fold = cells.fold_cells
    monkeypatch.setattr("windrow.batch.cells.PART", 256)
    monkeypatch.setattr(
        "windrow.batch.cells.fold_cells",
        lambda *work: pieces.append(len(work[-1])) or fold(*work),
    )

    actual = wr.aggregate(table, window, by="key", aggregates=FLOATS, threads=threads)

    assert pieces[0] > 8
    assert actual.equals(expected)


def test_times_at_the_ends_of_64_bits_are_refused_in_words():
    table = pa.table({"at": [-(2**63) + 5, 2**63 - 5], "key": [1, 1]})

    with pytest.raises(wr.BadInput, match="too near the ends of 64 bits"):
        wr.aggregate(table, wr.sliding(100, on="at"), by="key", n=wr.count())


def test_sums_that_pass_64_bits_raise_and_those_that_do_not_are_exact():
    window = wr.sliding(10, on="at")
    table = pa.table({"at": [1, 2, 3], "key": [1, 1, 2], "n": [2**62, 2**62, -5]})

    fits = wr.aggregate(table.slice(1), window, by="key", s=wr.sum("n"))

    assert fits["s"].to_pylist() == [2**62, -5]
    with pytest.raises(wr.WindrowError, match="past the largest"):
        wr.aggregate(table, window, by="key", s=wr.sum("n"))
