"""Tests windows by policy over tables against the definition of their rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from plain_policies import results
from windrow.windows import Duration

EVICT = {
    "count": (("count", 3), 3),
    "time": (("time", 7), Duration("7", number=7)),
    "delta": (("delta", 4), wr.delta("d", 4)),
    "mark": (("mark",), wr.punctuation("mark")),
}
TRIGGER = {
    "count": (("count", 2), 2),
    "time": (("time", 5), Duration("5", number=5)),
    "delta": (("delta", 3), wr.delta("d", 3)),
    "mark": (("mark",), wr.punctuation("mark")),
}
PAIRS = [
    (evict, trigger)
    for evict in EVICT
    for trigger in TRIGGER
    if not (evict == trigger and evict in ("count", "time"))
]
steps = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.integers(0, 3),
        st.sampled_from([False, False, False, True]),
        st.sampled_from("ab"),
    )
)


def rows_of(steps: list[Any]) -> list[dict[str, Any]]:
    rows, t, d = [], 0, 0
    for number, (later, further, mark, key) in enumerate(steps):
        t, d = t + later, d + further
        rows.append({"x": number, "t": t, "d": d, "mark": mark, "key": key})
    return rows


SCHEMA = pa.schema(
    [
        ("x", pa.int64()),
        ("t", pa.int64()),
        ("d", pa.int64()),
        ("mark", pa.bool_()),
        ("key", pa.string()),
    ]
)


@pytest.mark.parametrize(("evict", "trigger"), PAIRS)
@given(steps=steps, shuffled=st.randoms(use_true_random=False))
def test_results_are_those_of_the_definition(evict, trigger, steps, shuffled):
    rows = rows_of(steps)
    table = list(rows)
    timed = "time" in (evict, trigger)
    window = wr.window(
        evict=EVICT[evict][1], trigger=TRIGGER[trigger][1], on="t" if timed else None
    )
    actual = wr.aggregate(
        pa.Table.from_pylist(table, SCHEMA),
        window,
        by="key",
        held=wr.collect("x"),
        total=wr.sum("x"),
        latest=wr.last("x"),
    ).to_pylist()

    expected = []
    for key in sorted({row["key"] for row in rows}):
        events = [row for row in rows if row["key"] == key]
        after = events
        if trigger == "time":  # the last rows are told at the first instant after them
            last = events[-1]["t"] // 5 * 5 + 5
            after = [*events, {"t": last, "d": events[-1]["d"], "mark": False}]
        for start, stop in results(after, EVICT[evict][0], TRIGGER[trigger][0]):
            held = [row["x"] for row in events[start:stop]]
            expected.append(
                {
                    "key": key,
                    "window": {"start": start, "end": stop},
                    "held": held,
                    "total": sum(held),
                    "latest": held[-1],
                }
            )
    assert actual == expected


def test_two_counts_and_two_durations_are_the_short_forms():
    assert wr.window(evict=1000, trigger=10) == wr.rows(1000, every=10)
    assert wr.window(evict="1 h", trigger="1 m", on="t") == wr.sliding(
        "1 h", every="1 m", on="t"
    )


CALLS = pa.table({"t": [1, 2], "d": [2.0, 1.0], "s": ["a", "b"], "m": [True, False]})


@pytest.mark.parametrize(
    ("window", "words"),
    [
        (wr.window(evict=None), "by hand"),
        (wr.window(evict="1 h", trigger=2), "names no time column"),
        (wr.window(evict=wr.punctuation()), "no column says where"),
        (wr.window(evict=wr.delta("d", 1)), "must never fall"),
        (wr.window(evict=wr.delta("s", 1)), "not a number"),
        (wr.window(evict=wr.punctuation("d")), "not a boolean"),
        (wr.window(evict=wr.delta("e", 1)), "no column called 'e'"),
        ([wr.window(evict=wr.delta("t", 1))], "one at a time"),
    ],
)
def test_what_a_table_cannot_have_is_refused(window, words):
    with pytest.raises(wr.WindrowError) as refusal:
        wr.aggregate(CALLS, window, n=wr.count())

    assert words in str(refusal.value)


def test_the_plan_says_what_is_done():
    window = wr.window(evict=wr.delta("t", 5), trigger=wr.punctuation("m"))

    text = str(wr.explain(CALLS, window, n=wr.max("d")))

    assert "evict t by 5 trigger punctuation m" in text
    assert "two_stacks_lite" in text
