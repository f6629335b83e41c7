"""README's tables of benchmarks: every question that both sides answered."""

import platform

import pytest

from handmade_experiments import TINY, experiment, keep, row, trial
from windrow_bench.catalogue import CATALOGUE
from windrow_bench.experiment import Panel
from windrow_bench.findings import gather
from windrow_bench.measure.machine import machine
from windrow_bench.report import write_readme
from windrow_bench.report._readme import ON_SPARK
from windrow_bench.store import ResultStore

README = "above\n<!-- benchmarks: begin -->\nold\n<!-- benchmarks: end -->\nbelow\n"


@pytest.fixture
def readme(tmp_path):
    path = tmp_path / "README.md"
    path.write_text(README, "utf-8")
    return path


def medians(rows):
    """An experiment on Spark with these rows at one place."""
    return experiment(
        "medians-spark",
        panels=(Panel(name="median", x="frame", y="seconds"),),
        trials=lambda _: [trial("median", "1,000 rows", rows)],
    )


def written(experiments, readme, tmp_path):
    store = ResultStore(tmp_path, TINY)
    for one in experiments:
        keep(store, one)
    assert write_readme(gather(experiments, TINY, store), readme)
    return readme.read_text("utf-8")


def test_a_question_that_spark_answers_sooner_is_shown_too(readme, tmp_path):
    seconds = {"windrow": 4.0, "Spark": 2.0}
    slow = [row("median", "1,000 rows", *one) for one in seconds.items()]

    text = written([medians(slow)], readme, tmp_path)

    assert "| exact median of the last 1,000 rows | 4 | 2 | 0.5x |" in text
    assert text.startswith("above\n<!-- benchmarks: begin -->\n")
    assert text.endswith("<!-- benchmarks: end -->\nbelow\n")
    assert "old" not in text


def test_a_question_that_one_side_answered_is_left_out(readme, tmp_path):
    rates = [row("sum", 16, name, 300.0) for name in ("windrow", "pandas")]
    peers = experiment(
        "peers",
        panels=(Panel(name="sum", x="window", y="rate"),),
        trials=lambda _: [trial("sum", 16, rates)],
    )
    alone = medians([row("median", "1,000 rows", "windrow", 4.0)])

    text = written([peers, alone], readme, tmp_path)

    assert "|  | sum, 16 |\n| --- | --- |\n| **windrow** | 300 |" in text
    assert "median" not in text


def test_without_results_the_readme_stays(readme, tmp_path):
    findings = gather([experiment("a")], TINY, ResultStore(tmp_path, TINY))

    assert not write_readme(findings, readme)
    assert readme.read_text("utf-8") == README


def test_every_table_it_reads_is_one_of_an_experiment():
    panels = {(one.name, panel.name) for one in CATALOGUE for panel in one.panels}

    assert {(name, panel) for name, panel, *_ in ON_SPARK} <= panels


def test_another_build_of_the_kernel_is_the_same_machine(monkeypatch):
    monkeypatch.setattr(platform, "release", lambda: "6.1.0-a")
    before = machine()
    monkeypatch.setattr(platform, "release", lambda: "6.1.0-b")

    assert machine() == before
