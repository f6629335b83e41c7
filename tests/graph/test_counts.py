"""Combines a slide, counted, beside SlickDeque's Table 1 and LightSaber's Table 1.

SlickDeque (Inv)        2 for each query
TwoStacks               3 for one query; it cannot answer several
FlatFIT                 n for all ranges from 1 to n
here                    inverse: a query + 2, or 2 each for a few queries;
                        no inverse: 2 each, and 2 and a little for all of them
"""

from __future__ import annotations

import numpy as np
import pytest

from counting import counted, objects
from windrow.graph import slide_graph
from windrow.graph.specialise import FEW

N = 6000


def per_slide(ranges: list[int], *, undo: bool) -> float:
    """Combines and inverses a slide, over a long run."""
    tally, product = counted(
        lambda a, b: a + b, identity=0, inverse=(lambda a, b: a - b)
    )
    runs = np.array([0]), np.array([N])
    windows = [(range_, 1) for range_ in ranges]
    slide_graph(product, (objects(range(N)),), *runs, windows, undo=undo)
    return tally.total / N


@pytest.mark.parametrize("width", [2, 16, 512])
def test_one_window_with_an_inverse_takes_two(width):
    assert per_slide([width], undo=True) <= 2


@pytest.mark.parametrize("width", [2, 16, 512])
def test_one_window_without_takes_three(width):
    assert per_slide([width], undo=False) <= 3


@pytest.mark.parametrize("count", [2, 5, 20, 40])
def test_many_windows_with_an_inverse_take_one_each_and_two_scans(count):
    ranges = list(range(10, 10 + 7 * count, 7))
    spent = per_slide(ranges, undo=True)
    if count <= FEW:
        assert spent <= 2 * count  # running values, as SlickDeque (Inv) has them
    else:
        assert spent <= count + 2
        assert spent < 2 * count


@pytest.mark.parametrize("count", [2, 5, 40])
def test_many_windows_without_take_two_each_and_two_scans(count):
    ranges = list(range(70, 70 + 7 * count, 7))
    spent = per_slide(ranges, undo=False)
    assert spent <= 2 * count + 2 + 4 * count / 64
    if count > 3:
        assert spent < 3 * count  # a pair of stacks for each


@pytest.mark.parametrize("n", [8, 32, pytest.param(128, marks=pytest.mark.deep)])
def test_all_ranges_at_once(n):
    """SlickDeque's max-multi-query: Naive takes n (n - 1) / 2, FlatFAT n log n."""
    ranges = list(range(1, n + 1))
    assert per_slide(ranges, undo=False) <= 3 * n
    assert per_slide(ranges, undo=True) <= (2 * n if n <= FEW else n + 2)


def test_one_combine_more_a_slide_would_be_seen():
    """The bounds above are met closely enough to mean something."""
    assert per_slide([512], undo=True) > 1.8
    assert per_slide([512], undo=False) > 2.5
    assert per_slide(list(range(100, 140)), undo=True) > 40
