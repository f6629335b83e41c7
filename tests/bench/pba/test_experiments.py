"""PBA's experiments on tiny sizes: every figure gets its rows, wrong answers none."""

import dataclasses

import numpy as np
import pytest

from trying import TINY, by_hand, judged, tried
from windrow.algorithms import find
from windrow.loops import interpreting
from windrow_bench.experiment import NotMeasured, RowSet
from windrow_bench.measure import answers
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.sliced import cut_stream, sliced_contender, slower_contender
from windrow_bench.pba import _merging, count_windows, latency, time_windows

ALL = ["two_stacks", "slick_deque", "sba", "pba"]
BY_LITE = "sba, by two_stacks_lite"


@pytest.fixture(autouse=True)
def _interpreted():
    """What is tested is how we measure: kernels need no compiling for that."""
    with interpreting():
        yield


@pytest.fixture
def tiny(monkeypatch):
    """Streams of some hundred rows, windows of some dozen."""
    monkeypatch.setattr(_merging, "LEAST", 4)
    monkeypatch.setattr(count_windows, "ROWS", (300, 300))
    monkeypatch.setattr(count_windows, "MARGIN", 64)
    monkeypatch.setattr(count_windows, "RANGES", ((3, 6), (3, 6)))
    monkeypatch.setattr(count_windows, "RANGE", 50)
    monkeypatch.setattr(count_windows, "SLIDES", ((1, 5, 7), ()))
    monkeypatch.setattr(time_windows, "ROWS", (400, 400))
    monkeypatch.setattr(time_windows, "MINUTE", 100_000)
    monkeypatch.setattr(time_windows, "HOUR", 3)
    monkeypatch.setattr(time_windows, "MINUTES", ((2, 3), ()))
    monkeypatch.setattr(time_windows, "MILLISECONDS", ((10, 70, 100), ()))


# --- throughput -------------------------------------------------------------------


@pytest.mark.usefixtures("tiny")
def test_both_streams_have_all_algorithms_at_each_range():
    rows = tried(count_windows.BY_RANGE)

    for panel in ("DEBS12", "uniform"):
        assert rows.series(panel) == [*ALL, "recompute"]
        assert rows.xs(panel) == [8, 64]
    assert {row.facts["cores"] > 0 for row in rows.all} == {True}


@pytest.mark.usefixtures("tiny")
def test_slides_that_do_not_divide_the_range_are_measured_too():
    rows = tried(count_windows.BY_SLIDE)

    assert rows.xs("uniform") == [1, 5, 7]
    assert None not in judged(count_windows.BY_SLIDE, rows)[1:]


@pytest.mark.usefixtures("tiny")
def test_time_windows_have_a_panel_by_range_and_one_by_slide():
    rows = tried(time_windows.BY_TIME)

    assert rows.xs("by range") == [2, 3]
    assert rows.xs("by slide") == [10, 70, 100]
    who = {"two_stacks", "slick_deque", BY_LITE, "pba, by two_stacks_lite", "recompute"}
    assert (
        set(rows.series("by slide")) == who
    )  # no second thread where streams are short


@pytest.mark.usefixtures("tiny")
def test_recomputing_sits_out_nowhere():
    rows = tried(count_windows.BY_RANGE)

    assert rows.xs("uniform", "recompute") == rows.xs("uniform", "sba") == [8, 64]


@pytest.mark.usefixtures("tiny")
def test_an_algorithm_that_answers_wrongly_has_no_number(monkeypatch):
    monkeypatch.setitem(answers.FOLDS, "max", np.min)

    with pytest.raises(WrongAnswer, match="two_stacks: max of window 0"):
        tried(count_windows.BY_RANGE)


@pytest.mark.parametrize(("range_", "slide"), [(12, 1), (12, 3), (12, 5), (5, 5)])
@pytest.mark.parametrize("timed", [False, True])
def test_sliced_windows_are_those_of_the_rows(range_, slide, timed):
    values = np.random.default_rng(7).integers(0, 99, 80).astype(float)
    times = np.cumsum(np.random.default_rng(8).integers(0, 4, 80)) if timed else None
    over = cut_stream(values, times, range_, slide)
    at = np.arange(80) if times is None else times

    actual = sliced_contender(find("pba"), "max", over).call()

    expected = [
        values[(at >= begin) & (at < begin + range_)].max()
        for begin in over.frames.begins
    ]
    assert actual.tolist() == expected


@pytest.mark.parametrize("timed", [False, True])
def test_a_slow_contender_answers_the_first_windows_and_its_time_is_scaled(timed):
    values = np.arange(200.0)
    over = cut_stream(values, np.arange(200) if timed else None, 20, 4)

    few = slower_contender(find("recompute"), "max", over, 10)

    found = few.call()
    few.check(found)
    whole = sliced_contender(find("recompute"), "max", over).call()
    assert len(found) < len(whole)
    assert few.scale == len(whole) / len(found)
    assert found[:5].tolist() == whole[:5].tolist()


# --- claims on throughput ---------------------------------------------------------


def rates(panel, places, pba, sba, who="sba"):
    found = {"two_stacks": 2.0, "slick_deque": 1.0, who: sba, "pba": pba}
    return by_hand(panel, {k: dict.fromkeys(places, v) for k, v in found.items()})


@pytest.mark.parametrize(
    ("pba", "sba", "expected"),
    [(5.0, 3.0, [True, True, True, True]), (0.5, 0.7, [False, False, False, True])],
)
def test_ranges_are_judged_by_who_is_ahead(pba, sba, expected):
    rows = [
        row
        for panel in ("DEBS12", "uniform")
        for row in rates(panel, (8, 2**15, 2**20), pba, sba)
    ]

    assert judged(count_windows.BY_RANGE, RowSet(rows)) == expected


def test_throughput_that_falls_with_the_range_is_not_level():
    rows = by_hand("uniform", {"pba": {2**15: 10.0, 2**20: 2.0}})

    assert count_windows.BY_RANGE.claims[3].judge(RowSet(rows)).holds is False


@pytest.mark.parametrize(("last", "holds"), [(1.2, True), (9.0, False)])
def test_slides_are_judged_by_how_far_apart_algorithms_are(last, holds):
    rows = rates("uniform", (1,), 6.0, 3.0) + rates("uniform", (10,), last, 1.0)

    assert count_windows.BY_SLIDE.claims[1].judge(RowSet(rows)).holds is holds


def test_time_windows_are_judged_by_who_is_ahead():
    def timed(pba, lite):
        ranges = rates("by range", (6, 60), pba, lite, BY_LITE)
        return RowSet(ranges + rates("by slide", (10, 30), pba, lite, BY_LITE))

    assert judged(time_windows.BY_TIME, timed(5.0, 3.0)) == [True, True, None]
    assert judged(time_windows.BY_TIME, timed(2.5, 3.0)) == [False, False, None]


def test_no_claim_on_sba_is_judged_where_two_stacks_lite_runs():
    verdict = time_windows.BY_TIME.claims[2].judge(RowSet([]))

    assert verdict.holds is None
    assert f"two_stacks_lite runs in its place, in the figure as {BY_LITE!r}" in (
        verdict.why
    )


def test_one_core_says_nothing_of_a_second_thread():
    rows = rates("by range", (6,), 1.0, 3.0)
    rows = [dataclasses.replace(row, facts={"cores": 1}) for row in rows]

    verdict = time_windows.BY_TIME.claims[0].judge(RowSet(rows))

    assert verdict.holds is None
    assert "no core of its own" in verdict.why


def test_a_range_that_was_not_measured_is_not_judged():
    with pytest.raises(NotMeasured):
        judged(count_windows.BY_RANGE, RowSet(rates("uniform", (8, 64), 1.0, 1.0)))


# --- latency ----------------------------------------------------------------------


@pytest.fixture
def timed(monkeypatch):
    """Times without kernels: 40 counts, and a spike of so many every 500 windows."""
    spikes = {"two_stacks": 50, "slick_deque": 3, "two_stacks_lite": 40, "pba": 2}

    def events(name, aggregate, evict, width, count, rounds, *, clock):
        has_gaps = np.diff(clock(1_000)).max() > 1
        assert has_gaps == (aggregate == "moment_sketch")
        runs = np.full((rounds, count), 40)
        runs[:, ::500] += spikes[name] * width // 100
        runs[0, 7] += 10_000  # a pause of the machine: in one run only
        return runs

    monkeypatch.setattr(latency, "timed_events", events)
    monkeypatch.setattr(latency, "WINDOWS", (2_000, 2_000))


@pytest.mark.usefixtures("timed", "compiled_lane")
@pytest.mark.parametrize("experiment", [latency.MAX_LATENCY, latency.SKETCH_LATENCY])
def test_tables_have_seven_statistics_and_figures_the_windows(experiment):
    rows = RowSet([row for trial in experiment.trials(TINY) for row in trial.run(0.01)])

    table, figure, *_ = (panel.name for panel in experiment.panels)
    assert rows.series(table) == ["Min", "Max", "Avg", "Std", "LQ", "Med", "HQ"]
    assert rows.xs(table)[-2:] == ["two_stacks_lite", "pba"]
    assert len(rows.xs(figure)) == latency.BINS
    assert ("slick_deque" in rows.xs(table)) is (experiment is latency.MAX_LATENCY)


@pytest.mark.usefixtures("timed", "compiled_lane")
def test_pauses_of_the_machine_do_not_count():
    rows = latency._run("max", "8,192 rows", 2**13, TINY, 0.01)

    most = next(r.value for r in rows if (r.x, r.series) == ("pba", "Max"))
    assert most < 10_000 / 10  # counts of any clock we have are shorter than 10 ns


def statistics(pba_most, pba_mean, spike):
    """Rows of Table 2: TwoStacks' spike grows by `spike` from range to range."""
    found = []
    for number, name in enumerate(("8,192 rows", "16,384 rows")):
        stacks = 1_000.0 * spike**number
        most = {
            "two_stacks": stacks,
            "slick_deque": 90.0,
            "two_stacks_lite": 800.0,
            "pba": pba_most,
        }
        mean = {
            "two_stacks": 9.0,
            "slick_deque": 8.0,
            "two_stacks_lite": 4.0,
            "pba": pba_mean,
        }
        panel = f"{name}, summary"
        found += by_hand(panel, {"Max": most, "Avg": mean})
    return RowSet(found)


def test_latency_is_judged_by_longest_times_averages_and_growth():
    good = judged(latency.MAX_LATENCY, statistics(50.0, 5.0, 2.0))
    bad = judged(latency.MAX_LATENCY, statistics(700.0, 10.0, 1.0))

    assert good == [True, True, True, None]
    assert bad == [False, False, False, None]


def test_latency_that_was_not_measured_is_not_judged():
    with pytest.raises(NotMeasured):
        judged(latency.MAX_LATENCY, RowSet([]))
