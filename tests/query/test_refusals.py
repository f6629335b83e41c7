"""What cannot be read is refused with the token, a caret, what was expected, a hint."""

import pyarrow as pa
import pytest

import windrow as wr
from windrow.errors import BadInput, QueryError

CALLS = pa.table(
    {
        "ts": pa.array([1, 2], pa.timestamp("s")),
        "caller": ["ann", "bob"],
        "len": [3, 4],
        "flag": [True, False],
        "at": pa.array([b"x", b"y"]),
    }
)
HOMES = pa.table({"caller": ["ann"], "city": ["x"]})
NUMBERS = pa.table({"ts": [1, 2], "len": [3, 4]})

# The text, what stands under the carets, what was expected, and a part of the hint.
TEXTS = {
    # --- words ---
    "no text": ("", "", "a query", "a query is select"),
    "no select": ("selct len from Calls", "selct", "select", "a query is select"),
    "another statement": ("drop table Calls", "drop", "select", "a query is select"),
    "no list": ("select from Calls", "from", "a select list", None),
    "another rank": (
        "select listagg(len) within group (order by len) from Calls [rows 3]",
        "listagg(len) within group (order by len)", "percentile_cont or", "order by x",
    ),
    "two shares": (
        "select percentile_disc(0.1, 0.2) within group (order by len) from Calls",
        "percentile_disc(0.1, 0.2) within group (order by len)", "one share and one",
        "order by x",
    ),
    "a share from above": (
        "select percentile_cont(0.1) within group (order by len desc) from Calls",
        "len", "ascending order", "1 - q from the smallest",
    ),
    "an end in from": ("select len from", "", "the name of a stream", "a query is"),
    "an end in where": ("select len from Calls where", "", "an expression", None),
    "an end in group by": ("select len from Calls group by", "", "columns or", None),
    "a comma too many": ("select len, from Calls", "from", "an expression", "comma"),
    "an open bracket": ("select max(len from Calls", "from", ")", None),
    "an open quote": ("select 'a from Calls", "'", "a closing quote", "close what"),
    "a word too many": ("select len a b from Calls", "b", "a comma, an operator", None),
    "two operators": ("select len from Calls where len = = 3", "=", "an expr", None),
    # --- clauses ---
    "distinct *": ("select distinct * from Calls", "distinct", "columns by", "a, b"),
    "distinct without a key": (
        "select distinct max(len) as m from Calls group by caller", "distinct",
        "no distinct where a key is not in the select list", "every key",
    ),
    "order": ("select len from Calls order by len", "order by", "the end", "sort"),
    "limit": ("select len from Calls limit 3", "limit", "the end", "slice"),
    "with": ("with c as (select 1) select a from c", "with", "the end", "inner query"),
    "union": ("select len from Calls union select 1", "union", "the end", "two quer"),
    "a query in from": ("select a from (select 1)", ")", "from and a stream", None),
    "an inner query without a window": (
        "select max(n) as m from (select count(*) as n from Calls) as R", "Calls",
        "an inner query whose stream has a window", "give it one",
    ),
    "an inner query in where": (
        "select len from Calls where len > (select 1)", "1", "an expression", "in from",
    ),
    "a span of one column": (
        "select count(*) as n from Calls [range 5 span ts]", "]", "a comma", "start, e",
    ),
    "a span over a calendar": (
        "select count(*) as n from Calls [range 1 month span ts, ts]",
        "range 1 month span ts, ts", "a window", "weeks",
    ),
    "a span of two types": (
        "select count(*) as n from Calls [range 5 span ts, caller]",
        "[range 5 span ts, caller]", "a window that fits the span", "cast",
    ),
    "a database": ("select len from a.Calls", "a.Calls", "a plain name", "plain name"),
    "no from": ("select 1", "", "from and a stream", None),
    "a comma in from": (
        "select len from Calls, Homes where len = 1", "where", "on or using", "join",
    ),
    "a right join": (
        "select len from Calls right join Homes using (caller)", "Homes", "join or l",
        "write join",
    ),
    "an unequal join": (
        "select len from Calls join Homes on len > 3", "len > 3", "equal columns",
        "where",
    ),
    "a join of one side": (
        "select len from Calls join Homes on len = len", "len = len",
        "a column of Homes", "write join",
    ),
    "a join of windows": (
        "select len from Calls join Homes [now] using (caller)", "[now]",
        "a table that stands still", "one stream",
    ),
    "rollup": ("select len from Calls group by rollup(len)", None, None, None),
    "dstream of rows": (
        "select dstream(len) from Calls", "len", "an aggregate or distinct", "never",
    ),
    "half a dstream": (
        "select len, dstream(caller) from Calls", "dstream(caller)", "dstream around",
        "whole list",
    ),
    "dstream of everything": (
        "select dstream(max(len)) from Calls", "", "a window that moves", "leave out",
    ),
    "half an istream": (
        "select len, istream(caller) from Calls", "istream(caller)", "istream around",
        "whole list",
    ),
    # --- windows ---
    "no duration": (
        "select len from Calls [range rows]", "rows", "a duration or unbounded",
        "number and a unit",
    ),
    "an unknown unit": (
        "select len from Calls [range 3 hurs]", "hurs", "a unit of time", "24 hours",
    ),
    "half a month": (
        "select max(len) from Calls [range 0.5 months]", "range 0.5 months",
        "a window (cannot read a range", "'1 month'",
    ),
    "a month every hour": (
        "select max(len) from Calls [range 1 month slide 1 hour]",
        "range 1 month slide 1 hour", "a window (cannot read a slide", "wr.sliding",
    ),
    "seconds of a zone": (
        "select max(len) from Calls [range 60 in 'Asia/Tokyo']",
        "range 60 in 'Asia/Tokyo'", "a window (cannot read a range", "'1 day'",
    ),
    "a month every quarter": (
        "select max(len) from Calls [range 1 month slide 1 quarter]", None,
        "a window (cannot slide a range of 1 month every 1 quarter", "at most 1 month",
    ),
    "a zone without quotes": (
        "select max(len) from Calls [range 1 day in Berlin]", "Berlin", "a time zone",
        "in 'Europe/Berlin'",
    ),
    "no zone": ("select a from Calls [range 1 day in]", "]", "a time zone", None),
    "an unknown zone": (
        "select max(len) from Calls [range 1 day in 'Mars/Olympus']", None,
        "a window (cannot align to time zone 'Mars/Olympus'", "IANA",
    ),
    "months of numbers": (
        "select max(len) from Numbers [range 1 month]", "[range 1 month]",
        "a window that fits the time", "a timestamp or date column",
    ),
    "a slide past the range": (
        "select max(len) from Calls [range 3 slide 4]", "range 3 slide 4",
        "a window (cannot slide a range of 3 seconds every 4 seconds", "at most 3",
    ),
    "no rows": ("select max(len) from Calls [rows 0]", "rows 0", "a window", "positi"),
    "half a row": ("select max(len) from Calls [rows 1.5]", "1.5", "a whole num", None),
    "an open window": ("select max(len) from Calls [range 3", "", "]", "windows are"),
    "an unknown window": ("select a from Calls [last 3]", "last", "range, rows", None),
    "partition by nothing": (
        "select a from Calls [partition by rows 3]", "rows", "a column", None,
    ),
    "partition without rows": (
        "select a from Calls [partition by caller range 3]", "range", "rows", None,
    ),
    "a window elsewhere": (
        "select len [now] from Calls", "[now]", "no window here", "behind the name",
    ),
    "an index": ("select len[0] from Calls", "0", "range, rows", "windows are"),
    "a tiny fraction": (
        "select max(len) from Calls [range 0.0000000001]", "0.0000000001",
        "a whole number of nanoseconds", "fewer digits",
    ),
    # --- expressions ---
    "over": ("select sum(len) over () from Calls", None, "an expression", "brackets"),
    "filter": (
        "select sum(len) filter (where len > 1) from Calls", None, "an exp", "case when"
    ),
    "a query in an expression": (
        "select (select 1) from Calls", "1", "an expression", "inner query",
    ),
    "in a query": (
        "select len from Calls where len in (select 1)", None, "an expression", "join",
    ),
    "an interval": ("select interval '1' hour from Calls", None, "an exp", "durations"),
    "a cast to a date": ("select cast(len as date) from Calls", None, "a cast", "big"),
    "a bad instant": ("select timestamp 'noon' from Calls", "'noon'", "a date", "2024"),
    "half a number": ("select 1e from Calls", "1e", "a number", "1.5e3"),
    "a large number": ("select 9223372036854775808 from Calls", None, "a whole", None),
    "all of a stream": ("select Calls.* from Calls", "Calls.*", "a column", "name the"),
    "an unknown function": ("select mxa(len) from Calls", "mxa", "a function", "max"),
    "a function too rich": ("select abs(1, 2) from Calls", "abs(1, 2)", "1 arg", "ab"),
    "an aggregate too poor": ("select sum() from Calls", "sum()", "1 argument", "sum("),
    "a sum of distinct": (
        "select sum(distinct len) from Calls", "sum(distinct len)", "an aggregate with",
        "count(distinct",
    ),
    # --- names ---
    "an unknown stream": ("select len from Cals", "Cals", "the name of a s", "Calls?"),
    "an unknown column": ("select caler from Calls", "caler", "a column of", "caller?"),
    "an unknown alias": ("select c.len from Calls", "c", "a stream of this", "Calls"),
    "an ambiguous column": (
        "select 1 from Calls a join Calls b on a.len = b.len where not flag", "flag",
        "one column: a.flag or b.flag", "say which",
    ),
    "two streams of one name": (
        "select 1 from Calls join Calls using (len)", "Calls", "another name", "alias",
    ),
    "the same name twice": ("select len, len from Calls", "len", "a name of its", "as"),
    "a column that is no key": (
        "select caller, max(len) from Calls [range 60]", "caller", "a column of group",
        "add caller to group by",
    ),
    "all columns of groups": (
        "select *, max(len) from Calls [range 60]", "*", "columns by name", "name keys",
    ),
    "an aggregate in where": (
        "select len from Calls where max(len) > 3", "max(len)", "no aggregate here",
        "select and having",
    ),
    "an aggregate in an aggregate": (
        "select max(min(len)) from Calls", "min(len)", "no aggregate here", None,
    ),
    "a key by number": ("select len from Calls group by 1", "1", "a column or", "name"),
    "partition by no key": (
        "select max(len) from Calls [partition by caller rows 3]", "caller",
        "a column of group by", "add caller",
    ),
    "rows in many windows": (
        "select len from Calls [range 60]", "[range 60]", "[now] or no", "collect(x)",
    ),
    "having without groups": (
        "select len from Calls having len > 3", "len > 3", "where, since", "where",
    ),
    "istream of everything": (
        "select istream(max(len)) from Calls", None, "a window that moves", "istream",
    ),
    # --- types ---
    "a sum with text": ("select len + caller from Calls", "caller", "a number", None),
    "a condition of a number": (
        "select len from Calls where len", "len", "a condition in where", "compare",
    ),
    "not of a number": ("select not len from Calls", "len", "a condition", None),
    "text against a number": (
        "select len from Calls where caller = 3", "3", "text, not type int64", "cast",
    ),
    "upper of a number": ("select upper(len) from Calls", "len", "text, not", None),
    "a pattern that is a column": (
        "select caller like caller from Calls", None, "a literal", "like 'a%'",
    ),
    "digits that are a column": ("select round(len, len) from Calls", "len", "a", None),
    "a remainder of floats": ("select len % 2.0 from Calls", "2.0", "a whole", None),
    "a sum of text": ("select sum(caller) from Calls", "sum(caller)", "an", "numbers"),
    "a cast of bytes": ("select cast(at as bigint) from Calls", "at", "another", None),
    "values of two kinds": (
        "select case when flag then 1 else 'a' end from Calls", None, None, None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_refused_at_its_token(name):
    text, token, expected, hint = TEXTS[name]

    with pytest.raises(QueryError) as raised:
        wr.cql(text, Calls=CALLS, Homes=HOMES, Numbers=NUMBERS)

    fact, shown, carets, hinted = str(raised.value).split("\n")
    assert fact.startswith("cannot read the query: expected ")
    assert shown.removeprefix("  ") == text
    assert hinted.startswith("Hint: ")
    start = carets.index("^") - 2
    under = text[start : start + carets.count("^")]
    if token is not None:
        assert under == token
        assert (f"got {token!r}" if token else "got the end") in fact
    if expected is not None:
        assert f"expected {expected}" in fact
    if hint is not None:
        assert hint in hinted


def test_an_error_reads_like_this():
    with pytest.raises(QueryError) as raised:
        wr.cql(
            "select caller,\n       mxa(len) as m\nfrom Calls [range 60]", Calls=CALLS
        )

    assert str(raised.value) == (
        "cannot read the query: expected a function, got 'mxa' at line 2, column 8\n"
        "         mxa(len) as m\n"
        "         ^^^\n"
        "Hint: did you mean max or mad?"
    )
    assert (raised.value.line, raised.value.column) == (2, 8)


def test_the_second_query_of_a_text_is_pointed_at_too():
    with pytest.raises(QueryError, match="got 'lem' at line 2, column 8"):
        wr.cql("select len from Calls;\nselect lem from Calls", Calls=CALLS)


@pytest.mark.parametrize(
    ("data", "given", "words"),
    [
        (pa.table({"a": [1]}), None, "a stream with one time column .* has none"),
        (
            pa.table({n: pa.array([1], pa.timestamp("s")) for n in ("a", "b")}),
            None,
            "has a, b",
        ),
        (pa.table({"ts": [1.5]}), None, "has none"),
    ],
)
def test_a_range_without_a_time_column_says_how_to_name_one(data, given, words):
    with pytest.raises(QueryError, match=words) as raised:
        wr.cql("select count(*) from S [range 3]", S=data, time=given)

    assert "time=" in str(raised.value)


def test_a_time_column_that_is_not_there_is_refused():
    with pytest.raises(BadInput, match=r"(?s)no such column.*did you mean ts\?"):
        wr.cql("select count(*) from Calls [range 3]", Calls=CALLS, time="tss")


def test_milliseconds_over_whole_seconds_are_refused():
    with pytest.raises(QueryError, match="whole numbers count seconds"):
        wr.cql("select count(*) from S [range 500 ms]", S=pa.table({"ts": [1]}))


def test_what_is_no_text_is_refused():
    with pytest.raises(BadInput, match="it is of type int, not text"):
        wr.cql(3)


def test_without_streams_the_text_says_which_to_give():
    with pytest.raises(QueryError, match=r"wr\.cql\(text, Calls=\.\.\.\)"):
        wr.cql("select len from Calls")


def test_without_sqlglot_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    with pytest.raises(wr.WindrowError, match=r"pip install 'pywindrow\[cql\]'"):
        wr.cql("select len from Calls -- never read before", Calls=CALLS)
