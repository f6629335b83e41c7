"""Strategies by LightSaber's words: each runs as it says, with the same answer."""

from __future__ import annotations

import datetime as dt

import pytest
from answers import assert_same_rows

import windrow as wr
from windrow.errors import BadInput
from windrow.plan.strategy import STRATEGIES, find_strategy

ZERO = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)


@pytest.fixture
def frame(spark):
    rows = [
        ("ab"[i % 2], ZERO + dt.timedelta(seconds=i * 7 % 400), i) for i in range(300)
    ]
    return spark.createDataFrame(rows, "k string, at timestamp, x long")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_strategy_runs_as_it_says_with_the_same_answer(frame, strategy):
    window = wr.sliding("60 seconds", every="20 seconds", on="at")
    calls = {"n": wr.count(), "total": wr.sum("x")}

    told = str(wr.explain(frame, window, by="k", strategy=strategy, **calls))
    result = wr.aggregate(frame, window, by="k", strategy=strategy, **calls)

    assert f"aggregate on Spark: {strategy}\n" in told
    assert "asked for by name" in told or strategy == "P→Pane, I→Window"
    expected = wr.aggregate(frame.toArrow(), window, by="k", **calls)
    assert_same_rows(result.toArrow(), expected)


def test_words_are_read_as_the_paper_writes_them():
    assert find_strategy("(P -> Pane, I -> Sash, P*S -> Window)") == STRATEGIES[2]
    with pytest.raises(BadInput, match="nothing on Spark has that form"):
        find_strategy("I→Sash, PS→Window")


def test_what_a_query_cannot_run_by_is_refused(frame):
    window = wr.sliding("60 seconds", every="20 seconds", on="at")

    with pytest.raises(BadInput, match="cannot be folded before the shuffle"):
        wr.aggregate(frame, window, strategy="P→Pane, I→Window", all=wr.collect("x"))
