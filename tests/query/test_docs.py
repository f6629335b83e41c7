"""docs/query-language.md has an example for each clause, and the error as it is."""

import re
from pathlib import Path

import pytest

import windrow as wr
from windrow.query.operators import FUNCTIONS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "query-language.md"
TEXT = PAGE.read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
CLAUSES = (
    "Windows",
    "Time",
    "Select",
    "Where",
    "Join",
    "Group by",
    "Having",
    "Istream",
)


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_has_an_example(clause):
    section = re.search(rf"\n## {clause}\n(.*?)\n## ", TEXT, re.DOTALL)[1]

    assert "```python" in section
    assert "assert" in section


def test_the_grammar_names_every_function():
    told = re.search(r"function  :=  (.*)", TEXT)[1].split(", ")

    assert set(told) == set(FUNCTIONS.values())


def test_the_error_shown_is_the_error_raised():
    shown = re.search(r"```text\n(cannot read.*?)```", TEXT, re.DOTALL)[1]
    calls = {}
    exec(EXAMPLES[0].partition("longest =")[0], calls)

    with pytest.raises(wr.QueryError) as raised:
        wr.cql(shown.splitlines()[1].strip(), Calls=calls["calls"])

    assert str(raised.value) == shown.rstrip("\n")
