"""Generated rows look like the real samples, within bounds that are stated here.

A figure is taken of both; the generated one must lie between `low` and `high` times the
real one, for each of three seeds.
"""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from windrow_bench import data

FOLDER = os.environ.get(data.VARIABLE)
HALF, CLOSE, NEAR = (0.5, 2.0), (0.8, 1.25), (0.97, 1.03)

pytestmark = [
    pytest.mark.datasets,
    pytest.mark.skipif(
        FOLDER is None, reason="WINDROW_DATASETS names no folder of real samples"
    ),
]


def micros(table, name="ts"):
    return table[name].cast(pa.int64()).to_numpy()


def rate(table):
    at = micros(table)
    return len(at) / (at[-1] - at[0])


def distinct(*names):
    return lambda table: table.group_by(list(names)).aggregate([]).num_rows


def quantile(name, share):
    return lambda table: np.quantile(table[name].to_numpy(), share)


def deviation(name):
    return lambda table: table[name].to_numpy().std()


def correlation(name, other=None, lag=0):
    def found(table):
        ours = table[name].to_numpy().astype(float)
        theirs = table[other or name].to_numpy().astype(float)
        return np.corrcoef(ours[: len(ours) - lag], theirs[lag:])[0, 1]

    return found


def share(name, value, where=None):
    def found(table):
        kept = table if where is None else table.filter(pc.field(where[0]) == where[1])
        return np.mean(kept[name].to_numpy() == value)

    return found


def most_frequent(name, count):
    def found(table):
        numbers = pc.value_counts(table[name]).field("counts").to_numpy()
        return np.sort(numbers)[-count:].sum() / table.num_rows

    return found


def busiest_second(table):
    return np.unique(micros(table) // 1_000_000, return_counts=True)[1].max()


def median_gap(table):
    return np.median(np.diff(micros(table)))


def of(kind, figure):
    """A figure of one kind of DEBS14 row only."""
    return lambda table: figure(table.filter(pc.field("property") == kind))


def driving(figure):
    """A figure of vehicles that have left the ramp."""
    return lambda table: figure(table.filter(pc.field("lane") != 0))


def heading(way, figure):
    """A figure of one direction of the road."""
    return lambda table: figure(table.filter(pc.field("direction") == way))


FIGURES = {
    "debs12": {
        "rate": (rate, NEAR),
        "median gap": (median_gap, NEAR),
        "mf01 5%": (quantile("mf01", 0.05), (0.95, 1.05)),
        "mf01 median": (quantile("mf01", 0.5), NEAR),
        "mf01 largest": (quantile("mf01", 1), CLOSE),
        "mf01 deviation": (deviation("mf01"), HALF),
        "mf02 median": (quantile("mf02", 0.5), NEAR),
        "mf02 deviation": (deviation("mf02"), HALF),
        "mf03 median": (quantile("mf03", 0.5), NEAR),
        "mf03 deviation": (deviation("mf03"), HALF),
        "mf01 from row to row": (correlation("mf01", lag=1), NEAR),
        "mf03 from row to row": (correlation("mf03", lag=1), NEAR),
        "mf01 with mf02": (correlation("mf01", "mf02"), NEAR),
        "pc13 median": (quantile("pc13", 0.5), NEAR),
        "pc14 from row to row": (correlation("pc14", lag=1), CLOSE),
        "pc15 deviation": (deviation("pc15"), CLOSE),
    },
    "debs14": {
        "rate": (rate, CLOSE),
        "plugs": (distinct("plug", "household", "house"), NEAR),
        "households": (distinct("household", "house"), NEAR),
        "power rows": (share("property", 1), NEAR),
        "rows without power": (share("value", 0.0, ("property", 1)), CLOSE),
        "power 95%": (of(1, quantile("value", 0.95)), HALF),
        "power largest": (of(1, quantile("value", 1)), HALF),
        "work median": (of(0, quantile("value", 0.5)), (0.4, 2.5)),
        "work largest": (of(0, quantile("value", 1)), CLOSE),
        "rows in the busiest second": (busiest_second, HALF),
        "largest house": (most_frequent("house", 1), CLOSE),
    },
    "linear_road": {
        "rate": (rate, NEAR),
        "speed median": (quantile("speed", 0.5), CLOSE),
        "speed largest": (quantile("speed", 1), NEAR),
        "speed on the road": (driving(quantile("speed", 0.5)), CLOSE),
        "standing still": (share("speed", 0), (0.2, 5)),
        "ramp": (share("lane", 0), CLOSE),
        "lane 1": (share("lane", 1), CLOSE),
        "lane 2": (share("lane", 2), CLOSE),
        "lane 3": (share("lane", 3), CLOSE),
        "exit": (share("lane", 4), (0.3, 3)),
        "highways": (distinct("highway"), NEAR),
        "direction": (share("direction", 0), CLOSE),
        "position, rising": (heading(0, quantile("position", 0.5)), CLOSE),
        "position, falling": (heading(1, quantile("position", 0.5)), CLOSE),
    },
    "google_cluster": {
        "rate": (rate, (0.6, 1.7)),
        "jobs": (distinct("job"), CLOSE),
        "users": (distinct("user"), CLOSE),
        "machines": (distinct("machine"), HALF),
        "ten largest jobs": (most_frequent("job", 10), CLOSE),
        "no machine": (share("machine", -1), CLOSE),
        "submits": (share("event_type", 0), CLOSE),
        "schedules": (share("event_type", 1), CLOSE),
        "finishes": (share("event_type", 4), HALF),
        "failures": (share("event_type", 3), (0.3, 3)),
        "category 0": (share("category", 0), CLOSE),
        "category 2": (share("category", 2), HALF),
        "cpu median": (quantile("cpu", 0.5), NEAR),
        "ram median": (quantile("ram", 0.5), NEAR),
        "task median": (quantile("task", 0.5), HALF),
        "events in the busiest second": (busiest_second, (0.4, 2.1)),
    },
}
CASES = [
    pytest.param(name, figure, id=f"{name}-{figure}")
    for name, figures in FIGURES.items()
    for figure in figures
]


@pytest.fixture(scope="module")
def pairs():
    """A sample and as many generated rows for each of three seeds, made once."""
    made = {}

    def tables(name):
        if name not in made:
            dataset = data.find(name)
            real = dataset.load(Path(FOLDER) / dataset.file)
            made[name] = real, [dataset.generate(real.num_rows, s) for s in (1, 2, 3)]
        return made[name]

    return tables


@pytest.mark.parametrize(("name", "figure"), CASES)
def test_generated_rows_look_like_the_sample(name, figure, pairs):
    real, generated = pairs(name)
    measure, (low, high) = FIGURES[name][figure]

    actual = [measure(table) for table in generated]

    expected = measure(real)
    assert all(low * expected <= one <= high * expected for one in actual), expected


@pytest.mark.parametrize("name", FIGURES)
def test_samples_are_read_whole_with_the_schema_of_the_card(name, pairs):
    real, generated = pairs(name)

    lines = (Path(FOLDER) / data.find(name).file).read_bytes().splitlines()

    assert real.num_rows == len(lines)
    assert real.schema == data.find(name).schema
    assert real.schema == generated[0].schema
    assert (np.diff(micros(real)) >= 0).all()
