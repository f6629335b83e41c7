"""Every aggregate over every type on Spark equals the in-process engine.

level 1     native   Catalyst's own aggregates make the panes
            kernel   the compiled kernel makes them, inside mapInArrow
            rows     no panes: holistic aggregates need the rows themselves
"""

from __future__ import annotations

import pytest
from answers import assert_same_rows
from typed import TYPES, calls_over, frame_of, table_of

import windrow as wr
from covering import covering
from windrow.aggregates import CATALOGUE
from windrow.loops import interpreting

WINDOW = wr.sliding("30 seconds", every="7 seconds", offset="2 seconds", on="at")


def expected_of(table, calls, **how):
    """The in-process answer."""
    with interpreting():
        return wr.aggregate(table, WINDOW, aggregates=calls, **how)


ROWS_OF = ("bigint", "double", "boolean", "timestamp", "decimal(18,4)", "string")


@pytest.mark.parametrize(
    ("kind", "holistic"),
    [
        pytest.param(
            kind,
            holistic,
            id=f"{'holistic' if holistic else 'partials'}-{kind}",
            marks=pytest.mark.deep if holistic and kind not in ROWS_OF else (),
        )
        for holistic in (False, True)
        for kind in TYPES
    ],
)
def test_aggregates_over_each_type_give_the_answers_of_the_engine(
    spark, kind, holistic
):
    table, calls = table_of(kind), calls_over(kind, holistic=holistic)
    frame = frame_of(spark, kind, table)

    actual = wr.aggregate(frame, WINDOW, by="key", aggregates=calls)

    assert_same_rows(actual, expected_of(table, calls, by="key"))


def test_every_aggregate_of_the_catalogue_is_compared_over_some_type():
    compared = {
        name
        for kind in TYPES
        for holistic in (True, False)
        for name in calls_over(kind, holistic=holistic)
    }

    exact = [one for one in CATALOGUE if not one.sketch]
    assert compared >= {one.name for one in exact if "own" not in one.takes}


@pytest.mark.parametrize(
    ("holistic", "kind", "how"),
    covering([False, True], ["bigint", "double", "string"], ["hot", "no key"]),
)
def test_chunks_of_time_give_the_answers_of_the_engine(spark, how, kind, holistic):
    table, calls = table_of(kind), calls_over(kind, holistic=holistic)
    by = [] if how == "no key" else "key"
    frame = frame_of(spark, kind, table)

    actual = wr.aggregate(frame, WINDOW, by=by, aggregates=calls, hot=how == "hot")

    assert_same_rows(actual, expected_of(table, calls, by=by))
