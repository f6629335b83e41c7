"""Any text is read or refused: words of queries in any order, and a few that are none.

Nothing but a WindrowError may come of it, and a QueryError points into the text.
"""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.errors import QueryError, WindrowError

CALLS = pa.table(
    {
        "ts": pa.array([1, 2], pa.timestamp("s")),
        "caller": ["ann", "bob"],
        "len": [3, 4],
    }
)
WORDS = r"""
    select from where group by having join left on using as and or not in is null like
    between case when then else end cast istream distinct order limit union with over
    Calls Homes c ts caller len window city m max min sum count avg arg_max upper floor
    bigint double string timestamp date interval true false 3 0 1.5 'a' '2024-01-01' *
    ( ) , ; . + - / % || = <> < > [ ] range rows slide partition now unbounded hours
    minutes seconds day months year 'Europe/Berlin' :: => ? @ ` " ' -- /* */ { } \ $1 :x
"""
SHAPES = st.sampled_from(
    [
        "select {} from Calls [range 60 slide 1]",
        "select max(len) as m from Calls [{}]",
        "select len from Calls where {}",
        "select caller, max(len) as m from Calls group by {}",
        "select caller, max(len) as m from Calls group by caller having {}",
        "select len from Calls join Homes {}",
        "select {} from Calls; select {} from Calls",
        "{}",
    ]
)


def refusal_of(text):
    """Why a text is refused, if it is; anything else that is raised is a bug."""
    try:
        wr.explain_cql(text, Calls=CALLS, Homes=CALLS.select(["caller", "len"]))
    except WindrowError as error:
        return error
    return None


@given(SHAPES, st.lists(st.sampled_from(WORDS.split()), max_size=9).map(" ".join))
def test_any_text_is_read_or_refused_where_it_stands(shape, words):
    text = shape.replace("{}", words)

    error = refusal_of(text)

    if isinstance(error, QueryError):
        _, shown, carets, _ = str(error).split("\n")
        assert 0 <= error.start <= len(text)
        assert shown[2:] in text
        assert carets.strip(" \t^") == ""


@given(st.text(max_size=30))
def test_any_characters_are_read_or_refused(text):
    for one in (text, f"select {text} from Calls", f"select len from Calls [{text}]"):
        refusal_of(one)
