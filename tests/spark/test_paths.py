"""Which path was taken is read off Spark's plan and its tasks, not believed.

level 1     native      HashAggregate(partial_sum, ...) before the Exchange
            kernel      MapInArrow before it
            rows        neither: rows are shuffled as they are
split       none        one task gets all panes of a key
            overlap     a task a chunk of time, sash: two levels of tasks
"""

from __future__ import annotations

import pytest
from watching import analysed, jobs, operators, plan_of, tasks_since

import windrow as wr
from windrow.spark import aggregate

SHORT = wr.sliding("60 seconds", every="1 second", on="at")
LONG = wr.sliding("2 hours", every="1 second", on="at")  # 7,200 slides: past overlap
PATHS = {
    "native": {"total": wr.sum("v"), "most": wr.max("v"), "n": wr.count()},
    "kernel": {"product": wr.product("v"), "n": wr.count()},
    "rows": {"all": wr.collect("v")},
}
MINE = wr.Aggregate(
    name="mine",
    identity=0,
    lift=lambda value: value % 7,
    combine=lambda older, newer: older + newer,
    lower=lambda partial: partial,
    laws="commutative",
)


@pytest.fixture
def frame(spark):
    """Twenty thousand seconds of one key, from eight files' worth of tasks."""
    return spark.range(0, 20_000, 1, 8).selectExpr(
        "'k' as k", "timestamp_seconds(id) as at", "id % 101 as v"
    )


def before_the_shuffle(result):
    """Operators between the source and the Exchange next to it."""
    found = operators(result)
    last = len(found) - 1 - found[::-1].index("Exchange")
    return found[last + 1 :]


def test_native_partials_are_folded_by_catalyst_before_the_shuffle(frame):
    result = wr.aggregate(frame, SHORT, by="k", aggregates=PATHS["native"])

    assert "HashAggregate" in before_the_shuffle(result)
    assert "MapInArrow" not in before_the_shuffle(result)
    assert "partial_sum" in plan_of(result)
    assert "partial_max" in plan_of(result)


@pytest.mark.parametrize("call", [wr.product("v"), MINE("v")], ids=["product", "own"])
def test_partials_catalyst_lacks_are_folded_by_the_kernel_before_the_shuffle(
    frame, call
):
    result = wr.aggregate(frame, SHORT, by="k", r=call)

    assert "MapInArrow" in before_the_shuffle(result)
    assert "HashAggregate" not in operators(result)


@pytest.mark.parametrize("window", [SHORT, wr.rows(5, on="at")], ids=str)
def test_where_rows_are_needed_they_are_shuffled_as_they_are(frame, window):
    call = wr.collect("v") if window is SHORT else wr.sum("v")

    result = wr.aggregate(frame, window, by="k", r=call)

    assert "MapInArrow" not in before_the_shuffle(result)
    assert "HashAggregate" not in operators(result)


def test_windows_that_hold_the_same_rows_leave_python_as_one_row(spark, monkeypatch):
    sparse = spark.range(0, 300).selectExpr(
        "id % 3 as k", "timestamp_seconds(id * 10) as at", "id % 7 as v"
    )
    sent = []
    repeat = aggregate.repeat_windows
    monkeypatch.setattr(
        aggregate, "repeat_windows", lambda *some: sent.append(some[0]) or repeat(*some)
    )

    result = wr.aggregate(sparse, SHORT, by="k", aggregates=PATHS["native"])
    text = str(wr.explain(sparse, SHORT, by="k", aggregates=PATHS["native"]))

    assert "the same slices are one row" in text
    assert analysed(result)[:3] == ["Project", "Project", "Generate"]
    # a row every 30 slides: two stretches for each, of 30 windows together
    assert sent[0].count() == 3 * 101
    assert result.count() == 3 * (99 * 30 + 60)


@pytest.mark.parametrize(
    "window",
    [wr.sliding("7 seconds", every="1 second", on="at"), LONG],
    ids=["few windows of a row", "sashes"],
)
def test_other_windows_are_a_row_each(frame, window):
    result = wr.aggregate(frame, window, by="k", hot=True, aggregates=PATHS["kernel"])
    text = str(wr.explain(frame, window, by="k", hot=True, aggregates=PATHS["kernel"]))

    assert "the same slices are one row" not in text
    found = operators(result)
    assert found[found.index("MapInArrow") - 1] == "Project"


@pytest.mark.parametrize("path", PATHS)
def test_explain_names_level_one_and_why(frame, path):
    text = str(wr.explain(frame, SHORT, by="k", aggregates=PATHS[path]))

    assert f"level 1    {path}: " in text


@pytest.mark.parametrize(
    ("window", "how", "split"),
    [
        (SHORT, {"by": "k"}, "none"),
        (SHORT, {"by": "k", "keys": 1_000_000}, "none"),
        (SHORT, {"by": "k", "keys": 2}, "overlap"),
        (SHORT, {"by": "k", "hot": True}, "overlap"),
        (SHORT, {}, "overlap"),
        (LONG, {"by": "k"}, "none"),
        (LONG, {"by": "k", "hot": True}, "sash"),
        (LONG, {}, "sash"),
    ],
    ids=str,
)
def test_explain_names_the_split_in_lightsabers_notation(frame, window, how, split):
    text = str(wr.explain(frame, window, **how, aggregates=PATHS["native"]))

    word = "P→Pane, I→Sash, P→Window" if split == "sash" else "P→Pane, I→Window"
    assert word in text
    assert f"level 3    {split}: " in text


def test_explain_says_what_a_hint_would_change(frame):
    text = str(wr.explain(frame, SHORT, by="k", aggregates=PATHS["native"]))

    assert "hot=True" in text
    assert "keys=" in text


@pytest.mark.parametrize("path", PATHS)
def test_explain_gives_the_partial_columns_and_the_algorithm(frame, path):
    text = str(wr.explain(frame, SHORT, by="k", aggregates=PATHS[path]))

    assert "slicer" in text
    if path != "rows":
        assert "partial" in text
        assert "algorithm" in text


def largest_share(spark, settings_of, result, least=1):
    """The largest part of a shuffle's rows that one task got, over all shuffles.

    Only shuffles of at least so many rows are looked at.
    """
    before = jobs(spark)
    with settings_of(
        {
            "spark.sql.adaptive.coalescePartitions.enabled": "false",
            "spark.sql.shuffle.partitions": "8",
        }
    ):
        result.write.format("noop").mode("overwrite").save()
    rows = {}
    for task in tasks_since(spark, before):
        rows.setdefault(task.stage, []).append(task.read + task.shuffled)
    return max(
        max(stage) / sum(stage) for stage in rows.values() if sum(stage) >= least
    )


@pytest.mark.parametrize(
    ("path", "window", "how"),
    [
        pytest.param("native", SHORT, "hot", id="native, overlap, hot"),
        pytest.param("native", LONG, "no key", id="native, sash, no key"),
        pytest.param("kernel", SHORT, "no key", id="kernel, overlap, no key"),
        pytest.param("rows", SHORT, "hot", id="rows, overlap, hot"),
        *(
            pytest.param(*case, marks=pytest.mark.deep)
            for case in [
                ("native", SHORT, "no key"),
                ("native", LONG, "hot"),
                ("kernel", SHORT, "hot"),
                ("rows", SHORT, "no key"),
            ]
        ),
    ],
)
def test_no_task_gets_more_than_a_fraction_of_one_hot_key(
    spark, settings_of, frame, path, how, window
):
    hints = {"by": "k", "hot": True} if how == "hot" else {}
    result = wr.aggregate(frame, window, aggregates=PATHS[path], **hints)

    share = largest_share(spark, settings_of, result)

    # 20 chunks or more fall on eight tasks by hash
    assert share < 0.45


def test_without_a_hint_a_key_meets_in_one_task(spark, settings_of, frame):
    result = wr.aggregate(frame, SHORT, by="k", aggregates=PATHS["native"])

    share = largest_share(spark, settings_of, result)

    # the hint is what splits it: without this the test above would prove nothing
    assert share == 1.0


def test_count_windows_without_a_key_are_spread_over_tasks(spark, settings_of, frame):
    result = wr.aggregate(frame, wr.rows(100, on="at"), aggregates=PATHS["native"])

    # the layout of the blocks is one task, over at most 4,097 counts
    share = largest_share(spark, settings_of, result, least=20_000)

    assert share < 0.45


def test_labels_without_a_key_are_spread_over_tasks(spark, settings_of, frame):
    labels = frame.selectExpr("at as asked").where("second(asked) = 7")
    calls = {"n": wr.count(last="5 minutes"), "ever": wr.sum("v")}
    hot = wr.as_of(labels, frame, at="asked", on="at", hot=500, aggregates=calls)

    # the panes of chunks meet in one task, a few numbers each; rows of events do not
    share = largest_share(spark, settings_of, hot, least=20_000)

    assert share < 0.45
