"""Runs are made of trials: kept one by one, resumed, watched, and foretold."""

import os
import threading
from contextlib import contextmanager

import pytest

from handmade_experiments import TINY, experiment, keep, row, trial
from windrow_bench import runner
from windrow_bench._pace import PRIOR, Pace
from windrow_bench.experiment import Size, Trial
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.others import Watch
from windrow_bench.measure.pinning import on_cores
from windrow_bench.store import ResultStore


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path, TINY)


def counted(places, ran, *, breaks_at=None, error=KeyboardInterrupt):
    """An experiment whose trials note that they ran; one may break off."""

    def make(x):
        def run(_):
            ran.append(x)
            if x == breaks_at:
                raise error("no answer")
            return [row("speed", x, "fast", float(x))]

        return Trial("speed", x, run)

    return experiment("counted", trials=lambda _: [make(x) for x in places])


def quietly(step):
    pass


def test_a_run_that_was_interrupted_does_only_the_rest(store):
    ran = []
    with pytest.raises(KeyboardInterrupt):
        runner.run([counted((1, 2, 3), ran, breaks_at=2)], TINY, store, quietly)

    outcome = runner.run([counted((1, 2, 3), ran)], TINY, store, quietly)

    assert ran == [1, 2, 2, 3]
    assert (outcome.measured, outcome.found) == (2, 1)


def test_a_run_after_half_a_line_measures_that_trial_again(store):
    ran = []
    runner.run([counted((1, 2), ran)], TINY, store, quietly)
    whole = store.path.read_text()
    store.path.write_text(whole[: len(whole) - 40])

    runner.run([counted((1, 2), ran)], TINY, store, quietly)

    assert ran == [1, 2, 2]
    assert len(store.measured()) == 2


def test_another_machines_results_are_measured_anew(store):
    ran = []
    one = counted((1,), ran)
    keep(store, one, under="elsewhere")
    ran.clear()

    outcome = runner.run([one], TINY, store, quietly)

    assert ran == [1]
    assert outcome.found == 0


def test_again_measures_what_is_there(store):
    ran = []
    one = counted((1, 2), ran)

    runner.run([one], TINY, store, quietly)
    runner.run([one], TINY, store, quietly, again=True)

    assert ran == [1, 2, 1, 2]


@pytest.mark.parametrize("error", [WrongAnswer, MemoryError, RuntimeError])
def test_a_trial_that_fails_is_kept_with_its_reason_and_the_run_goes_on(store, error):
    ran = []
    one = counted((1, 2, 3), ran, breaks_at=2, error=error)

    outcome = runner.run([one], TINY, store, quietly)

    assert ran == [1, 2, 3]
    assert [kept.failed for kept in outcome.failed] == [f"{error.__name__}: no answer"]
    assert len(store.measured()) == 2


def test_experiments_whose_library_is_missing_are_left_out_and_named(store):
    ran = []
    lacking = experiment("lacking", needs=("no_such_library",))

    outcome = runner.run([lacking, counted((1,), ran)], TINY, store, quietly)

    assert outcome.missing == {"lacking": ["no_such_library"]}
    assert ran == [1]


@pytest.mark.parametrize(("others", "busy"), [(0.1, False), (0.9, True)])
def test_a_trial_beside_others_is_marked(store, monkeypatch, others, busy):
    @contextmanager
    def watched():
        yield Watch(others=others, load=3.5)

    monkeypatch.setattr(runner, "watched", watched)

    runner.run([counted((1,), [])], TINY, store, quietly)

    (kept,) = store.trials(store.under).values()
    assert (kept.busy, kept.others, kept.load) == (busy, others, 3.5)


def test_every_trial_is_told_and_then_the_end(store):
    steps = []

    runner.run([counted((1, 2), [])], TINY, store, steps.append)

    assert [(step.done, step.of) for step in steps] == [(0, 2), (1, 2), (2, 2)]
    assert steps[-1].trial is None
    assert steps[-1].left == 0.0


def test_the_first_guess_is_the_plan_of_all_that_is_to_do(store):
    steps = []
    size = Size("quick", 12.0, 2)
    short = experiment("short", share=0.5)
    long = counted((1, 2, 3, 4), [])
    keep(store, experiment("counted", trials=lambda _: [trial("speed", 1, [])]))

    runner.run([short, long], size, store, steps.append)

    assert steps[0].left == pytest.approx(12.0 * 0.5 + 12.0 * 3 / 4)


def test_seconds_not_used_go_to_the_trials_after(store):
    told = []

    def make(x):
        return Trial("speed", x, lambda seconds: told.append(seconds) or [])

    one = experiment("shared", trials=lambda _: [make(x) for x in range(4)])

    runner.run([one], Size("quick", 8.0, 2), store, quietly)

    assert told[0] == pytest.approx(2.0)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(8.0, rel=0.2)


def test_a_trial_that_took_too_long_leaves_half_a_share_to_the_others(
    store, monkeypatch
):
    told = []
    clock = iter(range(0, 1000, 50))  # every trial takes 50 seconds
    monkeypatch.setattr(runner.time, "perf_counter", lambda: next(clock))

    def make(x):
        return Trial("speed", x, lambda seconds: told.append(seconds) or [])

    one = experiment("slow", trials=lambda _: [make(x) for x in range(3)])
    monkeypatch.setattr(runner, "watched", _unwatched)

    runner.run([one], Size("quick", 12.0, 2), store, quietly)

    assert told == [4.0, 2.0, 2.0]


@contextmanager
def _unwatched():
    yield Watch()


def test_the_time_left_follows_how_the_run_has_gone():
    pace = Pace(100.0)

    pace.spend(planned=40.0, actual=90.0)

    assert pace.left == pytest.approx(60.0 * (90.0 + PRIOR) / (40.0 + PRIOR))


def test_the_time_left_is_never_less_than_none():
    pace = Pace(10.0)

    pace.spend(planned=25.0, actual=1.0)

    assert pace.left == 0.0


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="this system cannot pin threads"
)
def test_threads_that_were_there_before_are_moved_too_and_back():
    allowed = os.sched_getaffinity(0)
    born, over = threading.Event(), threading.Event()
    found = {}

    def live():
        found["id"] = threading.get_native_id()
        born.set()
        over.wait()

    thread = threading.Thread(target=live)
    thread.start()
    born.wait()
    try:
        with on_cores(1):
            within = os.sched_getaffinity(found["id"])
        after = os.sched_getaffinity(found["id"])
    finally:
        over.set()
        thread.join()

    assert within == {max(allowed)}
    assert after == allowed
