"""A user's own aggregates on Spark: sent to the workers, compiled there.

Three partials: one that commutes and has an identity, one that has none, and one
that does not commute, so that a pane merged out of order shows.
"""

from __future__ import annotations

import math

import pytest
from answers import assert_same_rows
from typed import table_of

import windrow as wr
from windrow.loops import interpreting

LOG_SUM_EXP = wr.Aggregate(
    name="log_sum_exp",
    identity=(-math.inf, 0.0),
    lift=lambda value: (value, 1.0),
    combine=lambda a, b: (
        (a[0], a[1] + b[1] * math.exp(b[0] - a[0]))
        if a[0] >= b[0]
        else (b[0], b[1] + a[1] * math.exp(a[0] - b[0]))
    ),
    lower=lambda partial: partial[0] + math.log(partial[1]),
    laws="commutative",
)
SPREAD = wr.Aggregate(
    name="spread",
    lift=lambda value: (value, value),
    combine=lambda a, b: (min(a[0], b[0]), max(a[1], b[1])),
    lower=lambda partial: partial[1] - partial[0],
    laws="commutative",
)
ALTERNATING = wr.Aggregate(  # v0 - v1 + v2 - ..., in the order of time
    name="alternating",
    identity=(0, 1),
    lift=lambda value: (value, -1),
    combine=lambda older, newer: (older[0] + older[1] * newer[0], older[1] * newer[1]),
    lower=lambda partial: partial[0],
)
LAST_STEP = wr.Aggregate(  # no identity, and the order of its operands matters
    name="last_step",
    lift=lambda value: (value, value, 0 * value, 1),
    combine=lambda a, b: (a[0], b[1], b[2] if b[3] > 1 else b[0] - a[1], a[3] + b[3]),
    lower=lambda partial: partial[2],
)
OWN = [LOG_SUM_EXP, SPREAD, ALTERNATING, LAST_STEP]
WINDOW = wr.sliding("30 seconds", every="7 seconds", on="at")


@pytest.mark.parametrize(
    "how",
    [
        "by key",
        pytest.param("hot", marks=pytest.mark.deep),
        pytest.param("no key", marks=pytest.mark.deep),
    ],
)
def test_own_aggregates_beside_built_in_ones_give_the_answers_of_the_engine(spark, how):
    table = table_of("smallint")
    frame = spark.createDataFrame(table)
    by = [] if how == "no key" else "key"
    scale = 3
    scaled = wr.Aggregate(  # a name of its surroundings
        name="scaled",
        identity=0,
        lift=lambda value: value * scale,
        combine=lambda older, newer: older + newer,
        lower=lambda partial: partial,
        laws="commutative",
    )
    calls = {one.name: one("x") for one in [*OWN, scaled]}
    calls |= {"most": wr.max("x"), "n": wr.count()}

    actual = wr.aggregate(frame, WINDOW, by=by, aggregates=calls, hot=how == "hot")

    with interpreting():
        expected = wr.aggregate(table, WINDOW, by=by, aggregates=calls)
    assert_same_rows(actual, expected)
