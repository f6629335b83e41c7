"""Table functions of Spark's SQL: the rows that `wr.aggregate` and `wr.over` give."""

from __future__ import annotations

import doctest
import inspect

import pyarrow as pa
import pytest
from answers import assert_same_rows
from pyspark.errors import AnalysisException
from pyspark.sql import udtf

import windrow as wr

pytestmark = pytest.mark.skipif(
    not hasattr(udtf, "SelectedColumn"), reason="Spark has them from 4.0 on"
)

HOUR = 3_600_000_000
TIMES = [20 * HOUR + t * 7_000_000 for t in (3, 0, 1, 1, 9, 40, 41, 90, 91, 92)]
TABLE = pa.table(
    {
        "at": pa.array([*TIMES, None], pa.timestamp("us", "UTC")),
        "key": [*"aabbbaaabb", "a"],
        "half key": pa.array([0.0, -0.0, *[1.5] * 8, 0.0]),
        "x": [3, 1, 4, None, 5, 9, 2, 6, 5, 3, 1],
        "word": [*"pqrstuvwxy", "z"],
    }
)


@pytest.fixture
def sql(spark):
    wr.register(spark)
    spark.createDataFrame(TABLE).createOrReplaceTempView("calls")
    yield spark.sql
    spark.catalog.dropTempView("calls")


def test_the_example_of_register_runs(spark):
    page = inspect.getdoc(wr.register).replace("  # doctest: +SKIP", "")
    names = {"spark": spark}
    test = doctest.DocTestParser().get_doctest(page, names, "register", None, 0)

    outcome = doctest.DocTestRunner().run(test)

    spark.catalog.dropTempView("ids")
    assert (outcome.attempted, outcome.failed) == (6, 0)


def test_windows_by_key_are_those_of_a_call(sql):
    actual = sql(
        """
        SELECT * FROM windrow_aggregate(
            TABLE(calls), window => '1 minute', every => '20 seconds', on => 'at',
            by => array('key', 'half key'), most => 'max(x)', who => 'arg_max(x, word)',
            even => 'count(x, where="x % 2 = 0")', seen => 'value_counts(x)')
        """
    )

    calls = {
        "most": wr.max("x"),
        "who": wr.arg_max("x", "word"),
        "even": wr.count("x", where="x % 2 = 0"),
        "seen": wr.value_counts("x"),
    }
    window = wr.sliding("1 minute", every="20 seconds", on="at")
    expected = wr.aggregate(TABLE, window, by=["key", "half key"], aggregates=calls)
    assert_same_rows(actual, expected)


def test_windows_of_rows_without_a_key_are_one_call(sql):
    actual = sql(
        """
        SELECT * FROM windrow_aggregate(
            TABLE(SELECT at, x FROM calls WHERE x IS NOT NULL AND at IS NOT NULL),
            rows => 3, every => 2, on => 'at', ties => 'x', total => 'sum(x)')
        """
    )

    rows = TABLE.filter(pa.compute.is_valid(TABLE["x"])).drop_null()
    window = wr.rows(3, every=2, on="at", ties="x")
    assert_same_rows(actual, wr.aggregate(rows, window, total=wr.sum("x")))


def test_every_row_over_its_past_is_that_of_a_call(sql):
    actual = sql(
        """
        SELECT * FROM windrow_over(
            TABLE(calls), on => 'at', by => 'key', s => 'sum(x, last="1 minute")')
        """
    )

    expected = wr.over(TABLE, on="at", by="key", s=wr.sum("x", last="1 minute"))
    assert_same_rows(actual, expected, named_by=TABLE.column_names)


def test_a_call_that_cannot_be_run_says_why_when_it_is_analysed(sql):
    for arguments, words in {
        "TABLE(calls), on => 'at', n => 'count()'": "no window is given",
        "TABLE(calls), rows => 3, on => 'at', hour => 1": "argument hour",
        "TABLE(calls), rows => 3, on => 'at', n => 'max(y)'": "no column called 'y'",
        "3, rows => 3, n => 'count()'": "its first argument is not a table",
    }.items():
        with pytest.raises(AnalysisException, match=words):
            sql(f"SELECT * FROM windrow_aggregate({arguments})")


def test_only_a_session_has_functions():
    with pytest.raises(wr.BadInput, match="of type int, not a Spark session"):
        wr.register(3)
