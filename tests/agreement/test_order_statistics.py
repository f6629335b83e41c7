"""Order statistics in every kind of window, and beside numpy, pandas and DuckDB."""

from __future__ import annotations

import datetime as dt

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import oracles
import windrow as wr

START = dt.datetime(2024, 3, 30)  # noqa: DTZ001 - a column without a zone
N = 90


def table_of(seed: int = 3) -> pa.Table:
    """Rows with ties, nulls, NaN and infinities, and spans of some minutes."""
    rng = np.random.default_rng(seed)
    odd = [None, float("nan"), float("inf"), -float("inf"), 2.0, 2.0]
    values = [odd[i % 11] if i % 11 < 6 else float(v) for i, v in
              enumerate(rng.integers(-9, 9, N))]  # fmt: skip
    minutes = np.sort(rng.integers(0, 400, N))
    begin = [START + dt.timedelta(minutes=int(m)) for m in minutes]
    return pa.table(
        {
            "ts": pa.array(begin, pa.timestamp("us")),
            "end": pa.array(
                [t + dt.timedelta(minutes=i % 7) for i, t in enumerate(begin)],
                pa.timestamp("us"),
            ),
            "key": [["a", "b", None][i % 3] for i in range(N)],
            "x": pa.array(values, pa.float64()),
            "w": rng.integers(0, 3, N),
            "s": [["pea", "oat", "rye", None][i % 4] for i in rng.integers(0, 9, N)],
        }
    )


WINDOWS = {
    "time": wr.sliding("60 minutes", every="13 minutes", on="ts"),
    "tumbling": wr.sliding("30 minutes", on="ts"),
    "rows": wr.rows(9),
    "jumping rows": wr.rows(10, every=4, partial=True),
    "one row": wr.rows(1),
    "list": [
        wr.sliding("60 minutes", every="20 minutes", on="ts"),
        wr.sliding("20 minutes", every="20 minutes", on="ts", name="short"),
    ],
    "calendar": wr.calendar("1 day", on="ts", tz="Europe/Berlin"),
    "policy": wr.window(evict=7, trigger=3),
    "spans": wr.sliding("15 minutes", every="5 minutes", span=("ts", "end")),
}
CALLS = {
    "median": ("median", ("x",), {}),
    "ends": ("quantile", ("x",), {"q": (0.1, 0.9)}),
    "near": ("quantile", ("s",), {"q": 0.4, "interpolation": "nearest"}),
    "disc": ("percentile_disc", ("x",), {"q": 0.3}),
    "mode": ("mode", ("s",), {}),
    "mad": ("mad", ("x",), {}),
    "top": ("top_k", ("x",), {"k": 3}),
    "bottom": ("bottom_k", ("s",), {"k": 2}),
    "first": ("first_k", ("x",), {"k": 2}),
    "last": ("last_k", ("x",), {"k": 2}),
    "counts": ("value_counts", ("s",), {}),
    "weighted": ("weighted_median", ("x", "w"), {}),
}


@pytest.mark.parametrize("kind", WINDOWS)
def test_every_kind_of_window_gives_what_its_rows_do(kind):
    calls = {
        name: getattr(wr, aggregate)(*columns, **options)
        for name, (aggregate, columns, options) in CALLS.items()
    }
    numbered = table_of().append_column("row", pa.array(range(N)))
    calls["rows"] = wr.collect("row")

    result = wr.aggregate(numbered, WINDOWS[kind], by="key", aggregates=calls)

    table = table_of().to_pydict()
    assert len(result) >= 3
    for line in result.to_pylist():
        for name, (aggregate, columns, options) in CALLS.items():
            held = [[table[column][row] for row in line["rows"]] for column in columns]
            expected = oracles.lower(aggregate, *held, **options)
            assert oracles.alike(line[name], expected, 1e-9), (name, held)


OF_OPERATORS = {
    **{name: call for name, call in CALLS.items() if name != "weighted"},  # refused
    **{
        way: ("quantile", ("x",), {"q": (0.0, 0.17, 0.5, 1.0), "interpolation": way})
        for way in ("lower", "higher", "midpoint", "nearest", "discrete")
    },
}


@pytest.mark.parametrize("by_key", [False, True])
def test_an_operator_gives_what_the_rows_in_its_window_do(by_key):
    calls = {
        name: getattr(wr, aggregate)(*columns, **options)
        for name, (aggregate, columns, options) in OF_OPERATORS.items()
    }
    types = {"x": "float64", "w": "int64", "s": "string"}
    operator = wr.Operator(wr.rows(7), calls, types=types)
    held = {}

    for row in table_of().drop_columns(["ts", "end"]).to_pylist():
        key = str(row.pop("key")) if by_key else None
        operator.insert(row, key=key)
        own = held[key] = [*held.get(key, []), row][-7:]
        expected = oracles.results(own, OF_OPERATORS)
        actual = operator.query(key)
        for name in OF_OPERATORS:
            assert oracles.alike(actual[name], expected[name], 1e-9), (name, own)


@pytest.mark.parametrize("ours", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("q", [0.0, 0.17, 0.5, 1.0])
def test_quantiles_are_those_of_numpy_and_pandas(ours, q):
    values = np.random.default_rng(1).normal(size=400)

    actual = wr.slide(values, wr.rows(12), wr.quantile(q=q, interpolation=ours))

    windows = np.lib.stride_tricks.sliding_window_view(values, 12)
    by_numpy = np.quantile(windows, q, axis=1, method=ours)
    by_pandas = pd.Series(values).rolling(12).quantile(q, interpolation=ours)[11:]
    np.testing.assert_allclose(actual, by_numpy, rtol=1e-12)
    np.testing.assert_allclose(actual, by_pandas, rtol=1e-12)


def test_frames_of_time_are_those_of_duckdb():
    rng = np.random.default_rng(2)
    table = pa.table(
        {
            "ts": np.sort(rng.integers(0, 900, 500)),
            "k": rng.integers(0, 3, 500),
            "x": rng.integers(-20, 20, 500).astype(float),
            "n": np.arange(500),
        }
    )
    actual = wr.over(
        table,
        on="ts",
        by="k",
        median=wr.median("x", last="60", closed="both"),
        cont=wr.quantile("x", 0.3, last="60", closed="both"),
        disc=wr.percentile_disc("x", 0.3, last="60", closed="both"),
        mad=wr.mad("x", last="60", closed="both"),
    )

    connection = duckdb.connect()
    connection.register("events", table)
    frame = (
        "over (partition by k order by ts range between 60 preceding and current row)"
    )
    expected = connection.sql(
        f"select median(x) {frame} as median, quantile_cont(x, 0.3) {frame} as cont, "
        f"quantile_disc(x, 0.3) {frame} as disc, mad(x) {frame} as mad, n "
        "from events order by n"
    ).to_arrow_table()
    for name in ("median", "cont", "disc", "mad"):
        np.testing.assert_allclose(
            actual[name].to_numpy(), expected[name].to_numpy(), rtol=1e-12
        )


def test_ranks_are_those_of_pandas():
    values = np.random.default_rng(4).integers(0, 9, 300).astype(float)
    table = pa.table({"x": values})
    for method in ("min", "max", "average"):
        for descending in (False, True):
            ask = wr.rank("x", method=method, descending=descending, last=20)
            actual = wr.over(table, r=ask)["r"].to_numpy()

            rolling = pd.Series(values).rolling(20, min_periods=1)
            expected = rolling.rank(method=method, ascending=not descending)
            np.testing.assert_allclose(actual, expected)


def test_a_row_that_its_frame_leaves_out_ranks_with_it_all_the_same():
    table = pa.table({"x": [5, 7, 5, None, 5, 9]})
    frame = {"last": 3, "closed": "left"}

    result = wr.over(
        table,
        least=wr.rank("x", **frame),
        most=wr.rank("x", method="max", **frame),
        mean=wr.rank("x", method="average", **frame),
        share=wr.percent_rank("x", **frame),
    )

    assert result["least"].to_pylist() == [1, 2, 1, None, 1, 3]
    assert result["most"].to_pylist() == [1, 2, 2, None, 2, 3]
    assert result["mean"].to_pylist() == [1.0, 2.0, 1.5, None, 1.5, 3.0]
    assert result["share"].to_pylist() == [0.0, 1.0, 0.0, None, 0.0, 1.0]


def test_too_few_values_give_null():
    table = pa.table({"x": [1.0, None, 3.0, 5.0]})

    result = wr.over(table, m=wr.median("x", last=3, min_periods=2))

    assert result["m"].to_pylist() == [None, None, 2.0, 4.0]
