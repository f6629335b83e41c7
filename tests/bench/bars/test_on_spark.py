"""The bars on Spark: both sides agree on few rows, and wrong answers are refused."""

import pytest

from windrow_bench.bars import on_streams
from windrow_bench.experiment import Size
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.spark import fewer, held, label_turns, span_turns, tick_turns
from windrow_bench.measure.turns import in_turns

TINY = Size("quick", 0.1, 1)


@pytest.fixture
def session(spark, monkeypatch):
    """The session of the tests is the one that is held, on any number of cores."""
    monkeypatch.setattr(held, "on", lambda cores=None: spark)
    return spark


@pytest.mark.deep  # whole jobs of Spark's own
def test_windows_that_spark_is_not_asked_for_are_added_up(session, monkeypatch):
    in_turns(tick_turns.alone(60, 2_000, 8), 1, 0.1)
    right = tick_turns.our_windows
    monkeypatch.setattr(
        tick_turns,
        "our_windows",
        lambda *given, **more: right(*given, **more).where("key != 3"),
    )

    with pytest.raises(WrongAnswer, match="60 s / 1 s, windrow: the sum of n"):
        in_turns(tick_turns.alone(60, 2_000, 8), 1, 0.1)


@pytest.mark.deep  # whole jobs of Spark's own
def test_rows_with_their_past_agree_three_times(session):
    times, _ = in_turns(tick_turns.over(4_000, (20,)), 1, 0.1)

    assert list(times) == ["windrow", "Spark", tick_turns.TREE, tick_turns.FLOOR]


@pytest.mark.parametrize(
    ("half", "whole", "scale"),
    [
        (1.0, 2.0, 8.0),
        (1.5, 2.0, 4.5),
        (2.0, 2.0, 1.0),
        (2.5, 2.0, 1.0),
        (0.5, 2.0, 8.0),
    ],
    ids=["linear", "half of it is there at any size", "none", "noise", "spilled"],
)
def test_a_scaled_time_never_speaks_against_the_rival(half, whole, scale):
    assert fewer.scale_of(half, whole, 8) == scale


@pytest.mark.deep  # whole jobs of Spark's own, many of them
@pytest.mark.parametrize(
    "enter",
    [
        lambda: tick_turns.windows(5, 1, 2_000, 4),
        lambda: tick_turns.windows(5, 1, 2_000, 4, 4, "whole"),
        lambda: tick_turns.many([2, 3, 5], 1, 1_000, 4, 2),
        lambda: tick_turns.median(1_000, 4, 20),
        lambda: span_turns.contenders(
            span_turns.intervals, 200, 900_000_000, 300_000_000, join=True
        ),
        lambda: span_turns.contenders(span_turns.calls, 300, 20_000_000, 1_000_000),
        lambda: label_turns.horizon(2_000, 200, "1 day", join=True),
        lambda: label_turns.ten(2_000, 200),
        lambda: label_turns.sketch("approx_distinct", 2_000, 4),
    ],
    ids=[
        "windows",
        "fewer",
        "many",
        "median",
        "spans",
        "calls",
        "horizon",
        "ten",
        "sketch",
    ],
)
def test_both_sides_agree(session, enter):
    times, _ = in_turns(enter(), 1, 0.1)

    assert len(times) >= 2


@pytest.mark.deep  # whole streams
@pytest.mark.parametrize("card", on_streams.EXPERIMENTS, ids=lambda card: card.name)
def test_streams_have_rows_for_their_panels(session, card):
    trial = card.trials(TINY)[0]

    assert {row.panel for row in trial.run(1.0)} <= {one.name for one in card.panels}
