"""Where claims stand, and whose results count."""

import pytest

from handmade_experiments import TINY, claim, experiment, keep, row, trial
from windrow_bench._claims import ahead, among, everywhere, from_, level
from windrow_bench._over_panels import always, steady
from windrow_bench.bars._bar import number, speed
from windrow_bench.experiment import Claim, NotMeasured, Trial, Verdict
from windrow_bench.findings import FINE, ZERO, gather
from windrow_bench.runner import run
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
        (raising(ZeroDivisionError("by zero")), "open", ZERO),
        (
            raising(ValueError("no numbers")),
            "open",
            "its numbers cannot be compared: no numbers",
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


def test_a_part_is_no_whole_where_its_library_is_gone(store):
    one = Claim("It is flat.", "flat", level("speed", ["fast"]))
    keep(store, experiment("a", trials=_places(1, 2)))
    gone = {"trials": _places(1, 2, 4), "needs": ("no_such_library",)}

    (judged,) = (
        gather([experiment("a", claims=(one,), **gone)], TINY, store).all[0].judged
    )

    assert judged.words == "held where measured (2 of 3)"


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


def _sides(panel, x, **values):
    return trial(panel, x, [row(panel, x, who, v) for who, v in values.items()])


def _judged(store, claims, planned, measured, **facts):
    """Claims about trials, of which those `measured` were kept."""
    keep(store, experiment("a", trials=lambda _: measured), **facts)
    card = experiment("a", claims=tuple(claims), trials=lambda _: planned)
    return gather([card], TINY, store, only_here=True).all[0].judged


@pytest.mark.parametrize(
    "judge",
    [
        ahead("speed", "a", ["b"]),
        always(["speed"], ["a"], ["b"]),
        steady(["speed"], "a"),
        number("", "speed", "a", least=1.0).judge,
        lambda rows: Verdict("", all(row.value for row in rows.all)),
    ],
    ids=["ahead", "always", "steady", "a bar", "rows read at large"],
)
@pytest.mark.parametrize("failed", [False, True])
def test_no_way_to_judge_calls_a_part_the_whole(store, judge, failed):
    planned = [_sides("speed", x, a=4.0, b=2.0) for x in (1, 2, 4)]
    if failed:
        keep(store, experiment("a", trials=lambda _: planned[2:]), rows=(), failed="!")

    [judged] = _judged(store, [Claim("", "", judge)], planned, planned[:2])

    assert judged.words == "held where measured (2 of 3)"
    assert judged.why == "not measured: speed | 4"


def test_a_claim_over_panels_speaks_of_all_of_them(store):
    planned = [_sides(panel, 1, a=4.0, b=2.0) for panel in ("short", "long")]
    both, one = (always(some, ["a"], ["b"]) for some in (["short", "long"], ["short"]))
    claims = [Claim("", "", judge) for judge in (both, one)]

    over, alone = _judged(store, claims, planned, planned[:1])

    assert over.words == "held where measured (1 of 2)"
    assert over.why == "not measured: long | 1"
    assert alone.words == "holds"


def test_a_rival_who_sat_out_was_not_measured_there(store):
    planned = [
        _sides("speed", 1, a=4.0, b=2.0, c=3.0),
        _sides("speed", 2, a=4.0, b=2.0),
    ]
    claims = [
        Claim("", "", ahead("speed", "a", ["b", "c"])),
        Claim("", "", always(["speed"], ["a"], ["b", "c"])),
        Claim("", "", ahead("speed", "a", ["b"])),
    ]

    *partly, whole = _judged(store, claims, planned, planned)

    assert {one.words for one in partly} == {"held where measured (1 of 2)"}
    assert {one.why for one in partly} == {"not measured: c at speed | 2"}
    assert whole.words == "holds"


def test_a_rival_who_is_in_no_panel_was_not_measured(store):
    planned = [_sides("speed", x, a=4.0, b=2.0) for x in (1, 2)]
    claims = [
        Claim("", "", ahead("speed", "a", ["b", "c"])),
        Claim("", "", always(["speed"], ["a"], ["b", "c"])),
        Claim("", "", always(["speed"], ["a", "c"], ["b"], each=True)),
        speed("", "speed", "a", ["b", "c"], 2.0, rate=True),
        Claim("", "", always(["speed"], ["a", "c"], ["b"])),  # the best of a and c
    ]

    *partly, whole = _judged(store, claims, planned, planned)

    why = "not measured: c at speed | 1, c at speed | 2"
    assert {one.words for one in partly} == {"held where measured (0 of 2)"}
    assert {one.why for one in partly} == {why}
    assert whole.words == "holds"


ELSEWHERE = "elsewhere"


def _gathered_elsewhere(store, measured, *, today, plan=None):
    """What is said here of trials that were measured on another machine."""
    keep(store, experiment("a", trials=measured), under=ELSEWHERE)
    if plan:
        store.under, here = ELSEWHERE, store.under
        store.plan("a", [one.key for one in plan(TINY)])
        store.under = here
    claims = (Claim("It is flat.", "flat", level("speed", ["fast"])),)
    card = experiment("a", claims=claims, trials=today)
    (found,) = gather([card], TINY, store).all
    return found


@pytest.mark.parametrize(
    ("plan", "today", "words", "why"),
    [
        ((1, 2, 4), (1, 2), "held where measured (2 of 3)", "not measured: speed | 4"),
        ((1, 2), (1, 2, 4), "holds", ""),
        (None, (1, 2, 4), "held where measured (2 of 3)", "not measured: speed | 4"),
        (None, (1,), "holds", ""),
    ],
    ids=["it planned more", "it planned these", "by today's code", "and what ran"],
)
def test_a_part_measured_elsewhere_is_no_whole_here(store, plan, today, words, why):
    found = _gathered_elsewhere(
        store, _places(1, 2), today=_places(*today), plan=plan and _places(*plan)
    )

    [judged] = found.judged

    assert (judged.words, judged.why) == (words, why)
    assert found.of == len(set(plan or (*today, 1, 2)))


def test_a_trial_that_the_plan_elsewhere_no_longer_had_does_not_count(store):
    found = _gathered_elsewhere(
        store, _places(1, 2, 7), today=_places(1, 2), plan=_places(1, 2)
    )

    assert [kept.trial for kept in found.kept] == ["speed | 1", "speed | 2"]
    assert found.judged[0].words == "holds"


def test_a_part_of_a_run_is_told_as_a_part_on_another_machine(store):
    """Stopped after one trial of two; then somebody else makes the report."""
    one = Claim("It is flat.", "flat", level("speed", ["fast"]))
    card = experiment("a", claims=(one,), trials=_stopping(1, 2))
    with pytest.raises(KeyboardInterrupt):
        run([card], TINY, store, lambda _: None)

    store.under = "another machine"
    shorter = experiment("a", claims=(one,), trials=_places(1))
    [judged] = gather([shorter], TINY, store).all[0].judged

    assert judged.words == "held where measured (1 of 2)"


def _stopping(*xs):
    *before, last = _places(*xs)(TINY)

    def stop(_):
        raise KeyboardInterrupt

    return lambda _: [*before, Trial(last.panel, last.x, stop)]


def test_places_named_by_a_claim_count_though_this_run_leaves_them_out(store):
    planned = [_sides("speed", x, a=4.0, b=2.0) for x in ("CM1", "SG1")]
    judge = ahead("speed", "a", ["b"], where=among("CM1", "SG1", "LRB1"))

    [judged] = _judged(store, [Claim("", "", judge)], planned, planned)

    assert judged.words == "held where measured (2 of 3)"
    assert judged.why == "not measured: speed | LRB1"


def test_rows_that_stand_elsewhere_than_their_trial_need_all_trials(store):
    planned = [trial(one, 1, [row("average", one, "a", 2.0)]) for one in ("sum", "min")]

    [judged] = _judged(
        store, [Claim("", "", level("average", ["a"]))], planned, planned[:1]
    )

    assert judged.words == "held where measured (1 of 2)"


@pytest.mark.parametrize("value", [2.0, 2.5])
@pytest.mark.parametrize("holds", [True, False])
def test_times_under_the_grain_of_the_clock_cannot_be_judged(store, value, holds):
    rows = [row("ns", 1, "a", value, grain=2.5), row("ns", 1, "b", 9.0)]
    mine, other = ("a", "b") if holds else ("b", "a")
    claims = [
        Claim("", "", ahead("ns", mine, [other], less=True)),
        Claim("", "", always(["ns"], [other], [mine])),
        Claim("It reads b alone.", "", level("ns", ["b"])),
    ]

    *fine, coarse = _judged(
        store, claims, [trial("ns", 1, rows)], [trial("ns", 1, rows)]
    )

    assert {(one.standing, one.why) for one in fine} == {("open", FINE)}
    assert coarse.standing == "holds"


@pytest.mark.parametrize(
    ("why", "tried", "said"),
    [
        ("", "", "not found out"),
        ("a guess", "", "not found out; supposed: a guess"),
        ("pauses", "none on rising values", "pauses; tried: none on rising values"),
        ("", "one thread: level", "tried: one thread: level"),
    ],
)
def test_a_claim_that_fails_has_a_cause_that_was_tried_or_none(store, why, tried, said):
    judge = ahead("speed", "b", ["a"])
    planned = [_sides("speed", 1, a=4.0, b=2.0)]

    [judged] = _judged(store, [Claim("", "", judge, why, tried)], planned, planned)

    assert (judged.standing, judged.why) == ("fails", said)
