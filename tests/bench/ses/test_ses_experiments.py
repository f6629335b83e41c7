"""The experiments on events with a duration: on a few of them, and claims by hand."""

import contextlib

import numpy as np
import pytest

from windrow.loops import interpreting
from windrow_bench.experiment import NotMeasured, Row, RowSet, Size
from windrow_bench.measure.race import Contender
from windrow_bench.measure.resources import CPU, MEMORY, named, resource_rows
from windrow_bench.measure.spanning import SpanSetting
from windrow_bench.ses import EXPERIMENTS, _figure, best_technique, calls
from windrow_bench.ses import event_size as by_event
from windrow_bench.ses import window_size as by_window
from windrow_bench.ses._figure import BUCKETS, SLICES, SWEEPING, TUPLES, tall

TINY = Size("quick", 0.05, 1)
BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}


def a_hundredth(*lengths):
    return SpanSetting(*(max(one // 100, 1) for one in lengths))


@pytest.fixture(autouse=True)
def _a_few(monkeypatch):
    """Few short events, interpreted: what is tested is how we measure."""
    monkeypatch.setattr(_figure, "QUICK_EVENTS", 6)
    monkeypatch.setattr(calls, "QUICK_CALLS", 6)
    for module in (best_technique, by_event, by_window):
        monkeypatch.setattr(module, "SpanSetting", a_hundredth)
    with interpreting():
        yield


SHORT = ("ses-figure-10", "ses-figure-14")  # of each kind one; the others are alike


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in SHORT else pytest.mark.deep)
        for name in BY_NAME
    ],
)
def test_an_experiment_gives_the_rows_that_its_panels_and_claims_ask_for(name):
    experiment = BY_NAME[name]

    trials = experiment.trials(TINY)
    rows = RowSet(row for trial in trials for row in trial.run(0.01))

    assert {row.panel for row in rows.all} == {one.name for one in experiment.panels}
    assert len({trial.key for trial in trials}) == len(trials)
    assert all(np.isfinite(row.value) and row.value > 0 for row in rows.all)
    for claim in experiment.claims:
        assert claim.judge(rows).ours


@pytest.mark.parametrize("name", BY_NAME)
def test_a_full_run_has_every_place_of_a_quick_one(name):
    quick = {trial.key for trial in BY_NAME[name].trials(TINY)}
    full = {trial.key for trial in BY_NAME[name].trials(Size("full", 1.0, 1))}

    assert quick <= full


@pytest.mark.parametrize("name", BY_NAME)
def test_claims_about_nothing_cannot_be_judged(name):
    for claim in BY_NAME[name].claims:
        with pytest.raises((NotMeasured, LookupError)):
            claim.judge(RowSet([]))


def judged(experiment, rows):
    """Whether those claims hold that rows of these panels decide."""
    found = []
    for claim in experiment.claims:
        with contextlib.suppress(NotMeasured):
            found.append(claim.judge(RowSet(rows)).holds)
    return found


def verdicts(experiment, value):
    """Whether claims hold where `value(panel, x, series, y)` is what was measured."""
    rows = []
    for trial in experiment.trials(Size("full", 1.0, 1)):
        for y in best_technique.OVERLAPS if trial.panel == best_technique.MAP else (0,):
            for name in SERIES[experiment.name]:
                rate = value(trial.panel, trial.x, name, y)
                rows.append(
                    Row(trial.panel, trial.x, name, rate, rate, rate, 1, {"y": y})
                )
    return judged(experiment, rows)


def resource_verdicts(experiment, taken):
    """The same for processor and memory, by what each technique takes of both."""
    rows = [
        Row(named(trial.panel, what), trial.x, name, cost, cost, cost, 1)
        for trial in experiment.trials(Size("full", 1.0, 1))
        for what in (CPU, MEMORY)
        for name in SERIES[experiment.name]
        for cost in [taken.get(name, taken[TALLER])]
    ]
    return judged(experiment, rows)


TALLER = "levels"
THRIFTY = {SLICES: 1.0, BUCKETS: 1.2, SWEEPING: 1.5, TUPLES: 3.0, TALLER: 1.1}
GREEDY = {SLICES: 2.0, BUCKETS: 1.2, SWEEPING: 1.5, TUPLES: 1.0, TALLER: 1.1}


@pytest.mark.parametrize(
    ("name", "thrifty", "greedy"),
    [
        ("ses-figure-10", [True] * 4, [False, False, False, True]),
        ("ses-figure-11", [False, True], [True, False]),
        ("ses-figure-14", [True] * 6, [False] * 6),
    ],
)
def test_processor_and_memory_are_judged_by_what_slices_take(name, thrifty, greedy):
    experiment = BY_NAME[name]

    assert resource_verdicts(experiment, THRIFTY) == thrifty
    assert resource_verdicts(experiment, GREEDY) == greedy


def test_memory_that_is_held_while_a_call_runs_is_seen():
    def hold(megabytes):
        return lambda: np.ones(megabytes << 17)

    calls_ = [Contender(str(mb), hold(mb), print, scale=2.0) for mb in (1, 64)]

    rows = RowSet(resource_rows("p", 1, calls_, 2.0))  # one piece of work each

    assert rows.value("p, memory", 1, "64") == pytest.approx(64 << 20, rel=0.1)
    assert rows.value("p, memory", 1, "1") < 8 << 20
    assert rows.value("p, CPU", 1, "64") > 0


PLAIN = (TUPLES, BUCKETS, SWEEPING, SLICES)
SERIES = {
    "ses-figure-10": PLAIN,
    "ses-figure-11": (SWEEPING, SLICES, *tall(by_event.HEIGHTS)),
    "ses-figure-12": PLAIN,
    "ses-figure-13": (SWEEPING, SLICES, *tall(by_window.HEIGHTS)),
    "ses-figure-14": (*PLAIN, *tall(calls.HEIGHTS)),
    "ses-figure-15": (*PLAIN, best_technique.LEVELS),
}


def height(name):
    """Levels of a series, 1 for plain slices."""
    return int(name.split()[1]) if name.startswith("se_ml") else 1


def test_figure_10_holds_as_the_paper_tells_it_and_not_the_other_way_round():
    def told(panel, x, name, _):
        if name == SWEEPING:
            return 1.0
        range_ = float(panel.removeprefix("range ").replace(",", ""))
        return 2.0 + range_ / x if name == SLICES else 1.5 - x / 10_000

    def against(panel, x, name, y):
        return x if name == SWEEPING else x * x / told(panel, x, name, y)

    assert verdicts(BY_NAME["ses-figure-10"], told) == [True] * 5
    assert verdicts(BY_NAME["ses-figure-10"], against) == [False] * 5


def test_figure_11_holds_as_the_paper_tells_it_and_not_the_other_way_round():
    def told(_, x, name, _y):
        return 5.0 if name == SWEEPING else 1.0 + height(name) * x if x < 5_000 else (
            1.0 + height(name) ** 2 * x)  # fmt: skip

    def against(_, x, name, _y):
        return 5.0 if name == SWEEPING else 4.0 / height(name) / x

    behind = verdicts(BY_NAME["ses-figure-11"], against)
    assert verdicts(BY_NAME["ses-figure-11"], told) == [True, None, True, True]
    assert behind == [False, False, False, False]


def test_levels_take_over_where_slices_fall_behind_sweeping():
    def told(_, x, name, _y):
        return 5.0 if name == SWEEPING else 6.0 if height(name) > 1 else 4.0

    assert verdicts(BY_NAME["ses-figure-11"], told)[1]


def steps_of(panel):
    return float(panel.rpartition(" ")[2])


def test_figure_12_holds_as_the_paper_tells_it_and_not_the_other_way_round():
    def told(panel, x, name, _):
        long, steps = "5,000" in panel, steps_of(panel)
        if name == SWEEPING:
            return 100.0
        if name == SLICES:
            even = 1.0 if steps == int(steps) else 0.8
            return even * (x / 100 if long and x <= 5_000 else 200 + x)
        return 10.0 / steps

    def against(panel, x, name, y):
        return 1.0 / told(panel, x, name, y)

    assert verdicts(BY_NAME["ses-figure-12"], told) == [True] * 6
    assert verdicts(BY_NAME["ses-figure-12"], against) == [False] * 6


def test_figure_13_holds_as_the_paper_tells_it_and_not_the_other_way_round():
    def told(panel, _, name, _y):
        best = 15 if "5,000" in panel else 7
        return 1.0 if name == SWEEPING else (
            3.0 if height(name) == 1 else 30.0 - abs(best - height(name)))  # fmt: skip

    def against(panel, _, name, _y):
        best = 2 if "5,000" in panel else 15
        return 90.0 if name == SWEEPING else (
            50.0 if height(name) == 1 else 30.0 - abs(best - height(name)))  # fmt: skip

    assert verdicts(BY_NAME["ses-figure-13"], told) == [True] * 5
    assert verdicts(BY_NAME["ses-figure-13"], against) == [False] * 5


def test_figure_14_holds_as_the_paper_tells_it_and_not_the_other_way_round():
    rates = {TUPLES: 1.0, BUCKETS: 1.3, SWEEPING: 1.1, SLICES: 1.5}

    def told(_, x, name, _y):
        return rates.get(name, 2.0 if x < 5 else 1.4)

    def against(_, x, name, _y):
        return 1.4 if name in rates else 1.2 if x < 5 else 1.6

    assert verdicts(BY_NAME["ses-figure-14"], told) == [True] * 6
    assert verdicts(BY_NAME["ses-figure-14"], against) == [False] * 6


def test_figure_15_holds_as_the_paper_tells_it_and_not_the_other_way_round():
    def told(_, x, name, steps):
        rates = {
            TUPLES: 0.5,
            BUCKETS: 1.0,
            SWEEPING: 9.0,
            SLICES: 10.0 * steps,
            best_technique.LEVELS: (20.0 if x < 1 else 9.0) * steps,
        }
        return 30.0 * steps if name == SWEEPING and x < 0.5 else rates[name]

    def against(_, x, name, steps):
        rates = {
            TUPLES: 8.0,
            BUCKETS: 2.0 * steps,
            SWEEPING: x * 0.1,
            SLICES: 3.0,
            best_technique.LEVELS: 2.0 if x < 1 else 4.0,
        }
        return rates[name]

    assert verdicts(BY_NAME["ses-figure-15"], told) == [True] * 6
    assert verdicts(BY_NAME["ses-figure-15"], against) == [False] * 6


def test_levels_that_the_planner_never_asks_for_are_not_judged():
    rows = [
        Row(best_technique.MAP, x, name, 1.0, 1.0, 1.0, 1, {"y": 500})
        for x in (0.2, 50.0)
        for name in SERIES["ses-figure-15"]
    ]

    *_, last = BY_NAME["ses-figure-15"].claims
    assert last.judge(RowSet(rows)).holds is None


def test_calls_are_in_the_order_of_their_ends_and_last_16_seconds_on_average():
    made, lengths = calls.calls(20_000, 0)

    assert (np.diff(made.lasts) >= 0).all()
    assert 12 < (made.lasts + 1 - made.starts).mean() / calls.SECOND < 20
    assert (lengths == (made.lasts + 1 - made.starts) // 1_000).all()
