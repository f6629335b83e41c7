"""Filters of single aggregates: the answer of the rows for which a condition holds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import menus
import oracles
import windrow as wr
from lanes import in_both_lanes
from strategies import part

PAID = pa.table(
    {
        "at": [1, 2, 3, 4, 12],
        "kind": ["sale", "refund", None, "refund", "sale"],
        "x": [10, 20, 30, 40, 50],
    }
)
REFUNDS = "kind = 'refund'"
CALLS = {"n": wr.count(where=REFUNDS), "s": wr.sum("x", where=REFUNDS),
         "all": wr.count(), "first": wr.first("x", where="x > 15")}  # fmt: skip


def test_windows_count_only_what_the_condition_holds_for():
    answer = wr.aggregate(PAID, wr.sliding(10, on="at"), aggregates=CALLS).to_pylist()

    assert [list(row.values())[1:] for row in answer] == [
        [2, 60, 4, 20],
        [0, None, 1, 50],
    ]


def test_rolling_columns_count_only_what_the_condition_holds_for():
    result = wr.over(PAID, on="at", n=wr.count(last=3, where=REFUNDS), every=wr.count())

    assert result.column_names == ["at", "kind", "x", "n", "every"]
    assert result["n"].to_pylist() == [0, 1, 1, 2, 1]


def test_features_count_only_what_the_condition_holds_for():
    labels = pa.table({"t": [4, 5, 99]})
    last = wr.max("x", last=1, where="kind <> 'sale'")

    done = wr.as_of(labels, PAID, at="t", on="at", n=wr.count(where=REFUNDS), last=last)

    assert done["n"].to_pylist() == [1, 2, 2]
    assert done["last"].to_pylist() == [None, 40, None]


@pytest.mark.parametrize("name", ["sum", "arg_max", "collect", "covariance", "concat"])
@part(0.5)
@given(data=st.data())
def test_a_filter_is_the_answer_of_the_rows_that_pass_it(name, data):
    call = data.draw(menus.calls(name))
    n = data.draw(st.integers(0, 12))
    columns = {
        "at": list(range(n)),
        "w": data.draw(st.lists(st.sampled_from([1, 2, None]), min_size=n, max_size=n)),
        **data.draw(menus.columns([call], n)),
    }
    types = {"at": pa.timestamp("s"), "w": pa.int64()}
    table = menus.table_of(columns, types)
    window = wr.sliding("5 seconds", every="2 seconds", on="at")

    def answers():
        asked = menus.asked(call, where="w = 1")
        rows = wr.aggregate(table, window, r=asked)["r"].to_pylist()
        return [{"r": tuple(r.values()) if isinstance(r, dict) else r} for r in rows]

    actual = in_both_lanes(answers)

    rows = menus.rows_of(columns)
    expected = []
    for start in range(-4, n + (n % 2), 2):
        held = rows[max(start, 0) : start + 5]
        if held and start < n:
            expected.append(
                oracles.results([row for row in held if row["w"] == 1], {"r": call})
            )
    assert not oracles.differences(actual, expected, 1e-9)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("x >", "expected"),
        ("y > 1", "expected a column of rows"),
        ("x + 1", "a condition in where"),
        ("x > 1 group by kind", "more than a condition"),
        (3, "not text"),
    ],
)
def test_a_filter_that_is_no_condition_is_refused(where, words):
    with pytest.raises(wr.WindrowError, match=words):
        wr.aggregate(PAID, wr.sliding(10, on="at"), n=wr.count(where=where))


@pytest.mark.parametrize("algorithm", ["auto", "two_stacks_lite"])
@given(
    values=st.lists(st.one_of(st.none(), st.integers(-9, 9)), max_size=20),
    rows=st.integers(1, 5),
)
def test_arrays_are_filtered_by_their_value(algorithm, values, rows):
    calls = {
        "n": wr.count(where="value > 2"),
        "s": wr.sum(where="value > 2"),
        "middle": wr.median(where="value > 2"),
        "all": wr.sum(),
    }
    if algorithm != "auto":
        del calls["middle"]
    array = pa.array(values, pa.int64())

    found = wr.slide(array, wr.rows(rows), calls, algorithm=algorithm)

    held = [values[i : i + rows] for i in range(len(values) - rows + 1)]
    chosen = [[x for x in window if x is not None and x > 2] for window in held]
    whole = [[x for x in window if x is not None] for window in held]
    assert found["n"].to_pylist() == list(map(len, chosen))
    assert found["s"].to_pylist() == [sum(own) if own else None for own in chosen]
    assert found["all"].to_pylist() == [sum(own) if own else None for own in whole]
    if "middle" in found:
        middle = [float(np.median(own)) if own else None for own in chosen]
        assert found["middle"].to_pylist() == middle


def test_arrays_are_filtered_by_one_another_and_by_time():
    x, kind = [10, 20, 30, 40], ["a", "b", "b", "a"]
    call = wr.sum("x", where="kind = 'b'")

    by_rows = wr.slide({"x": x, "kind": kind}, wr.rows(2), call)
    by_time = wr.slide({"x": x, "kind": kind}, wr.sliding(4), call, at=[1, 2, 5, 6])
    alone = wr.slide({"x": np.array(x), "kind": kind}, wr.rows(1), wr.median("x"))

    assert by_rows.tolist() == [20, 50, 30]
    assert by_time.tolist() == [20, 30]
    assert alone.tolist() == x


def test_a_pandas_series_is_filtered_on_its_own_index():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([1.0, 5.0, 2.0, 8.0], index=list("abcd"), name="price")

    actual = wr.slide(series, wr.rows(2), wr.sum(where="value > 1"))

    expected = series.where(series > 1).rolling(2, min_periods=1).sum()[1:]
    pandas.testing.assert_series_equal(actual, expected)
