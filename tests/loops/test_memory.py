"""Bare loads and stores: right on what they take, refusing what they cannot."""

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from windrow.loops.memory import divide_evenly, peek, poke


@njit
def shift(source, target):
    for i in range(len(source)):
        poke(target, i, peek(source, i) + 1)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint32, np.int64, np.float32, np.float64]
)
def test_values_are_read_and_written_in_their_own_type(dtype):
    source, target = np.arange(5, dtype=dtype), np.zeros(5, dtype)

    shift(source, target)

    assert target.tolist() == [1, 2, 3, 4, 5]


def test_a_strided_array_is_refused_and_not_misread():
    source = np.arange(10)[::2]

    with pytest.raises(TypingError, match="contiguous arrays only"):
        shift(source, np.zeros(5))


@njit(error_model="numpy")
def divide_all(totals, n, quotients):
    for i in range(len(totals)):
        poke(quotients, i, divide_evenly(peek(totals, i), n))


@pytest.mark.parametrize("n", [1, 3, 10, 49, 3600, 2**20 - 1, 2**31 - 1, 2**53 - 1])
def test_quotients_by_reciprocal_are_those_of_a_division_bit_by_bit(n):
    rng = np.random.default_rng(n)
    powers = 10.0 ** rng.integers(-280, 300, 20_000)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.7e308, -1.7e308, 2.0**-959]
    totals = np.concatenate([(rng.random(20_000) - 0.5) * powers, special])
    quotients = np.empty_like(totals)

    divide_all(totals, n, quotients)

    expected = totals / n
    same = quotients.view(np.int64) == expected.view(np.int64)
    assert np.all(same | (np.isnan(quotients) & np.isnan(expected)))
