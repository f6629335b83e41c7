"""RA's experiments on tiny sizes: every figure gets its rows, wrong answers none."""

import pytest

from trying import by_hand, judged, tried
from windrow.loops import interpreting
from windrow_bench._sweep import Sweep
from windrow_bench.experiment import NotMeasured, Row, RowSet
from windrow_bench.measure import answers, operators
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.values import values
from windrow_bench.ra import (
    base_intervals,
    break_even,
    coarse_slides,
    cost_per_tuple,
    resizing,
    throughput,
    tumbling,
)
from windrow_bench.ra._log_fit import log_fit


@pytest.fixture(autouse=True)
def _tiny(monkeypatch):
    """What is tested is how we measure: kernels need no compiling for that."""
    monkeypatch.setattr(operators, "LEAST", 4)
    with interpreting():
        yield


def test_throughput_has_both_schemes_at_each_window(monkeypatch):
    monkeypatch.setattr(throughput, "QUICK", Sweep((2, 8, 1_024), 16))

    rows = tried(throughput.FIGURE_6)

    expected = ["RA, Max", "ISS, Max", "RA, StdDev", "ISS, StdDev"]
    assert rows.series("throughput") == expected
    assert rows.xs("throughput") == [2, 8, 1_024]
    assert None not in judged(throughput.FIGURE_6, rows)


@pytest.mark.parametrize(("every", "expected"), [(1, 24), (4, 6), (12, 2)])
def test_a_full_window_has_a_result_for_each_slide_of_the_rest(every, expected):
    one = operators.steady_contender(
        "RA", "flat_fat", "max", values(36, "int64"), 12, every=every
    )

    actual = [one.call(), one.call()]

    assert actual == [expected, expected]


def test_a_slow_scheme_gets_few_rows_and_whole_slides():
    one = operators.steady_within(
        "ISS", "recompute", "max", values(120, "int64"), 20, 0.0, every=5
    )

    assert one.call() == 1  # LEAST is 4: one slide
    assert one.scale == 100 / 5


def test_a_scheme_that_answers_wrongly_has_no_number(monkeypatch):
    monkeypatch.setattr(throughput, "QUICK", Sweep((8,), 16))
    monkeypatch.setitem(answers.FOLDS, "max", min)

    with pytest.raises(WrongAnswer, match="RA, Max"):
        tried(throughput.FIGURE_6)


@pytest.mark.parametrize(
    ("ra", "expected"), [(30.0, [True, True, True, True]), (1.0, [False] * 4)]
)
def test_throughput_is_judged_at_small_and_large_windows(ra, expected):
    rows = by_hand(
        "throughput",
        {
            f"{who}, {what}": {2: rate, 8: rate, 1_024: rate}
            for what in ("Max", "StdDev")
            for who, rate in (("RA", ra), ("ISS", 2.0))
        },
    )

    assert judged(throughput.FIGURE_6, RowSet(rows)) == expected


def test_a_curve_comes_with_its_fit(monkeypatch):
    monkeypatch.setattr(cost_per_tuple, "QUICK", Sweep((8, 16, 64), 12))

    rows = tried(cost_per_tuple.FIGURE_7)

    assert rows.series("cost") == ["Max", "Max, fit", "StdDev", "StdDev, fit"]
    assert rows.xs("cost", "Max") == rows.xs("cost", "Max, fit") == [8, 16, 64]
    assert None not in judged(cost_per_tuple.FIGURE_7, rows)


def test_the_fit_of_a_logarithm_is_found_again():
    actual = log_fit({2.0**k: 0.5 + 0.25 * k for k in range(3, 9)})

    assert (actual.a, actual.b) == (pytest.approx(0.5), pytest.approx(0.25))
    assert actual.square == pytest.approx(1.0)
    assert actual.at(1_024) == pytest.approx(3.0)


def test_costs_that_are_linear_or_have_a_knee_are_no_logarithm():
    xs = [2.0**k for k in range(3, 20, 2)]
    linear = by_hand("cost", {one: {x: x for x in xs} for one in ("Max", "StdDev")})
    straight = by_hand(
        "cost",
        {one: {2.0**k: 1.0 + k for k in range(3, 20)} for one in ("Max", "StdDev")},
    )

    assert judged(cost_per_tuple.FIGURE_7, RowSet(linear)) == [False, False]
    assert judged(cost_per_tuple.FIGURE_7, RowSet(straight)) == [True, True]


def test_a_curve_of_two_windows_is_not_judged():
    rows = RowSet(by_hand("cost", {"Max": {8: 1.0, 16: 2.0}}))

    with pytest.raises(NotMeasured, match="three windows"):
        cost_per_tuple.is_logarithmic(rows)


def test_tumbling_windows_cost_a_firing(monkeypatch):
    monkeypatch.setattr(tumbling, "QUICK", Sweep((4, 16), 30))

    rows = tried(tumbling.FIGURE_8)

    assert rows.xs("firing", "RA, StdDev") == [4, 16]
    assert None not in judged(tumbling.FIGURE_8, rows)


def test_a_firing_that_costs_twice_as_much_is_not_about_the_same():
    same = {
        f"{who}, {what}": {4: 1.0}
        for who in ("RA", "ISS")
        for what in ("Max", "StdDev")
    }
    twice = {**same, "RA, StdDev": {4: 2.0}}

    assert judged(tumbling.FIGURE_8, RowSet(by_hand("firing", same))) == [True, True]
    assert judged(tumbling.FIGURE_8, RowSet(by_hand("firing", twice))) == [True, False]


def test_slides_longer_than_a_window_take_no_part(monkeypatch):
    monkeypatch.setattr(coarse_slides, "QUICK", Sweep((16, 128), 128))

    rows = tried(coarse_slides.FIGURE_10)

    assert rows.xs("cost", "m = 64") == [128]
    assert rows.xs("cost", "m = n/16") == [16, 128]


def test_coarse_slides_are_judged_by_their_shape():
    grows = {x: float(k) for k, x in enumerate((1_024, 8_192, 65_536), 1)}
    flat = dict.fromkeys(grows, 1.0)
    good = {
        one: grows if one in coarse_slides.CONSTANT else flat
        for one in coarse_slides.SLIDES
    }
    bad = {
        one: flat if one in coarse_slides.CONSTANT else grows
        for one in coarse_slides.SLIDES
    }

    assert judged(coarse_slides.FIGURE_10, RowSet(by_hand("cost", good))) == [
        True,
        True,
    ]
    assert judged(coarse_slides.FIGURE_10, RowSet(by_hand("cost", bad))) == [
        False,
        False,
    ]


def test_capacity_oscillates_between_n_and_2n():
    cell = resizing.make("Max", resizing.wr.window(evict=None, trigger=1))
    seen = []

    resizing.let_in(cell, values(65, "int64"))
    for _ in range(3):
        seen.append(cell.memory.capacity)
        cell.drop(resizing.step_of(64))
        seen.append(cell.memory.capacity)
        resizing.let_in(cell, values(resizing.step_of(64), "int64"))

    assert seen == [128, 64] * 3


def test_resizing_has_both_kinds_and_single_resizes(monkeypatch):
    monkeypatch.setattr(resizing, "QUICK", Sweep((32, 64), 60))

    rows = tried(resizing.FIGURE_9)

    expected = ["Max, fixed", "Max, osc.", "StdDev, fixed", "StdDev, osc."]
    assert rows.series("cost") == expected
    assert rows.xs("resize", "StdDev") == [32, 64]
    with pytest.raises(NotMeasured, match="resize"):
        judged(resizing.FIGURE_9, rows)


def test_a_resize_that_is_quadratic_is_not_linear():
    cost = by_hand(
        "cost",
        {
            f"{what}, {kind}": {64: value}
            for what in ("Max", "StdDev")
            for kind, value in (("fixed", 1.0), ("osc.", 0.9))
        },
    )
    linear = by_hand(
        "resize", {one: {8_192: 10.0, 81_920: 1e2} for one in ("Max", "StdDev")}
    )
    square = by_hand(
        "resize", {one: {8_192: 10.0, 81_920: 1e3} for one in ("Max", "StdDev")}
    )

    assert judged(resizing.FIGURE_9, RowSet(cost + linear)) == [True, True, True]
    assert judged(resizing.FIGURE_9, RowSet(cost + square)) == [True, True, False]


def test_base_intervals_meet_the_tree_at_both_slides(monkeypatch):
    tiny = Sweep((64, 128), 256, more=(8, 32))
    monkeypatch.setattr(base_intervals, "QUICK", tiny)

    figure, table = tried(base_intervals.FIGURE_11), tried(base_intervals.TABLE_4)

    assert figure.series("cost") == [
        "RA, m = 1",
        "AW, m = 1",
        "RA, m = 64",
        "AW, m = 64",
    ]
    assert table.xs("Sum") == [8, 32]
    assert None not in judged(base_intervals.FIGURE_11, figure)
    assert None not in judged(base_intervals.TABLE_4, table)


def test_base_intervals_are_judged_by_ratios():
    def ratios(small, large):
        return RowSet(
            [
                row
                for one in ("Sum", "Max")
                for row in by_hand(
                    one, {"RA": {8: 1.0, 64: 1.0}, "AW": {8: small, 64: large}}
                )
            ]
        )

    assert judged(base_intervals.TABLE_4, ratios(1.1, 1.3)) == [True, True, True]
    assert judged(base_intervals.TABLE_4, ratios(0.3, 0.5)) == [False, False, True]


def test_a_break_even_is_found_to_within_a_tenth():
    actual = [
        break_even.search(lambda width: width / 300, times, 2**13) for times in (1, 10)
    ]

    assert 300 <= actual[0] <= 330
    assert 3_000 <= actual[1] <= 3_300


def test_what_never_pays_has_no_window():
    assert break_even.search(lambda width: 0.5, 1.0, 2**13) is None


def test_break_even_tells_gain_and_windows(monkeypatch):
    monkeypatch.setattr(break_even, "QUICK", Sweep((8,), 8))
    few = ("Count", "SampleStdDev", "ArgMax", "Collect")
    monkeypatch.setattr(break_even, "FEW", few)

    rows = tried(break_even.TABLE_3)

    assert rows.xs("windows", break_even.GAIN) == list(few)


def table(**windows):
    """Lines of Table 3: a break-even and a tenfold window, or neither."""
    found = []
    for name, pair in windows.items():
        facts = {"window": 8_192}
        found.append(Row("windows", name, break_even.GAIN, 2.0, 2.0, 2.0, 1, facts))
        if pair:
            even, tenfold = pair
            found += by_hand("windows", {break_even.EVEN: {name: even}})
            found += by_hand("windows", {break_even.TENFOLD: {name: tenfold}})
    return RowSet(found)


def test_table_3_holds_where_windows_are_as_small():
    rows = table(
        Count=None,
        Collect=None,
        Sum=(300, 5_000),
        Max=(200, 900),
        SampleStdDev=(10, 700),
    )

    assert judged(break_even.TABLE_3, rows) == [True] * 5


def test_table_3_fails_where_windows_are_longer():
    rows = table(
        Count=(9, 90),
        Collect=(9, 90),
        Sum=(400, 5_900),
        Max=(400, 900),
        SampleStdDev=(401, 700),
    )

    assert judged(break_even.TABLE_3, rows) == [False] * 5


def test_an_aggregate_that_never_gets_there_fails_the_claim():
    rows = table(Sum=(300, 5_000), Max=None)

    actual = break_even.at_most(break_even.EVEN, 370)(rows)

    assert actual.holds is False
    assert "Max not yet: 2.0x at 8,192 rows" in actual.ours


def test_a_count_that_was_not_measured_is_not_judged():
    with pytest.raises(NotMeasured, match="Count"):
        break_even.never("Count")(table(Sum=(1, 2)))


def test_windows_that_disagree_are_the_spread():
    known = {100: 0.9, 200: 1.1, 300: 0.9, 400: 1.2}

    assert break_even.between(known, 1.0, 250) == (200, 300)
