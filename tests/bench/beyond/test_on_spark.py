"""Windrow's promises on Spark: both sides agree, and claims can fail."""

import pytest

from windrow_bench._claims import ahead, from_
from windrow_bench.beyond import spark_over, spark_spans, spark_stream, spark_windows
from windrow_bench.beyond._promised import for_rows
from windrow_bench.experiment import NotMeasured, Row, RowSet, Size
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.spark import call_turns, held, stream_turns, tick_turns
from windrow_bench.measure.spark.stream_load import StreamLoad
from windrow_bench.measure.turns import in_turns

TINY = Size("quick", 0.1, 1)
CARDS = (spark_windows.WINDOWS, spark_over.OVER, spark_stream.STREAM, spark_spans.SPANS)


@pytest.fixture
def session(spark, monkeypatch):
    """The session of the tests is the one that is held, on any number of cores."""
    monkeypatch.setattr(held, "on", lambda cores=None: spark)
    return spark


def rows_of(panel, found, ran=10_000_000):
    """Rows of a panel, from values by place and series, measured on so many rows."""
    return RowSet(
        Row(panel, x, series, value, value, value, 3, {"rows": ran})
        for x, by_series in found.items()
        for series, value in by_series.items()
    )


@pytest.mark.deep  # Spark folds each window again
def test_windows_of_both_sides_agree(session):
    times, _ = in_turns(tick_turns.windows(5, 1, 2_000, "a", "b"), 1, 0.1)

    assert list(times) == ["a", "b"]


def test_windows_that_spark_is_not_asked_for_are_added_up(session, monkeypatch):
    in_turns(tick_turns.alone(60, 1, 2_000, "a"), 1, 0.1)
    right = tick_turns.our_windows
    monkeypatch.setattr(
        tick_turns, "our_windows", lambda *given: right(*given).where("key != 3")
    )

    with pytest.raises(WrongAnswer, match="60 s / 1 s, a: the sum of n"):
        in_turns(tick_turns.alone(60, 1, 2_000, "a"), 1, 0.1)


def test_rows_with_their_past_agree_three_times(session):
    times, _ = in_turns(tick_turns.over(20, 4_000, "a", "b", "c"), 1, 0.1)

    assert list(times) == ["a", "b", "c"]


@pytest.mark.deep  # Spark copies each call into all its windows
def test_windows_over_calls_agree_with_copies_of_each_call(session):
    times, _ = in_turns(call_turns.contenders(20, 1, 300, "a", "b"), 1, 0.1)

    assert list(times) == ["a", "b"]


@pytest.mark.deep  # whole streams, on both sides
def test_windows_of_a_stream_agree(session):
    load = StreamLoad(rows=4_000, files=4, keys=8, seconds=40)

    found = stream_turns.throughputs("p", "x", load, (5, 1), "a", "b")

    assert [row.series for row in found] == ["a", "b"]
    assert all(row.low <= row.value <= row.high for row in found)


def test_trials_have_the_panels_and_places_of_the_claims():
    found = {card.name: [(t.panel, t.x) for t in card.trials(TINY)] for card in CARDS}

    assert found["beyond-spark-windows"] == [
        *((spark_windows.BESIDE, x) for x in spark_windows.ASKED),
        *((spark_windows.LONG, x) for x in spark_windows.RANGES),
    ]
    assert (spark_over.PANEL, spark_over.LAST) in found["beyond-spark-over"]
    assert (spark_spans.PANEL, spark_spans.LONG) in found["beyond-spark-spans"]
    assert [x for _, x in found["beyond-spark-stream"]] == list(spark_stream.CASES)


@pytest.mark.parametrize(
    ("minute", "five", "tumbling", "hour", "holds"),
    [
        (8.0, 60.0, 1.0, 2.0, [True] * 4),
        (5.0, 60.0, 1.0, 2.0, [False, True, True, True]),
        (8.0, 20.0, 0.5, 0.9, [True, False, False, False]),
    ],
)
def test_promises_of_windows_are_judged_apart(minute, five, tumbling, hour, holds):
    one = spark_windows
    beside = {one.MINUTE: minute, one.FIVE: five, one.TUMBLING: tumbling}
    rows = RowSet(
        [
            *rows_of(
                one.BESIDE,
                {x: {one.OURS: r, one.SPARK: 1.0} for x, r in beside.items()},
            ).all,
            *rows_of(one.LONG, {60: {one.OURS: 2.0}, 3_600: {one.OURS: hour}}).all,
        ]
    )

    assert [claim.judge(rows).holds for claim in one.WINDOWS.claims] == holds


@pytest.mark.parametrize(
    ("ours", "short", "holds"),
    [(12.0, 12.0, [True, True, True]), (6.0, 12.0, [False, False, False])],
)
def test_promises_of_rows_with_their_past_are_judged_at_long_frames(ours, short, holds):
    one = spark_over
    rows = rows_of(
        one.PANEL,
        {
            10: {one.OURS: short, one.SPARK: 50.0, one.TREE: 50.0},
            1_000: {one.OURS: ours, one.SPARK: 1.0, one.TREE: 7.0},
        },
    )

    assert [claim.judge(rows).holds for claim in one.OVER.claims] == holds


@pytest.mark.parametrize(
    ("many", "few", "holds"), [(16.0, 1.2, [True, True]), (3.0, 0.5, [False, False])]
)
def test_promises_of_streams_are_judged_by_keys(many, few, holds):
    one = spark_stream
    rows = rows_of(
        one.PANEL,
        {
            one.MANY: {one.OURS: many, one.SPARK: 1.0},
            one.FEW: {one.OURS: few, one.SPARK: 1.0},
        },
    )

    assert [claim.judge(rows).holds for claim in one.STREAM.claims] == holds


@pytest.mark.parametrize(("ratio", "holds"), [(11.0, True), (4.0, False)])
def test_promises_of_calls_are_judged_where_windows_are_long(ratio, holds):
    one = spark_spans
    short, long = {one.OURS: 1.0, one.SPARK: 1.0}, {one.OURS: ratio, one.SPARK: 1.0}
    rows = rows_of(one.PANEL, {60: short, one.LONG: long})

    assert [claim.judge(rows).holds for claim in one.SPANS.claims] == [holds]


@pytest.mark.parametrize(
    ("ran", "ratio", "holds"),
    [(400, 20.0, True), (400, 2.0, None), (4_000, 20.0, True), (4_000, 2.0, False)],
)
def test_a_promise_for_many_rows_is_not_broken_on_few(ran, ratio, holds):
    judge = for_rows(4_000, "p", ahead("p", "a", ["b"], times=10), "so it is")

    found = judge(rows_of("p", {1: {"a": ratio, "b": 1.0}}, ran))

    assert found.holds is holds
    assert bool(found.why) is not (holds is True)


def test_only_rows_of_the_place_that_is_judged_say_how_many_there_were():
    where = from_(2)
    judge = for_rows(
        4_000, "p", ahead("p", "a", ["b"], times=10, where=where), "so it is", where
    )
    few = rows_of("p", {1: {"a": 1.0, "b": 1.0}}, 10)
    many = rows_of("p", {2: {"a": 1.0, "b": 1.0}}, 4_000)

    assert judge(RowSet([*few.all, *many.all])).holds is False


def test_promises_without_rows_are_not_judged():
    for claim in (claim for card in CARDS for claim in card.claims):
        with pytest.raises(NotMeasured):
            claim.judge(RowSet([]))
