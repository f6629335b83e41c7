"""Tests modes and weighted medians by definition, in every lane, over odd weights."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import windrow as wr
from lanes import in_lane
from windrow.batch.holistic import holistic
from windrow.loops import Lane, pinned
from windrow.selection import _stretches, limbs_of, weighted_tree, winners
from windrow.selection._stretches import stretches

LANES = ["interpreted", Lane.COLUMNS]
ODD = [0.0, -0.0, 1.0, 2.5, math.inf, -math.inf, math.nan, None]
COLUMNS = {
    "odd": (st.sampled_from(ODD), pa.float64()),
    "floats": (st.floats(width=32), pa.float32()),
    "few": (st.integers(0, 3), pa.int8()),
    "many": (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "words": (st.sampled_from(["a", "b", "", "aa", None]), pa.string()),
}
WEIGHTS = {
    "counts": st.integers(0, 3),
    "tenths": st.sampled_from([0.1, 0.2, 0.3, 0.7, 0.0]),  # no sum of these is exact
    "holes": st.one_of(st.none(), st.sampled_from([0.0, 0.1, 5.0])),
    "any": st.floats(0.0, 1e307),
    "far apart": st.sampled_from([1e-300, 1e300, 1.0, 0.0, 3e300, 5e-324]),
    "large": st.integers(2**52, 2**53),
    "none": st.just(0.0),
}


@pytest.fixture(params=[1, 8, 1 << 18], ids=lambda least: f"stretches of {least}")
def stretch(request, monkeypatch):
    monkeypatch.setattr(_stretches, "LEAST", request.param)


def any_windows(seed, rows):
    rng = np.random.default_rng(seed)
    starts = np.sort(rng.integers(0, rows + 1, 30))
    return starts, np.maximum(starts, np.sort(rng.integers(0, rows + 1, 30)))


def check(lane, name, seed, *arrays):
    """Hold the results of windows of all lengths against the definition."""
    starts, stops = any_windows(seed, len(arrays[0]))
    columns = [array.to_pylist() for array in arrays]
    other = {"other": arrays[1]} if len(arrays) > 1 else {}

    found = in_lane(lane, lambda: holistic(name, arrays[0], starts, stops, {}, **other))

    expected = [
        oracles.lower(name, *[column[a:b] for column in columns])
        for a, b in zip(starts, stops, strict=True)
    ]
    assert oracles.alike(found.to_pylist(), expected, 1e-12)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("kind", COLUMNS)
@given(data=st.data(), seed=st.integers(0, 2**32))
@pytest.mark.usefixtures("stretch")
def test_modes_by_definition(lane, kind, data, seed):
    each, of_type = COLUMNS[kind]
    values = data.draw(st.lists(each, max_size=30))

    check(lane, "mode", seed, pa.array(values, of_type))


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("kind", WEIGHTS)
@given(data=st.data(), seed=st.integers(0, 2**32))
@pytest.mark.usefixtures("stretch")
def test_weighted_medians_by_definition(lane, kind, data, seed):
    values = st.one_of(st.integers(0, 9).map(float), st.sampled_from(ODD))
    rows = data.draw(st.lists(st.tuples(values, WEIGHTS[kind]), max_size=30))
    columns = [pa.array([row[n] for row in rows], pa.float64()) for n in (0, 1)]

    check(lane, "weighted_median", seed, *columns)


@pytest.mark.parametrize("lane", LANES)
def test_values_of_equal_weight_have_their_median_whatever_sums_round_to(lane):
    values, weights = pa.array(np.arange(30.0)), pa.array(np.full(30, 0.1))
    starts, stops = np.zeros(30, np.int64), np.arange(1, 31)

    found = in_lane(
        lane,
        lambda: holistic("weighted_median", values, starts, stops, {}, other=weights),
    )

    assert found.to_pylist() == [n / 2 for n in range(30)]


def test_both_lanes_agree_compiled_over_many_rows():
    rng = np.random.default_rng(8)
    starts = np.arange(5000) // 3 * 3
    stops = np.minimum(starts + rng.integers(0, 3) + np.arange(5000) // 50, 5000)
    values = {
        "few": pa.array(rng.integers(0, 9, 5000)),
        "distinct": pa.array(rng.normal(size=5000)),
    }
    weights = {
        "whole": pa.array(rng.integers(0, 4, 5000).astype(float)),
        "floats": pa.array(np.round(rng.random(5000), 1)),
        "far apart": pa.array(10.0 ** rng.integers(-300, 300, 5000)),
    }
    for column in values.values():
        for name, others in (("mode", [None]), ("weighted_median", weights.values())):
            for other in others:
                results = []
                for lane in Lane:
                    with pinned(lane):
                        found = holistic(name, column, starts, stops, {}, other=other)
                    results.append(found)
                assert results[0] == results[1]
                assert results[0].null_count < 5000


@given(
    st.lists(
        st.one_of(st.floats(0.0, 1e307), st.integers(0, 2**53).map(float)), max_size=20
    )
)
def test_limbs_are_the_weights_in_one_unit(weights):
    limbs = limbs_of(np.array(weights, np.float64))

    places = np.cumsum(limbs.gaps).tolist()
    wide = (limbs.gaps == 62).any()  # 62 bits and more are told apart by none
    whole = [
        sum(int(part) << place for part, place in zip(parts, places, strict=True))
        for parts in limbs.parts.T
    ]
    largest = max(weights, default=0.0)
    assert (limbs.parts >= 0).all()
    assert (limbs.parts.sum(axis=1, dtype=object) < 2**60).all()
    if largest and not wide:
        unit = Fraction(largest) / max(whole)
        assert [unit * each for each in whole] == [Fraction(each) for each in weights]


def test_whole_weights_are_one_limb_and_floats_of_a_like_size_two():
    rng = np.random.default_rng(0)

    assert len(limbs_of(rng.integers(0, 10**6, 100_000) * 1.0).parts) == 1
    assert len(limbs_of(rng.random(100_000)).parts) == 2
    assert len(limbs_of(np.array([1e-300, 1e300])).parts) <= 4  # none of those between


@pytest.mark.parametrize("width", [1, 50, 3000])
def test_a_row_is_in_two_stretches_or_so_however_long_windows_are(width, monkeypatch):
    monkeypatch.setattr(_stretches, "LEAST", 100)
    stops = np.arange(1, 4001)
    starts = np.maximum(stops - width, 0)

    cut = list(stretches(starts, stops))

    assert [w.start for w, _ in cut] == [0, *[w.stop for w, _ in cut[:-1]]]
    assert cut[-1][0].stop == 4000
    for windows, rows in cut:
        assert rows.start <= starts[windows].min()
        assert rows.stop >= stops[windows].max()
        assert rows.stop - rows.start <= max(100, 2 * width)
    assert sum(rows.stop - rows.start for _, rows in cut) <= 3 * 4000


def test_first_calls_run_over_columns(monkeypatch):
    ran = []
    for module in (winners, weighted_tree):
        monkeypatch.setattr(
            module,
            "stretches",
            lambda *bounds: ran.append(len(bounds[0])) or stretches(*bounds),
        )
    table = pa.table({"t": range(40), "x": [1.0, 2.0] * 20, "w": [0.1] * 40})

    with pinned(Lane.COLUMNS):
        wr.over(table, on="t", m=wr.mode("x", last=5))
        wr.over(table, on="t", m=wr.weighted_median("x", "w", last=5))

    assert ran == [40, 40]
