"""docs/datasets.md says what the cards say, and its examples run in order."""

import re
from pathlib import Path

import pytest

from windrow_bench import data

PAGE = Path(__file__).resolve().parents[3] / "docs" / "datasets.md"
TEXT = PAGE.read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def heading(dataset):
    return f"## {dataset.title}"


def facts(dataset):
    where = f"`{dataset.file}`" if dataset.file else "none, always generated"
    keys = ", ".join(f"`{key}`" for key in dataset.keys) or "none"
    return (
        f"`{dataset.name}` · used by {', '.join(dataset.papers)} · file: {where} · "
        f"time: `{dataset.time}` · keys: {keys}"
    )


def columns(dataset):
    rows = [
        f"| `{one.name}` | {one.type} | {one.unit or '-'} | {one.meaning} |"
        for one in dataset.columns
    ]
    return "\n".join(["| column | type | unit | meaning |", "|---|---|---|---|", *rows])


@pytest.mark.parametrize("dataset", data.CATALOGUE, ids=lambda one: one.name)
@pytest.mark.parametrize("part", [heading, facts, columns])
def test_the_page_says_what_the_card_says(dataset, part):
    assert f"\n{part(dataset)}\n" in TEXT


def test_the_examples_hold_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(data.VARIABLE, raising=False)
    names = {}

    for example in EXAMPLES:
        exec(compile(example, PAGE.name, "exec"), names)

    assert len(EXAMPLES) >= 7
