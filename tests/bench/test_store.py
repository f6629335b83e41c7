"""Results on disk: lines that are only ever added."""

import pytest

from handmade_experiments import TINY, experiment, keep, row
from windrow_bench.store import ResultStore


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path / "results", TINY)


def test_a_folder_without_results_has_none(store):
    assert store.measured() == set()
    assert store.machines() == {}


def test_a_trial_comes_back_as_it_was_kept(store):
    one = row("speed", 4, "fast", 2.5, first_call_s=0.25)

    keep(store, experiment("a"), rows=(one,), busy=True)

    (kept,) = store.trials(store.under).values()
    assert kept.rows == (one,)
    assert kept.busy
    assert kept.machine == store.machine
    assert kept.versions == store.versions


def test_the_last_line_of_a_trial_counts(store):
    keep(store, experiment("a"), rows=(row("speed", 1, "fast", 1.0),))
    keep(store, experiment("a"), rows=(row("speed", 1, "fast", 9.0),))

    (kept,) = store.trials(store.under).values()

    assert kept.rows[0].value == 9.0


def test_half_a_line_is_as_none_and_does_not_spoil_the_next(store):
    keep(store, experiment("a"))
    with store.path.open("a") as file:
        file.write('{"experiment": "b", "tri')
    keep(store, experiment("c"))

    actual = {name for name, _ in store.measured()}

    assert actual == {"a", "c"}


def test_a_failed_trial_is_not_done(store):
    keep(store, experiment("a"), rows=(), failed="WrongAnswer: 3, not 4")

    assert store.measured() == set()
    assert len(store.trials(store.under)) == 1


def test_another_machines_trial_is_not_taken_for_ours(store):
    keep(store, experiment("a"), under="elsewhere")

    assert store.measured() == set()


def test_another_machines_newer_trial_does_not_hide_ours(store):
    keep(store, experiment("a"))
    keep(store, experiment("a"), under="elsewhere")

    assert {name for name, _ in store.measured()} == {"a"}


def test_the_machine_that_measured_last_comes_last(store):
    for under in ("one", "two", "one"):
        keep(store, experiment("a"), under=under)

    assert list(store.machines()) == ["two", "one"]


def test_a_plan_is_written_once_and_no_trial(store):
    keep(store, experiment("a"))
    for keys in (
        ("speed | 1",),
        ("speed | 1", "speed | 2"),
        ("speed | 1", "speed | 2"),
    ):
        store.plan("a", keys)

    assert store.plans(store.under) == {"a": ("speed | 1", "speed | 2")}
    assert store.plans("elsewhere") == {}
    assert len(store.path.read_text().splitlines()) == 3
    assert store.measured() == {("a", "speed | 1")}


def test_other_versions_are_another_fingerprint(store, monkeypatch, tmp_path):
    monkeypatch.setattr("windrow_bench.store.versions", lambda: {"numba": "0.1"})

    other = ResultStore(tmp_path / "results", TINY)

    assert other.under != store.under
