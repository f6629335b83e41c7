"""The public names: all that is promised, and nothing by accident."""

import inspect
import re
from pathlib import Path

import pytest

import windrow as wr
from windrow.aggregates import BY_NAME

FIXED = {
    "sliding",
    "rows",
    "aggregate",
    "over",
    "slide",
    "explain",
    "algorithms",
    "aggregates",
    "Aggregate",
}


def test_every_exported_name_exists_and_is_listed_once():
    assert all(hasattr(wr, name) for name in wr.__all__)
    assert len(set(wr.__all__)) == len(wr.__all__)


def test_the_fixed_names_and_every_aggregate_are_exported():
    assert set(wr.__all__) >= FIXED
    assert set(wr.__all__) >= set(BY_NAME)
    assert all(getattr(wr, name) is aggregate for name, aggregate in BY_NAME.items())


def test_every_aggregate_is_declared_for_type_checkers():
    text = Path(wr.__file__).read_text("utf-8")

    missing = [name for name in BY_NAME if f"\n    {name}: Aggregate\n" not in text]

    assert missing == [], "declare these in windrow/__init__.py, by name"


def test_dir_lists_public_names_only():
    assert dir(wr) == sorted(wr.__all__)
    assert not [name for name in dir(wr) if name.startswith("_") and name[:2] != "__"]


FUNCTIONS = [
    name
    for name in wr.__all__
    if inspect.isroutine(getattr(wr, name)) or name == "Operator"
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_has_an_example_and_every_parameter(name):
    function = getattr(wr, name)
    page = inspect.getdoc(function)

    parameters = set(inspect.signature(function).parameters) - {"named"}
    missing = {one for one in parameters if not re.search(rf"\b{one}\b", page)}

    assert ">>> " in page
    assert missing == set()
