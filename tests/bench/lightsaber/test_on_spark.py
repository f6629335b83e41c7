"""LightSaber's experiments on Spark: both texts agree, and claims can fail."""

from functools import partial

import pytest

from windrow_bench.experiment import NotMeasured, Row, RowSet, Size
from windrow_bench.lightsaber import applications as cards
from windrow_bench.lightsaber import cores, end_to_end
from windrow_bench.measure.applications import APPLICATIONS
from windrow_bench.measure.spark import application_turns, held, stream_turns
from windrow_bench.measure.spark.applications import frames, lazily, own
from windrow_bench.measure.spark.sums import check_sums, sums_of

TINY = Size("quick", 0.1, 1)
ROWS = {
    "CM1": 800,
    "CM2": 8_000,
    "SG1": 500,
    "LRB1": 800,
    "LRB2": 300,
    "SM": 60,
    "YSB": 5_000,
}
SLOW = {"SG2": 800}  # a hundred projections, however few the rows
LAZY = ("CM2", "LRB1")  # with a filter, and with a having
# Code for hundreds of projections takes longer to compile than to do without.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": False,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@pytest.fixture
def session(spark, monkeypatch):
    """The session of the tests is the one that is held, on any number of cores."""
    monkeypatch.setattr(held, "on", lambda cores=None: spark)
    return spark


def rows_of(panel, found):
    """Rows of a panel, from values by place and series."""
    return RowSet(
        Row(panel, x, series, value, value, value, 3)
        for x, by_series in found.items()
        for series, value in by_series.items()
    )


# A measurement compares its own answers: the short run asks of one query with a filter.
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "CM2" else pytest.mark.deep)
        for name in ROWS | SLOW
    ],
)
def test_both_texts_of_a_query_give_the_same_rows(name, session, settings_of):
    one = APPLICATIONS[name]
    given = frames(session, one, (ROWS | SLOW)[name])

    with settings_of({} if name == "SG1" else INTERPRETED):
        actual = sums_of(one.ours(given), [one.value])
        expected = sums_of(own(one, given), [one.value])

    assert expected["rows"] > 0
    check_sums(name, actual, expected)
    if name in LAZY:
        check_sums(name, sums_of(lazily(one, given), [one.value]), expected)


def test_every_query_of_the_figures_has_its_texts():
    asked = {*cards.ROWS, cards.YSB, *cores.ALL, *end_to_end.ROWS}

    assert asked == set(APPLICATIONS)


def test_quick_runs_ask_some_of_the_queries_and_full_runs_all():
    quick, full = (
        [t.x for t in end_to_end.trials(s)] for s in (TINY, Size("full", 1, 1))
    )

    assert set(quick) < set(full)
    asked = {trial.x for trial in cards.trials(TINY)}
    assert set(cards.ROWS) - asked == {"SM"}


def test_a_trial_has_a_row_for_each_side(session):
    found = cards._trial("YSB", 3_000, TINY).run(0.1)

    places = [(row.panel, row.x, row.series) for row in found]
    assert places == [
        (panel, "YSB", side)
        for panel in (cards.PANEL, cards.PLANNING)
        for side in (cards.OURS, cards.SPARK)
    ]
    assert all(row.value > 0 for row in found)


@pytest.mark.deep  # two sessions, one after the other
def test_speed_ups_are_multiples_of_one_core_s_throughput(session):
    found = application_turns.speed_ups("p", ("CM1", "YSB"), 2_000, (1, 2), 2, 0.1)

    places = [(row.x, row.series) for row in found]
    assert places == [(1, "CM1"), (1, "YSB"), (2, "CM1"), (2, "YSB")]
    assert [row.value for row in found if row.x == 1] == [1.0, 1.0]
    assert all(row.low <= row.value <= row.high for row in found)
    assert all(row.facts["rows_a_second"] > 0 for row in found)


@pytest.mark.deep  # whole streams, on both sides
def test_a_micro_batch_is_timed_on_both_sides(session):
    sides = (end_to_end.OURS, end_to_end.SPARK)

    found = stream_turns.latencies(end_to_end.PANEL, "YSB", 400_000, 4, sides)

    assert [row.series for row in found] == list(sides)
    assert len({row.facts["rows_out"] for row in found}) == 1
    assert all(row.low <= row.value <= row.high for row in found)
    assert all(row.repeats == 2 for row in found)  # of four, two warm up


# --- claims ---------------------------------------------------------------------


def both(ratio, lazy=1.0):
    return {cards.OURS: ratio, cards.SPARK: 1.0, cards.LAZY: lazy}


@pytest.mark.parametrize(
    ("ratios", "holds"),
    [
        (dict.fromkeys(cards.ROWS, 200.0), [True] * 5),
        (dict.fromkeys(cards.ROWS, 12.0), [True, True, False, False, False]),
        (dict.fromkeys(cards.ROWS, 0.5), [False] * 5),
        (
            dict.fromkeys(cards.ROWS, 200.0) | {"LRB1": 20.0},
            [True] * 3 + [False, True],
        ),
    ],
)
def test_each_factor_of_the_paper_is_judged_at_its_queries(ratios, holds):
    rows = rows_of(cards.PANEL, {name: both(ratio) for name, ratio in ratios.items()})

    found = [claim.judge(rows).holds for claim in cards.QUERIES.claims[6:]]

    assert found == holds


@pytest.mark.parametrize(
    ("ratio", "holds"),
    [(12.0, [True] * 6), (5.0, [True] + [False] * 4 + [True]), (0.5, [False] * 6)],
)
def test_lazy_slicing_has_factors_of_its_own(ratio, holds):
    rows = rows_of(cards.PANEL, {name: both(ratio) for name in cards.ROWS})

    found = [claim.judge(rows).holds for claim in cards.QUERIES.claims[:6]]

    assert found == holds


@pytest.mark.parametrize(("ratio", "holds"), [(25.0, True), (1.0, False)])
def test_a_tumbling_window_is_judged_alone(ratio, holds):
    [claim] = cards.TUMBLING.claims

    assert claim.judge(rows_of(cards.PANEL, {"YSB": both(ratio)})).holds is holds


@pytest.mark.parametrize(("speed_up", "holds"), [(1.8, True), (1.2, False)])
def test_growth_with_cores_is_linear_or_not(speed_up, holds):
    rows = rows_of(
        cores.PANEL, {1: {"CM1": 1.0, "YSB": 1.0}, 2: {"CM1": 1.9, "YSB": speed_up}}
    )

    found = cores.CORES.claims[0].judge(rows)

    assert found.holds is holds
    assert "YSB at 2" in found.ours


def test_what_needs_more_cores_is_not_judged_on_two():
    rows = rows_of(cores.PANEL, {1: {"CM1": 1.0}, 2: {"CM1": 1.9}})

    with pytest.raises(NotMeasured, match="fewer than 14 cores"):
        cores.CORES.claims[1].judge(rows)


@pytest.mark.parametrize(("busy", "holds"), [(9.0, True), (4.0, False)])
def test_beyond_seven_cores_queries_with_many_keys_go_on_growing(busy, holds):
    few = {"CM1": 4.0, "SG2": 4.0}
    rows = rows_of(cores.PANEL, {4: few, 16: {"CM1": 4.5, "SG2": busy}})

    assert cores.CORES.claims[1].judge(rows).holds is holds


@pytest.mark.parametrize(("ms", "holds"), [(40.0, True), (900.0, False)])
def test_latency_is_judged_by_the_slowest_of_the_queries(ms, holds):
    place = partial(dict.fromkeys, (end_to_end.OURS, end_to_end.SPARK))
    rows = rows_of(
        end_to_end.PANEL, {"SG1": place(10.0), "SG2": place(ms), "YSB": place(1e4)}
    )

    found = end_to_end.LATENCY.claims[0].judge(rows)

    assert found.holds is holds
    assert "SG2" in found.ours


@pytest.mark.parametrize(("theirs", "holds"), [(2_000.0, True), (300.0, False)])
def test_latency_is_judged_beside_the_engine_s_own(theirs, holds):
    both_sides = {end_to_end.OURS: 100.0, end_to_end.SPARK: theirs}
    rows = rows_of(end_to_end.PANEL, {"YSB": both_sides})

    assert end_to_end.LATENCY.claims[1].judge(rows).holds is holds


def test_claims_without_rows_are_not_judged():
    cards_ = (cards.QUERIES, cards.TUMBLING, cores.CORES, end_to_end.LATENCY)
    for claim in (claim for card in cards_ for claim in card.claims):
        with pytest.raises(NotMeasured):
            claim.judge(RowSet([]))
