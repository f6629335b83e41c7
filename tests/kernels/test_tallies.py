"""Tallies: mean and variance where the loop knows how many rows a window holds."""

import math

import numpy as np
import pytest

import oracles
from windrow.aggregates import find as aggregate
from windrow.algorithms import find, slide_regular
from windrow.algorithms._kernel import Shape, kernel_text
from windrow.algorithms.sba import BLOCK, LEAST
from windrow.kernels import Request, product_of
from windrow.loops import interpreting

EPSILON = float(np.finfo(float).eps)
NAMES = ("mean", "variance", "max")
WIDTHS = [2, 3, 16, 100, BLOCK, BLOCK + 1, 3 * LEAST - 1, 2500]
FAST = Shape(bounds="regular", fast=True)


def product(names=NAMES, masks=()):
    return product_of(
        [Request(aggregate(name), "float", (0,), masks) for name in names]
    )


def answers(values, width, lead=False):
    """The results of the fast path, by name."""
    rows, asked = len(values), product()
    out = slide_regular(
        find("sba"),
        asked,
        (np.asarray(values, float),),
        np.array([0]),
        np.array([rows]),
        width,
        lead=lead,
    )
    arrays = iter(out)
    results = {}
    for name, output in zip(NAMES, asked.outputs, strict=True):
        results[name] = next(arrays)
        if output.nullable:
            next(arrays)
    return results


def looked_at(rows, width, number=40):
    """Windows whose answers are compared: some, and those around borders."""
    last = rows - width
    borders = [
        k * unit + d for unit in (LEAST, width) for k in (1, 2) for d in (-1, 0, 1)
    ]
    some = np.linspace(0, last, number).astype(int).tolist()
    return sorted({0, last, *some, *(at for at in borders if 0 <= at <= last)})


# --- taken where they may be --------------------------------------------------------


def test_a_mean_over_rows_without_nulls_is_a_total_alone():
    text = kernel_text(find("sba"), product(("mean",)), FAST)

    assert "def allocate_tallies(n):\n    return (np.empty(n, np.float64),)" in text


def test_a_variance_over_rows_without_nulls_does_not_divide_while_it_scans():
    text = kernel_text(find("sba"), product(("variance",)), FAST)

    tally = text.split("def tally(")[1].split("\n\n\n")[0]
    join = text.split("def join_tallies(")[1].split("\n\n\n")[0]
    assert "moments_tally_lift(" in tally
    assert "functions_add_pairs(" in join


@pytest.mark.parametrize(
    ("asked", "shape"),
    [
        (product(("mean",), masks=(1,)), FAST),
        (product(("mean",)), Shape("slices", "regular", fast=True)),
    ],
    ids=["nulls", "slices"],
)
def test_nulls_and_slices_keep_their_counts(asked, shape):
    text = kernel_text(find("sba"), asked, shape)

    assert "def tally(source, i, origin):\n    return leaf(source, i)" in text


# --- right --------------------------------------------------------------------------


@pytest.mark.parametrize("lead", [False, True])
@pytest.mark.parametrize("width", [2, 3, 5, 8])
def test_short_windows_equal_the_oracle(width, lead):
    values = [float((at * 7) % 11) for at in range(37)]
    values[9], values[20], values[21], values[30] = math.nan, math.inf, -math.inf, 1e300

    with interpreting():
        actual = answers(values, width, lead=lead)

    stops = range(1 if lead else width, len(values) + 1)
    windows = [values[max(stop - width, 0) : stop] for stop in stops]
    for name in NAMES:
        expected = [oracles.lower(name, window) for window in windows]
        mine = [
            None if name == "variance" and len(window) < 2 else got
            for got, window in zip(actual[name].tolist(), windows, strict=True)
        ]
        assert not oracles.differences(mine, expected, 1e-12)


@pytest.mark.parametrize("width", WIDTHS)
def test_variance_far_from_zero_keeps_its_digits(width):
    # K is a value like the others, and rows are exact distances from it: only rounding
    # in sums of n squares is left.  Longer windows are merged from blocks by their
    # means, which are rounded at 1e9: about as far as the values are spread.
    merged = 1e9 * EPSILON if width > BLOCK else 0.0
    rng = np.random.default_rng(width)
    values = 1e9 + rng.integers(-1000, 1000, 5 * width + 9) * 2.0**-10

    actual = answers(values, width)

    for at in looked_at(len(values), width):
        exact = (values[at : at + width] - 1e9).astype(np.longdouble)
        expected = float(((exact - exact.mean()) ** 2).sum() / (width - 1))
        assert math.isclose(
            actual["variance"][at], expected, rel_tol=40 * width * EPSILON + merged
        )
        assert actual["max"][at] == values[at : at + width].max()
        mean = float(values[at : at + width].astype(np.longdouble).mean())
        assert math.isclose(actual["mean"][at], mean, rel_tol=width * EPSILON)


@pytest.mark.parametrize("width", WIDTHS)
def test_one_value_far_from_the_others_costs_no_more_than_the_stated_bound(width):
    rng = np.random.default_rng(width)
    values = rng.normal(size=5 * width + 9)
    values[:: width + 1] += 1e9

    actual = answers(values, width)["variance"]

    for at in looked_at(len(values), width):
        window = values[at : at + width].astype(np.longdouble)
        expected = float(((window - window.mean()) ** 2).sum() / (width - 1))
        bound = 4 * width * math.sqrt(min(width, LEAST)) * EPSILON
        assert math.isclose(actual[at], expected, rel_tol=bound)


@pytest.mark.parametrize("poison", [math.nan, math.inf, -math.inf, 1e308, 1e160])
@pytest.mark.parametrize("width", [17, BLOCK, BLOCK + 1, 2500])
def test_what_has_left_cannot_be_seen_in_a_later_window(poison, width):
    rng = np.random.default_rng(3)
    clean = rng.integers(-50, 50, 9 * width).astype(float)
    values = clean.copy()
    for place in (0, width, 2 * width + width // 2, 4 * width - 1):
        values[place] = poison

    actual, expected = answers(values, width), answers(clean, width)

    touched = np.convolve(values != clean, np.ones(width), "valid") > 0.5
    assert 0.3 < touched.mean() < 0.9
    for name in NAMES:
        mine, theirs = actual[name][~touched], expected[name][~touched]
        np.testing.assert_allclose(mine, theirs, rtol=1e-11)
    if poison == poison and not math.isinf(poison):
        assert (actual["variance"][touched] == math.inf).all()
    else:
        assert np.isnan(actual["variance"][touched]).all()


@pytest.mark.parametrize("width", [16, 2500])
def test_values_that_do_not_vary_have_no_variance(width):
    values = np.full(4 * width, 0.1)

    assert not answers(values, width)["variance"].any()
