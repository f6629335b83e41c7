"""Aggregates written as text, and what is refused."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.errors import BadInput, UnknownName
from windrow.query.calls import parse_call, parse_calls

READ = {
    "a name and a column": ("longest=max(len)", "longest", "max", ("len",), {}),
    "no column": ("n=count()", "n", "count", (), {}),
    "two columns": (
        "who=arg_max(len, caller)",
        "who",
        "arg_max",
        ("len", "caller"),
        {},
    ),
    "blanks anywhere": (" n = max ( len ) ", "n", "max", ("len",), {}),
    "another name for it": ("m=avg(len)", "m", "mean", ("len",), {}),
    "a column with a dot": ("m=max(`a.b`)", "m", "max", ("a.b",), {}),
    "a name with a blank": ("`the most`=max(x)", "the most", "max", ("x",), {}),
    "a backtick, twice": ("m=max(`a``b`)", "m", "max", ("a`b",), {}),
    "letters of any language": ("größe=max(größe)", "größe", "max", ("größe",), {}),
    "an option": (
        "all=concat(x, separator=', ')",
        "all",
        "concat",
        ("x",),
        {"separator": ", "},
    ),
    "shares of a quantile": (
        "p=quantile(x, q=[0.5, 1], interpolation='lower')",
        "p",
        "quantile",
        ("x",),
        {"q": (0.5, 1.0), "interpolation": "lower"},
    ),
    "a sketch": (
        "p=percentile_approx(x, q=0.5, k=400)",
        "p",
        "approx_quantile",
        ("x",),
        {"q": 0.5, "k": 400, "method": "kll", "error": 0.01},
    ),
    "a list of numbers": (
        "s=moment_sketch(x, quantiles=[0.5, 1])",
        "s",
        "moment_sketch",
        ("x",),
        {"quantiles": [0.5, 1]},
    ),
}
REFUSED = {
    "nothing": ("", "expected a name for the new column, got its end"),
    "no name": ("max(len)", "expected '=', got '(len)'"),
    "no bracket": ("m=max", "expected '(', got its end"),
    "no second bracket": ("m=max(len", "expected ',', got its end"),
    "words after it": ("m=max(len) + 1", "expected nothing more, got '+ 1'"),
    "a call within": ("m=max(abs(len))", "expected ',', got '(len))'"),
    "Python": ("m=__import__('os')", "no aggregate called '__import__'"),
    "a number for a column": ("m=max(3)", "expected a column, got '3)'"),
    "a comma too many": ("m=max(len,)", "expected a column, got ')'"),
    "a backtick left open": ("m=max(`len)", "expected a column, got '`len)'"),
    "too few columns": ("m=max()", "max takes 1 column, not 0"),
    "too many columns": ("m=max(a, b)", "max takes 1 column, not 2"),
    "an unknown option": ("m=max(a, deep=1)", "no option 'deep'"),
}


@pytest.mark.parametrize(
    ("text", "name", "aggregate", "columns", "options"), READ.values(), ids=READ.keys()
)
def test_a_call_reads_as_it_is_written(text, name, aggregate, columns, options):
    actual_name, actual = parse_call(text)

    assert actual_name == name
    assert (actual.aggregate.name, actual.columns) == (aggregate, columns)
    assert options.items() <= actual.options.items()


@pytest.mark.parametrize(("text", "cause"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_a_call_is_refused_with_the_place(text, cause):
    with pytest.raises((BadInput, UnknownName)) as caught:
        parse_call(text)

    message = str(caught.value)
    assert cause in message
    assert "\nHint: " in message
    assert len(message.splitlines()) == 2


def test_a_misspelt_aggregate_is_met_with_near_names():
    with pytest.raises(UnknownName, match="did you mean") as caught:
        parse_call("m=arg_maxx(len, caller)")

    assert "arg_max" in str(caught.value)


def test_two_aggregates_of_one_name_are_refused():
    with pytest.raises(BadInput, match="one called 'm' already"):
        parse_calls(["m=max(x)", "m=min(x)"])


def test_no_aggregate_is_refused():
    with pytest.raises(BadInput, match="no aggregate is given"):
        parse_calls([])


@given(name=st.text(min_size=1), column=st.text(min_size=1))
def test_any_name_between_backticks_comes_back(name, column):
    quoted = [f"`{text.replace('`', '``')}`" for text in (name, column)]

    actual_name, actual = parse_call(f"{quoted[0]}=max({quoted[1]})")

    assert (actual_name, actual.columns) == (name, (column,))


@given(text=st.text(alphabet="nmax=(), `'1.[]x"))
def test_any_text_is_read_or_refused_and_never_fails_otherwise(text):
    with contextlib.suppress(BadInput, UnknownName):
        name, _ = parse_call(text)
        assert name
