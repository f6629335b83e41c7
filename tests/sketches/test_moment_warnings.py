"""The moment sketch warns where the data show one of its weak spots."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import windrow as wr

SKETCH = wr.moment_sketch(quantiles=[0.5, 0.95])
VALUES = np.random.default_rng(1).lognormal(size=400)


@pytest.mark.parametrize(
    ("values", "window", "spot"),
    [
        (VALUES + 1e6, wr.rows(100), "far from zero"),
        (VALUES, wr.rows(12), "windows hold few values, 12 at the median"),
    ],
)
def test_a_weak_spot_is_named_with_a_way_out(values, window, spot):
    with pytest.warns(wr.SketchWarning, match=spot) as warned:
        wr.slide(values, window, SKETCH)

    assert "Hint: use wr.approx_quantile" in str(warned[0].message)


def test_smooth_values_and_very_few_are_fine():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wr.slide(VALUES, wr.rows(100), SKETCH)
        wr.slide(VALUES, wr.rows(3), SKETCH)
        wr.slide(VALUES + 1e6, wr.rows(100), wr.moment_sketch())


@pytest.mark.filterwarnings("ignore::windrow.SketchWarning")
@pytest.mark.parametrize("rows", [3, 5, 8, 13, 20])
def test_a_few_values_are_met_within_a_tenth_of_their_range(rows):
    found = wr.slide(VALUES[:200], wr.rows(rows), SKETCH)

    windows = np.lib.stride_tricks.sliding_window_view(VALUES[:200], rows)
    expected = np.quantile(windows, [0.5, 0.95], axis=1).T
    actual = np.array([sketch["quantiles"] for sketch in found])
    errors = np.abs(actual - expected) / np.ptp(windows, axis=1)[:, None]
    assert errors.max() < 0.1
    assert np.median(errors) < 0.005
    assert np.median(errors[:, 1]) < 0.003
