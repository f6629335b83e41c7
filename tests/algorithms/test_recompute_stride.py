"""The fast path of recompute: a loop for each short length, and one for all others.

Compiled, against whole columns and against the oracle; `last` and `arg_max` do not
commute, so a fold out of order shows.
"""

import math

import numpy as np
import pytest

import oracles
from windrow.aggregates import find as aggregate
from windrow.algorithms import find, slide_regular
from windrow.kernels import Request, product_of
from windrow.loops import Lane

WIDTHS = range(1, 11)
POISON = {9: math.nan, 20: math.inf, 21: -math.inf, 30: 1e300, 40: 1e9}


def product(names, kind):
    return product_of(
        [
            Request(one, kind, (0,) if "value" in one.takes else ())
            for one in map(aggregate, names)
        ]
    )


@pytest.mark.parametrize("lead", [False, True])
def test_each_length_equals_whole_columns_in_stream_order(lead):
    values = np.random.default_rng(7).integers(-9, 9, 200)
    firsts, lasts = np.array([0, 3, 90]), np.array([3, 90, 200])
    asked = product(("last", "arg_max", "sum", "min_count", "first"), "int")
    for width in WIDTHS:
        work = find("recompute"), asked, (values,), firsts, lasts, width

        actual, expected = (
            slide_regular(*work, lead=lead, lane=lane)
            for lane in (Lane.COMPILED, Lane.COLUMNS)
        )

        for mine, theirs in zip(actual, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs, err_msg=f"width {width}")


@pytest.mark.parametrize("name", ["mean", "variance", "max"])
def test_each_length_equals_the_oracle_and_forgets_what_has_left(name):
    values = np.array([float((at * 7) % 11) for at in range(61)])
    for at, value in POISON.items():
        values[at] = value
    asked = product((name,), "float")
    ends = np.array([0]), np.array([len(values)])
    for width in WIDTHS:
        actual = slide_regular(find("recompute"), asked, (values,), *ends, width)[0]

        windows = [values[at : at + width].tolist() for at in range(len(actual))]
        expected = [oracles.lower(name, window) for window in windows]
        if name == "variance" and width == 1:
            continue  # null, whatever was written
        assert not oracles.differences(actual.tolist(), expected, 1e-12)


@pytest.mark.parametrize("width", [2, 5, 8])
def test_variance_far_from_zero_keeps_its_digits(width):
    values = 1e9 + np.random.default_rng(width).integers(-1000, 1000, 500) * 2.0**-10
    asked = product(("variance",), "float")
    ends = np.array([0]), np.array([len(values)])

    actual = slide_regular(find("recompute"), asked, (values,), *ends, width)[0]

    exact = np.lib.stride_tricks.sliding_window_view(values - 1e9, width)
    np.testing.assert_allclose(actual, exact.var(axis=1, ddof=1), rtol=1e-13)
