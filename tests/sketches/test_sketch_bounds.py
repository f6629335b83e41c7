"""Sketches stay within the error that their cards state, on kind and unkind streams."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from value_streams import streams
from windrow.sketches import objects, sketch_of
from windrow.sketches.bins import DDSketch
from windrow.sketches.frequent_items import FrequentItems
from windrow.sketches.hyperloglog import HyperLogLog
from windrow.sketches.kll import Kll
from windrow.sketches.ranks import Quantiles

COUNT = 20_000
NAMES = list(streams(4, 0))
LEVELS = (0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0)


def merged(sketch, values, parts, rng):
    """One partial of many parts, put together by a random tree."""
    read = sketch.read(pa.array(values))
    cuts = np.sort(rng.integers(0, len(values) + 1, parts - 1))
    pieces = [p for p in np.split(read, cuts) if len(p)]
    partials = [sketch.lift(piece) for piece in pieces]
    while len(partials) > 1:
        at = int(rng.integers(0, len(partials) - 1))
        partials[at : at + 2] = [sketch.combine(partials[at], partials[at + 1])]
    return partials[0]


def result(sketch, partial):
    return sketch.lower(objects([partial]))[0].as_py()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lg_k", [8, 12])
def test_distinct_counts_are_within_the_standard_error(name, lg_k):
    errors = []
    for seed in range(12):
        values = streams(COUNT, seed)[name] + seed  # other hashes each time
        sketch = HyperLogLog(lg_k)
        found = result(sketch, merged(sketch, values, 9, np.random.default_rng(seed)))
        errors.append(found / len(np.unique(values)) - 1.0)

    bound = 1.04 / np.sqrt(2.0**lg_k)
    assert np.sqrt(np.mean(np.square(errors))) < 1.6 * bound  # of 12: one in 10,000
    assert max(map(abs, errors)) < 4 * bound


@pytest.mark.parametrize("name", NAMES)
def test_distinct_counts_of_few_values_are_about_exact(name):
    sketch = HyperLogLog(12)
    values = streams(sketch.most_coupons, 3)[name]

    found = result(sketch, merged(sketch, values, 5, np.random.default_rng(1)))

    assert found == len(np.unique(values))


@pytest.mark.parametrize("name", NAMES)
def test_quantiles_by_kll_are_within_the_error_of_rank(name):
    misses = trials = 0
    for seed in range(10):
        values = streams(COUNT, seed)[name]
        sketch = Kll(200, Quantiles(LEVELS, listed=True))
        found = result(sketch, merged(sketch, values, 20, np.random.default_rng(seed)))
        below = [(values < value).mean() for value in found]
        upto = [(values <= value).mean() for value in found]
        for level, low, high in zip(LEVELS, below, upto, strict=True):
            trials += 1
            misses += not (low - 0.0133 <= level <= high + 0.0133)

    assert misses <= 0.03 * trials + 1  # stated for 99 of 100


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("error", [0.001, 0.01, 0.2])
def test_quantiles_by_ddsketch_are_within_the_relative_error(name, error):
    values = streams(COUNT, 5)[name]
    sketch = DDSketch(error, Quantiles(LEVELS, listed=True))

    found = result(sketch, merged(sketch, values, 20, np.random.default_rng(2)))

    exact = np.quantile(values, LEVELS, method="inverted_cdf")
    assert np.all(np.abs(found - exact) <= error * np.abs(exact) * (1 + 1e-9))


@pytest.mark.parametrize("name", NAMES)
def test_frequent_items_are_within_the_share_of_all_values(name):
    values = streams(COUNT, 7)[name].round()
    sketch = FrequentItems(pa.float64(), k=10, tracked=96)
    counts = Counter(values.tolist())
    allowed = 3.5 / 2**sketch.lg_size * COUNT

    found = result(sketch, merged(sketch, values, 15, np.random.default_rng(3)))

    assert all(
        counts[entry["item"]] <= entry["count"] <= counts[entry["item"]] + allowed
        for entry in found
    )
    missed = set(counts) - {entry["item"] for entry in found}
    if len(found) < 10:
        assert all(counts[item] <= allowed for item in missed)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("approx_distinct", {"lg_k": 9}),
        ("approx_quantile", {"q": [0.1, 0.5], "method": "ddsketch", "error": 0.02}),
        ("histogram", {"edges": [0.0, 10.0, 500.0, 1000.0]}),
    ],
)
@pytest.mark.parametrize("stream", NAMES)
def test_any_tree_gives_the_same_bytes(name, options, stream):
    sketch = sketch_of(name, options, pa.float64())
    values = streams(3000, 11)[stream]

    dumps = {
        sketch.dump(merged(sketch, values, parts, np.random.default_rng(parts)))
        for parts in (1, 2, 7, 40)
    }

    assert len(dumps) == 1


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("approx_distinct", {"lg_k": 9}),
        ("hll_sketch", {"lg_k": 12}),
        ("approx_quantile", {"q": 0.3, "method": "kll", "k": 50}),
        ("approx_quantile", {"q": 0.3, "method": "ddsketch", "error": 0.02}),
        ("kll_sketch", {"k": 100}),
        ("theta_sketch", {"lg_k": 9, "seed": 5}),
        ("approx_top_k", {"k": 3, "tracked": 100}),
        ("histogram", {"edges": [0.0, 10.0, 1000.0]}),
    ],
)
@pytest.mark.parametrize("count", [1, 5, 300, 20_000])
def test_what_is_saved_and_loaded_gives_the_same_result(name, options, count):
    sketch = sketch_of(name, options, pa.float64())
    values = streams(count, 13)["log-normal"]
    partial = merged(sketch, values, 4, np.random.default_rng(0))

    loaded = sketch.load(sketch.dump(partial))

    assert result(sketch, loaded) == result(sketch, partial)
    assert sketch.dump(loaded) == sketch.dump(partial) or name == "approx_top_k"


@pytest.mark.parametrize("name", NAMES)
def test_bins_can_be_taken_off_again(name):
    sketch = DDSketch(0.01)
    values = streams(1000, 2)[name]
    older, newer = (sketch.lift(sketch.read(pa.array(v))) for v in np.split(values, 2))

    left = sketch.inverse(sketch.combine(older, newer), older)

    assert sketch.dump(left) == sketch.dump(newer)


def test_a_sketch_of_three_values_costs_bytes():
    kinds = [
        ("approx_distinct", {"lg_k": 12}),
        ("approx_quantile", {"q": 0.3, "method": "kll", "k": 200}),
        ("approx_quantile", {"q": 0.3, "method": "ddsketch", "error": 0.01}),
        ("theta_sketch", {"lg_k": 12, "seed": 9001}),
        ("approx_top_k", {"k": 3, "tracked": 10_000}),
        ("histogram", {"edges": list(np.arange(1000.0))}),
    ]

    for name, options in kinds:
        sketch = sketch_of(name, options, pa.float64())
        partial = sketch.lift(sketch.read(pa.array([1.0, 2.0, 4.0])))
        assert len(sketch.dump(partial)) < 120, name


def test_values_are_read_from_memory_that_must_not_be_written():
    column = pa.array(np.arange(5.0)).slice(1)
    frozen = pa.Array.from_buffers(
        pa.float64(), 4, [None, pa.py_buffer(np.arange(4.0).tobytes())]
    )

    for values in (column, frozen):
        sketch = Kll(200, Quantiles((1.0,)))
        assert result(sketch, sketch.lift(sketch.read(values))) == values[-1].as_py()
