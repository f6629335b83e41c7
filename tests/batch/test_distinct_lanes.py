"""Tests that whole columns and compiled loops find the same distinct values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.batch import distinct, holistic
from windrow.batch.distinct import count_firsts, positions_of_firsts
from windrow.loops import Lane, pinned

LANES = list(Lane)


def windows_of(rng, rows, count):
    """Bounds that never fall, some windows empty."""
    starts = np.sort(rng.integers(0, rows + 1, count))
    return starts, np.maximum(starts, np.sort(rng.integers(0, rows + 1, count)))


def offsets_of(sizes):
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@given(
    seed=st.integers(0, 2**32),
    kinds=st.sampled_from([1, 2, 30]),
    rows=st.sampled_from([0, 1, 2, 70]),
    count=st.sampled_from([0, 1, 50]),
)
def test_distinct_values_by_definition(seed, kinds, rows, count):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, kinds, rows).astype(np.int32)
    starts, stops = windows_of(rng, rows, count)
    expected = [
        list(dict.fromkeys(codes[a:b].tolist()))
        for a, b in zip(starts, stops, strict=True)
    ]
    offsets = offsets_of([len(values) for values in expected])
    for lane in LANES:
        with pinned(lane):
            counts = count_firsts(codes, kinds, starts, stops)
            places = positions_of_firsts(codes, kinds, starts, stops, offsets)
        assert counts.tolist() == np.diff(offsets).tolist()
        assert codes[places].tolist() == [v for values in expected for v in values]
        for k, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            of_window = places[offsets[k] : offsets[k + 1]]
            assert (np.diff(of_window) > 0).all()
            assert ((of_window >= start) & (of_window < stop)).all()


@pytest.mark.parametrize("wide", [1, 7, 500])
def test_lists_that_are_sorted_block_by_block_are_whole(monkeypatch, wide):
    codes = np.random.default_rng(wide).integers(0, 90, 600).astype(np.int32)
    starts = np.arange(600)
    stops = np.minimum(starts + wide, 600)
    offsets = offsets_of(count_firsts(codes, 90, starts, stops))
    with pinned(Lane.COMPILED):
        expected = positions_of_firsts(codes, 90, starts, stops, offsets)

    monkeypatch.setattr(distinct, "BLOCK", 1)  # then a block is as long as the rows
    with pinned(Lane.COLUMNS):
        actual = positions_of_firsts(codes, 90, starts, stops, offsets)

    assert offsets[-1] >= 600
    np.testing.assert_array_equal(actual, expected)


@given(seed=st.integers(0, 2**32), longest=st.sampled_from([0, 1, 5, 80]))
def test_ranges_are_copied_one_behind_the_other(seed, longest):
    rng = np.random.default_rng(seed)
    source = rng.integers(0, 255, 100, dtype=np.uint8)
    sizes = rng.integers(0, longest + 1, 40)
    starts = rng.integers(0, 101 - sizes)
    expected = [
        source[a : a + size].tolist() for a, size in zip(starts, sizes, strict=True)
    ]
    for block in (3, holistic.BLOCK):
        with pytest.MonkeyPatch.context() as patch, pinned(Lane.COLUMNS):
            patch.setattr(holistic, "BLOCK", block)
            out = np.zeros(sizes.sum(), np.uint8)
            holistic._copy_ranges(source, starts, sizes, out)
        assert out.tolist() == [value for values in expected for value in values]
