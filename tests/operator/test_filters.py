"""`where=` of an operator: what it leaves out does not count, and time goes on.

value    3   8   1   9       sum(where="value > 2") over rows(3):  3, 11, 11, 17
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.loops import interpreting

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "key": st.sampled_from("ab"),
            "x": st.one_of(st.none(), st.integers(-9, 9)),
            "kind": st.sampled_from(["sale", "refund", None]),
            "who": st.sampled_from(["ann", "bob"]),
        }
    ),
    max_size=25,
)
CONDITION = "kind = 'refund' and x > -5"
TYPES = {"x": "int64", "kind": "string", "who": "string"}


def calls() -> dict[str, Any]:
    return {
        "n": wr.count(where=CONDITION),
        "all": wr.count(),
        "total": wr.sum("x", where=CONDITION),
        "plain": wr.sum("x"),
        "most": wr.max("x", where=CONDITION),
        "who": wr.arg_max("x", "who", where=CONDITION),
        "seen": wr.collect("who", where=CONDITION),
        "middle": wr.median("x", where="x > 0"),
    }


def holds(row: dict[str, Any]) -> bool:
    return row["kind"] == "refund" and row["x"] is not None and row["x"] > -5


def by_hand(rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The definition: a list comprehension for each aggregate."""
    if not rows:
        return None
    chosen = [row for row in rows if holds(row)]
    numbers = [row["x"] for row in rows if row["x"] is not None]
    most = max((row["x"] for row in chosen), default=None)
    positive = [x for x in numbers if x > 0]
    return {
        "n": len(chosen),
        "all": len(rows),
        "total": sum(row["x"] for row in chosen) if chosen else None,
        "plain": sum(numbers) if numbers else None,
        "most": most,
        "who": next((row["who"] for row in chosen if row["x"] == most), None),
        "seen": [row["who"] for row in chosen],
        "middle": float(np.median(positive)) if positive else None,
    }


def told(found: Any) -> Any:
    """A result with an empty list where there is none."""
    return found and {**found, "seen": found["seen"] or []}


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("fed", [False, True])
@given(rows=ROWS)
def test_a_filter_equals_the_definition(keyed, fed, rows):
    with interpreting():
        op = wr.Operator(wr.rows(4), calls(), types=TYPES)
        held: dict[Any, list[Any]] = {}
        for i, row in enumerate(rows):
            key = row["key"] if keyed else None
            held.setdefault(key, []).append(row)
            if fed:
                columns = {name: [row[name]] for name in TYPES}
                op.feed(pa.table(columns), key=[key] if keyed else None)
            else:
                op.insert(row, key=key)
            assert told(op.query(key=key)) == by_hand(held[key][-4:])
            if i == len(rows) // 2:
                op = wr.Operator.load(op.save())


@pytest.mark.parametrize("keyed", [False, True])
@given(rows=ROWS)
def test_a_batch_equals_event_by_event(keyed, rows):
    names = {"n": wr.count(where=CONDITION), "total": wr.sum("x", where=CONDITION)}
    with interpreting():
        one, many = (
            wr.Operator(wr.rows(3, every=2), names, types=TYPES) for _ in range(2)
        )
        for row in rows:
            one.insert(row, key=row["key"] if keyed else None)
        columns = {name: [row[name] for row in rows] for name in TYPES}
        keys = [row["key"] for row in rows] if keyed else None
        fed = many.feed(columns, key=keys) if rows else []

        found = [(r.key, r.start, r.value) for r in fed]
        expected = [(r.key, r.start, r.value) for r in one.trigger()]
        assert sorted(found, key=str) == sorted(expected, key=str)


@pytest.mark.parametrize("key", [None, "a"])
def test_a_filter_of_plain_numbers_reads_the_value(key):
    op = wr.Operator(wr.rows(3), wr.sum(where="value > 2"))

    found = []
    for value in [3, 8, 1, 9, 0, 0, 0]:
        op.insert(value, key=key)
        found.append(op.query(key))

    assert found == [3, 11, 11, 17, 9, 9, None]
    fed = op.feed(np.array([5, 1, 7]), key=key and [key] * 3)
    assert fed["sum"].to_pylist() == [5, 5, 12]


def test_a_filter_goes_with_lists_time_and_late_events():
    windows = [wr.sliding(10, name="ten"), wr.sliding(4, name="four")]
    listed = wr.Operator(windows, wr.count(where="value > 2"))
    late = wr.Operator(wr.sliding(10), wr.count(where="value > 2"), lateness=5)
    for op in (listed, late):
        for at, value in [(1, 3), (2, 1), (3, 5), (4, 9)]:
            op.insert(value, at=at)

    assert {one.query: one.value for one in listed.trigger(at=10)} == {
        "four": 1,
        "ten": 3,
    }
    assert [one.value for one in late.trigger(at=12)] == [3]


def test_a_corrected_event_is_filtered_anew():
    op = wr.Operator(None, wr.sum("x", where="ok"), algorithm="flat_fat")
    handle = op.insert({"x": 5, "ok": False})
    op.insert({"x": 7, "ok": True})
    before = op.query()

    op.correct(handle, {"x": 6, "ok": True})

    assert (before, op.query()) == (7, 13)


def test_windows_over_events_that_last_are_filtered():
    window = wr.sliding(10, every=5, span=("start", "end"))
    op = wr.Operator(window, {"n": wr.count(where="x > 1"), "all": wr.count()})
    op.insert({"start": 1, "end": 4, "x": 1})
    op.insert({"start": 2, "end": 4, "x": 2})
    op = wr.Operator.load(op.save())
    fed = op.feed({"start": [3, 30], "end": [5, 31], "x": [3, 0]})

    assert [(one.start, one.value) for one in fed][:2] == [
        (-5, {"n": 2, "all": 3}),
        (0, {"n": 2, "all": 3}),
    ]


@pytest.mark.parametrize(
    ("condition", "event", "error", "words"),
    [
        ("value + 1", 1, wr.QueryError, "expected"),
        ("value like 'a%'", 1, wr.QueryError, "expected"),
        ("other > 1", 1, wr.BadInput, "has 2 columns"),
        ("other > 1", {"value": 1}, wr.BadInput, "it has no 'other'"),
        ("other > 1", {"value": 1, "other": None}, wr.BadInput, "first value is null"),
    ],
)
def test_a_filter_that_fits_no_event_is_refused(condition, event, error, words):
    op = wr.Operator(None, wr.sum("value", where=condition))
    before = op.save()

    with pytest.raises(error, match=words):
        op.insert(event)

    assert op.save() == before


def test_a_value_of_another_type_is_refused_whether_it_counts_or_not():
    op = wr.Operator(None, wr.sum(where="value > 2"))
    op.insert(3)
    before = op.save()

    for wrong in ("nine", 0.5, 2**70):
        with pytest.raises(wr.BadInput, match="in 'value'"):
            op.insert(wrong)
    with pytest.raises(wr.BadInput, match="of type int64"):
        op.feed([0.5])

    assert op.save() == before
