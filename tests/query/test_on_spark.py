"""Texts on Spark: the fixtures against Spark SQL, and what only DataFrames have."""

import pyarrow as pa
import pytest
import workloads
from answers import assert_same_rows
from pyspark.sql import DataFrame

import windrow as wr
from windrow.errors import QueryError

pytestmark = pytest.mark.xdist_group("spark")

CALLS = pa.table(
    {
        "ts": pa.array(
            [t * 1_000_000 for t in (5, 40, 70, 130, 190, 190)],
            pa.timestamp("us", tz="UTC"),
        ),
        "caller": ["ann", "bob", "cem", "ann", "bob", None],
        "len": [120, 30, None, 45, 80, 7],
        "cost": [1.5, float("nan"), -0.5, 2.5, None, 0.0],
    }
)
QUICK = ("lrb1", "ysb", "ra1")  # having, join, istream; the others in the deep run
HOMES = pa.table({"who": ["ann", "bob", "bob"], "city": ["x", "y", "z"]})


def rows_of(result):
    """Rows in an order of their own, since Spark promises none."""
    table = result if isinstance(result, pa.Table) else result.toArrow()
    return sorted(table.to_pylist(), key=repr)


def assert_same_results(actual, expected):
    """The results of all queries of a text, each in any order of its rows."""
    several = actual if isinstance(actual, list) else [actual]
    for mine, theirs in zip(several, expected, strict=True):
        exact = [f.name for f in theirs.schema if not pa.types.is_floating(f.type)]
        assert_same_rows(mine, theirs, named_by=exact)


@pytest.fixture
def own(spark, settings_of):
    """Spark SQL over tables; hundreds of projections are not worth compiling."""

    def ask(sql, tables):
        for name, table in tables.items():
            spark.createDataFrame(table).createOrReplaceTempView(name)
        interpreted = {
            "spark.sql.codegen.wholeStage": False,
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        }
        with settings_of(interpreted if "window(" in sql else {}):
            return spark.sql(sql).toArrow()

    return ask


INSTANT = pa.timestamp("us", tz="UTC")
TRIPS = pa.table(
    {
        "start": pa.array([1_000_000, 12_000_000, 4_000_000], INSTANT),
        "end": pa.array([21_000_000, 13_000_000, 4_000_000], INSTANT),
    }
)
SQUARES = wr.Aggregate(
    name="squares",
    identity=0.0,
    lift=lambda value: value * value,
    combine=lambda older, newer: older + newer,
    lower=lambda partial: partial,
    laws=("commutative",),
)
CLAUSES = {
    "rstream": "select rstream(ts, count(*) as n) from Calls [range 120 slide 60]",
    "dstream": "select dstream(ts, count(*) as n) from Calls [range 120 slide 60]",
    "dstream of rows": "select dstream(caller, count(len) as n) from Calls [rows 2] "
    "group by caller",
    "distinct": "select distinct caller from Calls [range 2 minutes slide 1 minute]",
    "inner": "select ts, count(n) as people from (select ts, caller, count(*) as n "
    "from Calls [range 120 slide 60] group by caller) [now] as R",
    "users": "select caller, squares(len) as q from Calls group by caller",
    "span": "select window.end, count(*) as n from Trips [range 15 span start, end]",
}


@pytest.mark.parametrize("name", CLAUSES)
def test_a_clause_gives_the_same_rows_on_data_frames(name, spark):
    tables = {"Calls": CALLS, "Trips": TRIPS}
    frames = {one: spark.createDataFrame(table) for one, table in tables.items()}

    actual = wr.cql(CLAUSES[name], squares=SQUARES, **frames)

    expected = wr.cql(CLAUSES[name], squares=SQUARES, **tables)
    assert rows_of(actual) == rows_of(expected)


@pytest.mark.parametrize("name", workloads.WORK)
def test_a_fixture_gives_the_rows_of_spark_sql(name, spark, own):
    work = workloads.WORK[name]
    tables = work.streams()

    actual = wr.cql(workloads.text_of(name), **tables)

    expected = [own(sql, tables) for sql in work.sql]
    assert all(one.num_rows > 0 for one in expected)
    assert_same_results(actual, expected)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK else [pytest.mark.deep])
        for name in workloads.WORK
    ],
)
def test_a_fixture_gives_the_same_rows_on_data_frames(name, spark):
    tables = workloads.WORK[name].streams()
    frames = {one: spark.createDataFrame(table) for one, table in tables.items()}

    actual = wr.cql(workloads.text_of(name), **frames)

    expected = wr.cql(workloads.text_of(name), **tables)
    assert_same_results(actual, expected if isinstance(expected, list) else [expected])


@pytest.mark.parametrize(
    "text",
    [
        "select caller, sum(len) as s, ts from Calls group by caller",
        "select ts, sum(len) as s from Calls [now]",
        "select window, count(*) as n from Calls [rows 2 slide 2] where len > 40",
        """select ts, caller, sum(len) as s from Calls [partition by caller rows 2]
        where cost is not null group by caller""",
        """select istream(caller, count(*) as n) from Calls
        [range 90 slide 30] group by caller having n < 3""",
        """select city, count(len) as n from Calls left join Homes on caller = who
        where coalesce(city, '') <> 'z' group by city""",
    ],
)
def test_a_clause_means_the_same_on_a_data_frame(text, spark):
    frames = {"Calls": spark.createDataFrame(CALLS), "Homes": HOMES}

    actual = wr.cql(text, **frames)

    assert_same_rows(
        rows_of(actual), rows_of(wr.cql(text, Calls=CALLS, Homes=HOMES)), named_by=[]
    )


def test_every_operator_means_the_same_on_a_data_frame(spark):
    text = """
        select len / 7 as a, len div 7 as b, -len % 7 as c, len / 7.0 as d, len - 5 e,
               abs(-len) as f, floor(cost) as g, ceil(cost) as h, round(cost) as i,
               len between 40 and 100 as j, caller like 'a%' as k, caller || '!' as l,
               upper(caller) as m, length(lower(caller)) as n, sqrt(len) as o,
               case when len > 100 then 1 when len > 40 then 2.5 end as p,
               coalesce(len, 3) as q, len in (30, null) as r, cost > 1 as s,
               cost = cost as t, cost >= 2.5 or len < 50 as u, not cost <= 1 as v,
               ts > timestamp '1970-01-01 00:01:00' as w, cast(len as double) as x,
               cast(len as string) as y, cast(cost * 10 as bigint) as z, len / 0 as aa,
               len % 0 as bb, cost / 0.0 as cc, caller <> 'ann' and len > 10 as dd
        from Calls where cost is null or not (cost <> cost or cost > 1000)
    """
    kept = "select cost > 1000 as s, cost = cost as t, cost < 1 as u from Calls"
    frame = spark.createDataFrame(CALLS)

    for one in (text, kept):
        actual = wr.cql(one, Calls=frame).toArrow()

        assert_same_rows(actual, wr.cql(one, Calls=CALLS), named_by=[])


def test_queries_that_share_a_pass_read_one_kept_result(spark, capsys):
    text = """
        select ts, max(len) as m from Calls [range 2 minutes slide 1 minute];
        select ts, min(len) as m from Calls [range 3 minutes slide 1 minute]
    """
    first, second = wr.cql(text, Calls=spark.createDataFrame(CALLS))

    first.explain()
    second.explain()
    plans = capsys.readouterr().out.partition("== Physical Plan ==")[2]

    assert plans.count("InMemoryTableScan") == 2
    spark.catalog.clearCache()


def test_a_stream_is_refused_what_it_cannot_have(spark):
    stream = spark.readStream.format("rate").load()
    stream = stream.withWatermark("timestamp", "1 second")

    for text, words in {
        "select count(*) from S": "expected a window, since a stream has no end",
        "select count(*) from S [rows 3] where value > 1": "rows that are counted by",
        "select istream(count(*)) from S [range 3]": "not streaming within istream",
    }.items():
        with pytest.raises(QueryError, match=words):
            wr.cql(text, S=stream)


@pytest.mark.skipif(not hasattr(DataFrame, "toArrow"), reason="Spark 3.5: no streams")
def test_building_a_text_over_a_stream_keeps_its_watermark(spark, settings_of):
    store = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    stream = spark.readStream.format("rate").load()
    stream = stream.withWatermark("timestamp", "1 second")
    homes = pa.table({"id": [0, 1], "city": ["x", "y"]})
    text = """
        select timestamp, city, sum(value) as total from S [range 60 slide 1]
        join Homes on value = id where value > 0 group by city
    """

    with settings_of({"spark.sql.streaming.stateStore.providerClass": store}):
        actual = wr.cql(text, S=stream, Homes=homes)

    assert actual.isStreaming
    assert actual.columns == ["timestamp", "city", "total"]
