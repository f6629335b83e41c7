"""PBA's Figure 8 on Spark: contenders agree, and claims can fail."""

import pytest

from windrow_bench.experiment import NotMeasured, Row, RowSet, Size
from windrow_bench.measure.spark import held, plug_turns
from windrow_bench.measure.turns import in_turns
from windrow_bench.pba import on_spark as card

TINY = Size("quick", 0.1, 1)


@pytest.fixture
def session(spark, monkeypatch):
    """The session of the tests is the one that is held, on any number of cores."""
    monkeypatch.setattr(held, "on", lambda cores=None: spark)
    return spark


def rows_of(found):
    return RowSet(
        Row(card.PANEL, x, series, value, value, value, 3)
        for x, by_series in found.items()
        for series, value in by_series.items()
    )


def test_plugs_have_84_keys_and_each_row_its_number(session):
    frame = held.framed(session, plug_turns.readings(20_000))

    assert frame.select("key").distinct().count() == 84
    assert frame.select("n").distinct().count() == 20_000


def test_three_ways_answer_alike_over_full_windows(session):
    found = plug_turns.contenders(20, 6_000, 2, card.OURS, card.SPARK, card.TREE)

    times, _ = in_turns(found, 1, 0.1)

    assert list(times) == [card.OURS, card.SPARK, card.TREE]


def test_the_card_names_the_algorithm_that_runs_inside_spark(session, monkeypatch):
    frame = held.framed(session, plug_turns.readings(6_000))
    monkeypatch.setattr(plug_turns.wr, "over", plug_turns.wr.explain)

    explained = str(plug_turns._ours(frame, card.LAST))

    (line,) = [one for one in explained.splitlines() if "algorithm" in one]
    assert line.split()[1].rstrip(":") == card.ALGORITHM == "sba"
    assert card.ALGORITHM in card.ON_SPARK.workload


def test_there_is_a_trial_for_each_number_of_cores_up_to_six(monkeypatch):
    monkeypatch.setattr(card, "usable_cores", lambda: 16)

    assert [trial.x for trial in card.trials(TINY)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("ours", "holds"),
    [
        ((2.0, 3.8), [True, True]),
        ((2.0, 2.1), [True, False]),
        ((0.5, 1.9), [False, True]),
    ],
)
def test_it_is_judged_who_is_ahead_and_whether_growth_is_linear(ours, holds):
    rows = rows_of(
        {
            1: {card.OURS: ours[0], card.SPARK: 1.0},
            2: {card.OURS: ours[1], card.SPARK: 1.9},
        }
    )

    found = [claim.judge(rows).holds for claim in card.ON_SPARK.claims[:2]]

    assert found == holds


def test_growth_is_not_judged_on_one_core():
    rows = rows_of({1: {card.OURS: 1.0, card.SPARK: 1.0}})

    with pytest.raises(NotMeasured):
        card.ON_SPARK.claims[1].judge(rows)


def test_a_cluster_cannot_be_judged_here():
    found = card.ON_SPARK.claims[2].judge(RowSet([]))

    assert found.holds is None
    assert "cluster" in found.why
