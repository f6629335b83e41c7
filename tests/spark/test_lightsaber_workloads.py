"""LightSaber's queries: what Spark pushes down, on generated and on real rows.

filter, project, join   below the first aggregation, down to the Parquet reader
having                  above the last step, where a window is complete

That both texts of each query answer alike is tested with the experiments.
"""

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from answers import assert_same_rows
from examples.lightsaber import __main__ as example

import windrow as wr
from windrow_bench import data
from windrow_bench.measure.applications import APPLICATIONS
from windrow_bench.measure.spark import held
from windrow_bench.measure.spark.applications import by_window

FOLDER = os.environ.get(data.VARIABLE)
# Enough of each sample for full windows to leave the front behind, where it has them.
SAMPLES = {
    "CM1": 4_000,
    "CM2": 16_000,
    "SG1": 1_200,
    "SG2": 600,
    "LRB1": 400,
    "LRB2": 1_500,
    "SM": 500,
}
THREE = ";".join(
    f"select ts, sum(mf01) as total from S [range {ms} ms slide 10 ms]"
    for ms in (160, 640, 2_560)
)

# Code for 60 projections takes longer to compile than to do without.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": False,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture
def stored(spark, tmp_path):
    """A query's frames over Parquet files, so that plans show what is read."""

    def store(name, rows=500):
        one = APPLICATIONS[name]
        tables = {"S": data.find(one.dataset).generate(rows, 7)}
        if name == "YSB":
            tables["T"] = data.yahoo.campaigns(7)
        for each, table in tables.items():
            pq.write_table(table, tmp_path / f"{each}.parquet")
        return {
            each: spark.read.parquet(str(tmp_path / f"{each}.parquet"))
            for each in tables
        }

    return store


@pytest.fixture
def plan_of(capsys):
    """The lines of a frame's physical plan, the last step first."""

    def lines(frame):
        capsys.readouterr()
        frame.explain()
        return capsys.readouterr().out.splitlines()

    return lines


def where(lines, *words):
    """The only line that has all these words."""
    found = [i for i, line in enumerate(lines) if all(word in line for word in words)]
    assert len(found) == 1, (words, lines)
    return found[0]


@pytest.mark.datasets
@pytest.mark.deep  # real rows and whole queries, both ways
@pytest.mark.skipif(
    FOLDER is None, reason="WINDROW_DATASETS names no folder of real samples"
)
@pytest.mark.parametrize("name", SAMPLES)
def test_both_texts_give_the_same_rows_on_the_real_samples(name, spark):
    one = APPLICATIONS[name]
    frames = {"S": spark.createDataFrame(data.table(one.dataset, SAMPLES[name]))}

    actual = one.ours(frames).toArrow()

    expected = (
        by_window(one, frames)
        if name == "SM"
        else spark.sql(one.sql_by_copies, None, **frames)
    ).toArrow()
    assert expected.num_rows > 0
    assert_same_rows(actual, expected, named_by=expected.column_names[:-1])


def test_copies_by_explode_are_what_the_window_function_makes(spark, settings_of):
    rows = data.find("google_cluster").generate(300, 7)
    frames = {"S": spark.createDataFrame(rows)}
    one = APPLICATIONS["CM1"]

    actual = spark.sql(one.sql_by_copies, None, **frames).toArrow()

    with settings_of(INTERPRETED):
        expected = by_window(one, frames).toArrow()
    assert_same_rows(actual, expected, named_by=["ts", "category"])


def test_having_keeps_slow_segments_only_and_leaves_fast_ones_out():
    one = APPLICATIONS["LRB1"]
    reports = {"S": data.find("linear_road").generate(600, 7)}

    slow = one.ours(reports)

    segments = wr.cql(one.text.partition("having")[0], streams=reports)
    assert 0 < slow.num_rows < segments.num_rows
    assert max(slow[one.value].to_pylist()) < 40.0


def test_the_filter_of_ysb_stands_below_the_join_and_the_aggregation(stored, plan_of):
    plan = plan_of(APPLICATIONS["YSB"].ours(stored("YSB")))

    scan = where(plan, "FileScan", f"event_type,{data.yahoo.VIEW})")
    read = "ReadSchema: struct<ts:timestamp,ad:bigint,event_type:tinyint>"
    last_aggregation = max(i for i, line in enumerate(plan) if "HashAggregate" in line)
    join = where(plan, "BroadcastHashJoin")
    assert read in plan[scan]
    assert last_aggregation < join < where(plan, "Filter (", "event_type") < scan


def test_the_filter_of_cm2_stands_below_the_aggregation(stored, plan_of):
    plan = plan_of(APPLICATIONS["CM2"].ours(stored("CM2")))

    scan = where(plan, "FileScan", f"event_type,{data.google_cluster.FAIL})")
    last_aggregation = max(i for i, line in enumerate(plan) if "HashAggregate" in line)
    assert last_aggregation < where(plan, "Filter (", "event_type") < scan


def test_of_twelve_columns_cm1_reads_three(stored, plan_of):
    plan = plan_of(APPLICATIONS["CM1"].ours(stored("CM1")))

    read = "ReadSchema: struct<ts:timestamp,category:tinyint,cpu:double>"
    assert read in plan[where(plan, "FileScan")]


def test_having_stands_above_the_step_that_completes_windows(stored, plan_of):
    plan = plan_of(APPLICATIONS["LRB1"].ours(stored("LRB1")))

    assert where(plan, "Filter (", "< 40.0") < where(plan, "MapInArrow")


def test_three_windows_of_one_text_are_one_scan(stored, plan_of):
    several = wr.cql(THREE, streams=stored("SM"))

    # each result is a frame of its own, cut out of the one pass
    assert [sum("FileScan" in line for line in plan_of(one)) for one in several] == [
        1,
        1,
        1,
    ]


def test_the_example_prints_a_query_and_compares_both_answers(
    spark, monkeypatch, capsys
):
    monkeypatch.setattr(held, "on", lambda: spark)

    assert example.compare("YSB", 2_000)

    printed = capsys.readouterr().out
    assert "from S [range 10 slide 10]" in printed
    assert "2,000 rows in" in printed


@pytest.mark.parametrize(
    ("changed", "equal"),
    [
        ({"k": [2, 1], "v": [2.0 + 1e-12, 1.0]}, True),
        ({"k": [2, 1], "v": [2.0, 1.001]}, False),
        ({"k": [2, 3], "v": [2.0, 1.0]}, False),
        ({"k": [1], "v": [1.0]}, False),
        ({"k": [2, 1], "w": [2.0, 1.0]}, False),
    ],
)
def test_the_example_tells_answers_apart(changed, equal):
    expected = pa.table({"k": [1, 2], "v": [1.0, 2.0]})

    assert example.same(pa.table(changed), expected, "v") is equal
