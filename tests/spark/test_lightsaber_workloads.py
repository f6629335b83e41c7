"""LightSaber's eight queries: each form gives the same rows, and Spark pushes down.

filter, project, join   below the first aggregation, down to the Parquet reader
having                  above the last step, where a window is complete
"""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples.lightsaber import WORKLOADS, cm, lrb, sg, sm, ysb
from examples.lightsaber import __main__ as runner
from examples.lightsaber._compare import differences
from pyspark.sql import functions as fn

FOLDER = os.environ.get("WINDROW_DATASETS")
QUERIES = {query.name: (work, query) for work in WORKLOADS for query in work.queries}

# Rows, and how many in a second: some minutes of each stream, a few seconds of SM.
SIZES = {
    "CM1": (1_500, 10),
    "CM2": (1_500, 10),
    "SG1": (600, 5),
    "SG2": (300, 5),
    "LRB1": (400, 4),
    "LRB2": (600, 4),
    "YSB": (2_000, 50),
    "SM": (500, 100),
}
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

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture
def framed(spark):
    """Tables as Spark frames."""
    return lambda tables: [spark.createDataFrame(table) for table in tables]


@pytest.fixture
def stored(spark, tmp_path):
    """Tables as Parquet files, so that plans show what the reader is asked for."""

    def store(tables):
        frames = []
        for number, table in enumerate(tables):
            file = str(tmp_path / f"{number}.parquet")
            pq.write_table(table, file)
            frames.append(spark.read.parquet(file))
        return frames

    return store


@pytest.fixture
def own(settings_of):
    """Answers of Spark's own form.

    The plan of `window()` has a projection for each window that holds a row: to
    compile hundreds of them takes longer than to interpret them over a few rows.
    """

    def answer(form, *frames):
        interpreted = {
            "spark.sql.codegen.wholeStage": False,
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        }
        with settings_of({} if form is sg.sg1_by_copies else interpreted):
            return form(*frames).toArrow()

    return answer


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


# --- the same rows --------------------------------------------------------------


@pytest.mark.parametrize("name", QUERIES)
def test_both_forms_give_the_same_rows(name, framed, own):
    workload, query = QUERIES[name]
    rows, pace = SIZES[name]
    frames = framed(workload.generate(rows, seed=7, per_second=pace))

    actual = query.windrow(*frames).toArrow()

    expected = own(query.spark, *frames)
    assert expected.num_rows > 0
    assert differences(actual, expected) == []


@pytest.mark.datasets
@pytest.mark.skipif(
    FOLDER is None, reason="WINDROW_DATASETS names no folder of real samples"
)
@pytest.mark.parametrize("name", SAMPLES)
def test_both_forms_give_the_same_rows_on_the_real_samples(name, framed, own):
    workload, query = QUERIES[name]
    frames = framed(workload.load(Path(FOLDER), SAMPLES[name]))

    actual = query.windrow(*frames).toArrow()

    expected = own(query.spark, *frames)
    assert expected.num_rows > 0
    assert differences(actual, expected) == []


def test_copies_by_explode_are_what_the_window_function_makes(framed, own):
    (readings,) = framed(sg.generate(300, seed=7, per_second=5))

    actual = sg.sg1_by_copies(readings, seconds=20).toArrow()

    window = fn.window("ts", "20 seconds", "1 second")
    means = readings.groupBy(window).agg(fn.avg("value").alias("avg_load"))
    assert differences(actual, own(lambda: means)) == []


def test_having_keeps_slow_segments_only_and_leaves_fast_ones_out(framed):
    (reports,) = framed(lrb.generate(600, seed=7, per_second=4))

    slow = lrb.lrb1(reports).toArrow()

    segments = lrb.in_segments(reports).select(*lrb.SEGMENT).distinct().count()
    named = slow.group_by(lrb.SEGMENT).aggregate([])
    assert 0 < named.num_rows < segments
    assert max(slow["avg_speed"].to_pylist()) < lrb.SLOW


def test_vehicles_in_a_segment_are_counted_once_however_often_they_report(framed, own):
    # a vehicle that reports three times in 30 s, and one that reports once
    (table,) = lrb.generate(400, seed=7, per_second=4)
    (reports,) = framed([pa.concat_tables([table, table.slice(0, 40), table])])

    actual = lrb.vehicles(lrb.lrb2(reports)).toArrow()

    window = fn.window("ts", "30 seconds", "1 second")
    grouped = lrb.in_segments(reports).groupBy(*lrb.SEGMENT, window)
    expected = own(lambda: grouped.agg(fn.count_distinct("vehicle").alias("vehicles")))
    assert differences(actual, expected) == []


# --- what Spark pushes down -----------------------------------------------------


def test_the_filter_of_ysb_stands_below_the_join_and_the_aggregation(stored, plan_of):
    frames = stored(ysb.generate(500))

    plan = plan_of(ysb.ysb(*frames))

    scan = where(plan, "FileScan", f"EqualTo(event_type,{ysb.VIEW})")
    read = "ReadSchema: struct<ts:timestamp,ad:bigint,event_type:bigint>"
    last_aggregation = max(i for i, line in enumerate(plan) if "HashAggregate" in line)
    assert read in plan[scan]
    assert last_aggregation < where(plan, "BroadcastHashJoin")
    assert (
        where(plan, "BroadcastHashJoin") < where(plan, "Filter (", "event_type") < scan
    )


def test_the_filter_of_cm2_stands_below_the_aggregation(stored, plan_of):
    frames = stored(cm.generate(500))

    plan = plan_of(cm.cm2(*frames))

    scan = where(plan, "FileScan", f"EqualTo(event_type,{cm.FAIL})")
    last_aggregation = max(i for i, line in enumerate(plan) if "HashAggregate" in line)
    assert last_aggregation < where(plan, "Filter (", "event_type") < scan


def test_of_twelve_columns_cm1_reads_three(stored, plan_of):
    frames = stored(cm.generate(500))

    plan = plan_of(cm.cm1(*frames))

    read = "ReadSchema: struct<ts:timestamp,category:bigint,cpu:double>"
    assert read in plan[where(plan, "FileScan")]


def test_having_stands_above_the_step_that_completes_windows(stored, plan_of):
    frames = stored(lrb.generate(500))

    plan = plan_of(lrb.lrb1(*frames))

    assert where(plan, "Filter (", "< 40.0") < where(plan, "MapInArrow")


def test_three_windows_are_one_scan_with_windrow_and_three_with_spark(stored, plan_of):
    frames = stored(sm.generate(500))

    scans = [
        sum("FileScan" in line for line in plan_of(form(*frames)))
        for form in (sm.sm, sm.sm_by_spark)
    ]

    assert scans == [1, 3]


# --- rows, comparison, runner ---------------------------------------------------


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda one: one.title)
def test_a_seed_names_its_rows(workload):
    once, again = (workload.generate(300, seed=3)[0] for _ in range(2))
    other = workload.generate(300, seed=4)[0]

    actual = (once.num_rows, once.equals(again), once.equals(other))

    assert actual == (300, True, False)
    assert once["ts"].null_count == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"k": [2, 1], "v": [2.0, 1.0]}, []),
        ({"k": [2, 1], "v": [2.0 + 1e-12, 1.0]}, []),
        ({"k": [2, 1], "v": [2.0, 1.001]}, ["v differs"]),
        ({"k": [2, 1], "v": [2.0, None]}, ["v differs"]),
        ({"k": [2, 3], "v": [2.0, 1.0]}, ["k differs", "v differs"]),
        ({"k": [1], "v": [1.0]}, ["1 rows, not 2"]),
        ({"k": [2, 1], "v": [2, 1]}, ["v is of type int64, not double"]),
        ({"k": [2, 1], "w": [2.0, 1.0]}, ["columns ['k', 'w'], not ['k', 'v']"]),
    ],
)
def test_the_comparison_says_what_differs(changed, said):
    expected = pa.table({"k": [1, 2], "v": [1.0, 2.0]})

    actual = differences(pa.table(changed), expected)

    assert actual == said


def test_names_choose_queries_by_their_beginning():
    actual = [query.name for _, query in runner._chosen(["sg", "LRB2"])]

    assert actual == ["SG1", "SG2", "LRB2"]


@pytest.mark.deep  # 8 s: whole queries, timed and printed
def test_the_runner_says_on_how_many_rows_spark_ran(
    spark, tmp_path, monkeypatch, capsys
):
    workload, query = QUERIES["YSB"]
    monkeypatch.setattr(runner, "MOST_COPIES", 700)
    monkeypatch.setattr(runner.console, "width", 120)

    outcome = runner._run(spark, query, workload.generate(2_000), tmp_path, True)
    runner._show([outcome])

    printed = capsys.readouterr().out
    assert (outcome.rows_in, outcome.compared, outcome.wrong) == (2_000, 700, [])
    assert "first 700" in printed
    assert "Spark's own makes 1 copies of each row" in printed
