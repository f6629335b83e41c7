"""The public names: all that is promised, and nothing by accident."""

import inspect
import re
from pathlib import Path

import pytest

import windrow as wr
from windrow.aggregates import BY_NAME, Aggregate, Law

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


# Methods of these are called; those of what a query gives are no promise.
CLASSES = (wr.Operator, wr.Features)
METHODS = {
    f"{kind.__name__}.{name}": getattr(kind, name)
    for kind in CLASSES
    for name in vars(kind)
    if name[0] != "_" and callable(getattr(kind, name))
}
FUNCTIONS = {
    name: getattr(wr, name)
    for name in wr.__all__
    if inspect.isroutine(getattr(wr, name)) or isinstance(getattr(wr, name), Aggregate)
}
# Of the class of aggregates a user gives these; the others are for built-in ones.
OWN = ["name", "lift", "combine", "lower", "identity", "inverse", "laws"]
PAGES = {**FUNCTIONS, **METHODS, "Operator": wr.Operator}


def _unexplained(page, parameters):
    """Parameters without a word before the example: `name`, `name=1`, or a line."""
    words = page.partition(">>> ")[0]
    return [
        name
        for name in parameters
        if not re.search(rf"`{name}(=[^`]*)?`|^{name}=", words, re.MULTILINE)
    ]


@pytest.mark.parametrize("name", PAGES)
def test_a_docstring_has_an_example_and_every_parameter(name):
    parameters = inspect.signature(PAGES[name]).parameters.values()
    named = [p.name for p in parameters if p.name not in ("self", "named")]
    if isinstance(PAGES[name], Aggregate):  # columns are in the line of the call
        named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    page = inspect.getdoc(PAGES[name])

    assert ">>> " in page
    assert "+SKIP" not in page or name == "register"  # tests/spark runs that one
    assert _unexplained(page, named) == []


def test_the_page_of_an_aggregate_of_ones_own_has_its_parts_and_laws():
    page = inspect.getdoc(Aggregate)

    laws = [f'"{law.name.lower()}"' for law in Law if law is not Law.HOLISTIC]
    assert _unexplained(page.replace(">>> ", ""), OWN) == []
    assert [law for law in laws if law not in page] == []


@pytest.mark.parametrize(
    ("function", "choices"),
    [
        (wr.aggregate, ['late="count"', 'late="keep"', 'late="drop"']),
        (wr.aggregate, ['mode="append"', 'mode="update"']),
        (wr.Operator, ['algorithm="auto"', 'latency="worst-case"']),
        (wr.explain, ['show="graph"', 'show="code"']),
    ],
)
def test_a_docstring_names_every_value_of_a_choice(function, choices):
    page = inspect.getdoc(function)

    assert [choice for choice in choices if choice not in page] == []


def test_a_name_in_an_example_alone_is_not_explained():
    page = "What it does.\n\n`on` is time.\n\n>>> f(on=1, by=2)\n`by`"

    assert _unexplained(page, ["on", "by"]) == ["by"]
