"""Building and explaining a query runs no job: nothing is read before an action."""

from __future__ import annotations

import pytest
from watching import jobs

import windrow as wr
from covering import covering

WINDOWS = {
    "time": wr.sliding("60 seconds", every="1 second", on="at"),
    "sash": wr.sliding("2 hours", every="1 second", on="at"),
    "list": [
        wr.sliding("60 seconds", every="1 second", on="at"),
        wr.sliding("45 seconds", every="7 seconds", on="at"),
    ],
    "count": wr.rows(5, on="at"),
}
CALLS = {
    "native": {"total": wr.sum("v"), "n": wr.count()},
    "kernel": {"product": wr.product("v")},
    "rows": {"all": wr.collect("v")},
}


@pytest.fixture
def poisoned(spark):
    """A frame that fails as soon as one of its rows is looked at."""
    return spark.range(100).selectExpr(
        "id % 3 as k",
        "timestamp_seconds(id) as at",
        "cast(if(id >= 0, raise_error('a row was read'), 0) as bigint) as v",
    )


@pytest.mark.parametrize(
    ("path", "kind", "how"),
    covering(CALLS, WINDOWS, [{"by": "k"}, {"by": "k", "hot": True}, {}]),
)
def test_building_and_explaining_run_no_job(spark, poisoned, path, kind, how):
    before = jobs(spark)

    wr.aggregate(poisoned, WINDOWS[kind], aggregates=CALLS[path], **how)
    wr.explain(poisoned, WINDOWS[kind], aggregates=CALLS[path], **how)

    assert jobs(spark) == before


def test_building_and_explaining_over_run_no_job(spark, poisoned):
    before = jobs(spark)
    calls = {"minute": wr.sum("v", last="1 minute"), "nine": wr.max("v", last=9)}

    wr.over(poisoned, on="at", by="k", **calls)
    wr.over(poisoned, on="at", **calls)
    wr.explain(poisoned, on="at", by="k", **calls)

    assert jobs(spark) == before


@pytest.mark.parametrize("how", [{"by": "k"}, {"by": "k", "hot": True}, {}], ids=str)
def test_building_and_explaining_features_run_no_job(spark, poisoned, how):
    before = jobs(spark)
    order = {"at": "asked", "on": "at", "five": wr.max("v", last=5), **how}
    labels = poisoned.selectExpr("k", "at as asked")

    wr.as_of(labels, poisoned, **order, minute=wr.sum("v", last="1 minute"))
    wr.explain(poisoned, labels=labels, **order)

    assert jobs(spark) == before


def test_the_poison_works_once_a_job_runs(poisoned):
    result = wr.aggregate(poisoned, WINDOWS["time"], total=wr.sum("v"))

    with pytest.raises(Exception, match="a row was read"):
        result.collect()
