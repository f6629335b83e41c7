"""Batches in every form that users have, and what is none: `feed` of operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.loops import interpreting

COLUMNS = {"x": [1, 2, 3], "start": [1, 2, 3], "end": [4, 5, 6]}


@pytest.fixture(autouse=True)
def as_plain_python():
    with interpreting():
        yield


def pandas_frame() -> Any:
    return pytest.importorskip("pandas").DataFrame(COLUMNS, index=list("abc"))


def polars_frame() -> Any:
    return pytest.importorskip("polars").DataFrame(COLUMNS)


FORMS = {
    "mapping": lambda: COLUMNS,
    "table": lambda: pa.table(COLUMNS),
    "batch": lambda: pa.record_batch(COLUMNS),
    "pandas": pandas_frame,
    "polars": polars_frame,
}
WINDOWS = {
    "rows": wr.rows(9),
    "time": wr.sliding(20, on="start"),
    "list": [wr.sliding(20, on="start", name="w")],
    "span": wr.sliding(20, span=("start", "end")),
}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("form", FORMS)
def test_a_table_is_fed_whatever_it_is(form, window):
    for call, expected in ((wr.count(), 3), (wr.sum("x"), 6)):
        operator = wr.Operator(WINDOWS[window], call)

        operator.feed(FORMS[form]())

        found = operator.query()
        assert (found["w"] if window == "list" else found) == expected


BATCHES = {
    "a number": 5,
    "nothing": None,
    "mixed": {"x": ["s", 1, 2]},
    "objects": {"x": [object()] * 3},
    "too large": {"x": [1, 2, 2**70]},
    "a matrix": {"x": np.zeros((3, 3), np.int64)},
    "no list": {"x": 5},
    "uneven": {"x": [1, 2]},
}


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("window", ["rows", "time", "span"])
@pytest.mark.parametrize("batch", BATCHES)
def test_what_is_no_batch_is_refused_in_words(batch, window, begun):
    operator = wr.Operator(WINDOWS[window], {"s": wr.sum("x"), "m": wr.max("start")})
    if begun:
        operator.feed(COLUMNS)
    before = operator.save()
    given = BATCHES[batch]

    with pytest.raises(wr.WindrowError) as refusal:
        operator.feed({**COLUMNS, **given} if isinstance(given, dict) else given)

    assert "\nHint: " in str(refusal.value)
    assert operator.save() == before


@pytest.mark.parametrize("window", ["rows", "span"])
@pytest.mark.parametrize("keys", [5, ["a"], ["a", None, "a"], [[1], [2], [3]]])
def test_what_is_no_keys_is_refused_in_words(keys, window):
    operator = wr.Operator(WINDOWS[window], wr.sum("x"))
    before = operator.save()

    with pytest.raises(wr.BadInput, match="\nHint: "):
        operator.feed(COLUMNS, key=keys)

    assert operator.save() == before
    operator.feed(COLUMNS)


@pytest.mark.parametrize(
    "at", [5, ["soon"] * 3, [1, 2], [1, 2, None], [[1]] * 3, [0.5] * 3]
)
def test_what_are_no_instants_is_refused_in_words(at):
    plain = wr.Operator(wr.sliding(20), wr.sum("x"))
    spans = wr.Operator(wr.sliding(20, span=("a", "b")), wr.sum("x"))
    before = plain.save(), spans.save()

    with pytest.raises(wr.BadInput, match="\nHint: "):
        plain.feed(COLUMNS, at=at)
    with pytest.raises(wr.BadInput, match="\nHint: "):
        spans.feed(COLUMNS, at=(at, COLUMNS["end"]))
    with pytest.raises(wr.BadInput, match="\nHint: "):
        spans.feed(COLUMNS, at=at)

    assert (plain.save(), spans.save()) == before
