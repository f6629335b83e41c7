"""Branches and loads of kernels are counted on the kernels' own text."""

import numpy as np
import pytest

from windrow_bench.measure.branches import Guesses, count_branches
from windrow_bench.measure.values import values

GIVEN = values(4_000)
ORDERS = {
    "random": GIVEN,
    "rising": np.sort(GIVEN),
    "falling": np.sort(GIVEN)[::-1].copy(),
}


def test_a_branch_that_goes_one_way_is_guessed_and_a_coin_is_not():
    dice = np.random.default_rng(1).random(10_000) < 0.5
    always, coin = Guesses(), Guesses()
    for side in dice:
        always.went(1, True)
        coin.went(1, side)

    assert always.wrong == 0
    assert 0.45 < coin.wrong / coin.branches < 0.55


def test_a_loop_of_a_few_rounds_is_learned():
    found = Guesses()
    for _ in range(1_000):
        for _ in found.each(1, range(3)):
            pass

    assert found.branches == 4_000
    assert found.wrong < 20


@pytest.mark.parametrize("order", ORDERS)
def test_two_stacks_ask_the_same_of_values_in_any_order(order):
    found = count_branches("two_stacks_lite", "max", ORDERS[order], 64)

    assert found == count_branches("two_stacks_lite", "max", GIVEN, 64)
    assert found.loads < 3 * len(GIVEN)  # a row twice, a suffix once
    assert found.wrong < 0.05 * len(GIVEN)


def test_a_deque_loads_as_much_of_falling_values_and_guesses_only_random_ones_wrong():
    found = {
        order: count_branches("slick_deque", "max", given, 64).per(len(given))
        for order, given in ORDERS.items()
    }

    assert found["random"]["loads"] <= found["falling"]["loads"] < 6.1
    assert found["random"]["wrong"] > 1.0
    assert max(found[order]["wrong"] for order in ("rising", "falling")) < 0.02


def test_every_read_of_a_row_is_a_load_and_every_result_a_store():
    found = count_branches("recompute", "sum", GIVEN[:100], 10)

    assert found.loads == 91 * 10
    assert found.stores == 91
