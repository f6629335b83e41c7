"""Bars are judged to the letter, at their worst place, and not on fewer rows."""

import pytest

from windrow_bench.bars import _bar
from windrow_bench.bars._bar import SHRUNK, cost, growth, number, speed
from windrow_bench.experiment import NotMeasured, Row, RowSet, Size
from windrow_bench.findings import Finding
from windrow_bench.store import StoredTrial


def rows(values, **facts):
    """Rows from values by (panel, x, series)."""
    return RowSet(Row(p, x, s, v, v, v, 3, facts) for (p, x, s), v in values.items())


def at(**series):
    """One panel: the values of each series at 1, 2, ..."""
    return {
        ("p", x, name): value
        for name, values in series.items()
        for x, value in enumerate(values, 1)
    }


@pytest.mark.parametrize(("least", "holds"), [(2.0, True), (2.001, False)])
def test_speed_goes_by_the_quickest_other_at_the_worst_place(least, holds):
    claim = speed("x", "p", "a", ("b", "c"), least)

    found = claim.judge(rows(at(a=[1.0, 2.0], b=[3.0, 4.0], c=[9.0, 9.0])))

    assert found.holds is holds
    assert found.ours == "2.45x on average, 2x at the worst (2)"


def test_rates_are_better_the_more_they_are():
    claim = speed("x", "p", "a", ("b", "c"), 2.0, rate=True)

    assert claim.judge(rows(at(a=[6.0], b=[3.0], c=[1.0]))).holds
    assert not claim.judge(rows(at(a=[5.9], b=[3.0], c=[1.0]))).holds


@pytest.mark.parametrize(("dearest", "holds"), [(False, False), (True, True)])
def test_a_cost_is_told_beside_the_quickest_or_the_dearest(dearest, holds):
    claim = cost("x", "p", "a", ("b", "c"), 1.5, dearest=dearest)

    assert claim.judge(rows(at(a=[3.0], b=[1.0], c=[2.0]))).holds is holds


@pytest.mark.parametrize(
    ("values", "spread", "rate", "worst"),
    [
        ([4.0, 2.0, 3.0], False, False, 1.5),
        ([4.0, 2.0, 3.0], True, False, 2.0),
        ([4.0, 2.0, 3.0], False, True, 2.0),
        ([1.0, 2.0, 2.0], False, False, 2.0),
    ],
)
def test_growth_is_the_most_that_a_later_place_is_of_an_earlier_one(
    values, spread, rate, worst
):
    for most, holds in ((worst, True), (worst - 0.01, False)):
        claim = growth("x", "p", "a", most, spread=spread, rate=rate)

        assert claim.judge(rows(at(a=values))).holds is holds


def test_a_number_has_to_be_kept_at_every_place_and_by_every_series():
    values = rows(at(a=[0.1, 0.2], b=[0.3, 0.1]))

    assert number("x", "p", ("a", "b"), most=0.3).judge(values).holds
    assert not number("x", "p", ("a", "b"), most=0.29).judge(values).holds
    assert not number("x", "p", "a", least=0.11).judge(values).holds


def test_fewer_rows_than_were_promised_cannot_be_judged():
    values = rows(at(a=[1.0], b=[3.0]), shrunk=True)

    found = speed("x", "p", "a", ("b",), 2.0).judge(values)

    assert (found.holds, found.why) == (None, SHRUNK)
    assert found.ours == "3x at the worst (1)"


def test_a_series_that_is_missing_at_a_place_is_no_verdict():
    values = at(a=[1.0, 1.0], b=[3.0, 3.0])
    del values["p", 2, "b"]

    with pytest.raises(NotMeasured, match="b at 2 was not measured"):
        speed("x", "p", "a", ("b",), 2.0).judge(rows(values))


def test_a_bar_that_was_measured_in_part_says_where_not():
    claim = speed("x", "p", "a", ("b",), 2.0)
    card = _bar.bar("one", "title", "workload", [_bar.panel("p", "x")], [claim], list)
    one = StoredTrial("one", "p | 1", "full", "u", "d", 1.0, 0.0, 0.0, False,
                      tuple(rows(at(a=[1.0], b=[3.0])).all))  # fmt: skip
    finding = Finding(card, (one,), 2, planned=(("p", 1, "p | 1"), ("p", 2, "p | 2")))

    [judged] = finding.judged

    assert judged.words == "held where measured (1 of 2)"
    assert judged.verdict.why == "not measured: p | 2"


@pytest.mark.parametrize(("name", "shrunk"), [("quick", True), ("full", False)])
def test_rows_of_a_quick_run_are_marked(name, shrunk):
    size = Size(name, 0.01, 1)
    contender = _bar.Contender("a", lambda: None, lambda _: None)

    trial = _bar.bar_trial("p", 1, lambda: [contender], size)

    assert [row.facts["shrunk"] for row in trial.run(0.01)] == [shrunk]
    assert _bar.number_row("p", 1, "a", [3.0, 1.0, 2.0], size).facts["shrunk"] is shrunk
