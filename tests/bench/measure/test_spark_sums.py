"""Results on Spark are compared by sums that show a value in the wrong row."""

import pytest
from pyspark.sql.functions import expr

from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.spark.case import Case, NoAnswer
from windrow_bench.measure.spark.sums import check_sums, sums_of
from windrow_bench.measure.turns import in_turns


@pytest.fixture
def frame(spark):
    return spark.createDataFrame(
        [(1, "a", 2.0), (1, "b", 3.0), (2, "a", 5.0)], "k int, w string, v double"
    )


def test_the_order_of_rows_and_the_width_of_a_key_do_not_matter(frame):
    other = frame.orderBy("v", ascending=False).withColumn("k", expr("cast(k as long)"))

    check_sums("the other", sums_of(other, ["v"]), sums_of(frame, ["v"]))


@pytest.mark.parametrize(
    ("column", "changed"),
    [
        ("v", "if(k = 2, v + 1, v)"),
        ("v", "case v when 2.0 then 3.0 when 3.0 then 2.0 else v end"),
        ("k", "k + 1"),
    ],
    ids=["one cell", "two cells in each other's place", "another key"],
)
def test_a_result_that_differs_is_refused(frame, column, changed):
    wrong = frame.withColumn(column, expr(changed))

    with pytest.raises(WrongAnswer, match="somebody: the sum of v"):
        check_sums("somebody", sums_of(wrong, ["v"]), sums_of(frame, ["v"]))


def test_no_rows_come_to_nothing(frame):
    assert sums_of(frame.where("k > 9"), ["v"]) == {"rows": 0, "v": 0, "v by place": 0}


def test_contenders_have_to_agree_with_the_first_of_them(frame):
    case = Case("a case", lambda one: sums_of(one, ["v"]))
    builds = {"right": lambda: frame, "wrong": lambda: frame.where("k = 1")}

    with pytest.raises(WrongAnswer, match="a case, wrong: the sum of rows is 2, not 3"):
        in_turns(case.contenders(builds), 1, 1.0)


def test_a_job_that_fails_is_an_answer_that_is_not_there(frame):
    case = Case("a case", lambda one: sums_of(one, ["v"]))
    broken = frame.withColumn("v", expr("raise_error('no disk left')"))

    with pytest.raises(NoAnswer, match=r"a case, somebody: .*no disk left"):
        in_turns(case.contenders({"somebody": lambda: broken}), 1, 1.0)
