"""Every example of the docs runs, and prints what the page shows."""

from __future__ import annotations

import tempfile

import pytest
from pages import PAGES, compiled, examples, needs_spark

from windrow.loops import interpreting

WITH_EXAMPLES = [page for page in PAGES if examples(page)]
ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
# what a page says it writes
LEFT_BEHIND = {"datasets.md": ["plugs.txt"], "many-windows.md": ["graph.svg"]}


pytestmark = pytest.mark.usefixtures("auto_lane")


def _run(page, capsys):
    names = {"__name__": "page"}
    for example in examples(page):
        exec(compiled(page, example), names)
        printed = capsys.readouterr().out
        assert printed == example.printed, f"{page}, line {example.line}"


@pytest.mark.parametrize(
    "page", [page for page in WITH_EXAMPLES if not needs_spark(page)]
)
def test_the_examples_of_a_page_hold_in_order(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WINDROW_DATASETS", raising=False)  # pages generate their rows

    with interpreting():
        _run(page, capsys)

    written = [path.name for path in tmp_path.iterdir()]
    assert written == LEFT_BEHIND.get(page, [])


@pytest.mark.parametrize("page", [page for page in WITH_EXAMPLES if needs_spark(page)])
def test_the_examples_of_a_page_hold_on_spark(
    page, spark, settings_of, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    settings = {
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.stateStore.providerClass": ROCKS_DB,
    }

    with settings_of(settings):
        _run(page, capsys)


def test_no_page_that_teaches_is_without_an_example():
    told = {"algorithms.md", "aggregates.md", "architecture.md"}  # tables, and inside
    told |= {"api.md", "benchmarks.md", "how-algorithms-work.md", "windrow-bench.md"}
    told |= {"releasing.md", "compatibility.md", "deploying.md", "testing.md"}
    told |= {"results.md", "former-results.md"}  # written by windrow bench

    assert set(PAGES) - set(WITH_EXAMPLES) <= told
