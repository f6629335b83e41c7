"""Features that are defined once: in training, over events, and in a file."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pytest

import windrow as wr

EVENTS = pa.table(
    {
        "ts": [dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(minutes=m)
               for m in (0, 5, 5, 30, 31)],
        "card": [1, 1, 1, 2, 1],
        "amount": [10.0, 20.0, 30.0, 40.0, 50.0],
    }
)  # fmt: skip
CALLS = {
    "n_10m": wr.count(last="10 minutes"),
    "spent": wr.sum("amount", last=dt.timedelta(hours=1), closed="both"),
    "five": wr.mean("amount", last=5),
    "large": wr.count(where="amount > 15"),
    "soon": wr.max("amount", next="10 minutes", min_periods=2),
}
FEATURES = wr.features(by="card", on="ts", delay="1 minute", aggregates=CALLS)


def test_training_and_events_agree_at_every_instant():
    labels = EVENTS.select(["card", "ts"]).rename_columns(["card", "at"])

    trained = wr.as_of(labels, EVENTS, FEATURES, at="at")
    rolled = wr.over(EVENTS, FEATURES)

    names = list(CALLS)
    assert trained.select(names).equals(rolled.select(names))
    assert rolled.column_names == [*EVENTS.column_names, *names]
    assert rolled["n_10m"].to_pylist() == [0, 1, 1, 0, 0]


def test_many_labels_agree_both_ways():
    dice = random.Random(5)
    n = 20_000
    events = pa.table(
        {
            "ts": pa.array(
                [dice.randrange(10**6) for _ in range(n)], pa.timestamp("s")
            ),
            "card": [dice.randrange(300) for _ in range(n)],
            "amount": [dice.random() for _ in range(n)],
        }
    )
    events = events.cast(events.schema.set(0, pa.field("ts", pa.timestamp("s"))))
    labels = events.select(["ts", "card"])

    trained = wr.as_of(labels, events, FEATURES, at="ts")
    rolled = wr.over(events, FEATURES)

    assert trained.select(list(CALLS)).equals(rolled.select(list(CALLS)))


def test_a_file_gives_back_the_same_features(tmp_path):
    path = tmp_path / "features.toml"
    FEATURES.save(path)

    again = wr.read_features(path)

    assert repr(again) == repr(FEATURES)
    assert wr.over(EVENTS, again).equals(wr.over(EVENTS, FEATURES))


def test_names_and_types_are_known_without_rows():
    schema = FEATURES.schema(EVENTS.schema)

    assert schema.names == list(CALLS)
    assert [str(kind) for kind in schema.types] == [
        "int64", "double", "double", "int64", "double"]  # fmt: skip
    assert [field.nullable for field in schema] == [False, True, True, False, True]


def test_features_print_as_a_table():
    lines = repr(FEATURES).splitlines()

    assert lines[0] == "features by card on ts, 1 minute late"
    words = "name aggregate last next closed where min_periods"
    assert lines[1].split() == words.split()
    words = ["large", "count()", "everything", "left", "amount", ">", "15"]
    assert lines[6].split() == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("on = ", "cannot read features"),
        ('format = "windrow features 9"', "not 'windrow features 1'"),
        ('%F\non = "ts"', "names no time column"),
        (
            '%F\non = "ts"\n[features.n]\nlast = 3',
            "aggregate",
        ),
        (
            '%F\non = "ts"\n[features.n]\naggregate = "cuont"',
            "did you mean count",
        ),
        (
            '%F\non = "ts"\nclosed = "Right"\n[features.n]\naggregate = "count"',
            "cannot close a frame on 'Right'",
        ),
        ("%F\nto = 3", "means nothing here"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, text, words):
    path = tmp_path / "features.toml"
    path.write_text(text.replace("%F", 'format = "windrow features 1"'))

    with pytest.raises(wr.WindrowError, match=words):
        wr.read_features(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(wr.BadInput, match="No such file"):
        wr.read_features(tmp_path / "none.toml")


def test_what_features_say_is_not_said_again():
    with pytest.raises(wr.BadInput, match="cannot take by beside features"):
        wr.over(EVENTS, FEATURES, by="card")
    with pytest.raises(wr.BadInput, match="cannot take n beside features"):
        wr.as_of(EVENTS, EVENTS, FEATURES, at="ts", n=wr.count())


def test_functions_of_your_own_are_not_saved(tmp_path):
    own = wr.Aggregate(name="own", lift=lambda v: v, combine=max, lower=lambda p: p)
    features = wr.features(on="ts", x=own("amount"))

    with pytest.raises(wr.BadInput, match="a file holds no functions"):
        features.save(tmp_path / "features.toml")
