"""Bare loads and stores: right on what they take, refusing what they cannot."""

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from windrow.loops.memory import peek, poke


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
