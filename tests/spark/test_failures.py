"""Bad input on Spark: refused before any job, or one sentence on top of the failure."""

from __future__ import annotations

import sys
from pathlib import Path

import pyspark
import pytest
from pyspark.errors import PySparkException
from scripts import run_script
from watching import jobs

import windrow as wr
from windrow.errors import BadInput

WINDOW = wr.sliding("60 seconds", every="1 second", on="at")


@pytest.fixture
def frame(spark):
    """Columns of several types, times among them."""
    return spark.range(100).selectExpr(
        "id % 3 as k",
        "timestamp_seconds(id) as at",
        "cast(id as string) as text",
        "id as v",
        "array(id) as list",
        "cast(id as double) as real",
        "cast(id as decimal(30, 2)) as wide",
    )


@pytest.mark.parametrize("column", ["text", "list", "real", "wide"])
def test_a_window_over_a_column_that_is_no_time_is_refused(frame, column):
    window = wr.sliding("60 seconds", every="1 second", on=column)

    with pytest.raises(wr.WindrowError) as refused:
        wr.aggregate(frame, window, by="k", n=wr.count())

    assert repr(column) in str(refused.value)
    assert "Hint:" in str(refused.value)


@pytest.mark.parametrize(
    "call",
    [wr.sum("text"), wr.mean("at"), wr.max("list"), wr.sum("wide"), wr.bit_and("real")],
    ids=lambda call: call.label,
)
def test_an_aggregate_that_a_type_does_not_allow_is_refused(spark, frame, call):
    before = jobs(spark)

    with pytest.raises(wr.UnsupportedType) as refused:
        wr.aggregate(frame, WINDOW, by="k", r=call)

    assert repr(call.columns[0]) in str(refused.value)
    assert "Hint:" in str(refused.value)
    assert jobs(spark) == before


@pytest.mark.parametrize(
    "query",
    [
        {"by": "kk", "n": wr.count()},
        {"by": "k", "n": wr.sum("vv")},
        {"by": "k", "n": wr.count(), "on": "att"},
    ],
    ids=["key", "value", "time"],
)
def test_a_missing_column_is_named_with_the_nearest_that_exist(frame, query):
    window = wr.sliding("60 seconds", on=query.pop("on", "at"))

    with pytest.raises(wr.UnknownName) as refused:
        wr.aggregate(frame, window, **query)

    assert "Hint: did you mean" in str(refused.value)


def test_a_window_without_its_time_column_is_refused(frame):
    with pytest.raises(wr.WindrowError, match="Hint:"):
        wr.aggregate(frame, wr.sliding("60 seconds"), n=wr.count())


def test_two_columns_of_one_name_are_refused_when_they_are_read(spark):
    frame = spark.sql("select timestamp_seconds(1) as at, 1 as v, 2 as v")

    with pytest.raises(wr.BadInput, match="more than one of that name"):
        wr.aggregate(frame, WINDOW, total=wr.sum("v"))


@pytest.mark.parametrize("keys", [0, -3])
def test_a_number_of_keys_that_cannot_be_is_refused(frame, keys):
    with pytest.raises(wr.BadInput, match="Hint:"):
        wr.aggregate(frame, WINDOW, by="k", keys=keys, n=wr.count())


def test_a_slide_finer_than_a_microsecond_is_refused(frame):
    window = wr.sliding("1 microsecond", every="10 nanoseconds", on="at")

    with pytest.raises(wr.WindowError, match="Hint:"):
        wr.aggregate(frame, window, n=wr.count())


def shown(failure):
    """What a user reads first: the message down to the first line of Java."""
    text = str(failure.value)
    return text.split("\n\tat ", 1)[0]


def test_a_failing_function_of_the_users_is_named_by_file_and_line(frame):
    def refuses(value):
        if value == 13:
            raise ValueError("thirteen brings bad luck")
        return value

    unlucky = wr.Aggregate(
        name="unlucky",
        lift=refuses,
        combine=lambda older, newer: older + newer,
        lower=lambda partial: partial,
        laws="commutative",
    )
    line = refuses.__code__.co_firstlineno + 2
    result = wr.aggregate(frame, WINDOW, by="k", r=unlucky("v"))

    with pytest.raises(PySparkException) as failure:
        result.collect()

    assert "thirteen brings bad luck" in shown(failure)
    assert f"{__file__}:{line}" in shown(failure)
    assert "refuses" in shown(failure)


def test_a_sum_past_64_bits_says_so_on_top_of_the_failure(spark):
    frame = spark.range(4).selectExpr(
        "timestamp_seconds(id) as at", "9223372036854775807 as v"
    )
    result = wr.aggregate(frame, WINDOW, total=wr.sum("v"))

    with pytest.raises(PySparkException) as failure:
        result.collect()

    assert "does not fit" in shown(failure) or "overflow" in shown(failure).lower()
    assert "Hint:" in shown(failure)


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo 3.8 True", r"is Python 3\.8, and they must be"),
        ("echo {}.{} False".format(*sys.version_info), "windrow is not installed for"),
        ("exit 1", "is no Python"),
    ],
)
def test_workers_of_another_python_are_refused_before_a_job(
    frame, tmp_path, monkeypatch, script, says
):
    other = tmp_path / "python3"
    other.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    other.chmod(0o755)
    monkeypatch.setenv("PYSPARK_PYTHON", str(other))

    with pytest.raises(BadInput, match=says) as refusal:
        wr.aggregate(frame, WINDOW, kinds=wr.collect("v"))

    assert f"export PYSPARK_PYTHON={sys.executable}" in str(refusal.value)


@pytest.mark.deep  # half a minute: a Spark and a Python of its own
def test_a_python_without_windrow_is_named_in_one_sentence(spark_environment, tmp_path):
    # the same interpreter and packages, but windrow's own folder is not on its path
    packages = Path(pyspark.__file__).parents[1]
    bare = tmp_path / "python"
    bare.write_text(
        f'#!/bin/sh\nPYTHONPATH={packages} exec {sys.executable} -S "$@"\n',
        encoding="utf-8",
    )
    bare.chmod(0o755)
    environment = {**spark_environment, "PYSPARK_PYTHON": str(bare)}

    report = run_script("on_bare_python.py", environment)

    assert report == [
        "ok a query is refused before a job",
        "ok the failure says so in a sentence",
    ]
