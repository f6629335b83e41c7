"""Benchmarks run, on few values, and a wrong answer has no number."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from benchmarks import (
    _kernel_calls,
    _table_queries,
    algorithms,
    arrow_tables,
    kernels,
    own_aggregate,
    pba,
    peers,
    run,
    start_up,
    tables,
    workloads,
)
from benchmarks._answers import WrongAnswer, check_windows
from benchmarks._race import Contender, race
from benchmarks._report import Bar
from benchmarks._settings import QUICK

from windrow.kernels import interpreting

TINY = dataclasses.replace(
    QUICK,
    n=900,
    windows=(16, 100),
    long_windows=(300,),
    rounds=1,
    patience=0.05,
    table_rows=500,
)


def silent(line):
    """An experiment's progress, unheard."""


@pytest.fixture(autouse=True)
def _interpreted():
    """What is tested is how we measure: kernels need no compiling for that."""
    with interpreting():
        yield


@pytest.fixture
def off_by_one(monkeypatch):
    """Let kernels, and `wr.slide` as the benchmarks see it, answer one too much."""
    right, slide = _kernel_calls.compile_kernel, peers.wr.slide

    def wrong_kernel(*given):
        module = right(*given)

        class Wrong:
            @staticmethod
            def run(*arguments):
                module.run(*arguments)
                arguments[-1][0][:] += 1

        return Wrong()

    monkeypatch.setattr(_kernel_calls, "compile_kernel", wrong_kernel)
    monkeypatch.setattr(peers.wr, "slide", lambda *given: slide(*given) + 1)


@pytest.mark.parametrize(
    "experiment", [kernels, peers, own_aggregate, pba, algorithms], ids=lambda e: e.NAME
)
def test_an_experiment_gives_a_number_for_every_contender_and_window(experiment):
    result = experiment.run(TINY, silent)

    rows = [row for table in result.tables for row in table.rows]
    numbers = [value for row in rows for value in row if not isinstance(value, str)]
    assert numbers
    assert all(np.isfinite(value) and value > 0 for value in numbers)
    assert all(len(row) == len(t.header) for t in result.tables for row in t.rows)


@pytest.mark.parametrize(
    "experiment", [kernels, peers, own_aggregate, pba, algorithms], ids=lambda e: e.NAME
)
def test_an_experiment_refuses_a_kernel_that_is_off_by_one(experiment, off_by_one):
    with pytest.raises(WrongAnswer, match="window 0"):
        experiment.run(TINY, silent)


def test_libraries_agree_on_a_table(monkeypatch, tmp_path):
    monkeypatch.setattr(workloads, "CACHE", tmp_path)
    monkeypatch.setattr(arrow_tables, "ask", _table_queries.answer)

    result = arrow_tables.run(TINY, silent)

    actual = [[row[0] for row in table.rows] for table in result.tables]
    assert actual == [["windrow", "polars", "pandas"]] * 2


def test_a_question_is_asked_in_a_process_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setattr(workloads, "CACHE", tmp_path)
    source, target = workloads.events_file(2_000), tmp_path / "answer.arrow"

    actual = arrow_tables.ask("polars", "over", source, target)

    assert actual["seconds"] > 0
    assert 0 < actual["before"] <= actual["peak"]
    assert len(arrow_tables.read(target)) == 2_000


@pytest.mark.parametrize("column", ["key", "total"])
def test_a_table_that_differs_in_one_cell_is_refused(column):
    expected = pa.table({"key": [1, 2], "total": [0.5, 1.5]})
    changed = [value + 1 for value in expected[column].to_pylist()]
    actual = expected.set_column(
        expected.column_names.index(column), column, pa.array(changed)
    )

    with pytest.raises(WrongAnswer, match=column):
        arrow_tables.check_same("somebody", actual, expected)


def test_a_table_that_lacks_a_row_is_refused():
    expected = pa.table({"key": [1, 2], "total": [0.5, 1.5]})

    with pytest.raises(WrongAnswer, match="1 rows, not 2"):
        arrow_tables.check_same("somebody", expected.slice(1), expected)


def test_start_up_tells_compiling_from_loading(tmp_path):
    cold = start_up.call("max", str(tmp_path))
    warm = start_up.call("max", str(tmp_path))

    assert len(cold) == len(warm) == 3
    assert warm[1] < cold[1]


def test_start_up_refuses_a_wrong_first_window():
    with pytest.raises(WrongAnswer, match=r"is 15\.0, not 14\.0"):
        start_up.check_first("max", 14.0)


def test_windows_around_chunk_boundaries_are_looked_at():
    values = np.arange(4_000.0)
    actual = values[99:].copy()
    actual[100] += 1  # the first window of the second chunk

    with pytest.raises(WrongAnswer, match="window 100"):
        check_windows("somebody", actual, values, 100, "max")


def test_contenders_take_turns_after_a_warm_up():
    turns = []
    contenders = [
        Contender(name, lambda name=name: turns.append(name), silent) for name in "ab"
    ]

    race(contenders, rounds=2)

    assert "".join(turns) == "ab" + "abab"


def test_a_bar_says_whether_it_is_kept():
    actual = [Bar("x", 1.0, 2.0).passed, Bar("x", 1.0, 2.0, at_least=False).passed]

    assert actual == [False, True]


def test_a_workload_that_is_not_the_frozen_one_is_refused(monkeypatch):
    monkeypatch.setattr(workloads, "SEED", 1)
    workloads.values.cache_clear()

    with pytest.raises(AssertionError, match="not the frozen one"):
        workloads.values(100)


def test_a_quick_run_writes_nothing(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(run, "QUICK", TINY)
    for name in ("RESULTS_JSON", "RESULTS_MD", "README"):
        monkeypatch.setattr(tables, name, tmp_path / name)

    actual = run.main(["--quick", "--only", "pba"])

    assert actual == 0
    assert list(tmp_path.iterdir()) == []
    assert "not a measurement" in capsys.readouterr().out


def test_a_wrong_answer_is_reported_and_not_written(monkeypatch, tmp_path, off_by_one):
    monkeypatch.setattr(run, "FULL", TINY)
    for name in ("RESULTS_JSON", "RESULTS_MD", "README"):
        monkeypatch.setattr(tables, name, tmp_path / name)

    actual = run.main(["--only", "pba"])

    assert actual == 1
    assert list(tmp_path.iterdir()) == []


def test_a_run_writes_results_and_only_between_the_readme_s_comments(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(run, "FULL", dataclasses.replace(TINY, quick=False))
    for name in ("RESULTS_JSON", "RESULTS_MD", "README"):
        monkeypatch.setattr(tables, name, tmp_path / name)
    tables.README.write_text(
        "before\n<!-- benchmarks: begin -->\nold\n<!-- benchmarks: end -->\nafter\n"
    )

    run.main(["--only", "peers"])

    readme = tables.README.read_text()
    assert readme.startswith("before\n<!-- benchmarks: begin -->\n")
    assert readme.endswith("<!-- benchmarks: end -->\nafter\n")
    assert "| **windrow** |" in readme
    assert "old" not in readme
    assert "## Other libraries" in tables.RESULTS_MD.read_text()
    assert list(json.loads(tables.RESULTS_JSON.read_text())["experiments"]) == ["peers"]


def test_the_command_lists_its_options():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", "--help"],
        cwd=Path(run.__file__).resolve().parents[1],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "--only" in done.stdout
    assert "--quick" in done.stdout
