"""Filters of single aggregates: the answer of the rows for which a condition holds."""

from __future__ import annotations

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
