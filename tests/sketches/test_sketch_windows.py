"""Sketches slide in every call: beside a plain oracle, and at a counted cost."""

from __future__ import annotations

import datetime as dt
import math
import pickle
from collections import Counter
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import windrow as wr
from windrow.batch import sketches
from windrow.kernels import sketch_product
from windrow.kernels import sketches as kernel_sketches
from windrow.sketches.hyperloglog import HyperLogLog
from windrow.sketches.kll import Kll
from windrow.sketches.ranks import Quantiles
from windrow.slicing import fold

EDGES = [-5.0, 0.0, 0.5, 7.0]
CALLS = {
    "distinct": ("approx_distinct", "s", {}),
    "distinct_x": ("approx_distinct", "x", {"lg_k": 10}),
    "median": ("approx_quantile", "x", {"q": 0.5}),
    "spread": ("approx_quantile", "x", {"q": [0.0, 0.9, 1.0], "method": "ddsketch"}),
    "bins": ("histogram", "x", {"edges": EDGES}),
    "top": ("approx_top_k", "s", {"k": 2}),
}


def asked(names=CALLS, **frame):
    return {
        name: getattr(wr, CALLS[name][0])(CALLS[name][1], **CALLS[name][2], **frame)
        for name in names
    }


def plain(name, rows):
    """The exact answer over the rows of a window, as lists of Python values."""
    _, column, options = CALLS[name]
    values = [row[column] for row in rows if row[column] is not None]
    if name.startswith("distinct"):
        return len(
            {"nan" if v != v else v + 0.0 if column == "x" else v for v in values}
        )
    if name == "top":
        counts = sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0]))
        return [{"item": item, "count": count} for item, count in counts[:2]]
    if name == "bins":
        pairs = pairwise(EDGES)
        counts = [sum(a <= v < b for v in values) for a, b in pairs]
        counts[-1] += sum(v == EDGES[-1] for v in values)
        return counts
    if name == "median":
        values = [v for v in values if v == v]  # KLL passes over NaN
    values.sort(key=lambda v: (v != v, v))
    levels = options["q"] if isinstance(options["q"], list) else [options["q"]]
    found = [values[max(math.ceil(q * len(values)) - 1, 0)] for q in levels if values]
    if not values:
        return None
    return found if isinstance(options["q"], list) else found[0]


def assert_close(actual, expected):
    if isinstance(expected, float):
        assert actual == pytest.approx(expected, rel=0.0101, nan_ok=True)
    elif isinstance(expected, list) and expected and isinstance(expected[0], float):
        for one, other in zip(actual, expected, strict=True):
            assert_close(one, other)
    else:
        assert actual == expected


number = st.one_of(
    st.floats(-1e6, 1e6),
    st.sampled_from([0.0, -0.0, 7.0, math.inf, -math.inf, math.nan]),
)
row = st.fixed_dictionaries(
    {
        "k": st.integers(0, 2),
        "t": st.integers(0, 40),
        "x": st.one_of(st.none(), number),
        "s": st.one_of(st.none(), st.sampled_from(["", "a", "b", "ü" * 20, "c"])),
    }
)
SCHEMA = pa.schema(
    [("k", pa.int64()), ("t", pa.int64()), ("x", pa.float64()), ("s", pa.string())]
)


def table_of(rows):
    return pa.Table.from_pylist(rows, SCHEMA)


@settings(max_examples=30)
@given(
    rows=st.lists(row, max_size=30),
    lengths=st.tuples(st.integers(1, 12), st.integers(1, 6)),
)
def test_time_windows_hold_what_the_rows_hold(rows, lengths):
    range_, slide = max(lengths), min(lengths)
    window = wr.sliding(range_, every=slide, on="t")

    actual = wr.aggregate(
        table_of(rows), window, by="k", aggregates=asked()
    ).to_pylist()

    for result in actual:
        start, end = result["window"]["start"], result["window"]["end"]
        held = [r for r in rows if r["k"] == result["k"] and start <= r["t"] < end]
        for name in CALLS:
            assert_close(result[name], plain(name, held))


@settings(max_examples=30)
@given(rows=st.lists(row, max_size=30), last=st.integers(1, 9))
def test_rows_look_back(rows, last):
    frames = {
        **asked(last=f"{last}"),
        "d3": wr.approx_distinct("s", last=3),
        "m3": wr.approx_quantile("x", 0.5, last=3),
    }

    actual = wr.over(table_of(rows), on="t", by="k", aggregates=frames).to_pylist()

    for result in actual:
        held = [
            r
            for r in rows
            if r["k"] == result["k"] and result["t"] - last < r["t"] <= result["t"]
        ]
        for name in CALLS:
            assert_close(result[name], plain(name, held))


@settings(max_examples=30)
@given(events=st.lists(row, max_size=20), labels=st.lists(row, min_size=1, max_size=8))
def test_labels_see_what_came_before(events, labels):
    asks = table_of(labels).select(["k", "t"]).rename_columns(["k", "at"])

    actual = wr.as_of(
        asks, table_of(events), at="at", on="t", by="k", aggregates=asked(last="10")
    ).to_pylist()

    for result in actual:
        at = result["at"]
        held = [r for r in events if r["k"] == result["k"] and at - 10 <= r["t"] < at]
        for name in CALLS:
            assert_close(result[name], plain(name, held))


@settings(max_examples=30)
@given(rows=st.lists(row, max_size=25))
def test_lists_of_windows_and_count_windows(rows):
    windows = [wr.rows(4, every=2, on="t"), wr.rows(9, every=3, on="t", partial=True)]
    table = table_of(sorted(rows, key=lambda r: r["t"]))

    together = wr.aggregate(table, windows, by="k", aggregates=asked()).to_pylist()

    for result in together:
        own = [r for r in table.to_pylist() if r["k"] == result["k"]]
        held = own[result["window"]["start"] : result["window"]["end"]]
        for name in CALLS:
            assert_close(result[name], plain(name, held))


def test_slides_over_arrays_and_events_that_last():
    values = [3.0, 1.0, 2.0, 2.0, 5.0]
    table = pa.table({"a": [0, 1, 5], "b": [6, 2, 9], "x": [1.0, 2.0, 3.0]})

    slid = wr.slide(values, wr.rows(3), [wr.approx_distinct(), wr.approx_quantile(q=1)])
    lasting = wr.aggregate(
        table,
        wr.sliding(4, every=2, span=("a", "b")),
        d=wr.approx_distinct("x"),
        m=wr.approx_quantile("x", 0.5),
        n=wr.count_distinct("x"),
    )

    assert slid["approx_distinct"].tolist() == [3, 2, 2]
    assert slid["approx_quantile"].tolist() == [3.0, 2.0, 5.0]
    assert lasting["d"].to_pylist() == lasting["n"].to_pylist()


@pytest.mark.parametrize("length", [10, 100, 1000])
def test_a_slide_costs_three_merges_whatever_the_length(length, monkeypatch):
    merges = []
    combine = Kll.combine
    monkeypatch.setattr(Kll, "combine", lambda *a: merges.append(1) or combine(*a))
    column = pa.array(np.random.default_rng(1).uniform(size=4000))
    stops = np.arange(1, 4001)
    sketch_product.cache_clear()

    starts = np.maximum(stops - length, 0)
    result = sketches.sketch_rows(Kll(200), column, starts, stops)

    assert len(result) == 4000
    assert 0 < len(merges) <= 3 * 4000
    merges.clear()
    sketches.sketch_rows(Kll(200, Quantiles((0.5,))), column, starts, stops)
    assert not merges  # quantiles are read off the rows


@pytest.mark.parametrize("lg_k", [4, 7, 12])
@pytest.mark.parametrize("kinds", [3, 300, 100_000])
def test_whole_columns_give_what_merged_sketches_give(lg_k, kinds):
    rng = np.random.default_rng(kinds)
    column = pa.array(rng.integers(0, kinds, 6000))
    sketch = HyperLogLog(lg_k)
    read = sketch.read(column)
    starts = np.sort(rng.integers(0, 6000, 200))
    stops = np.maximum(np.sort(rng.integers(0, 6000, 200)), starts)
    partials = sketch.lift_stretches(read, starts, stops)
    slices = sketch.lift_stretches(
        read, np.arange(0, 6000, 50), np.arange(50, 6050, 50)
    )
    slices[7] = sketch._registers(slices[7])
    begins = np.maximum(np.arange(120) - 30, 0)

    over_rows = sketch.slide_rows(read, starts, stops)
    packed = sketch.pack_objects(slices)
    over_slices = sketch.slide_packed(packed, begins, np.arange(120) + 1)

    assert over_rows.to_pylist() == sketch.lower(partials).to_pylist()
    (whole,) = fold(
        sketch_product(sketch), (slices,), begins, np.arange(120) + 1, leaf="slices"
    )
    assert over_slices.to_pylist() == sketch.lower(whole).to_pylist()


def test_the_same_two_partials_are_merged_once(monkeypatch):
    merges = []
    combine = HyperLogLog.combine
    monkeypatch.setattr(
        HyperLogLog, "combine", lambda *a: merges.append(1) or combine(*a)
    )
    sketch = HyperLogLog(5)
    slices = sketch.lift_stretches(
        sketch.read(pa.array(np.arange(90))), np.array([0, 60]), np.array([60, 90])
    )
    sketch_product.cache_clear()

    product = sketch_product(sketch)
    starts, stops = np.zeros(50, np.int64), np.full(50, 2)
    (merged,) = fold(product, (slices,), starts, stops, leaf="slices")

    assert len(merges) == 1
    assert sketch.lower_runs(merged).to_pylist() == sketch.lower(merged).to_pylist()
    assert len(set(map(id, merged.tolist()))) == 1
    recent = kernel_sketches.RecentMerges()
    older, newer = slices
    both = recent.merge(sketch, older, newer)
    assert recent.merge(sketch, older, newer) is both
    assert recent.merge(sketch, older, older.copy()).tolist() == older.tolist()
    assert recent.merge(sketch, newer.copy(), newer).tolist() == newer.tolist()
    assert not pickle.loads(pickle.dumps(recent)).merges


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.decimal128(10, 2), [Decimal("1.50"), Decimal("-2.25"), Decimal("1.50")]),
        (pa.timestamp("ms"), [dt.datetime(2024, 1, 1), dt.datetime(1969, 1, 1)] * 2),  # noqa: DTZ001 - a column without a zone
        (pa.date32(), [dt.date(2024, 1, 1), dt.date(1969, 1, 1), dt.date(2024, 1, 1)]),
        (pa.time64("us"), [dt.time(1, 2, 3, 4), dt.time(0)] * 2),
        (pa.float64(), [0.0, 1.5, -0.0]),
        (pa.dictionary(pa.int32(), pa.string()), ["x", "y", "x"]),
    ],
    ids=str,
)
def test_frequent_items_come_out_as_the_type_that_they_went_in(kind, values):
    column = pa.array([*values, None]).cast(kind)
    table = pa.table({"item": column})

    (row,) = wr.aggregate(
        table, wr.rows(len(table)), top=wr.approx_top_k("item", 9)
    ).to_pylist()

    counts = Counter(values)
    assert {one["item"]: one["count"] for one in row["top"]} == counts
    assert {type(one["item"]) for one in row["top"]} == {
        type(value) for value in values
    }
