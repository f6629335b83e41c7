"""Sketches in operators, and in the query language under the names of Spark."""

from __future__ import annotations

import pyarrow as pa
import pytest

import windrow as wr

TABLE = pa.table(
    {"ts": [0, 1, 2, 3], "k": ["a", "a", "b", "a"], "x": [1.0, 2.0, 3.0, 4.0]}
)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (wr.approx_distinct("x"), 2),
        (wr.approx_quantile("x", 0.5), 2.0),
        (wr.approx_quantile("x", [0, 1], method="ddsketch"), [2.0, 5.0]),
        (wr.approx_top_k("x", 1), [{"item": 2.0, "count": 2}]),
        (wr.histogram("x", [0, 2, 6]), [0, 3]),
    ],
    ids=lambda case: getattr(case, "label", ""),
)
def test_operators_keep_the_values_of_their_window(call, expected):
    operator = wr.Operator(wr.rows(3), call)

    for value in (1.0, 2.0, 2.0, 5.0):
        operator.insert(value)

    found = operator.query()
    nested = isinstance(expected, list) and isinstance(expected[0], dict)
    assert found == (expected if nested else pytest.approx(expected, rel=0.01))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("approx_distinct(x)", 3),
        ("approx_count_distinct(x, 0.05)", 3),
        ("percentile_approx(x, 0.5)", 2.0),
        ("percentile_approx(x, 0.5, 1000)", 2.0),
        ("approx_percentile(x, array(0.5, 0.9))", [2.0, 4.0]),
        ("approx_top_k(k, 1)", [{"item": "a", "count": 3}]),
    ],
)
def test_the_query_language_has_the_names_of_spark(text, expected):
    query = f"select k, {text} as r from T [range 60 slide 60] group by k"

    assert wr.cql(query, T=TABLE, time="ts")["r"].to_pylist()[0] == expected
