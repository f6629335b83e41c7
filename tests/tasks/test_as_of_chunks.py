"""Hot keys of `wr.as_of`: chunks of any length give the features of whole keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from strategies import part
from windrow.batch.partials import PANE
from windrow.plan import plan_as_of
from windrow.plan.as_of_chunks import choose_chunks
from windrow.tasks.as_of import IS_LABEL, AsOfTask, ChunkSolver
from windrow.tasks.as_of_chunks import (
    CUT,
    LAST_ROWS,
    PANES,
    SIDE,
    FoldPanesTask,
    JoinPanesTask,
)
from windrow.tasks.sweep import CHUNK

FRAMES = {
    "durations": {"n": wr.count(last="3"), "far": wr.max("x", last="9"),
                  "first": wr.first("x", last="6")},
    "rows and all": {"two": wr.sum("x", last=2), "ever": wr.last("x"), "n": wr.count(),
                     "four": wr.collect("x", last=4, closed="right")},
    "words": {"w": wr.max("word", last="8"), "of": wr.arg_min("x", "word"),
              "all": wr.collect("word", last="2", closed="both"),
              "few": wr.sum("x", last="5", min_periods=3)},
    "ahead": {"soon": wr.sum("x", next="4"), "c": wr.first("x", last="3", next="6")},
}  # fmt: skip

ROWS = st.lists(
    st.tuples(st.sampled_from("aaab"), st.integers(0, 20), st.integers(-3, 3)),
    min_size=1,
    max_size=20,
)


def _events(rows: list[Any]) -> pa.Table:
    key, ts, x = zip(*rows, strict=True)
    words = [f"w{value}" if value else None for value in x]
    kinds = zip(("key", "ts", "x"), (key, ts, x), strict=True)
    return pa.table({**dict(kinds), "word": pa.array(words, pa.string())})


def _run(task: Any, rows: list[dict[str, Any]], kinds: Any, size: int = 3) -> Any:
    """What a task makes of sorted rows, which come in short batches."""
    schema = pa.schema(kinds)
    table = pa.Table.from_pylist(rows, schema=schema)
    batches = list(task(table.to_batches(max_chunksize=size)))
    return pa.Table.from_batches(batches, task.gives).to_pylist()


@pytest.mark.parametrize("case", FRAMES)
@part(3.0)
@given(
    rows=ROWS,
    asks=st.lists(
        st.tuples(st.sampled_from("abc"), st.none() | st.integers(-9, 40)), min_size=1
    ),
    delay=st.sampled_from([None, 2]),
    length=st.integers(1, 30),
    by=st.sampled_from(["key", None]),
)
def test_chunks_of_any_length_give_the_features_of_whole_keys(
    case, rows, asks, delay, length, by
):
    if by is None:  # all rows are those of the one that is cut
        rows = [("a", *row[1:]) for row in rows]
    calls, closed = FRAMES[case], "right" if case == "words" else "left"
    events = _events(rows)
    labels = pa.table(
        {
            "key": [key for key, _ in asks],
            "ts": pa.array([at for _, at in asks], pa.int64()),
            "id": range(len(asks)),
        }
    )
    order = {"closed": closed, "delay": delay}
    plan = plan_as_of(labels.schema, events.schema, ("ts", "ts"), by, calls, **order)
    chunks, _ = choose_chunks(plan, 1)
    assert chunks is not None
    expected = wr.as_of(
        labels, events, at="ts", on="ts", by=by, **order, aggregates=calls
    )

    actual = _by_chunks(chunks, labels, events, expected.schema, length)

    wanted = expected.select(["id", *calls]).to_pylist()
    assert sorted(actual, key=lambda row: row["id"]) == wanted


def _by_chunks(
    chunks: Any, labels: pa.Table, events: pa.Table, gives: pa.Schema, length: int
) -> list[dict[str, Any]]:
    """What Spark does: key `a` is cut, the others are whole."""
    plan, edges = chunks.plan, chunks.edges
    rows = sorted(events.to_pylist(), key=lambda row: row["ts"])
    hot = [row for row in rows if row["key"] == "a"]
    sees_all = chunks.may_have_halo and length >= chunks.reach
    base = top = 0
    if hot:
        base = hot[0]["ts"] - max(edges[-1], 0) - 1
        top = (hot[-1]["ts"] - base + max(-edges[0], 0)) // length + 1
        if sees_all:
            top = (hot[-1]["ts"] - base) // length
    kinds = {name: events.schema.field(name).type for name in events.column_names}
    cut = dict(zip(CUT, (base, length, top), strict=True))
    panes = [
        {
            **row,
            **cut,
            PANE: base
            + max((row["ts"] - base - e) // length * length + e for e in edges),
        }
        for row in hot
    ]
    whole = dict.fromkeys(CUT, pa.int64())
    read = ["x", "word"]
    key = dict.fromkeys(plan.by, pa.string())
    names = (*key, *CUT, PANE, "ts", *read)
    if not chunks.keeps_order:
        panes.reverse()
    folded = pa.schema(
        [
            *key.items(),
            *whole.items(),
            (PANES, pa.binary()),
            (LAST_ROWS, pa.binary()),
        ]
    )
    fold = FoldPanesTask(chunks, names, folded, chunks.keeps_order, 2)
    of_panes = {**key, **whole, PANE: pa.int64(), "ts": pa.int64()}
    blobs = _run(fold, panes, [*of_panes.items(), *((n, kinds[n]) for n in read)])
    sided = pa.schema([*key.items(), (CHUNK, pa.int64()), (SIDE, pa.binary())])
    join = JoinPanesTask(chunks, tuple(folded.names), sided)
    sides = [] if sees_all else _run(join, blobs[::-1], folded, 1)

    everything = [{**row, IS_LABEL: False, "ts": None} for row in sides]
    for row in rows:
        numbers = {0}
        if row["key"] == "a":
            numbers = {min(top, (row["ts"] - base - e) // length) for e in edges}
            for frame in chunks.copied:
                far, near = ((row["ts"] - base - e) // length for e in frame.interval)
                numbers |= set(range(near, far + 1))
        everything += [{**row, CHUNK: c, IS_LABEL: False} for c in numbers]
    for row in labels.to_pylist():
        number = 0
        if (row["key"] == "a" or not plan.by) and row["ts"] is not None:
            number = max(0, min(top, (row["ts"] - plan.delay - base) // length))
        everything.append({**row, CHUNK: number, IS_LABEL: True})
    everything.sort(
        key=lambda r: (
            plan.by and r["key"],
            r[CHUNK],
            r["ts"] is not None,
            r["ts"],
            r[IS_LABEL],
        )
    )
    inner = replace(chunks, plan=replace(plan, by=(*plan.by, CHUNK)))
    columns = {**key, CHUNK: pa.int64(), "ts": pa.int64()}
    columns |= {IS_LABEL: pa.bool_(), SIDE: pa.binary()}
    columns |= {name: kinds[name] for name in read} | {"id": pa.int64()}
    own = pa.schema([("id", pa.int64()), *(gives.field(b.name) for b in plan.calls)])
    task = AsOfTask(inner.plan, tuple(columns), ("id",), own, 2, chunks=inner)
    return _run(task, everything, columns.items())


@pytest.mark.parametrize(("length", "is_merged"), [(9, False), (3, True)])
def test_frames_no_longer_than_a_chunk_go_by_rows(monkeypatch, length, is_merged):
    calls = {"n": wr.count(last="9"), "two": wr.sum("x", last=2)}
    events = _events([("a", at, 1) for at in range(30)])
    labels = pa.table({"key": ["a"] * 30, "ts": range(30), "id": range(30)})
    plan = plan_as_of(labels.schema, events.schema, ("ts", "ts"), "key", calls)
    chunks, _ = choose_chunks(plan, 1)
    merged, taken = ChunkSolver._merged, []
    monkeypatch.setattr(
        ChunkSolver, "_merged", lambda *a: taken.append(1) or merged(*a)
    )

    order = {"at": "ts", "on": "ts", "by": "key"}
    expected = wr.as_of(labels, events, **order, aggregates=calls)
    actual = _by_chunks(chunks, labels, events, expected.schema, length)

    assert (
        sorted(actual, key=lambda row: row["id"])
        == expected.select(["id", *calls]).to_pylist()
    )
    assert bool(taken) == is_merged
