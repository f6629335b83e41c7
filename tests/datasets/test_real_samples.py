"""The papers' own workloads: real samples, where WINDROW_DATASETS names their folder.

Every algorithm that suits must agree with folding each window from scratch, and time
windows by key with the plain-Python oracle.
"""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from oracles import Time, aggregate, differences
from windrow.aggregates import find as find_aggregate
from windrow.algorithms import CATALOGUE

FOLDER = os.environ.get("WINDROW_DATASETS")

pytestmark = [
    pytest.mark.datasets,
    pytest.mark.skipif(
        FOLDER is None, reason="WINDROW_DATASETS names no folder of real samples"
    ),
]


def numbers(name, column, most=None):
    """One column of a sample file, as floats."""
    with (Path(FOLDER or "") / name).open() as file:
        rows = [
            line.split() for _, line in zip(range(most or 10**9), file, strict=False)
        ]
    return np.array([float(row[column]) for row in rows])


@pytest.mark.parametrize("algorithm", CATALOGUE, ids=lambda one: one.name)
def test_energy_of_the_manufacturing_equipment_by_every_algorithm(algorithm):
    energy = numbers("DEBS2012-small.txt", 2)
    name = "max" if algorithm.suits(find_aggregate("max").laws) else "sum"

    actual = wr.slide(energy, wr.rows(1024), name, algorithm=algorithm.name)

    expected = wr.slide(energy, wr.rows(1024), name, algorithm="recompute")
    np.testing.assert_array_equal(actual, expected)


def test_load_of_the_smart_grid_by_house_over_time():
    rows = 4000
    seconds = numbers("smartgrid-data.txt", 0, rows).astype(int)
    load = numbers("smartgrid-data.txt", 1, rows)
    house = numbers("smartgrid-data.txt", 5, rows).astype(int)
    table = pa.table({"at": seconds, "load": load, "house": house})

    actual = wr.aggregate(
        table,
        wr.sliding(10, every=3, on="at"),
        by="house",
        mean=wr.mean("load"),
        peak=wr.max("load"),
        n=wr.count(),
    )

    calls = {
        "mean": ("mean", ("load",)),
        "peak": ("max", ("load",)),
        "n": ("count", ()),
    }
    expected = [
        {
            "house": row["house"],
            "window": {"start": row["start"], "end": row["end"]},
            **{name: row[name] for name in calls},
        }
        for row in aggregate(table.to_pylist(), ["house"], [Time(10, 3)], calls)
    ]
    assert len(expected) > 0
    assert differences(actual.to_pylist(), expected, 1e-12) == []


def test_congestion_on_the_linear_road_is_the_same_by_every_slicer():
    speed = numbers("lrb-data-small-ht.txt", 2)
    at = numbers("lrb-data-small-ht.txt", 0).astype(int)
    table = pa.table({"at": at, "speed": speed, "lane": np.arange(len(at)) % 7})
    window = wr.sliding(30, every=7, on="at")

    by_slicer = [
        wr.aggregate(table, window, by="lane", v=wr.mean("speed"), slicer=slicer)
        for slicer in ("panes", "pairs", "cutty")
    ]

    assert by_slicer[0].num_rows > 0
    for other in by_slicer[1:]:
        assert other["window"].to_pylist() == by_slicer[0]["window"].to_pylist()
        np.testing.assert_allclose(other["v"], by_slicer[0]["v"], rtol=1e-12)
