"""Parts on several threads: the same bits for any number, and the oracle's answers.

runs     | a | b |         c         | d |          parts of a few rows only
parts    |   0   |  1  |  2   |  3   | 4 |          on 1, 2, 3 and 7 threads
"""

from __future__ import annotations

import importlib
import json
import threading
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import windrow as wr
from strategies import part
from windrow.errors import BadInput, SumOverflow
from windrow.plan import plan_as_of, resolve

as_of = importlib.import_module("windrow.batch.as_of")
parts = importlib.import_module("windrow.slicing.parts")
pool = importlib.import_module("windrow.loops.threads")

THREADS = (1, 2, 3, 7)
TOLERANCE = 1e-9


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Parts of about 16 rows, with halos of up to half of that."""
    monkeypatch.setattr(parts, "PART", 16)
    monkeypatch.setattr(parts, "HALOS", 2)
    monkeypatch.setattr(pool, "PIECE", 8)
    monkeypatch.delenv("WINDROW_THREADS", raising=False)


@st.composite
def tables(draw: Any, *, keys: int | None = None) -> pa.Table:
    """Rows of a few keys or one, by time or not, with nulls, ties and gaps."""
    seed = draw(st.integers(0, 2**32 - 1))
    many = draw(st.sampled_from([1, 2, 9])) if keys is None else keys
    step = draw(st.sampled_from([1, 2, 5]))
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(60, 200))
    at = np.cumsum(rng.integers(0, step + 1, rows)) + rng.choice([0, 10**6])
    if draw(st.booleans()):
        rng.shuffle(at)
    whole = rng.integers(-50, 50, rows)
    nulls = rng.random(rows) < draw(st.sampled_from([0, 0.2]))
    return pa.table(
        {
            "key": pa.array(rng.integers(0, many, rows)),
            "at": pa.array(at, pa.timestamp("s")),
            "x": pa.array(rng.normal(size=rows), mask=nulls),
            "n": pa.array(whole, mask=nulls),
            "w": pa.array([f"w{value % 7}" for value in whole], mask=nulls),
        }
    )


CALLS = {
    "total": ("sum", "n"),
    "mean": ("mean", "x"),
    "top": ("max", "x"),
    "who": ("arg_max", "x", "w"),
    "first": ("first", "w"),
    "all": ("collect", "n"),
    "kinds": ("count_distinct", "w"),
    "middle": ("median", "x"),
    "often": ("mode", "w"),
}


def asked(**frame: Any) -> dict[str, Any]:
    """All calls, with a frame for `wr.over`."""
    return {
        label: getattr(wr, name)(*columns, **frame)
        for label, (name, *columns) in CALLS.items()
    }


def content(result: Any) -> Any:
    """A table as what its columns are made of: equal only if each bit is."""
    if isinstance(result, np.ndarray):
        return result.dtype, result.tobytes()
    return [
        (field, bits(result.column(field.name).combine_chunks()))
        for field in result.schema
    ]


def bits(array: pa.Array) -> list[Any]:
    """The values of an array, floats as words."""
    if pa.types.is_floating(array.type):
        return array.view(pa.int64()).to_pylist()
    return array.to_pylist()


def on_any_threads(run: Any) -> Any:
    """The result, which is the same on any number of threads."""
    results = [run(threads) for threads in THREADS]
    for result in results[1:]:
        assert content(result) == content(results[0])
    return results[0]


WINDOWS = {
    "time": wr.sliding("6 seconds", every="2 seconds", on="at"),
    "uneven slide": wr.sliding("7 seconds", every="3 seconds", on="at"),
    "each tick": wr.sliding("4 seconds", every="1 second", on="at"),
    "count": wr.rows(6, every=2, on="at"),
    "each row": wr.rows(5, on="at"),
    "tails": wr.rows(7, every=3, on="at"),
    "partial": wr.rows(6, every=4, partial=True, on="at"),
    "partial rows": wr.rows(5, partial=True, on="at"),
}


@pytest.mark.parametrize("by", ["key", None])
@pytest.mark.parametrize("name", WINDOWS)
@part(0.25)
@given(table=tables())
def test_windows_are_the_same_bits_on_any_number_of_threads(name, by, table):
    window = WINDOWS[name]

    def run(threads: int) -> pa.Table:
        calls = asked()
        return wr.aggregate(table, window, by=by, aggregates=calls, threads=threads)

    divided = on_any_threads(run)

    assert_alike(divided, whole(lambda: run(1)))


def whole(run: Any) -> Any:
    """The result in one part, which the agreement tests compare with the oracle."""
    before, parts.PART = parts.PART, 1 << 19
    try:
        return run()
    finally:
        parts.PART = before


def assert_alike(actual: pa.Table, expected: pa.Table) -> None:
    assert actual.schema == expected.schema
    assert oracles.alike(actual.to_pydict(), expected.to_pydict(), TOLERANCE)


LISTS = {
    "time": [WINDOWS["time"], WINDOWS["each tick"], WINDOWS["uneven slide"]],
    "count": [WINDOWS["count"], WINDOWS["tails"]],
    "graph": [wr.rows(4), wr.rows(6), wr.rows(9)],
    "calendar": [wr.calendar("1 day", on="at"), wr.calendar("1 month", on="at")],
}


@pytest.mark.parametrize("name", LISTS)
@part(0.5)
@given(table=tables())
def test_lists_of_windows_are_the_same_bits_and_in_the_same_order(name, table):
    if name == "calendar":
        days = pa.array(table["at"].cast(pa.int64()).to_numpy() * 86400 // 5)
        at = days.cast(pa.timestamp("s"))
        table = table.set_column(1, "at", at)
    some = {"mean": wr.mean("x"), "top": wr.max("n")}

    def run(threads: int) -> pa.Table:
        return wr.aggregate(table, LISTS[name], by="key", threads=threads, **some)

    assert_alike(on_any_threads(run), whole(lambda: run(1)))


@pytest.mark.parametrize("by", ["key", None])
@pytest.mark.parametrize("closed", ["both", "left", "right", "neither"])
@part(0.25)
@given(table=tables(), unplaced=st.booleans())
def test_every_row_has_the_same_past_on_any_number_of_threads(
    closed, by, table, unplaced
):
    if unplaced:
        at = table["at"].to_pylist()
        at[::9] = [None] * len(at[::9])
        table = table.set_column(1, "at", pa.array(at, pa.timestamp("s")))
    calls = {
        **{f"{k} t": v for k, v in asked(last="5 seconds", closed=closed).items()},
        **{f"{k} r": v for k, v in asked(last=6).items()},
    }

    def run(threads: int) -> pa.Table:
        return wr.over(table, on="at", by=by, aggregates=calls, threads=threads)

    assert_alike(on_any_threads(run), whole(lambda: run(1)))


@pytest.mark.parametrize("by", ["key", None])
@pytest.mark.parametrize("closed", ["left", "right"])
@part(0.25)
@given(table=tables(), asks=tables())
def test_labels_have_the_same_features_on_any_number_of_threads(
    closed, by, table, asks
):
    calls = {
        **{f"{k} t": v for k, v in asked(last="5 seconds", closed="both").items()},
        **{f"{k} r": v for k, v in asked(last=3).items()},
    }
    asks = asks.select(["key", "at"])

    def run(threads: int) -> pa.Table:
        order = {"at": "at", "on": "at", "by": by, "closed": closed}
        return wr.as_of(asks, table, **order, aggregates=calls, threads=threads)

    with mock.patch.object(as_of, "PART", 1 << 19):
        expected = run(1)
    with mock.patch.object(as_of, "PART", 16):
        assert_alike(on_any_threads(run), expected)


def test_labels_of_one_long_key_are_taken_in_stretches():
    rows = pa.table({"at": range(400), "x": [i % 7 for i in range(400)]})
    plan = plan_as_of(
        rows.schema, rows.schema, ("at", "at"), None, {"n": wr.sum("x", last="5")}
    )

    with mock.patch.object(as_of, "PART", 16):
        job = as_of.open_as_of(rows, rows, plan, 2)
        cut = job.parts(resolve(plan, job.facts))

    assert len(cut) > 4
    assert [part.since for part in cut] == [0, *(part.until for part in cut[:-1])]
    assert cut[-1].until == 400


@pytest.mark.parametrize("window", [wr.rows(5), wr.rows(6, every=2), WINDOWS["time"]])
@given(table=tables(keys=1))
def test_arrays_slide_to_the_same_bits_on_any_number_of_threads(window, table):
    table = table.sort_by("at")
    values = table["x"].fill_null(0.5).to_numpy()
    at = table["at"] if window.is_timed else None

    def run(threads: int) -> Any:
        return wr.slide(values, window, "mean", at=at, threads=threads)

    expected = whole(lambda: run(1))
    assert oracles.alike(on_any_threads(run).tolist(), expected.tolist(), TOLERANCE)


# --- against the oracle directly -------------------------------------------------


@given(table=tables(keys=1))
def test_stretches_of_one_key_equal_the_oracle(table):
    table = table.sort_by("at")
    values = table["n"].to_pylist()
    expected = [
        oracles.lower("max", values[start:stop])
        for start, stop in oracles.count_windows(len(values), range=5, slide=2)
    ]

    result = wr.aggregate(table, wr.rows(5, every=2), top=wr.max("n"), threads=2)

    assert result["top"].num_chunks > 1
    assert result["top"].to_pylist() == expected


# --- that parts are taken, by several threads, and what goes wrong in them --------


def seen_threads(monkeypatch, run: Any) -> tuple[int, int]:
    """How many pieces a call has, and on how many threads at once they ran."""
    aggregate = importlib.import_module("windrow.batch.aggregate")
    barrier, seen = threading.Barrier(2, timeout=20), []

    def in_threads(work, pieces, threads):
        def met(piece):
            if piece < 2:  # both must be at work for either to go on
                barrier.wait()
            seen.append(threading.get_ident())
            return work(piece)

        return pool.in_threads(met, pieces, threads)

    monkeypatch.setattr(aggregate, "in_threads", in_threads)
    run()
    return len(seen), len(set(seen))


def line_of(n: int, keys: int) -> pa.Table:
    return pa.table(
        {"key": np.arange(n) % keys, "at": np.arange(n), "x": np.arange(n) * 0.5}
    )


@pytest.mark.parametrize(
    ("keys", "by", "call", "way"),
    [
        (9, "key", wr.max("x"), "cells by stretches of slices, windows by key"),
        (9, "key", wr.count_distinct("x"), "{} parts by "),
        (1, None, wr.max("x"), "{} parts by stretches of a key"),
    ],
)
def test_parts_run_on_several_threads_at_once(monkeypatch, keys, by, call, way):
    table = line_of(500, keys)
    window = wr.sliding(10, every=5, on="at")

    count, threads = seen_threads(
        monkeypatch,
        lambda: wr.aggregate(table, window, by=by, top=call, threads=2),
    )

    text = wr.explain(table, window, by=by, top=call, threads=2).text
    assert threads == 2
    assert f"threads    2: {way.format(count)}" in text


def test_one_thread_slides_over_all_stretches_in_one_call(monkeypatch):
    aggregate = importlib.import_module("windrow.batch.aggregate")
    slide, calls = aggregate.slide_regular, []

    def slide_regular(*work, **how):
        calls.append(len(work[3]))  # runs
        return slide(*work, **how)

    monkeypatch.setattr(aggregate, "slide_regular", slide_regular)
    one, two = (
        wr.slide(np.arange(500) * 0.1, wr.rows(5), "sum", threads=threads)
        for threads in (1, 2)
    )

    stretches = calls[0]
    assert stretches > 4
    assert calls[1:] == [1] * stretches
    assert one.tobytes() == two.tobytes()


def test_one_thread_walks_the_same_parts():
    table = line_of(500, 1)
    window = wr.sliding(10, every=5, on="at")

    one, two = (
        wr.explain(table, window, top=wr.max("x"), threads=threads).text
        for threads in (1, 2)
    )

    assert one.replace("threads    1:", "threads    2:") == two


@pytest.mark.parametrize(
    "window", [wr.window(evict=wr.delta("x", 3)), wr.sliding(9, span=("at", "end"))]
)
def test_explain_says_where_windows_are_not_divided(window):
    table = line_of(500, 1)
    table = table.append_column("end", pa.array(range(3, 503)))

    text = wr.explain(table, window, top=wr.max("x"), threads=2).text

    assert "threads    1: these windows are not divided" in text


def test_the_error_of_the_first_part_that_fails_is_raised():
    table = line_of(500, 1)
    large = [2**62 if at in (200, 201, 400, 401, 402) else 1 for at in range(500)]
    table = table.append_column("n", pa.array(large))

    for threads in THREADS:
        with pytest.raises(SumOverflow, match="9223372036854775808,"):
            wr.aggregate(table, wr.rows(2), total=wr.sum("n"), threads=threads)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_functions_in_plain_python_run_in_one_part_on_one_thread():
    names: list[int] = []

    def combine(older, newer):
        names.append(threading.get_ident())
        return json.loads(json.dumps(int(older + newer)))  # nothing that compiles

    own = wr.Aggregate(
        name="own", identity=0, lift=lambda v: v, combine=combine, lower=lambda p: p
    )
    table = line_of(200, 1)

    result = wr.aggregate(table, wr.rows(3), total=own("at"), threads=3)

    assert result["total"].to_pylist() == [3 * at + 3 for at in range(198)]
    assert set(names) == {threading.get_ident()}


def test_few_rows_take_one_thread_and_many_take_all_cores(monkeypatch):
    monkeypatch.setattr(pool, "cores", lambda: 5)

    assert pool.thread_count(None, pool.LARGE - 1) == 1
    assert pool.thread_count(None, pool.LARGE) == 5
    assert pool.thread_count(2, 10) == 2
    monkeypatch.setenv("WINDROW_THREADS", "3")
    assert pool.thread_count(None, pool.LARGE) == 3
    assert pool.thread_count(2, pool.LARGE) == 2


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two", True])
def test_a_number_of_threads_that_is_none_is_refused(threads):
    with pytest.raises(BadInput, match="threads"):
        wr.slide([1, 2, 3], wr.rows(2), "sum", threads=threads)


@pytest.mark.parametrize("word", ["0", "-1", "many"])
def test_a_wrong_word_in_the_environment_is_refused(monkeypatch, word):
    monkeypatch.setenv("WINDROW_THREADS", word)

    with pytest.raises(BadInput, match="WINDROW_THREADS"):
        wr.slide([1, 2, 3], wr.rows(2), "sum")
