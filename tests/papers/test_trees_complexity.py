"""Combines per slide of the trees and scans, against the papers' formulas.

SlickDeque Table 1 and Section 4.1 for FlatFAT, B-Int and FlatFIT, PBA Table 1 for
SlideSide.  `single` is one range of n with a slide of one slice, `max_multi` all
ranges from 1 to n at each slide.  Calls of combine and inverse are counted, from
the slide after the first full window on, and amortised over whole periods.
"""

import math

import pytest

from watched import combines
from windrow.algorithms import find

SIZES = [4, 8, 16, 37, 64, 256, 1024]
POWERS = [4, 8, 16, 64, 256, 1024]
SHORT = [4, 8, 16, 37, 64]

sizes = pytest.mark.parametrize("n", SIZES)
powers = pytest.mark.parametrize("n", POWERS)
short = pytest.mark.parametrize("n", SHORT)


def single(name, n, slides):
    """Combines of each slide after the first full window."""
    windows = [(max(0, stop - n), stop) for stop in range(1, n + slides + 1)]
    return combines(find(name), windows)[n:]


def max_multi(name, n, slides):
    """Combines of all n answers together, for each slide after the first."""
    windows = [
        (start, stop)
        for stop in range(n, n + slides + 1)
        for start in range(stop - n, stop)
    ]
    each = combines(find(name), windows, many=True)
    return [sum(each[i : i + n]) for i in range(n, len(each), n)]


def ones(i):
    return i.bit_count()


def trailing_zeros(i):
    return (i & -i).bit_length() - 1


# --- FlatFAT: SlickDeque 4.1, RA 5.1.2 ------------------------------------------------


@powers
def test_flat_fat_climbs_from_leaf_to_root_and_adds_suffix_and_prefix(n):
    """An update visits log2(n) nodes, each with a combine where both halves are used.

    The root answers where the buffer is not inverted; else suffix(F) and prefix(B)
    take log2(n) combines together, less one for each trailing zero of F.
    """
    levels = n.bit_length() - 1

    actual = single("flat_fat", n, 3 * n)

    expected = []
    for stop in range(n + 1, 4 * n + 1):
        front, back = stop % n, (stop - 1) % n
        answer = levels - trailing_zeros(front) if front else 0
        expected.append(ones(back) + answer)
    assert actual == expected


@sizes
def test_flat_fat_takes_an_order_of_log_n_combines_a_slide(n):
    levels = math.ceil(math.log2(n))

    actual = single("flat_fat", n, 4 * 2**levels)

    assert max(actual) <= 3 * levels
    assert sum(actual) / len(actual) <= 1.5 * levels


@short
def test_flat_fat_takes_at_most_n_log_n_combines_for_all_ranges(n):
    """SlickDeque 4.1: n log2(n) is the bound, and the sum over all ranges less.

    The sum as printed is no whole number for n = 4, so it is taken as a mean.
    """
    log = math.log2(n)

    actual = max_multi("flat_fat", n, 4 * n)

    assert max(actual) <= n * log
    assert sum(actual) / len(actual) <= n * log - 3 * n / 2 + 5 * log / 2 + 5 / 2


# --- B-Int: SlickDeque 4.1, "the same asymptotic time complexity as FlatFAT" ----------


@powers
def test_b_int_takes_exactly_log_n_combines_a_slide_where_n_is_a_power_of_two(n):
    """A slide completes as many intervals as it spares the answer: log2(n) in all."""
    actual = single("b_int", n, 3 * n)

    assert set(actual) == {n.bit_length() - 1}


@sizes
def test_b_int_takes_an_order_of_log_n_combines_a_slide(n):
    levels = math.ceil(math.log2(n))

    actual = single("b_int", n, 4 * 2**levels)

    assert max(actual) <= 2 * levels
    assert sum(actual) / len(actual) <= levels


@short
def test_b_int_takes_at_most_n_log_n_combines_for_all_ranges(n):
    actual = max_multi("b_int", n, 4 * n)

    assert max(actual) <= n * math.log2(n)


@pytest.mark.parametrize("name", ["flat_fat", "b_int"])
def test_trees_stay_within_their_cards_for_every_window_up_to_70(name):
    times = {"flat_fat": 3, "b_int": 2}[name]

    for n in range(2, 71):
        assert max(single(name, n, 256)) <= times * math.ceil(math.log2(n))


# --- FlatFIT: SlickDeque 4.1 ----------------------------------------------------------


@sizes
def test_flat_fit_repeats_every_n_plus_1_slides_with_3_n_minus_1_combines(n):
    """(n - 1) for the reset, 1 on either side of it, 2 for each of the n - 2 others."""
    period = [n - 1, 1, *[2] * (n - 2), 1]

    actual = single("flat_fit", n, 3 * (n + 1))

    assert actual == 3 * period
    assert sum(period) == 3 * (n - 1)


@sizes
def test_flat_fit_takes_less_than_3_combines_amortised_and_n_minus_1_at_worst(n):
    actual = single("flat_fit", n, 4 * (n + 1))

    assert sum(actual) / len(actual) == pytest.approx(3 * (n - 1) / (n + 1))
    assert max(actual) == n - 1


@short
def test_flat_fit_takes_n_minus_1_combines_for_all_ranges(n):
    actual = max_multi("flat_fit", n, 4 * n)

    assert set(actual) == {n - 1}


# --- SlideSide: PBA Table 1, amortised 3, worst n -------------------------------------


@sizes
def test_slide_side_takes_at_most_3_combines_amortised_and_n_at_worst(n):
    """A flip takes n - 1 and answers by itself; as FlatFIT, 3 (n - 1) in a period."""
    actual = single("slide_side", n, 4 * (n + 1))

    assert sum(actual) / len(actual) == pytest.approx(3 * (n - 1) / (n + 1))
    assert max(actual) <= n


@short
def test_slide_side_takes_n_minus_1_combines_for_all_ranges(n):
    actual = max_multi("slide_side", n, 4 * n)

    assert set(actual) == {n - 1}


@pytest.mark.parametrize("r", [2, 4, 16, 64, 128, 200])
def test_slide_side_with_a_second_range_is_far_below_refolding_both(r):
    n = 256
    windows = [(stop - each, stop) for stop in range(n, 9 * n) for each in (n, r)]

    actual = sum(combines(find("slide_side"), windows, many=True)) / (8 * n)

    assert actual <= 4 + min(r, 2 * n / r)


# --- SlideSide (Inv): LightSaber 5.4, a difference of two prefixes --------------------


@sizes
def test_slide_side_inv_takes_2_combines_a_slide(n):
    """One for the running prefix, one inverse for the answer."""
    actual = single("slide_side_inv", n, 3 * n)

    assert set(actual) == {2}


@short
def test_slide_side_inv_takes_n_plus_1_combines_for_all_ranges(n):
    """One for the running prefix, shared, and an inverse for each of n answers."""
    actual = max_multi("slide_side_inv", n, 4 * n)

    assert set(actual) == {n + 1}
