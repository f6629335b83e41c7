"""The result's schema is the one Spark's own aggregates would give.

names, order, types and nullability, window and keys included
"""

from __future__ import annotations

import pytest
from answers import assert_same_rows
from pyspark.sql import functions as fn
from typed import TYPES, calls_over, frame_of

import windrow as wr

WINDOW = wr.sliding("30 seconds", every="7 seconds", on="at")
SPARKS = {
    "count": "count(x)",
    "rows": "count(*)",
    "sum": "sum(x)",
    "product": "product",
    "mean": "avg(x)",
    "min": "min(x)",
    "max": "max(x)",
    "arg_min": "min_by(y, x)",
    "arg_max": "max_by(y, x)",
    "first": "first(x, true)",
    "last": "last(x, true)",
    "variance": "var_samp(x)",
    "variance_population": "var_pop(x)",
    "stddev": "stddev_samp(x)",
    "stddev_population": "stddev_pop(x)",
    "skew": "skewness(x)",
    "kurtosis": "kurtosis(x)",
    "covariance": "covar_samp(x, y)",
    "covariance_population": "covar_pop(x, y)",
    "correlation": "corr(x, y)",
    "any": "bool_or(x)",
    "all": "bool_and(x)",
    "bit_and": "bit_and(x)",
    "bit_or": "bit_or(x)",
    "bit_xor": "bit_xor(x)",
    "collect": "collect_list(x)",
    "collect_distinct": "collect_set(x)",
    "count_distinct": "count(distinct x)",
}
if hasattr(fn, "listagg"):  # Spark has it from 4.0 on
    SPARKS["concat"] = "listagg(x, '/')"


def sparks_own(frame, by, calls):
    """groupBy(window()) with the same names."""
    wanted = [
        (fn.product("x") if name == "product" else fn.expr(SPARKS[name])).alias(name)
        for name in calls
    ]
    windows = fn.window("at", "30 seconds", "7 seconds").alias("window")
    return frame.groupBy(*by, windows).agg(*wanted)


def described(schema):
    """The fields in words, so that a difference is readable."""
    return [f"{f.name}: {f.dataType.json()}, nullable {f.nullable}" for f in schema]


def both_know(kind, name):
    """Whether Spark has the aggregate for the type without a cast."""
    if name in ("any", "all"):
        return kind == "boolean"
    if kind == "boolean":
        return name.startswith(("count", "min", "max", "arg", "first", "last", "coll"))
    return name in SPARKS


@pytest.mark.parametrize("holistic", [False, True], ids=["partials", "holistic"])
@pytest.mark.parametrize("kind", TYPES)
def test_columns_types_and_nullability_are_those_of_spark(spark, kind, holistic):
    frame = frame_of(spark, kind)
    calls = calls_over(kind, holistic=holistic)
    calls = {n: call for n, call in calls.items() if n in SPARKS and both_know(kind, n)}

    actual = wr.aggregate(frame, WINDOW, by="key", aggregates=calls)

    assert described(actual.schema) == described(
        sparks_own(frame, ["key"], calls).schema
    )


@pytest.mark.parametrize("slide", ["7 seconds", "30 seconds"])
@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz", "date"])
def test_the_window_column_has_the_type_spark_gives_it(spark, kind, slide):
    frame = spark.range(3).selectExpr(
        f"cast(timestamp_seconds(id) as {kind}) as at", "id as not_null"
    )
    window = wr.sliding("30 seconds", every=slide, on="at")

    actual = wr.aggregate(frame, window, by="not_null", n=wr.count())

    windows = fn.window("at", "30 seconds", slide).alias("window")
    expected = frame.groupBy("not_null", windows).agg(fn.count("*").alias("n"))
    assert described(actual.schema) == described(expected.schema)


def test_a_list_of_windows_adds_the_query_before_the_window(spark):
    frame = frame_of(spark, "int")
    windows = [WINDOW, wr.sliding("5 seconds", on="at")]

    numbered = wr.aggregate(frame, windows, by="key", n=wr.count())
    named = wr.aggregate(
        frame, [wr.sliding("5 seconds", on="at", name="five")], n=wr.count()
    )

    assert numbered.columns == ["key", "query", "window", "n"]
    assert not numbered.schema["query"].nullable
    assert named.columns == ["query", "window", "n"]
    assert named.schema["query"].dataType.simpleString() == "string"


def test_count_windows_have_bounds_of_bigint(spark):
    frame = frame_of(spark, "int")

    result = wr.aggregate(frame, wr.rows(3, on="at"), by="key", n=wr.count())

    bounds = result.schema["window"].dataType.simpleString()
    assert bounds == "struct<start:bigint,end:bigint>"


KEYS = {
    "string": "if(id % 5 = 0, null, concat('k', id % 3))",
    "bigint": "id % 3",
    "tinyint": "cast(id % 3 as tinyint)",
    "double": "array(double('NaN'), -0d, 0d, 1.5d, null)[id % 5]",
    "float": "array(float('NaN'), float('-0.0'), float(0), null)[id % 4]",
    "boolean": "if(id % 3 = 0, null, id % 3 = 1)",
    "date": "date_add(date'1969-12-31', cast(id % 3 as int))",
    "timestamp": "timestamp_micros(id % 3 - 1)",
    "timestamp_ntz": "cast(timestamp_micros(id % 3 - 1) as timestamp_ntz)",
    "binary": "if(id % 4 = 0, null, unhex(array('00', 'ff00', '')[id % 3]))",
    "decimal": "cast(id % 3 as decimal(38, 10)) - 1",
    "struct": "named_struct('a', id % 2, 'b', if(id % 3 = 0, null, 'x'))",
    "array": "if(id % 4 = 0, null, array(id % 2, null))",
    "struct of doubles": "named_struct('d', array(double('NaN'), -0d, 0d)[id % 3])",
    "void": "null",
    "interval": "make_dt_interval(0, 0, 0, id % 3)",
}


@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_any_type_are_grouped_as_spark_groups_them(spark, kind):
    frame = spark.range(60).selectExpr(
        f"{KEYS[kind]} as key",
        "id % 2 as second",
        "timestamp_seconds(id * 3) as at",
        "id as x",
    )
    calls = {"sum": wr.sum("x"), "rows": wr.count()}

    actual = wr.aggregate(frame, WINDOW, by=["key", "second"], aggregates=calls)

    expected = sparks_own(frame, ["key", "second"], calls)
    assert described(actual.schema) == described(expected.schema)
    assert_same_rows(actual, expected)


@pytest.mark.parametrize("name", ["product", "collect"], ids=["kernel", "rows"])
@pytest.mark.parametrize("kind", ["double", "struct", "struct of doubles", "binary"])
def test_keys_are_grouped_alike_whoever_makes_the_panes(spark, kind, name):
    frame = spark.range(60).selectExpr(
        f"{KEYS[kind]} as key", "timestamp_seconds(id * 3) as at", "1 as x"
    )
    calls = {name: getattr(wr, name)("x")}

    actual = wr.aggregate(frame, WINDOW, by="key", aggregates=calls)

    assert_same_rows(actual, sparks_own(frame, ["key"], calls))


@pytest.mark.parametrize("path", ["native", "kernel", "rows"])
def test_names_may_have_dots_blanks_and_backticks(spark, path):
    frame = spark.range(40).toDF("id")
    frame = frame.select(
        (fn.col("id") % 3).alias("a.b"),
        (fn.col("id") % 2).alias("a b"),
        (fn.col("id") % 5).alias("a`b"),
        fn.timestamp_seconds(fn.col("id")).alias("the.time `at`"),
        fn.col("id").alias("x.`y z"),
        fn.lit(1).alias("select"),
    )
    keys = ["a.b", "a b", "a`b", "select"]
    window = wr.sliding("10 seconds", every="5 seconds", on="the.time `at`")
    result = "sum.of `x`, 100%"
    made = {"native": wr.sum, "kernel": wr.product, "rows": wr.collect}[path]

    actual = wr.aggregate(frame, window, by=keys, aggregates={result: made("x.`y z")})

    value = fn.col("`x.``y z`")
    theirs = {"native": fn.sum, "kernel": fn.product, "rows": fn.collect_list}[path]
    expected = frame.groupBy(
        *(frame["`" + key.replace("`", "``") + "`"] for key in keys),
        fn.window("`the.time ``at```", "10 seconds", "5 seconds").alias("window"),
    ).agg(fn.sort_array(theirs(value)) if path == "rows" else theirs(value))
    expected = expected.toDF(*keys, "window", result)
    assert actual.columns == [*keys, "window", result]
    assert_same_rows(actual, expected)
