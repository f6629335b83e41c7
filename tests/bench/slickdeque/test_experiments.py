"""SlickDeque's experiments on tiny sizes, and their claims both ways."""

import numpy as np
import pytest

from trying import by_hand, judged, tried
from windrow.loops import interpreting
from windrow_bench._sweep import Sweep
from windrow_bench.experiment import FULL, NotMeasured, RowSet
from windrow_bench.measure import answers, ticks
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.latency import COUNT, TIME, timed_events
from windrow_bench.slickdeque import _stream, latency, many_queries, single_query

SINGLE = (single_query.SINGLE_SUM, single_query.SINGLE_MAX)
MANY = (many_queries.MANY_SUM, many_queries.MANY_MAX)


@pytest.fixture
def _interpreted(monkeypatch):
    """What is tested is how we measure: kernels need no compiling for that."""
    monkeypatch.setattr(single_query, "FEW", 64)
    monkeypatch.setattr(single_query, "QUICK", Sweep((1, 4, 16), 60))
    monkeypatch.setattr(many_queries, "QUICK", Sweep((1, 4, 8), 64))
    for one in (single_query, many_queries, latency):
        monkeypatch.setattr(one, "unique_of", lambda size: 64)
    with interpreting():
        yield


@pytest.mark.usefixtures("_interpreted")
@pytest.mark.parametrize("experiment", SINGLE, ids=lambda one: one.name)
def test_a_query_has_all_contenders_at_each_window(experiment):
    rows = tried(experiment)

    expected = ["SlickDeque", *single_query.PEERS, "recompute"]
    assert rows.series("throughput") == expected
    assert rows.xs("throughput") == [1, 4, 16]


@pytest.mark.usefixtures("_interpreted")
@pytest.mark.parametrize("experiment", MANY, ids=lambda one: one.name)
def test_all_ranges_have_all_contenders(experiment):
    rows = tried(experiment)

    assert rows.series("throughput") == ["SlickDeque", *many_queries.PEERS]
    assert experiment.claims[0].judge(rows).holds is not None


@pytest.mark.usefixtures("_interpreted")
@pytest.mark.parametrize("experiment", [SINGLE[1], MANY[1]], ids=lambda one: one.name)
def test_a_wrong_answer_has_no_number(experiment, monkeypatch):
    monkeypatch.setitem(answers.FOLDS, "max", min)

    with pytest.raises(WrongAnswer, match="max of window"):
        tried(experiment)


def test_windows_that_memory_has_no_room_for_are_left_out(monkeypatch):
    monkeypatch.setattr(
        single_query, "fits", lambda taken: taken < 40e6 * single_query.BYTES
    )

    actual = [trial.x for trial in single_query.SINGLE_MAX.trials(FULL)]

    assert max(actual) == 2**24


def test_energies_come_again_and_again():
    actual = _stream.energies(25, 10)

    assert len(actual) == 25
    np.testing.assert_array_equal(actual[:10], actual[10:20])
    assert not actual.flags.writeable


def test_a_single_query_is_judged_by_the_second_best():
    def rows(mine, last):
        names = (*single_query.PEERS, "recompute")
        found = {one: {16: 10.0, 64: 10.0} for one in names}
        return RowSet(
            by_hand("throughput", {**found, "SlickDeque": {16: mine, 64: last}})
        )

    assert judged(single_query.SINGLE_SUM, rows(11.0, 11.0)) == [True, True]
    assert judged(single_query.SINGLE_SUM, rows(9.0, 4.0)) == [False, False]
    assert judged(single_query.SINGLE_MAX, rows(11.0, 9.0)) == [False]


@pytest.mark.parametrize(
    ("mine", "many", "expected"),
    [(11.0, 30.0, [True, True]), (9.0, 29.0, [False, False]), (11, 29, [True, False])],
)
def test_many_queries_are_judged_from_four_on_and_at_1_024(mine, many, expected):
    found = {one: {1: 10.0, 4: 10.0, 1_024: 10.0} for one in many_queries.PEERS}
    mine = {"SlickDeque": {1: 1.0, 4: mine, 1_024: many}}
    rows = by_hand("throughput", found | mine)

    assert judged(many_queries.MANY_MAX, RowSet(rows)) == expected


def test_queries_below_four_alone_are_not_judged():
    rows = RowSet(by_hand("throughput", {"SlickDeque": {1: 1.0}, "b_int": {1: 1.0}}))

    with pytest.raises(NotMeasured):
        judged(many_queries.MANY_SUM, rows)


@pytest.mark.usefixtures("compiled_lane")
def test_latency_has_a_box_for_each_contender(monkeypatch):
    monkeypatch.setattr(latency, "QUICK", Sweep((16,), 2_000))
    monkeypatch.setattr(latency, "PEERS", ("recompute",))
    monkeypatch.setattr(latency, "OWN", {"max": "slick_deque"})

    rows = tried(latency.EXP_3)

    assert rows.series("max") == ["SlickDeque", "recompute"]
    assert rows.xs("max") == ["least", "25 %", "median", "75 %", "most", "average"]
    values = [rows.value("max", x, "recompute") for x in rows.xs("max")[:5]]
    assert values == sorted(values)


@pytest.mark.usefixtures("compiled_lane")
@pytest.mark.parametrize("peer", ["b_int", "flat_fit"])
def test_peers_without_a_case_of_their_own_answer_one_event_at_a_time(
    peer, monkeypatch
):
    runs = timed_events(peer, "max", COUNT, 16, 300, 2)

    assert runs.shape == (2, 300)
    assert (runs > 0).all()
    monkeypatch.setitem(answers.FOLDS, "max", min)
    with pytest.raises(WrongAnswer, match=f"{peer}: the last max"):
        timed_events(peer, "max", COUNT, 16, 300, 1)


@pytest.mark.deep  # compiles a kernel of its own
@pytest.mark.usefixtures("compiled_lane")
def test_an_event_after_a_gap_evicts_all_that_went_meanwhile():
    """Else the last answer, which is checked, would hold what was before the gap."""
    clock = ticks.seconds(2_060)
    last = int(np.flatnonzero(np.diff(clock) > 1)[-1])  # the event after it is the last
    events = last + 2

    runs = timed_events(
        "daba_lite", "sum", TIME, 30, events - 60, 1, clock=ticks.seconds
    )

    assert runs.shape == (1, events - 60)


def test_the_highest_times_are_dropped_and_no_others():
    actual = latency.box(np.array([1.0] * 9_999 + [3.0] * 9_999 + [9.0, 9e9]), 2.5)

    assert actual["most"] == 9.0
    assert actual["least"] == 2.5  # the clock's grain
    assert actual["average"] == pytest.approx(2.0, rel=1e-2)


def test_latency_is_judged_at_every_quantile():
    def rows(most):
        boxes = {one: {"least": 2.0, "most": 9.0} for one in latency.PEERS}
        boxes["SlickDeque"] = {"least": 1.0, "most": most}
        return RowSet(by_hand("sum", boxes) + by_hand("max", boxes))

    assert judged(latency.EXP_3, rows(8.0)) == [True, True, True, True]
    assert judged(latency.EXP_3, rows(10.0)) == [False, False, False, False]
