"""Windows that Catalyst computes alone: no Python in the plan, and the same answers.

tumbling    a row is in one window: groupBy(keys, window)
few         a row is in up to COPIES windows: copies, then the same
events      range / slide up to SPAN_COPIES: a copy in each window that an event is in

Answers are compared with those of the engine in this process, and with those of the
tasks that Catalyst spares: the path of a query that it cannot compute alone.
"""

from __future__ import annotations

import datetime as dt
import math
import random
from decimal import Decimal

import pyarrow as pa
import pytest
from answers import assert_same_rows
from lasting import events, joined
from pyspark.sql import functions as F
from typed import TYPES, calls_over, frame_of, table_of
from watching import analysed, calls_to_jvm, operators

import windrow as wr
from covering import covering
from old_spark import FAILURES
from windrow.plan import plan_aggregate, tree
from windrow.plan.catalyst import COPIES, SPAN_COPIES, result_sql

WINDOWS = {
    "tumbling": wr.sliding("9 seconds", offset="2 seconds", on="at"),
    "few": wr.sliding("30 seconds", every="7 seconds", offset="2 seconds", on="at"),
    "most": wr.sliding(f"{COPIES} seconds", every="1 second", on="at"),
}
SIMPLE = {"n": wr.count("v"), "total": wr.sum("v"), "mean": wr.mean("v"),
          "most": wr.max("v")}  # fmt: skip


def native_calls(kind):
    """Every call over a type whose result Catalyst has."""
    calls = calls_over(kind, holistic=False)
    plan = plan_aggregate(table_of(kind).schema, WINDOWS["few"], "key", calls)
    return {
        bound.name: calls[bound.name]
        for bound in plan.calls
        if result_sql(bound) is not None
    }


@pytest.fixture
def by_tasks(monkeypatch):
    """A function that builds a query as if Catalyst could not compute it alone."""

    def build(*query, **calls):
        with monkeypatch.context() as patch:
            patch.setattr(tree, "catalyst_reason", lambda *_: None)
            return wr.aggregate(*query, **calls)

    return build


def is_catalysts_alone(result):
    """Whether no operator of the plan hands rows to Python."""
    names = operators(result)
    has_tasks = any("Arrow" in name or "Python" in name for name in names)
    return not has_tasks and any(name.endswith("Aggregate") for name in names)


def grouped_by(result):
    """The types of what Catalyst groups by."""
    plan = result._jdf.queryExecution().optimizedPlan()
    while plan.nodeName() != "Aggregate":
        plan = plan.children().head()
    groups = plan.groupingExpressions()
    return [groups.apply(i).dataType().typeName() for i in range(groups.size())]


@pytest.mark.parametrize(
    ("kind", "groups"),
    [("timestamp", ["string", "long"]), ("timestamp_ntz", ["string", "struct"])],
)
def test_timestamps_in_windows_that_tumble_are_grouped_by_numbers(spark, kind, groups):
    frame = frame_of(spark, "double", table_of("double"))
    frame = frame.withColumn("at", F.col("at").cast(kind))
    own = frame.groupBy("key", F.window("at", "9 seconds", None, "2 seconds"))
    own = own.agg(F.max("x").alias("most"))

    actual = wr.aggregate(frame, WINDOWS["tumbling"], by="key", most=wr.max("x"))

    assert grouped_by(actual) == groups
    assert is_catalysts_alone(actual)
    assert actual.schema == own.schema
    assert_same_rows(actual, own)


def typed(kinds, usual):
    """(type, window): each type with some window, each window with usual types."""
    return [
        pytest.param(
            kind,
            window,
            id=f"{window}-{kind}",
            marks=() if window == "few" or kind in usual else pytest.mark.deep,
        )
        for window in WINDOWS
        for kind in kinds
    ]


@pytest.mark.parametrize(("kind", "window"), typed(TYPES, ["int", "double", "string"]))
def test_aggregates_over_each_type_give_the_answers_of_the_engine(spark, kind, window):
    table, calls = table_of(kind), native_calls(kind)
    frame = frame_of(spark, kind, table)

    actual = wr.aggregate(frame, WINDOWS[window], by="key", aggregates=calls)

    expected = wr.aggregate(table, WINDOWS[window], by="key", aggregates=calls)
    assert is_catalysts_alone(actual)
    assert_same_rows(actual, expected)


@pytest.mark.parametrize(
    ("kind", "window"),
    typed(["int", "bigint", "double", "decimal(18,4)", "string"], ["double"]),
)
def test_columns_are_those_that_tasks_give(spark, by_tasks, kind, window):
    table, calls = table_of(kind), native_calls(kind)
    frame = frame_of(spark, kind, table)

    actual = wr.aggregate(frame, WINDOWS[window], by="key", aggregates=calls)

    expected = by_tasks(frame, WINDOWS[window], by="key", aggregates=calls)
    assert not is_catalysts_alone(expected)
    assert actual.schema == expected.schema
    # those of `actual` are compared with the same ones by the test above
    engine = wr.aggregate(table, WINDOWS[window], by="key", aggregates=calls)
    assert_same_rows(expected, engine)


def random_rows(seed: int) -> pa.Table:
    """Keys by the dozen, each with its own mix of gaps, ties, nulls and odd floats."""
    dice = random.Random(seed)
    rows = []
    for key in range(60):
        strange = dice.choice([0.0, 0.1, 0.6])
        for _ in range(dice.choice([1, 2, 9, 30])):
            at = dice.choice([dice.randrange(-40, 40), dice.randrange(-2000, 2000)])
            odd = dice.choice([None, math.nan, math.inf, -math.inf, -0.0, 1e308])
            v = odd if dice.random() < strange else dice.randrange(-9, 9) / 4
            whole = None if dice.random() < strange else dice.randrange(-9, 9) << 50
            rows.append({"key": key % 50 or None, "at": at, "v": v, "w": whole})
    dice.shuffle(rows)
    fields = {"key": pa.int32(), "at": pa.int64(), "v": pa.float64(), "w": pa.int64()}
    return pa.Table.from_pylist(rows, pa.schema(list(fields.items())))


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in (1, 2, 3))]
)
@pytest.mark.parametrize(("length", "step"), [(7, 7), (10, 3), (6, 1)], ids=str)
def test_both_paths_agree_over_random_rows(spark, by_tasks, seed, length, step):
    table = random_rows(seed)
    frame = spark.createDataFrame(table).repartition(3)
    window = wr.sliding(length, every=step, offset=seed % step, on="at")
    calls = {
        "n": wr.count(), "values": wr.count("v"), "low": wr.min("v"),
        "high": wr.max("v"), "mean": wr.mean("v"), "total": wr.sum("w"),
        "exact": wr.mean("w"), "spread": wr.range("v"), "bits": wr.bit_xor("w"),
        "some": wr.any("w"),
    }  # fmt: skip

    actual = wr.aggregate(frame, window, by="key", aggregates=calls)

    assert is_catalysts_alone(actual)
    assert_same_rows(actual, wr.aggregate(table, window, by="key", aggregates=calls))
    assert_same_rows(actual, by_tasks(frame, window, by="key", aggregates=calls))


@pytest.mark.parametrize(
    ("length", "zone"),
    covering(
        ["1 day", "1 week", "1 month", "3 months", "1 year"],
        ["Europe/Berlin", "America/Sao_Paulo", "UTC"],
    ),
)
def test_calendar_windows_that_tumble_never_visit_python(spark, zone, length):
    begin = dt.datetime(2017, 9, 1, tzinfo=dt.UTC)
    instants = [begin + dt.timedelta(minutes=797 * i) for i in range(700)]
    table = pa.table({"at": pa.array(instants, pa.timestamp("us", "UTC")),
                      "v": range(700)})  # fmt: skip
    frame = spark.createDataFrame(table)
    window = wr.calendar(length, on="at", tz=zone)

    actual = wr.aggregate(frame, window, n=wr.count(), total=wr.sum("v"))

    assert is_catalysts_alone(actual)
    assert_same_rows(actual, wr.aggregate(table, window, n=wr.count(),
                                          total=wr.sum("v")))  # fmt: skip


@pytest.mark.parametrize("by", ["key", [], ["key", "v"]], ids=str)
def test_a_list_of_one_window_keeps_its_column(spark, by):
    table = random_rows(5)
    windows = [wr.sliding(4, every=2, on="at", name="short")]

    actual = wr.aggregate(spark.createDataFrame(table), windows, by=by, n=wr.count())

    assert is_catalysts_alone(actual)
    assert_same_rows(actual, wr.aggregate(table, windows, by=by, n=wr.count()))


@pytest.mark.parametrize(
    "values",
    [[2**62, 2**62, 2**62, -(2**62), -(2**62), 7], [2**32 - 1, 2**32 - 3, -1]],
    ids=["passes 64 bits on the way", "carries from word to word"],
)
def test_a_sum_of_two_words_is_exact(spark, values):
    table = pa.table({"at": [0] * len(values), "v": values})
    window = wr.sliding(5, on="at")

    actual = wr.aggregate(spark.createDataFrame(table), window, total=wr.sum("v"))

    assert is_catalysts_alone(actual)
    assert actual.first().total == sum(values)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_sum_past_64_bits_is_told_with_its_value(spark, sign):
    table = pa.table({"at": [0] * 3, "it's": [sign * 2**62] * 3})
    window = wr.sliding(5, on="at")
    result = wr.aggregate(spark.createDataFrame(table), window, total=wr.sum("it's"))

    with pytest.raises(FAILURES) as failure:
        result.collect()

    fact = f"cannot give sum(it's) as int64: a window's exact sum is {sign * 3 * 2**62}"
    assert is_catalysts_alone(result)
    assert fact in str(failure.value)
    assert "\nHint: cast the column to double" in str(failure.value)


def test_decimals_are_exact(spark):
    values = [Decimal("99999999999999.9999")] * 400 + [Decimal("-0.0001"), None]
    table = pa.table({"at": [0] * 402, "v": pa.array(values, pa.decimal128(18, 4))})
    window = wr.sliding(5, on="at")

    actual = wr.aggregate(
        spark.createDataFrame(table), window, total=wr.sum("v"), mean=wr.mean("v")
    )

    expected = wr.aggregate(table, window, total=wr.sum("v"), mean=wr.mean("v"))
    assert is_catalysts_alone(actual)
    assert_same_rows(actual, expected)


@pytest.mark.parametrize(
    "how",
    [
        {"window": wr.sliding(COPIES + 1, every=1, on="at")},
        {"window": wr.sliding(5, on="at"), "calls": {"p": wr.product("v")}},
        {"window": wr.sliding(5, on="at"), "calls": {"all": wr.collect("v")}},
        {"window": [wr.sliding(5, on="at"), wr.sliding(6, on="at")]},
        {"window": wr.rows(3, on="at")},
    ],
    ids=["too many", "no sql", "holistic", "two windows", "rows"],
)
def test_other_queries_go_to_tasks(spark, how):
    frame, calls = spark.createDataFrame(random_rows(1)), how.get("calls", SIMPLE)

    result = wr.aggregate(frame, how["window"], by="key", aggregates=calls)

    assert not is_catalysts_alone(result)
    assert "catalyst" not in str(
        wr.explain(frame, how["window"], by="key", aggregates=calls)
    )


@pytest.mark.parametrize("by", ["key", None])
@pytest.mark.parametrize(("length", "step"), [(15, 5), (5, 5), (13, 5)], ids=str)
def test_events_in_few_windows_are_copied_into_them(spark, by_tasks, by, length, step):
    table = events()
    frame = spark.createDataFrame(table).repartition(3)
    window = wr.sliding(
        f"{length} minutes", every=f"{step} minutes", span=("start", "end")
    )
    calls = {"n": wr.count(), "total": wr.sum("v"), "most": wr.max("v")}

    actual = wr.aggregate(frame, window, by=by, aggregates=calls)

    tasks = by_tasks(frame, window, by=by, aggregates=calls)
    assert is_catalysts_alone(actual)
    assert "Generate" in operators(actual)
    assert actual.schema == tasks.schema
    # as test_spans.py has it of tasks
    assert_same_rows(actual, wr.aggregate(table, window, by=by, aggregates=calls))
    if by == "key":
        assert_same_rows(actual, joined(spark, frame, length, step))


def test_events_go_to_tasks_where_a_technique_is_named_or_windows_are_many(spark):
    frame = spark.createDataFrame(events())
    short = wr.sliding("15 minutes", every="5 minutes", span=("start", "end"))
    long = wr.sliding("20 minutes", every="5 minutes", span=("start", "end"))
    assert SPAN_COPIES == 3

    named = wr.aggregate(frame, short, n=wr.count(), algorithm="se_slicing")

    assert "MapInArrow" in operators(named)
    assert "MapInArrow" in operators(wr.aggregate(frame, long, n=wr.count()))


def test_only_the_columns_that_are_needed_are_read(spark, tmp_path):
    spark.createDataFrame(events()).write.parquet(str(tmp_path / "events"))
    frame = spark.read.parquet(str(tmp_path / "events"))
    for length in ("15 minutes", "1 hour"):
        window = wr.sliding(length, every="5 minutes", span=("start", "end"))

        plan = wr.aggregate(frame, window, by="key", n=wr.count())

        text = plan._jdf.queryExecution().executedPlan().toString()
        assert "ReadSchema: struct<key:string,start:timestamp,end:timestamp>" in text


def test_explain_says_in_a_sentence_that_nothing_visits_python(spark):
    frame = spark.createDataFrame(random_rows(1))

    tumbling = str(wr.explain(frame, wr.sliding(5, on="at"), aggregates=SIMPLE))
    few = str(wr.explain(frame, wr.sliding(6, every=2, on="at"), aggregates=SIMPLE))

    assert "aggregate on Spark: P→Window" in tumbling
    assert "catalyst   the window tumbles: Spark's own aggregates" in tumbling
    assert "nothing visits Python" in tumbling
    assert "catalyst   each row is copied into its 3 windows, which costs" in few


@pytest.mark.parametrize(
    ("every", "lasting", "alone"),
    [
        ("5 minutes", None, True),
        ("5 minutes", "20 minutes", False),
        ("5 minutes", "15 minutes", True),
        ("3 minutes", None, False),
        ("3 minutes", "1 minute", True),
    ],
)
def test_the_hint_how_long_events_last_decides_on_copies(spark, every, lasting, alone):
    table = events()
    window = wr.sliding("15 minutes", every=every, span=("start", "end"))

    actual = wr.aggregate(
        spark.createDataFrame(table), window, n=wr.count(), lasting=lasting
    )

    assert is_catalysts_alone(actual) == alone
    expected = wr.aggregate(table, window, n=wr.count(), algorithm="se_slicing")
    assert_same_rows(actual, expected)


def test_the_hint_how_long_events_last_is_refused_for_points(spark):
    frame = frame_of(spark, "double", table_of("double"))

    with pytest.raises(wr.WindrowError, match="points, which last no time"):
        wr.aggregate(frame, WINDOWS["few"], n=wr.count(), lasting="1 minute")


@pytest.mark.parametrize(("window", "slide"), [("few", 7), ("most", 1)])
def test_copies_are_grouped_by_numbers_of_windows(spark, window, slide):
    frame = frame_of(spark, "double", table_of("double"))

    actual = wr.aggregate(frame, WINDOWS[window], by="key", most=wr.max("x"))

    assert f"div {slide}000000" in actual._jdf.queryExecution().toString()


def test_copies_are_planned_in_few_nodes_and_each_word_of_a_sum_is_there_once(spark):
    frame = spark.createDataFrame(events())
    window = wr.sliding("15 minutes", every="5 minutes", span=("start", "end"))
    assert frame.schema["v"].dataType.typeName() == "long"
    calls = {"n": wr.count(), "total": wr.sum("v"), "most": wr.max("v")}

    with calls_to_jvm() as asked:
        actual = wr.aggregate(frame, window, by="key", aggregates=calls)

    lines = actual._jdf.queryExecution().analyzed().toString().splitlines()
    (folds,) = (line for line in lines if "Aggregate [" in line)
    assert analysed(actual)[:-1] == ["Project", "Aggregate", "Project", "Generate"]
    assert folds.count(" sum(") == 2
    assert "raise_error" not in folds
    text = "\n".join(lines)
    assert [text.count(name) for name in ("raise_error", "unix_micros")] == [2, 8]
    assert len(asked) <= 85, len(asked)


FAR = ["0001-01-02", "1582-10-15", "1969-12-31 23:59:59.999999", "1970-01-01",
       "1970-01-01 00:00:00.000001", "2024-02-29 12:00", "9999-12-30"]  # fmt: skip


@pytest.mark.parametrize("how", [{"on": "at"}, {"span": ("at", "until")}], ids=str)
@pytest.mark.parametrize("every", [7, 20], ids=str)
def test_instants_of_all_years_are_numbered(spark, how, every):
    kind = pa.timestamp("us", "UTC")
    at = pa.array(map(dt.datetime.fromisoformat, FAR), kind)
    until = pa.array([moment.as_py() + dt.timedelta(seconds=3) for moment in at], kind)
    table = pa.table({"at": at, "until": until, "v": range(len(FAR))})
    window = wr.sliding("20 seconds", every=f"{every} seconds", offset="-3 s", **how)

    actual = wr.aggregate(spark.createDataFrame(table), window, total=wr.sum("v"))

    assert is_catalysts_alone(actual)
    assert_same_rows(actual, wr.aggregate(table, window, total=wr.sum("v")))


@pytest.mark.parametrize("ends", [4, None])
def test_an_event_that_ends_before_it_starts_is_refused_by_copies(spark, ends):
    table = pa.table({"start": [9], "end": pa.array([ends], pa.int64())})
    window = wr.sliding(5, span=("start", "end"))
    result = wr.aggregate(spark.createDataFrame(table), window, n=wr.count())

    assert is_catalysts_alone(result)
    if ends is None:
        assert result.collect() == []
        return
    with pytest.raises(FAILURES, match="it starts: a row does, from 9 to 4"):
        result.collect()


def test_rows_without_a_time_are_copied_into_no_window(spark):
    table = pa.table({"at": pa.array([None, 3, None, 5], pa.int64()), "v": range(4)})
    window = wr.sliding(4, every=2, on="at")

    actual = wr.aggregate(spark.createDataFrame(table), window, total=wr.sum("v"))

    assert is_catalysts_alone(actual)
    assert "Filter" not in analysed(actual)
    assert_same_rows(actual, wr.aggregate(table, window, total=wr.sum("v")))


@pytest.mark.parametrize("key", ["key", "r0", "window_"])
def test_instants_without_a_zone_are_grouped_by_window_beside_any_key(spark, key):
    table = table_of("bigint").rename_columns({"key": key})
    frame = frame_of(spark, "bigint", table)
    frame = frame.withColumn("at", F.col("at").cast("timestamp_ntz"))
    calls = {"total": wr.sum("x"), "most": wr.max("x"), "n": wr.count()}
    own = frame.groupBy(key, F.window("at", "9 seconds", None, "2 seconds"))
    own = own.agg(F.sum("x").alias("total"), F.max("x").alias("most"),
                  F.expr("count(1) as n"))  # fmt: skip

    actual = wr.aggregate(frame, WINDOWS["tumbling"], by=key, aggregates=calls)

    assert actual.schema == own.schema
    assert_same_rows(actual, own)
