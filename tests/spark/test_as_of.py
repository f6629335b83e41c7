"""`wr.as_of` on Spark: as in one process, and as Spark's own join on intervals."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pytest
from answers import assert_same_rows
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

import windrow as wr
from windrow.plan import plan_as_of
from windrow.plan.as_of_chunks import choose_chunks
from windrow.plan.label_columns import MANY
from windrow.spark.as_of_chunks import HotKeys
from windrow.tasks.task import CHUNK

EPOCH = dt.datetime(2024, 3, 1)  # noqa: DTZ001 - the session's zone is UTC
DICE = random.Random(11)


def instants(count, seconds, gone):
    """Random instants, of which every so many is unknown."""
    times = [
        EPOCH + dt.timedelta(seconds=DICE.randrange(seconds)) for _ in range(count)
    ]
    known = [time if i % gone else None for i, time in enumerate(times)]
    return pa.array(known, pa.timestamp("us", "UTC"))


EVENTS = pa.table(
    {
        "ts": instants(500, 600, 40),
        "card": [DICE.choice([1, 1, 1, 2, 3, None]) for _ in range(500)],
        "kind": [DICE.choice(["sale", "refund"]) for _ in range(500)],
        "amount": [DICE.randrange(100) for _ in range(500)],
        "unread": ["x"] * 500,
    }
)  # fmt: skip
LABELS = pa.table(
    {
        "id": list(range(120)),
        "at": instants(120, 620, 25),
        "card": [DICE.choice([1, 1, 2, 3, 9, None]) for _ in range(120)],
    }
)  # fmt: skip
CALLS = {
    "n": wr.count(last="30 seconds"),
    "spent": wr.sum("amount", last="2 minutes", closed="both"),
    "refunds": wr.count(last="5 minutes", where="kind = 'refund'"),
}
ROWS = {"five": wr.sum("amount", last=5), "ever": wr.count(), "top": wr.max("amount")}
AHEAD = {
    "soon": wr.count(next="40 seconds", min_periods=3),
    "around": wr.sum("amount", last="20 seconds", next="1 minute", closed="both"),
}
ORDERED = {
    "first": wr.first("amount", last="4 minutes"),
    "whose": wr.arg_max("amount", "kind", last="4 minutes"),
    "word": wr.max("kind", last="4 minutes"),
    "mean": wr.mean("amount", last="4 minutes", min_periods=70),
}
COPIED = {
    "all": wr.collect("amount", last="9 seconds"),
    "two": wr.collect("kind", last=2),
}
LATER = {"beside": wr.sum("amount", last=2, next=3)}


@pytest.mark.parametrize(
    ("by", "calls", "options"),
    [
        ("card", CALLS | ROWS | AHEAD | LATER, {}),
        ("card", CALLS | AHEAD | ORDERED, {"hot": 20, "delay": "10 seconds"}),
        ("card", CALLS | ROWS | COPIED, {"hot": 50, "closed": "right"}),
        ("card", CALLS | AHEAD | ORDERED, {"hot": 100, "delay": "10 seconds"}),
        pytest.param(None, CALLS | AHEAD, {"hot": 200}, marks=pytest.mark.deep),
        (None, CALLS | ROWS, {"hot": 9}),
        pytest.param(None, CALLS | ROWS, {"closed": "right"}, marks=pytest.mark.deep),
        (None, ROWS, {}),
    ],
)
def test_labels_have_the_features_that_one_process_gives(spark, by, calls, options):
    order = {"at": "at", "on": "ts", "by": by, "aggregates": calls}
    frames = spark.createDataFrame(LABELS), spark.createDataFrame(EVENTS)

    actual = wr.as_of(*frames, **order, **options)

    options = {name: value for name, value in options.items() if name != "hot"}
    expected = wr.as_of(LABELS, EVENTS, **order, **options)
    assert actual.columns == expected.column_names
    assert_same_rows(actual, expected, named_by=["id", "at", "card"])


@pytest.mark.parametrize(
    ("most", "by", "calls", "is_folded"),
    [
        (100, "card", CALLS, False),
        (20, "card", CALLS, True),  # chunks of less than half of five minutes
        (100, "card", CALLS | ROWS, True),
        (200, None, CALLS, False),
        (10_000, None, CALLS | ROWS, False),  # not hot
    ],
)
def test_events_are_folded_only_where_frames_are_longer_than_chunks(
    spark, most, by, calls, is_folded
):
    plan = plan_as_of(LABELS.schema, EVENTS.schema, ("at", "ts"), by, calls)
    chunks, _ = choose_chunks(plan, most)
    keys = [] if by is None else ["card as k0"]
    rows = spark.createDataFrame(EVENTS).where("ts is not null")
    rows = rows.selectExpr(*keys, "ts as t", "false as e", "amount as c0", "kind as c1")

    hot = HotKeys(rows, chunks, ["amount", "kind"])

    assert (hot.sides().count() > 0) == is_folded
    numbers = hot.event_chunks().select(CHUNK).distinct().count()
    assert (numbers > 1) == (most < len(EVENTS))


def test_labels_have_the_features_of_a_join_on_intervals(spark):
    labels, events = spark.createDataFrame(LABELS), spark.createDataFrame(EVENTS)

    actual = wr.as_of(labels, events, at="at", on="ts", by="card", n=CALLS["n"])

    met = labels.alias("l").join(
        events.alias("e"),
        F.expr(
            "l.card <=> e.card and e.ts < l.at and e.ts >= l.at - interval 30 second"
        ),
        "left",
    )
    own = met.groupBy("l.id", "l.at", "l.card").agg(F.count("e.amount").alias("n"))
    assert_same_rows(actual, own, named_by=["id", "at", "card"])


WIDE = LABELS
for number in range(MANY):
    words = pa.array([f"{number} of {i}" for i in range(len(LABELS))])
    WIDE = WIDE.append_column(f"own {number}", words)
WIDE = pa.concat_tables([WIDE, WIDE.slice(0, 30)])  # the same labels twice


def test_labels_with_many_columns_are_joined_by_key_and_instant(spark):
    calls = CALLS | ROWS | COPIED
    order = {"at": "at", "on": "ts", "by": "card", "aggregates": calls}
    labels, events = spark.createDataFrame(WIDE), spark.createDataFrame(EVENTS)

    actual = wr.as_of(labels, events, **order)

    expected = wr.as_of(WIDE, EVENTS, **order)
    assert actual.columns == expected.column_names
    assert_same_rows(actual, expected, named_by=["id", "at", "card"])
    never = [f.name for f in actual.schema if not f.nullable]
    assert never == ["n", "refunds", "ever", "all", "two"]
    text = str(wr.explain(events, labels=labels, **order))
    assert f"of labels card, at; their {MANY + 1} other columns are joined" in text


def test_labels_that_are_others_when_they_are_read_again_are_refused(spark):
    def anew(batches):
        for batch in batches:
            drawn = random.SystemRandom().randrange(10**15)
            at = pa.array([drawn + i for i in range(len(batch))], LABELS["at"].type)
            yield batch.set_column(1, "at", at)

    labels, events = spark.createDataFrame(WIDE), spark.createDataFrame(EVENTS)
    labels = labels.mapInArrow(anew, labels.schema)

    result = wr.as_of(labels, events, at="at", on="ts", by="card", n=CALLS["n"])

    with pytest.raises(Exception, match="they were others when they were read again"):
        result.collect()


def test_features_of_events_agree_with_those_of_labels(spark):
    features = wr.features(by="card", on="ts", aggregates=CALLS | ROWS)
    frame = spark.createDataFrame(EVENTS.append_column("id", pa.array(range(500))))

    actual = wr.over(frame, features)

    expected = wr.over(EVENTS.append_column("id", pa.array(range(500))), features)
    assert_same_rows(actual, expected, named_by=["id"])


def test_a_table_does_not_meet_a_frame(spark):
    with pytest.raises(wr.BadInput, match="one is on Spark and the other is not"):
        wr.as_of(LABELS, spark.createDataFrame(EVENTS), at="at", on="ts", n=wr.count())


def test_explain_says_what_travels(spark):
    labels, events = spark.createDataFrame(LABELS), spark.createDataFrame(EVENTS)
    order = {"at": "at", "on": "ts", "by": "card"}

    text = str(wr.explain(events, labels=labels, **order, n=wr.sum("amount", last=5)))

    line = next(line for line in text.splitlines() if "travels" in line)
    assert line.split(None, 1)[1] == (
        "labels with all their 3 columns, once; of events card, amount, ts"
    )


def test_events_after_each_label_change_nothing(spark):
    late = pa.array([EPOCH + dt.timedelta(days=9)] * 3, EVENTS["ts"].type)
    more = EVENTS.slice(0, 3).set_column(0, "ts", late)
    order = {"at": "at", "on": "ts", "by": "card", "aggregates": CALLS | ROWS}
    labels = spark.createDataFrame(LABELS)

    after = wr.as_of(
        labels, spark.createDataFrame(pa.concat_tables([EVENTS, more])), **order
    )

    before = wr.as_of(LABELS, EVENTS, **order)
    assert_same_rows(after, before, named_by=["id", "at", "card"])


def test_names_and_types_are_those_that_features_promise(spark):
    features = wr.features(by="card", on="ts", aggregates=CALLS | ROWS)
    labels, events = spark.createDataFrame(LABELS), spark.createDataFrame(EVENTS)

    frame = wr.as_of(labels, events, features, at="at")

    promised = features.schema(EVENTS.schema)
    own = to_arrow_schema(frame.select(*promised.names).schema)
    assert own.types == promised.types
    assert [f.nullable for f in own] == [f.nullable for f in promised]
