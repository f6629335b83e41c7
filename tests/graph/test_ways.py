"""Shared ways are taken where they pay, and nowhere else."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow import graph
from windrow.aggregates import find
from windrow.graph import graph_of, slide_graph
from windrow.graph.kernel import graph_assembly
from windrow.kernels import Request, product_of
from windrow.loops import interpreting

TABLE = pa.table(
    {
        "t": np.arange(900),
        "day": np.datetime64("2024-01-01", "us") + np.arange(900).astype("m8[D]"),
        "x": np.arange(900) % 7,
        "y": np.arange(900) / 4,
    }
)
CALENDAR = [
    wr.calendar(f"{days} days", every="1 day", on="day", tz="UTC") for days in (9, 30)
]
ROWS = [wr.rows(100), wr.rows(150)]
TIME = [wr.sliding(100, every=10, on="t"), wr.sliding(150, every=7, on="t")]


@pytest.mark.parametrize(
    ("windows", "call", "way"),
    [
        (ROWS, wr.sum("x"), ["rows"]),
        (ROWS, wr.max("y"), ["rows"]),
        ([wr.rows(3), wr.rows(5)], wr.max("y"), []),
        (TIME, wr.sum("x"), ["instants"]),
        (TIME, wr.max("y"), ["instants"]),
        (CALENDAR, wr.max("y"), ["slices"]),
        (ROWS[:1], wr.sum("x"), []),
    ],
)
def test_a_list_of_windows_is_one_call_of_the_graph(monkeypatch, windows, call, way):
    taken = []
    for name, word in (
        ("slide_graph", "rows"),
        ("slide_uneven", "slices"),
        ("slide_walked", "instants"),
    ):
        function = getattr(graph, name)

        def seen(*given, function=function, word=word, **how):
            taken.append(word)
            return function(*given, **how)

        monkeypatch.setattr(graph, name, seen)

    wr.aggregate(TABLE, windows, one=call)

    assert taken == way


@pytest.mark.parametrize(("fields", "times"), [(["min"], 3), (["min", "sum"], 0)])
def test_four_laps_are_scanned_at_once_where_a_partial_is_one_number(
    monkeypatch, fields, times
):
    """14 laps of 64 rows: three times four, then one by one."""
    product = product_of([Request(find(name), "float", (0,)) for name in fields])
    values, windows = TABLE["y"].to_numpy(), [(64, 1), (70, 1)]
    taken = []
    with interpreting():
        special = graph_of([(64, 1), (70, 1)], product)
        module = graph_assembly(special.graph, product, "rows").module()
        scan = module.scan_laps
        monkeypatch.setattr(
            module, "scan_laps", lambda *given: taken.append(1) or scan(*given)
        )
        slide_graph(product, (values,), np.array([0]), np.array([900]), windows)

    assert len(taken) == times
