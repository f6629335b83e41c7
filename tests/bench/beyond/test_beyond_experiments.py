"""Windrow beside other libraries: few rows, few libraries, and claims by hand."""

import dataclasses
import importlib.util

import numpy as np
import pyarrow as pa
import pytest

from windrow.loops import interpreting
from windrow_bench.beyond import EXPERIMENTS, rolling, tables
from windrow_bench.experiment import Row, RowSet, Size
from windrow_bench.measure import keyed, table_side
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.peers import PEERS
from windrow_bench.measure.table_queries import FORMS, QUESTIONS, own_form

TINY = Size("quick", 0.05, 1)
BOTTLENECK, *_ = PEERS


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr(rolling, "QUICK_ROWS", 600)
    monkeypatch.setattr(rolling, "QUICK_WIDTHS", (16, 100))
    monkeypatch.setattr(rolling, "PEERS", (BOTTLENECK,))
    with interpreting():
        yield


def test_every_library_that_takes_part_is_needed():
    for experiment in EXPERIMENTS:
        assert all(importlib.util.find_spec(name) for name in experiment.needs)
    assert set(rolling.ROLLING.needs) == {peer.name for peer in PEERS}


def test_moving_windows_give_a_rate_for_every_library():
    rows = [row for one in rolling.trials(TINY) for row in one.run(0.01)]

    assert {row.panel for row in rows} == set(rolling.AGGREGATES)
    assert {row.x for row in rows} == {16, 100}
    assert {row.series for row in rows} == {"windrow", "bottleneck"}
    assert all(np.isfinite(row.value) and row.value > 0 for row in rows)


def test_a_library_that_answers_one_too_much_has_no_rate(monkeypatch):
    wrong = dataclasses.replace(
        BOTTLENECK, slide=lambda *given: BOTTLENECK.slide(*given) + 1
    )
    monkeypatch.setattr(rolling, "PEERS", (wrong,))

    with pytest.raises(WrongAnswer, match="bottleneck: sum of window 0"):
        rolling.trials(TINY)[0].run(0.01)


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_peers_have_what_they_say(peer):
    if peer.name == "numbagg":
        pytest.skip("compiles for seconds: the deep run of benchmarks has it")
    values = np.random.default_rng(1).random(300)

    for aggregate in peer.aggregates:
        contender = rolling.peer_contender(peer, values, 20, aggregate)
        contender.check(contender.call())


@pytest.mark.parametrize("question", QUESTIONS)
def test_duckdb_and_polars_answer_alike(question):
    given = keyed.events(3_000)

    actual, expected = (
        FORMS[question](name, QUESTIONS[question][name](own_form(given, name)))
        for name in ("duckdb", "polars")
    )

    table_side.check_same("duckdb", actual, expected, "polars")


def told(library, question, source, target, *, rounds):
    """A library that answers at once, and holds twice the input."""
    given = keyed.read(source)
    keyed.write(pa.table({"key": [1, 2]}), target)
    times = [3.0, 1.0, 2.0]
    return {"times": times, "before": 10, "peak": 10 + 2 * given.nbytes}


def test_tables_give_time_and_memory_of_every_library(monkeypatch):
    monkeypatch.setattr(tables, "ask", told)
    monkeypatch.setattr(tables, "SMALL", 500)

    (trial,) = tables.WINDOWS.trials(TINY)
    rows = RowSet(trial.run(1.0))

    assert rows.series("time") == ["windrow", "polars", "pandas", "duckdb"]
    time = rows.row("time", 500, "windrow")
    assert (time.value, time.low, time.high, time.repeats) == (2.0, 1.0, 3.0, 3)
    assert rows.value("memory", 500, "duckdb") == 2.0


def test_a_library_that_differs_from_polars_has_no_time(monkeypatch):
    def differs(library, question, source, target, *, rounds):
        found = told(library, question, source, target, rounds=rounds)
        if library == "duckdb":
            keyed.write(pa.table({"key": [1, 3]}), target)
        return found

    monkeypatch.setattr(tables, "ask", differs)
    monkeypatch.setattr(tables, "SMALL", 500)

    (trial,) = tables.OVER.trials(TINY)
    with pytest.raises(WrongAnswer, match="duckdb: column key differs from polars"):
        trial.run(1.0)


def test_a_process_that_ends_badly_says_whose_it_was(tmp_path):
    with pytest.raises(WrongAnswer, match="nobody: its process ended with 1"):
        table_side.ask("nobody", "over", tmp_path / "in", tmp_path / "out")


def rows_of(values):
    return RowSet(Row(p, x, s, v, v, v, 1) for (p, x, s), v in values.items())


@pytest.mark.parametrize(
    ("ours", "grows", "expected"),
    [
        (9.0, 1.0, [True] * 4),
        (0.5, 9.0, [False] * 4),
        (1.5, 1.0, [True, True, False, True]),
    ],
)
def test_claims_of_moving_windows_go_by_the_best_other_library(ours, grows, expected):
    values = {}
    for panel in rolling.AGGREGATES:
        for x in (16, 256):
            values[panel, x, "windrow"] = ours * (grows if x == 256 else 1.0)
            values[panel, x, "polars"] = 0.4
            values[panel, x, "pandas"] = grows

    actual = [claim.judge(rows_of(values)).holds for claim in rolling.ROLLING.claims]

    assert actual == expected


@pytest.mark.parametrize(
    ("x", "seconds", "held", "expected"),
    [
        (10_000_000, 1.0, 2.5, [True, True]),
        (10_000_000, 3.0, 3.5, [False, False]),
        (1_000_000, 1.0, 2.5, [True, None]),
    ],
)
def test_claims_of_tables_go_by_time_and_on_many_rows_by_memory(
    x, seconds, held, expected
):
    values = {("time", x, name): 2.0 for name in tables.OTHERS}
    values |= {("time", x, "windrow"): seconds, ("memory", x, "windrow"): held}

    actual = [claim.judge(rows_of(values)).holds for claim in tables.WINDOWS.claims]

    assert actual == expected
