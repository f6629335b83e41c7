"""Events with a duration on Spark: against a join on overlap, and the engine itself.

events    |=======|   |==|              one row each, however long they last
windows   |----|----|----|----|         joined where they overlap
"""

from __future__ import annotations

import pytest
from answers import assert_same_rows
from lasting import events, joined
from watching import analysed, operators

import windrow as wr
from old_spark import FAILURES
from windrow.plan.tree import LEAST_OVERLAP

ODD = wr.sliding("17 minutes", every="5 minutes", span=("start", "end"))

CALLS = {
    "two parts": {"n": wr.count(), "total": wr.sum("v"), "most": wr.max("v"),
                  "mean": wr.mean("w"), "ties": wr.max_count("v")},
    "one part": {"most": wr.max("v")},
    "rows": {"n": wr.count(), "who": wr.arg_max("v", "id"), "ids": wr.collect("id")},
}  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return events()


@pytest.fixture(scope="module")
def frame(spark, table):
    return spark.createDataFrame(table).repartition(4).cache()


def test_the_answers_are_those_of_a_join_on_overlap(spark, frame):
    calls = {name: CALLS["two parts"][name] for name in ("n", "total", "most")}

    actual = wr.aggregate(frame, ODD, by="key", aggregates=calls)

    assert_same_rows(actual, joined(spark, frame, 17, 5))


@pytest.mark.parametrize(
    ("path", "by", "hot"),
    [
        ("two parts", "key", False),
        ("two parts", "key", True),
        ("two parts", None, False),
        ("one part", "key", False),
        ("one part", None, False),
        ("rows", "key", False),
        ("rows", "key", True),
    ],
)
def test_each_path_gives_what_the_engine_gives(frame, table, path, by, hot):
    actual = wr.aggregate(frame, ODD, by=by, aggregates=CALLS[path], hot=hot)
    expected = wr.aggregate(table, ODD, by=by, aggregates=CALLS[path])

    rows, same = actual.toArrow().to_pylist(), expected.to_pylist()
    if path == "rows":  # those that end at once stand in no order on Spark
        for row in (*rows, *same):
            row["ids"] = sorted(row["ids"])
            row.pop("who")
    assert_same_rows(rows, same)


def test_ties_order_what_ends_at_once(frame, table):
    span = ("start", "end")
    window = wr.sliding("17 minutes", every="5 minutes", span=span, ties="id")
    calls = {"ids": wr.collect("id"), "who": wr.arg_max("v", "id"), "f": wr.first("id")}

    actual = wr.aggregate(frame, window, by="key", aggregates=calls)

    assert_same_rows(actual, wr.aggregate(table, window, by="key", aggregates=calls))


def test_the_levels_fold_where_they_say(frame):
    for keys in (None, 3):
        found = {
            path: operators(
                wr.aggregate(frame, ODD, by="key", aggregates=calls, keys=keys)
            )
            for path, calls in CALLS.items()
        }

        assert found["two parts"].count("MapInArrow") == 2
        assert found["one part"].count("MapInArrow") == 2
        assert found["rows"].count("MapInArrow") == 1
        assert not any("HashAggregate" in one for one in found.values())


@pytest.mark.parametrize("by", ["key", None])
def test_slices_and_pieces_of_one_key_meet(spark, by):
    """A partition of many short events sends slices, one of few long ones pieces."""
    halves = spark.range(0, 8000, 1, 2).where("id < 4000 or id >= 7995")
    frame = halves.selectExpr(
        "'k' as key",
        "if(id < 4000, id % 500, (id - 7995) * 90) as start",
        "if(id < 4000, id % 500 + id % 7, (id - 7995) * 90 + 2000) as end",
        "id % 11 as v",
    )
    window = wr.sliding(35, every=10, span=("start", "end"))
    calls = {"n": wr.count(), "total": wr.sum("v"), "most": wr.max("v")}

    actual = wr.aggregate(frame, window, by=by, aggregates=calls)

    expected = wr.aggregate(frame.toArrow(), window, by=by, aggregates=calls)
    assert frame.rdd.getNumPartitions() == 2
    assert_same_rows(actual, expected.to_pylist())


@pytest.mark.parametrize(
    "algorithm",
    ["aggregate_buckets", pytest.param("se_ml_slicing", marks=pytest.mark.deep)],
)
def test_a_technique_asked_for_by_name_serves_on_spark(frame, table, algorithm):
    calls = CALLS["two parts"]

    actual = wr.aggregate(frame, ODD, by="key", aggregates=calls, algorithm=algorithm)

    assert_same_rows(
        actual, wr.aggregate(table, ODD, by="key", aggregates=calls).to_pylist()
    )


def test_no_event_is_exploded_into_slices(spark):
    """A hundred events of a year each, every minute: a row each until they meet."""
    frame = spark.range(100).selectExpr(
        "'k' as key",
        "timestamp_seconds(id * 7) as start",
        "timestamp_seconds(id * 7 + 31536000) as end",
    )
    window = wr.sliding("1 hour", every="1 minute", span=("start", "end"))

    plan = wr.aggregate(frame, window, by="key", n=wr.count())
    split = wr.aggregate(frame, window, by="key", n=wr.count(), hot=True)

    assert "Generate" not in operators(plan)
    chunk = LEAST_OVERLAP * 60
    per_event = 31536000 // chunk + 2
    assert "Generate" in operators(split)
    assert split.count() == plan.count() == 31536000 // 60 + 60 + 11
    assert per_event < 2100  # chunks, where slices would be half a million


def test_events_without_a_bound_are_left_out_in_one_step(frame):
    result = wr.aggregate(frame, ODD, by="key", aggregates=CALLS["two parts"])

    assert analysed(result).count("Filter") == 1


def test_an_event_that_ends_before_it_starts_is_told(spark):
    frame = spark.sql("select 9 as start, 4 as end, 'k' as key")
    window = wr.sliding(10, every=5, span=("start", "end"))
    for call in (wr.count(), wr.product("start"), wr.collect("start")):
        with pytest.raises(FAILURES, match="ends before it starts"):
            wr.aggregate(frame, window, by="key", r=call).collect()


def test_the_plan_says_how_events_travel(frame):
    def told(**calls):
        return str(wr.explain(frame, ODD, by="key", **calls))

    text = told(aggregates=CALLS["two parts"])
    assert "events last from start to end, in any order" in text
    assert "level 1    kernel: each task folds its events into slices of two" in text
    assert "pieces that cross the same slices: the fewer are sent" in text
    assert "technique  se_slicing or se_ml_slicing, as each task chooses" in text
    whole = told(n=wr.count())
    assert "technique  se_slicing, se_ml_slicing or starts_and_ends, as" in whole
    assert "events into slices, or pieces" in told(aggregates=CALLS["one part"])
    forced = told(n=wr.count(), algorithm="aggregate_buckets")
    assert "technique  aggregate_buckets: asked for by name" in forced
    assert "into pieces that cross the same slices, which any technique" in forced
    rows = told(who=wr.arg_max("v", "id"))
    assert "arg_max(v, id) sees events in the order of their ends" in rows
    assert "technique  se_slicing or selective_sweeping, as" in rows
    assert "technique  tuple_buckets, as" in told(ids=wr.collect("id"))
