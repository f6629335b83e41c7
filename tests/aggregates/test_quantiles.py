"""Quantiles from moment sketches: near the true ranks, in range, never falling."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from strategies import huge_floats, rough_floats, shaped, special_floats
from windrow.aggregates import _density, quantiles
from windrow.aggregates.moment_sketch import MOMENT_SKETCH
from windrow.aggregates.quantiles import check_quantiles, estimate
from windrow.errors import BadInput

QUANTILES = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
NAMES = [field.name for field in MOMENT_SKETCH.fields]

SMOOTH = {
    "uniform": lambda rng: rng.uniform(-3.0, 5.0, 3000),
    "uniform from zero": lambda rng: rng.uniform(0.0, 1.0, 3000),
    "normal": lambda rng: rng.normal(0.0, 1.0, 3000),
    "normal far from zero": lambda rng: rng.normal(1000.0, 1.0, 3000),
    "very far from zero": lambda rng: rng.uniform(1e9, 1e9 + 1.0, 3000),
    "exponential": lambda rng: rng.exponential(1.0, 3000),
    "negative exponential": lambda rng: -rng.exponential(1.0, 3000),
    "lognormal": lambda rng: rng.lognormal(0.0, 2.0, 3000),
    "pareto": lambda rng: 1.0 + rng.pareto(1.0, 3000),
    "bimodal": lambda rng: np.concatenate(
        [rng.normal(-4.0, 0.5, 1500), rng.normal(4.0, 1.0, 1500)]
    ),
    "powers overflow": lambda rng: rng.uniform(1e200, 9e200, 3000),
    "powers underflow": lambda rng: rng.uniform(1e-200, 9e-200, 3000),
    "logs serve where powers overflow": lambda rng: 1e150 * rng.lognormal(0, 3.0, 3000),
}


def sketch_of(*windows: Any) -> dict[str, np.ndarray]:
    """The sketches of windows, by the aggregate's own functions."""
    with np.errstate(all="ignore"):
        partials = [fold(window) for window in windows]
    return {
        name: np.array([partial[i] for partial in partials], dtype=float)
        for i, name in enumerate(NAMES)
    }


def fold(values: Any) -> tuple[Any, ...]:
    lifted = (MOMENT_SKETCH.lift(float(value)) for value in values)
    return reduce(MOMENT_SKETCH.combine, lifted, MOMENT_SKETCH.identity)


def rank_errors(answers: Any, values: Any) -> np.ndarray:
    """How far each quantile is from the ranks that its answer has."""
    ordered, wanted = np.sort(values), np.array(QUANTILES)
    low = np.searchsorted(ordered, answers, "left") / len(ordered)
    high = np.searchsorted(ordered, answers, "right") / len(ordered)
    return np.maximum(0.0, np.maximum(low - wanted, wanted - high))


# --- accuracy -----------------------------------------------------------------------


@pytest.mark.parametrize("shape", SMOOTH)
def test_smooth_values_are_met_within_three_hundredths_in_rank(shape):
    windows = [SMOOTH[shape](np.random.default_rng(seed)) for seed in range(4)]

    answers = estimate(sketch_of(*windows), QUANTILES)

    errors = [rank_errors(*pair) for pair in zip(answers, windows, strict=True)]
    assert np.max(errors) < 0.03


@pytest.mark.parametrize("points", [(0.0, 1.0), (-1.0, 1.0), (2.0, 3.0), (1.0, 100.0)])
@pytest.mark.parametrize("share", [0.3, 0.62, 0.97])
def test_two_points_are_told_apart_by_their_shares(points, share):
    values = np.where(np.arange(1000) < 1000 * share, *points)

    (answers,) = estimate(sketch_of(values), QUANTILES)

    expected = np.where(np.array(QUANTILES) <= share, *points)
    away = np.abs(np.array(QUANTILES) - share) > 0.05
    width = points[1] - points[0]
    np.testing.assert_allclose(answers[away], expected[away], atol=0.01 * width)


def test_flags_are_answered_by_exactly_0_and_1():
    values = np.repeat([0.0, 1.0], [700, 300])

    (answers,) = estimate(sketch_of(values), [0.1, 0.5, 0.6, 0.8, 0.95])

    assert answers.tolist() == [0.0, 0.0, 0.0, 1.0, 1.0]


def test_a_few_points_are_met_within_a_twentieth_of_the_range():
    values = np.repeat(np.arange(5.0), [100, 300, 200, 350, 50])

    (answers,) = estimate(sketch_of(values), [0.05, 0.25, 0.5, 0.8, 0.98])

    expected = [0.0, 1.0, 2.0, 3.0, 4.0]
    np.testing.assert_allclose(answers, expected, atol=0.05 * 4.0)


def test_log_moments_tell_what_power_moments_cannot(monkeypatch):
    values = SMOOTH["lognormal"](np.random.default_rng(5))
    sketch = sketch_of(values)

    with_logs = rank_errors(estimate(sketch, QUANTILES)[0], values).max()
    monkeypatch.setattr(quantiles, "SPAN", math.inf)
    without = rank_errors(estimate(sketch, QUANTILES)[0], values).max()

    assert with_logs < 0.03
    assert without > 0.1


def test_fewer_moments_are_trusted_the_farther_the_values_lie_from_zero():
    rng = np.random.default_rng(3)
    trusted = []
    for centre in (0.0, 10.0, 1e3, 1e6):
        values = centre + rng.uniform(-1.0, 1.0, 1000)
        means = np.array([[np.mean(values**k) for k in range(1, 11)]])
        _, good = _density.moments(means, values.min()[None], values.max()[None])
        trusted.append(int(good.sum()))

    assert trusted == sorted(trusted, reverse=True)
    assert trusted[0] == 10
    assert 1 <= trusted[-1] <= 3


def test_powers_that_overflow_leave_the_lower_moments_usable():
    means = np.array([[3e200] + [math.inf] * 9])

    with np.errstate(all="ignore"):
        mu, good = _density.moments(means, np.array([1e200]), np.array([9e200]))

    assert good[0].tolist() == [True] + [False] * 9
    assert mu[0, 0] == pytest.approx(-0.5)


def test_from_the_first_impossible_moment_on_none_is_trusted():
    means = np.array([[0.0, 5.0] + [0.0] * 8])  # a square above 1 on [-1, 1]

    _, good = _density.moments(means, np.array([-1.0]), np.array([1.0]))

    assert good[0].tolist() == [True] + [False] * 9


def test_moments_that_say_the_same_again_are_left_out():
    twice = np.concatenate([_density.polynomials(_density.MIDDLES)] * 2)

    kept = _density.independent(twice)

    assert kept.tolist() == [True] * 10 + [False] * 10


# --- what always holds --------------------------------------------------------------


@given(
    windows=st.lists(
        st.one_of(
            shaped(rough_floats), shaped(special_floats), shaped(huge_floats)
        ).filter(len),
        min_size=1,
        max_size=4,
    ),
    wanted=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6),
)
@example(windows=[[1e308, 1e308, 1e308, -3.0]], wanted=[0.5])  # their sum overflows
def test_answers_lie_in_the_range_and_never_fall(windows, wanted):
    answers = estimate(sketch_of(*windows), wanted)

    rising = answers[:, np.argsort(wanted, kind="stable")]
    for window, row in zip(windows, rising, strict=True):
        least, most = fold(window)[1:3]
        ranks = [math.inf if math.isnan(v) else v for v in (least, *row, most)]
        assert ranks == sorted(ranks)
        assert not np.isnan(row).any() or math.isnan(most)


@given(
    counts=st.lists(st.integers(1, 6), min_size=1, max_size=3), seed=st.integers(0, 999)
)
def test_tiny_windows_meet_their_ends(counts, seed):
    rng = np.random.default_rng(seed)
    windows = [rng.normal(0.0, 1.0, count) for count in counts]

    actual = estimate(sketch_of(*windows), [1.0, 0.0])

    expected = [[window.max(), window.min()] for window in windows]
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("value", [0.0, -7.5, 0.1, 1e300, 5e-324, math.inf, -math.inf])
def test_a_constant_window_answers_its_value(value):
    answers = estimate(sketch_of([value] * 9), QUANTILES)

    assert (answers == value).all()


def test_an_empty_window_answers_nan_and_leaves_the_others_alone():
    alone = estimate(sketch_of([1.0, 2.0, 4.0]), [0.5])

    actual = estimate(sketch_of([], [1.0, 2.0, 4.0], []), [0.5])

    np.testing.assert_array_equal(actual, [[math.nan], alone[0], [math.nan]])


def test_an_empty_window_answers_nan_whatever_its_other_fields_hold():
    sketch = {name: np.zeros(1) for name in NAMES}

    actual = estimate(sketch, [0.0, 0.5])

    assert np.isnan(actual).all()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2.0, math.nan], [1.0, math.nan, math.nan]),
        ([1.0, 2.0, math.inf], [1.0, math.inf, math.inf]),
        ([1.0, 2.0, -math.inf], [-math.inf, -math.inf, 2.0]),
        ([-math.inf, 2.0, math.inf], [-math.inf, 0.0, math.inf]),
        ([math.nan, math.nan], [math.nan, math.nan, math.nan]),
    ],
)
def test_an_endless_range_answers_its_ends(values, expected):
    actual = estimate(sketch_of(values), [0.0, 0.5, 1.0])

    np.testing.assert_array_equal(actual, [expected])


def test_where_the_search_fails_pieces_through_the_mean_remain(monkeypatch):
    def never(basis, *_):
        return np.zeros((len(basis), _density.CELLS)), np.zeros(len(basis), dtype=bool)

    monkeypatch.setattr(_density, "max_entropy", never)

    actual = estimate(sketch_of([0.0] * 6 + [4.0] * 2), [0.0, 0.375, 0.75, 0.875, 1.0])

    np.testing.assert_allclose(actual, [[0.0, 0.5, 1.0, 2.5, 4.0]])


def test_the_search_is_tried_again_with_fewer_moments(monkeypatch):
    tried = []
    search = _density.max_entropy

    def picky(basis, mu, theta):
        used = (basis != 0.0).any(axis=2).sum(axis=1)
        tried.extend(used.tolist())
        masses, solved = search(basis, mu, theta)
        return masses, solved & (used < 3)

    monkeypatch.setattr(_density, "max_entropy", picky)

    estimate(sketch_of(SMOOTH["normal"](np.random.default_rng(1))), [0.5])

    assert tried == [10, 5, 2]


@given(windows=st.lists(shaped(rough_floats).filter(len), min_size=1, max_size=9))
def test_a_sketch_does_not_depend_on_its_company(windows):
    together = estimate(sketch_of(*windows), QUANTILES)

    apart = [estimate(sketch_of(window), QUANTILES)[0] for window in windows]

    np.testing.assert_array_equal(together, apart)


def test_positive_sketches_do_not_depend_on_their_company_either():
    rng = np.random.default_rng(8)
    windows = [rng.lognormal(3.0, rng.uniform(0.7, 3.0), n) for n in range(5, 105)]
    together = estimate(sketch_of(*windows), QUANTILES)

    apart = [estimate(sketch_of(window), QUANTILES)[0] for window in windows]

    np.testing.assert_array_equal(together, apart)


def test_equal_neighbours_are_solved_once(monkeypatch):
    rng = np.random.default_rng(6)
    first, second = rng.normal(size=30), rng.normal(size=40)
    rows, search = [], _density.max_entropy

    def counted(basis, *rest):
        rows.append(len(basis))
        return search(basis, *rest)

    monkeypatch.setattr(_density, "max_entropy", counted)
    found = estimate(sketch_of(first, first, second, second, second, first), [0.5])

    assert sum(rows) == 3
    np.testing.assert_array_equal(found[[0, 2, 5, 5, 2]], found[[1, 3, 0, 1, 4]])


@pytest.mark.parametrize(("count", "most"), [(8, 13), (15, 10), (100, 7), (1000, 5)])
def test_log_normal_values_take_few_steps(monkeypatch, count, most):
    rng = np.random.default_rng(count)
    steps, solve = [], np.linalg.solve

    def counted(hessian, gradient):
        steps.append(len(hessian))
        return solve(hessian, gradient)

    windows = rng.lognormal(3.0, 1.2, (64, count))
    monkeypatch.setattr(np.linalg, "solve", counted)
    estimate(sketch_of(*windows), [0.95])

    assert sum(steps) <= most * len(windows)


@given(parts=st.lists(st.lists(st.integers(-3, 3), max_size=8), max_size=5))
def test_merged_sketches_equal_the_sketch_of_the_whole(parts):
    merged = reduce(MOMENT_SKETCH.combine, map(fold, parts), MOMENT_SKETCH.identity)

    whole = fold([value for part in parts for value in part])

    np.testing.assert_allclose(merged[:13], whole[:13], rtol=0.0)
    np.testing.assert_allclose(merged[13:], whole[13:], rtol=1e-12)


def test_the_order_of_the_quantiles_is_the_caller_s():
    sketch = sketch_of(SMOOTH["normal"](np.random.default_rng(2)))

    actual = estimate(sketch, [0.9, 0.1, 0.5, 0.1])

    expected = estimate(sketch, [0.1, 0.5, 0.9])[:, [2, 0, 1, 0]]
    np.testing.assert_array_equal(actual, expected)


def test_no_sketches_give_no_rows():
    actual = estimate(sketch_of(), [0.5, 0.9])

    assert actual.shape == (0, 2)


# --- what is refused ----------------------------------------------------------------


@pytest.mark.parametrize("wrong", [-0.1, 1.5, 95, math.nan, "0.5", None, True, [0.5]])
def test_what_is_no_number_from_0_to_1_is_refused_with_its_value(wrong):
    with pytest.raises(BadInput, match="from 0 to 1\nHint: ") as caught:
        check_quantiles([0.5, wrong])

    assert repr(wrong) in str(caught.value)


def test_estimates_refuse_the_same():
    with pytest.raises(BadInput, match=r"quantile 1\.5"):
        estimate(sketch_of([1.0]), [1.5])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_up_to_four_values_are_known(count, seed):
    values = np.random.default_rng(seed).lognormal(2.0, 1.5, count)
    levels = [0.0, 0.1, 0.5, 0.95, 1.0]

    actual = estimate(sketch_of(values.tolist()), levels)

    np.testing.assert_allclose(actual, [np.quantile(values, levels)], rtol=1e-5)
