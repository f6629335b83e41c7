"""The task of `wr.as_of`: however batches are cut, the features of the whole."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from strategies import part
from windrow.plan import plan_as_of
from windrow.tasks.as_of import IS_LABEL, AsOfTask

CALLS = {
    "left": {"n": wr.count(last="3"), "two": wr.collect("x", last=2), "s": wr.sum("x")},
    "right": {"n": wr.count(last="3"), "two": wr.collect("x", last=2)},
    "both": {"n": wr.count(last="3"), "far": wr.max("x", last="6")},
    "neither": {"soon": wr.collect("x", next="3", min_periods=2), "ever": wr.count()},
    "around": {"c": wr.collect("x", last=2, next=2), "d": wr.sum("x", next="4")},
}


@st.composite
def timelines(draw: Any) -> list[dict[str, Any]]:
    """Labels and events of two keys, sorted by key and time, labels of none first."""
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from("aaaab"), st.integers(0, 9), st.booleans()),
            min_size=6,
            max_size=24,
        )
    )
    gone = draw(st.lists(st.sampled_from("ab"), max_size=2))
    timed = [{"key": k, "ts": t, IS_LABEL: is_label} for k, t, is_label in rows]
    untimed = [{"key": k, "ts": None, IS_LABEL: True} for k in gone]
    rows = sorted(
        timed + untimed, key=lambda r: (r["key"], r["ts"] is not None, r["ts"])
    )
    return [{**row, "x": i, "id": i} for i, row in enumerate(rows)]


@pytest.mark.parametrize("case", CALLS)
@pytest.mark.parametrize("delay", [None, 2])
@part(6.0)
@given(rows=timelines(), size=st.integers(1, 3), enough=st.integers(1, 3))
def test_features_do_not_depend_on_where_batches_end(case, delay, rows, size, enough):
    closed = "left" if case == "around" else case
    kinds = [("key", pa.string()), ("ts", pa.int64()), (IS_LABEL, pa.bool_()),
             ("x", pa.int64()), ("id", pa.int64())]  # fmt: skip
    table = pa.Table.from_pylist(rows, schema=pa.schema(kinds))
    labels = pa.table({"key": table["key"], "ts": table["ts"], "id": table["id"]})
    labels = labels.filter(table[IS_LABEL])
    events = table.filter(pa.array([not row[IS_LABEL] for row in rows], pa.bool_()))
    order = {"at": "ts", "on": "ts", "by": "key", "closed": closed, "delay": delay}
    expected = wr.as_of(labels, events, **order, aggregates=CALLS[case])
    plan = plan_as_of(labels.schema, table.schema, ("ts", "ts"), "key", CALLS[case],
                      closed=closed, delay=delay)  # fmt: skip
    gives = pa.schema(
        [("id", pa.int64()), *(expected.schema.field(n) for n in CALLS[case])]
    )
    task = AsOfTask(plan, tuple(table.column_names), ("id",), gives, enough)

    batches = list(task(table.to_batches(max_chunksize=size)))

    actual = pa.Table.from_batches(batches, gives).to_pylist()
    wanted = expected.select(["id", *CALLS[case]]).to_pylist()
    assert sorted(actual, key=lambda row: row["id"]) == wanted
