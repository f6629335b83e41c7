"""Sketches are stored in tiles, and merged into the windows of the rows themselves."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import windrow as wr

CALLS = {
    "kinds": wr.approx_distinct("s"),
    "n": wr.count(),
    "bins": wr.histogram("x", [0, 1, 2]),
    "median": wr.approx_quantile("x", 0.5),
    "ends": wr.approx_quantile("x", [0, 1], method="ddsketch"),
    "top": wr.approx_top_k("s", 2),
    "hll": wr.hll_sketch("s"),
    "theta": wr.theta_sketch("s"),
}
WINDOWS = [wr.sliding(1000, every=200, on="t"), wr.sliding(600, every=100, on="t")]


def table_of(count=800):
    rng = np.random.default_rng(4)
    names = [f"n{i}" if i else None for i in rng.integers(0, 30, count)]
    return pa.table(
        {
            "k": rng.integers(0, 3, count),
            "t": np.sort(rng.integers(0, 5000, count)),
            "x": rng.lognormal(size=count),
            "s": names,
        }
    )


@pytest.mark.parametrize("names", [list(CALLS), ["kinds"], ["median", "n"]], ids=len)
def test_windows_of_stored_tiles_are_those_of_the_rows(names):
    table, calls = table_of(), {name: CALLS[name] for name in names}
    file = io.BytesIO()
    pq.write_table(wr.tiles(table, every=100, on="t", by="k", aggregates=calls), file)

    actual = wr.merge_tiles(pq.read_table(file), WINDOWS, by="k")

    assert actual.equals(wr.aggregate(table, WINDOWS, by="k", aggregates=calls))


def test_tiles_are_appended_coarsened_and_merged_over_keys():
    table = table_of()
    make = {"every": 100, "on": "t", "by": "k", "aggregates": CALLS}
    appended = pa.concat_tables(
        [wr.tiles(table[:300], **make), wr.tiles(table[300:], **make)]
    )

    coarse = wr.tiles(appended, every=200)
    actual = wr.merge_tiles(coarse, wr.sliding(1000, every=200, on="t"), by=[])

    expected = wr.aggregate(table, WINDOWS[0], aggregates=CALLS)
    for name in ("kinds", "n", "bins", "ends", "hll", "top"):
        assert actual[name].to_pylist() == expected[name].to_pylist()
    ranks = [
        np.mean(table["x"].to_numpy()[lies_in(table, window)] <= value)
        for window, value in zip(
            actual["window"].to_pylist(), actual["median"].to_pylist(), strict=True
        )
    ]
    assert np.all(np.abs(np.array(ranks) - 0.5) < 0.05)


def lies_in(table, window):
    times = table["t"].to_numpy()
    return (times >= window["start"]) & (times < window["end"])
