"""A trial on Spark has time for its rounds, and says on how many rows it ran."""

from windrow_bench.experiment import FULL, QUICK
from windrow_bench.measure.on_spark import QUICK_ROUNDS, throughput_trial
from windrow_bench.measure.race import Contender


def contender(calls):
    return Contender("a", lambda: calls.append(1), lambda _: None)


def test_who_is_quick_gets_all_rounds_though_no_time_is_left():
    calls = []
    trial = throughput_trial("p", 1, lambda: [contender(calls)], 500, QUICK)

    [row] = trial.run(0.0)

    assert row.repeats == QUICK_ROUNDS
    assert len(calls) == QUICK_ROUNDS + 1  # and the warm-up


def test_rows_and_other_facts_are_kept_with_the_result():
    enter, facts = (lambda: [contender([])]), (lambda: {"data": "a file"})
    trial = throughput_trial("p", 1, enter, 500, FULL, facts)

    [row] = trial.run(0.0)

    assert row.repeats == FULL.rounds
    assert (row.facts["rows"], row.facts["data"]) == (500, "a file")
