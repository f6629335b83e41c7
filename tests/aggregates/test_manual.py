"""The manual page of each aggregate: `wr.sum?` says what a sum is."""

import doctest
import inspect

import pytest

import windrow as wr
from windrow.aggregates import CATALOGUE
from windrow.aggregates._examples import EXAMPLES, OPTIONS


@pytest.mark.parametrize("aggregate", CATALOGUE, ids=lambda one: one.name)
def test_a_page_says_what_it_gives_takes_and_is_also_called(aggregate):
    page = inspect.getdoc(aggregate)

    assert page.startswith(f"{aggregate.name}: {aggregate.summary}.")
    assert all(f"\n{option}=" in page for option in (*aggregate.options, "last"))
    assert all(alias in page for alias in aggregate.aliases)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_page_runs(name):
    page = inspect.getdoc(getattr(wr, name))
    test = doctest.DocTestParser().get_doctest(page, {}, name, None, 0)

    outcome = doctest.DocTestRunner().run(test)

    assert outcome.attempted >= 2
    assert outcome.failed == 0


def test_every_aggregate_has_an_example_and_every_option_a_meaning():
    without = {one.name for one in CATALOGUE} - set(EXAMPLES)
    options = {option for one in CATALOGUE for option in one.options}

    assert without == set(), "write one in aggregates/_examples.py"
    assert options <= set(OPTIONS), "write its meaning in aggregates/_examples.py"


def test_signatures_name_columns_options_and_frames():
    assert str(inspect.signature(wr.sum)).startswith("(column: 'str', /, *, last=None")
    assert list(inspect.signature(wr.concat).parameters)[:2] == ["column", "separator"]
    assert inspect.signature(wr.count).parameters["column"].default is None


def test_the_class_keeps_its_own_page_and_signature():
    assert inspect.getdoc(wr.Aggregate).startswith("An aggregate: plain functions")
    assert "lift" in inspect.signature(wr.Aggregate).parameters


def test_an_aggregate_and_its_call_are_printed_as_they_are_written():
    call = wr.quantile("len", 0.9, last="1 hour", where="len > 0")

    assert repr(wr.sum) == "<windrow aggregate sum>"
    assert repr(call) == (
        "quantile('len', q=0.9, interpolation='linear', last='1 hour', where='len > 0')"
    )
