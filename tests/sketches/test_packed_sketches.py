"""Partials as packed arrays and columns of bytes are those that objects give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from windrow.batch.sketches import sketch_partials, sketch_rows
from windrow.errors import BadInput
from windrow.kernels import sketch_product
from windrow.sketches import objects
from windrow.sketches.bins import DDSketch, Histogram
from windrow.sketches.hyperloglog import HyperLogLog
from windrow.sketches.kll import Kll
from windrow.sketches.ranks import Quantiles
from windrow.sketches.sketch import Sketch
from windrow.slicing import fold

LEVELS = (0.0, 0.1, 0.5, 1.0)
SKETCHES = [
    HyperLogLog(4),
    HyperLogLog(12),
    DDSketch(0.01, Quantiles(LEVELS, listed=True)),
    Histogram((-1.0, 0.0, 1.0)),
]
KLL = Kll(200, Quantiles(LEVELS, listed=True))


def column_and_cuts():
    """Values with NaN, infinities and zeros; stretches of none to thousands of them."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=9000)
    values[rng.integers(0, len(values), 300)] = np.nan
    values[5:9], values[30:32], values[40] = np.nan, (np.inf, -np.inf), -0.0
    some = rng.integers(0, len(values), 20), rng.integers(0, 300, 60)
    cuts = np.sort(np.concatenate([[0, 5, 9, 12, 12, len(values)], *some]))
    return values, cuts[:-1], cuts[1:]


@pytest.mark.parametrize("sketch", [*SKETCHES, HyperLogLog(8, "bytes")], ids=str)
def test_columns_of_bytes_are_those_of_one_sketch_after_the_other(sketch):
    values, starts, stops = column_and_cuts()
    read = sketch.read(pa.array(values))

    actual = sketch.fold_column(read, starts, stops)

    actual.validate(full=True)
    expected = Sketch.fold_column(sketch, read, starts, stops)
    assert actual.to_pylist() == expected.to_pylist()


def test_kll_of_few_values_is_written_as_datasketches_does():
    values, starts, stops = column_and_cuts()

    written = KLL.load_all(KLL.fold_column(values, starts, stops))

    made = KLL.lift_stretches(values, starts, stops)
    for actual, expected in zip(written, made, strict=True):
        assert (actual is None) == (expected is None)
        if actual is None or expected.is_empty():
            continue
        assert actual.n == expected.n
        assert actual.get_min_value() == expected.get_min_value()
        assert actual.get_max_value() == expected.get_max_value()
        if actual.n <= KLL.k:
            both = (one.get_quantiles(LEVELS, True) for one in (actual, expected))
            assert next(both) == next(both)


@pytest.mark.parametrize("sketch", SKETCHES, ids=str)
def test_windows_of_packed_partials_are_those_of_rows(sketch):
    values, starts, stops = column_and_cuts()
    column = pa.array(values)
    folded = sketch.fold_column(sketch.read(column), starts, stops)
    pieces = pa.chunked_array([folded[:7], folded[7:]])
    last = np.arange(len(starts))
    first = np.maximum(last - 6, 0)

    packed = sketch_partials(sketch, sketch.pack(pieces), first, last + 1)
    made = sketch_partials(sketch, sketch.load_all(folded), first, last + 1)
    pairs = sketch.pack(folded).join(last[::2], np.minimum(last[::2] + 2, len(last)))

    expected = sketch_rows(sketch, column, starts[first], stops[last])
    assert str(packed) == str(made) == str(expected)
    joined = sketch_partials(sketch, pairs, np.array([0]), np.array([len(pairs)]))
    whole = sketch_rows(sketch, column, np.array([0]), np.array([len(values)]))
    assert str(joined) == str(whole)


def test_kll_items_weigh_what_was_seen_and_stay_within_the_error():
    values, starts, stops = column_and_cuts()
    packed = KLL.pack(KLL.fold_column(values, starts, stops))
    last = np.arange(len(starts))
    first = np.maximum(last - 3, 0)

    actual = sketch_partials(KLL, packed, first, last + 1).to_pylist()
    exact = sketch_rows(KLL, pa.array(values), starts[first], stops[last]).to_pylist()

    assert packed.entries[1].max() > 1
    for window, (found, rows) in enumerate(zip(actual, exact, strict=True)):
        held = values[starts[first[window]] : stops[last[window]]]
        held = np.sort(held[~np.isnan(held)])
        own = slice(packed.bounds[first[window]], packed.bounds[last[window] + 1])
        assert packed.entries[1][own].sum() == len(held)
        if not len(held):
            assert found is rows is None
            continue
        places = [max(int(np.ceil(q * len(held))) - 1, 0) for q in LEVELS]
        assert rows == held[places].tolist()
        assert (found[0], found[-1]) == (held[0], held[-1])
        for q, value in zip(LEVELS, found, strict=True):
            low, high = (np.searchsorted(held, value, s) for s in ("left", "right"))
            assert low / len(held) - 0.0133 <= q <= high / len(held) + 0.0133


@pytest.mark.parametrize("sketch", [*SKETCHES, KLL], ids=str)
@pytest.mark.parametrize("data", [b"", b"odd", b"no sketch at all", bytes(40)])
def test_bytes_that_are_no_sketch_are_refused(sketch, data):
    with pytest.raises(BadInput, match="cannot read bytes as a sketch"):
        sketch.pack(pa.array([None, data]))


@pytest.mark.parametrize(
    ("one", "other"), [(HyperLogLog(11), HyperLogLog(12)), (Kll(100), KLL),
                       (DDSketch(0.02), DDSketch(0.01))], ids=str,
)  # fmt: skip
def test_sketches_of_other_parameters_are_refused(one, other):
    written = one.dump_all(objects([one.lift(one.read(pa.array([1.0, 2.0])))]))

    with pytest.raises(BadInput, match="cannot read bytes as a sketch"):
        other.pack(written)


def test_packed_partials_of_several_sketches_are_joined_each():
    values, starts, stops = column_and_cuts()
    column = pa.array(values)
    packed = [s.pack(s.fold_column(s.read(column), starts, stops)) for s in SKETCHES]
    companions = tuple(map(sketch_product, SKETCHES))
    product = replace(companions[0], parts=(), companions=companions)

    halves = np.array([0, 40]), np.array([40, len(starts)])
    joined = fold(product, tuple(packed), *halves, leaf="slices")

    assert [len(one) for one in joined] == [2] * len(SKETCHES)
    for one, whole in zip(joined, packed, strict=True):
        assert one.bounds.tolist() == whole.bounds[[0, 40, len(starts)]].tolist()
