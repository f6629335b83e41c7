"""Where claims stand, and whose results count."""

import pytest

from handmade_experiments import TINY, claim, experiment, keep, row, trial
from windrow_bench._claims import everywhere, from_, level
from windrow_bench.experiment import Claim, NotMeasured, Verdict
from windrow_bench.findings import gather
from windrow_bench.store import ResultStore


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path, TINY)


def raising(error):
    def judge(_):
        raise error

    return Claim("It raises.", "nothing", judge)


@pytest.mark.parametrize(
    ("one", "standing", "why"),
    [
        (claim(True), "holds", ""),
        (claim(False), "fails", ""),
        (claim(None, why="it needs 16 cores"), "open", "it needs 16 cores"),
        (raising(NotMeasured("daba was not")), "open", "daba was not"),
        (
            raising(ZeroDivisionError("by zero")),
            "open",
            "its numbers cannot be compared: by zero",
        ),
    ],
)
def test_a_measured_claim_stands_where_its_judge_puts_it(store, one, standing, why):
    card = experiment("a", claims=(one,))
    keep(store, card)

    (judged,) = gather([card], TINY, store).all[0].judged

    assert (judged.standing, judged.verdict.why) == (standing, why)


def test_a_claim_of_what_was_not_measured_is_unmeasured(store):
    card = experiment("a", claims=(claim(True),))

    (judged,) = gather([card], TINY, store).all[0].judged

    assert judged.standing == "unmeasured"


def test_a_claim_that_needs_a_missing_library_cannot_be_judged(store):
    card = experiment("a", claims=(claim(True),), needs=("no_such_library",))

    (judged,) = gather([card], TINY, store).all[0].judged

    assert judged.standing == "open"
    assert "no_such_library" in judged.verdict.why


def test_a_claim_of_trials_that_all_failed_cannot_be_judged(store):
    card = experiment("a", claims=(claim(True),))
    keep(store, card, rows=(), failed="WrongAnswer: no")

    (judged,) = gather([card], TINY, store).all[0].judged

    assert (judged.standing, judged.verdict.why) == ("open", "every trial failed")


def test_only_the_newest_machines_results_count(store):
    card = experiment("a")
    keep(store, card, rows=(row("speed", 1, "fast", 1.0),))
    keep(store, experiment("b"), under="elsewhere")

    found = gather([card, experiment("b")], TINY, store)

    assert [one.measured for one in found.all] == [False, True]
    assert [kept.under for kept in found.left_out] == [store.under]


def test_after_a_run_only_this_machines_results_count(store):
    keep(store, experiment("a"))
    keep(store, experiment("b"), under="elsewhere")

    found = gather([experiment("a"), experiment("b")], TINY, store, only_here=True)

    assert [one.measured for one in found.all] == [True, False]


def test_trials_that_the_card_no_longer_has_do_not_count(store):
    keep(store, experiment("a", trials=lambda _: [trial("speed", 7, [])]))
    keep(store, experiment("a"))

    (found,) = gather([experiment("a")], TINY, store).all

    assert [kept.trial for kept in found.kept] == ["speed | 1"]
    assert found.of == 1


def _places(*xs):
    return lambda _: [trial("speed", x, [row("speed", x, "fast", 2.0)]) for x in xs]


@pytest.mark.parametrize(
    ("where", "words", "why"),
    [
        (everywhere, "held where measured (2 of 3)", "not measured: speed | 4"),
        (from_(0, 2), "holds", ""),
    ],
)
def test_a_claim_that_was_measured_in_part_holds_only_there(store, where, words, why):
    one = Claim("It is flat.", "flat", level("speed", ["fast"], where=where))
    keep(store, experiment("a", trials=_places(1, 2)))
    card = experiment("a", claims=(one,), trials=_places(1, 2, 4))

    (judged,) = gather([card], TINY, store, only_here=True).all[0].judged

    assert (judged.words, judged.verdict.why) == (words, why)


def test_a_place_that_failed_was_not_measured(store):
    one = Claim("It is flat.", "flat", level("speed", ["fast"]))
    card = experiment("a", claims=(one,), trials=_places(1, 2))
    keep(store, experiment("a", trials=_places(1)))
    keep(store, experiment("a", trials=_places(2)), rows=(), failed="MemoryError")

    (judged,) = gather([card], TINY, store).all[0].judged

    assert judged.standing == "partly"


def test_a_claim_about_one_place_does_not_speak_of_others(store):
    def judge(rows):
        return Verdict("2", rows.value("speed", 1, "fast") > 1)

    card = experiment("a", claims=(Claim("", "", judge),), trials=_places(1, 2))
    keep(store, experiment("a", trials=_places(1)))

    (judged,) = gather([card], TINY, store).all[0].judged

    assert judged.standing == "holds"
