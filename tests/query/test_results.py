"""What each clause gives, on tables in this process."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import windrow as wr
from windrow import _cql_passes
from windrow.loops import interpreting
from windrow.windows import Rows, Sliding

# second   0    5       40        70             130       190
#               ann     bob       ann            cem       bob
CALLS = pa.table(
    {
        "ts": pa.array([5, 40, 70, 130, 190], pa.timestamp("s")),
        "caller": ["ann", "bob", "ann", "cem", "bob"],
        "len": [120, 30, 300, 45, 80],
    }
)
HOMES = pa.table({"who": ["ann", "bob", "bob", None], "city": ["x", "y", "z", "n"]})


@pytest.fixture(autouse=True)
def plain_kernels():
    """Kernels as plain Python: what they compute has tests of its own."""
    with interpreting():
        yield


def ask(text, **given):
    """The rows of a text's only result."""
    return wr.cql(text, **{"Calls": CALLS, "Homes": HOMES, **given}).to_pylist()


def instant(minutes):
    return dt.datetime(1970, 1, 1) + dt.timedelta(minutes=minutes)  # noqa: DTZ001


# --- windows over time ------------------------------------------------------------


def test_a_range_is_a_sliding_window_and_its_end_is_the_time():
    actual = ask("select ts, sum(len) as s from Calls [range 2 minutes slide 1 minute]")

    window = wr.sliding("2 minutes", every="1 minute", on="ts")
    expected = wr.aggregate(CALLS, window, s=wr.sum("len")).to_pylist()
    assert actual == [{"ts": r["window"]["end"], "s": r["s"]} for r in expected]


@pytest.mark.parametrize(
    "clause",
    ["120 slide 60", "2 minutes slide 60 seconds", "0.0333333333 hours", "2m slide 1m"],
)
def test_a_bare_number_is_seconds(clause):
    if clause.startswith("0.0"):
        clause = "0.025 hours slide 0.5 minutes"
        expected = ask("select ts, count(*) as n from Calls [range 90 slide 30]")
    else:
        expected = ask("select ts, count(*) as n from Calls [range 2 min slide 1 min]")

    assert ask(f"select ts, count(*) as n from Calls [range {clause}]") == expected


def test_a_range_without_a_slide_tumbles():
    actual = ask("select window.start, count(*) as n from Calls [range 1 minute]")

    assert [(row["start"], row["n"]) for row in actual] == [
        (instant(0), 2),
        (instant(1), 1),
        (instant(2), 1),
        (instant(3), 1),
    ]


@pytest.mark.parametrize(
    ("clause", "window"),
    [
        ("range 1 month slide 1 day", wr.calendar("1 month", every="1 day", on="ts")),
        ("Range 1 Quarter", wr.calendar("1 quarter", on="ts")),
        ("range 1y slide 2 months", wr.calendar("1y", every="2 months", on="ts")),
        ("range 1 year 6 months", wr.calendar("18 months", on="ts")),
        (
            "range 1 day in 'America/Sao_Paulo'",
            wr.calendar("1 day", on="ts", tz="America/Sao_Paulo"),
        ),
        (
            "range 2 weeks slide 1 week in 'Asia/Tokyo'",
            wr.calendar("2 weeks", every="1 week", on="ts", tz="Asia/Tokyo"),
        ),
    ],
)
def test_months_and_zones_make_a_range_one_of_the_calendar(clause, window):
    actual = ask(f"select ts, window.start, sum(len) as s from Calls [{clause}]")

    result = wr.aggregate(CALLS, window, s=wr.sum("len")).to_pylist()
    assert actual == [
        {"ts": row["window"]["end"], "start": row["window"]["start"], "s": row["s"]}
        for row in result
    ]


def test_days_stay_absolute_unless_a_zone_is_named():
    said = [
        str(
            wr.explain_cql(
                f"select count(*) from Calls [range 1 day{zone}]", Calls=CALLS
            )
        )
        for zone in ("", " in 'Europe/Berlin'")
    ]

    assert "slicer     panes" in said[0]
    assert "in Europe/Berlin" not in said[0]
    assert "range 1 day slide 1 day in Europe/Berlin" in said[1]


def test_whole_numbers_of_time_count_seconds():
    table = CALLS.set_column(0, "ts", CALLS["ts"].cast(pa.int64()))

    actual = ask("select ts, max(len) as m from Calls [range 2 minutes slide 60]")
    numbers = ask(
        "select ts, max(len) as m from Calls [range 2 minutes slide 60]", Calls=table
    )

    seconds = [int(row["ts"].replace(tzinfo=dt.UTC).timestamp()) for row in actual]
    assert [row["ts"] for row in numbers] == seconds
    assert [row["m"] for row in numbers] == [row["m"] for row in actual]


def test_now_is_one_instant():
    table = pa.concat_tables([CALLS, CALLS.slice(2, 2)])

    actual = ask(
        "select ts, count(*) as n, sum(len) as s from Calls [now]", Calls=table
    )

    assert [(row["n"], row["s"]) for row in actual] == [
        (1, 120),
        (1, 30),
        (2, 600),
        (2, 90),
        (1, 80),
    ]
    assert [row["ts"] for row in actual] == CALLS["ts"].to_pylist()


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_now_is_a_tick_of_the_column(unit):
    table = CALLS.set_column(0, "ts", CALLS["ts"].cast(pa.timestamp(unit)))

    actual = ask("select count(*) as n from Calls [now]", Calls=table)

    assert actual == [{"n": 1}] * 5


@pytest.mark.parametrize("window", ["", "[range unbounded]"])
def test_unbounded_is_everything(window):
    actual = ask(
        f"select caller, sum(len) as s, ts from Calls {window} group by caller"
    )

    assert actual == [
        {"caller": "ann", "s": 420, "ts": instant(70 / 60)},
        {"caller": "bob", "s": 110, "ts": instant(190 / 60)},
        {"caller": "cem", "s": 45, "ts": instant(130 / 60)},
    ]


def test_everything_needs_no_time_column():
    table = pa.table({"a": [1, 2, 3]})

    assert ask("select count(*) as n from T", T=table) == [{"n": 3}]
    assert ask("select sum(a) as s from T", T=table) == [{"s": 6}]
    assert ask("select 1 as one from T", T=table) == [{"one": 1}] * 3


# --- windows over rows ------------------------------------------------------------


def test_rows_are_complete_windows_of_the_stream():
    actual = ask("select ts, window, sum(len) as s from Calls [rows 2 slide 2]")

    assert actual == [
        {"ts": instant(40 / 60), "window": {"start": 0, "end": 2}, "s": 150},
        {"ts": instant(130 / 60), "window": {"start": 2, "end": 4}, "s": 345},
    ]


def test_rows_are_in_order_of_time():
    table = CALLS.take([4, 2, 0, 3, 1])

    actual = ask("select sum(len) as s from Calls [rows 2 slide 2]", Calls=table)

    assert actual == [{"s": 150}, {"s": 345}]


def test_rows_without_a_time_column_are_as_they_came():
    actual = ask("select sum(a) as s from T [rows 2]", T=pa.table({"a": [1, 2, 4]}))

    assert actual == [{"s": 3}, {"s": 6}]


def test_group_by_divides_what_is_in_the_last_rows_of_the_stream():
    actual = ask(
        "select window.start, caller, sum(len) as s from Calls [rows 3] group by caller"
    )

    # rows 0-2: ann bob ann    1-3: bob ann cem    2-4: ann cem bob
    found = {(row["start"], row["caller"]): row["s"] for row in actual}
    assert found == {
        (0, "ann"): 420,
        (0, "bob"): 30,
        (1, "bob"): 30,
        (1, "ann"): 300,
        (1, "cem"): 45,
        (2, "ann"): 300,
        (2, "cem"): 45,
        (2, "bob"): 80,
    }


def test_a_row_that_where_leaves_out_has_taken_its_place():
    actual = ask(
        "select window.start, sum(len) as s from Calls [rows 2] where len > 40"
    )

    assert [(row["start"], row["s"]) for row in actual] == [
        (0, 120),
        (1, 300),
        (2, 345),
        (3, 125),
    ]


@pytest.mark.parametrize("where", ["", "where len < 400"])
def test_a_row_without_a_time_is_not_counted(where):
    late = pa.table({"ts": [None], "caller": ["x"], "len": [7]}, CALLS.schema)
    table = pa.concat_tables([late, CALLS])
    text = f"select sum(len) as s from Calls [rows 2 slide 2] {where}"

    actual = ask(text, Calls=table)

    assert actual == [{"s": 150}, {"s": 345}]


def test_partition_by_counts_the_rows_of_each_key():
    actual = ask(
        "select caller, sum(len) as s from Calls [partition by caller rows 2] "
        "group by caller"
    )

    assert actual == [{"caller": "ann", "s": 420}, {"caller": "bob", "s": 110}]


def test_partition_by_with_where_and_more_keys():
    table = CALLS.append_column("long", pa.array([False, False, True, False, False]))

    actual = ask(
        "select caller, long, count(*) as n from Calls [partition by caller rows 2] "
        "where len > 40 group by caller, long",
        Calls=table,
    )

    assert actual == [
        {"caller": "ann", "long": False, "n": 1},
        {"caller": "ann", "long": True, "n": 1},
        {"caller": "bob", "long": False, "n": 1},
    ]


@pytest.mark.parametrize("seed", range(3))
def test_numbered_rows_agree_with_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    count = 60
    table = pa.table(
        {
            "ts": rng.integers(0, 30, count),
            "k": rng.integers(0, 3, count),
            "v": rng.integers(0, 9, count),
        }
    )
    text = "select window.start, k, sum(v) as s from T [partition by k rows 5 slide 2] "

    actual = ask(f"{text} where v > 2 group by k", T=table)

    expected = []
    order = np.argsort(table["ts"].to_numpy(), kind="stable")
    rows = [table.take([i]).to_pylist()[0] for i in order]
    for k in range(3):
        mine = [row["v"] for row in rows if row["k"] == k]
        for start in range(0, len(mine) - 4, 2):
            kept = [v for v in mine[start : start + 5] if v > 2]
            if kept:
                expected.append({"start": start, "k": k, "s": sum(kept)})
    assert actual == expected


# --- the other clauses ------------------------------------------------------------


def test_where_keeps_what_is_true_and_drops_what_is_unknown():
    table = pa.table({"a": [1, None, 3]})

    assert ask("select a from T where a > 1", T=table) == [{"a": 3}]
    assert ask("select a from T where not a > 1", T=table) == [{"a": 1}]


def test_all_columns_of_rows():
    assert ask("select * from Calls where len > 100") == [
        row for row in CALLS.to_pylist() if row["len"] > 100
    ]


def test_now_lets_rows_pass_where_nothing_is_aggregated():
    assert ask("select istream(len) from Calls [now] where len > 100") == [
        {"len": 120},
        {"len": 300},
    ]


def test_a_join_meets_every_equal_row_in_order():
    actual = ask("select caller, city from Calls join Homes on caller = Homes.who")

    assert [(row["caller"], row["city"]) for row in actual] == [
        ("ann", "x"),
        ("bob", "y"),
        ("bob", "z"),
        ("ann", "x"),
        ("bob", "y"),
        ("bob", "z"),
    ]


def test_a_left_join_keeps_rows_that_meet_none():
    actual = ask(
        "select c.caller, h.city from Calls c left join Homes as h on h.who = c.caller"
    )

    assert {"caller": "cem", "city": None} in actual
    assert len(actual) == 7


def test_nulls_meet_nothing():
    table = pa.table({"k": ["ann", None]})

    actual = ask("select city from T join Homes on k = who", T=table)

    assert actual == [{"city": "x"}]


def test_using_names_a_column_of_both():
    ages = pa.table({"caller": ["ann", "cem"], "len": [7, 8]})

    actual = ask(
        "select caller, Calls.len, Ages.len as age from Calls join Ages using (caller)",
        Ages=ages,
    )

    assert actual == [
        {"caller": "ann", "len": 120, "age": 7},
        {"caller": "ann", "len": 300, "age": 7},
        {"caller": "cem", "len": 45, "age": 8},
    ]


def test_keys_of_different_widths_meet():
    one = pa.table({"id": pa.array([1, 2], pa.int32()), "a": ["x", "y"]})
    two = pa.table({"id": pa.array([2, 3], pa.int64()), "b": ["p", "q"]})

    actual = ask("select a, b from One join Two using (id)", One=one, Two=two)

    assert actual == [{"a": "y", "b": "p"}]


def test_group_by_takes_expressions_and_aliases_of_them():
    alias = ask("select len / 100 as h, count(*) as n from Calls group by h")
    whole = ask("select len / 100 as x, count(*) as n from Calls group by len / 100")

    assert alias == [{"h": 0, "n": 3}, {"h": 1, "n": 1}, {"h": 3, "n": 1}]
    assert [row["n"] for row in whole] == [3, 1, 1]


def test_a_column_goes_before_an_alias_in_group_by():
    actual = ask("select count(*) as len, len as l from Calls group by len")

    assert len(actual) == 5


def test_keys_alone_are_the_groups_of_each_window():
    actual = ask("select ts, caller from Calls [range 2 minutes] group by caller")

    assert [(row["ts"], row["caller"]) for row in actual] == [
        (instant(2), "ann"),
        (instant(2), "bob"),
        (instant(4), "bob"),
        (instant(4), "cem"),
    ]


def test_select_computes_with_keys_and_aggregates():
    actual = ask(
        "select upper(caller) as who, max(len) - min(len) as spread, "
        "avg(len) / 60 as minutes, count(*) * 2 + 1 as odd from Calls group by caller"
    )

    assert actual[0] == {"who": "ANN", "spread": 180, "minutes": 3.5, "odd": 5}


def test_having_knows_aliases_aggregates_and_keys():
    one = ask("select caller, max(len) as m from Calls group by caller having m > 50")
    two = ask("select caller from Calls group by caller having max(len) > 50")
    three = ask("select caller from Calls group by caller having caller <> 'ann'")

    assert [row["caller"] for row in one] == ["ann", "bob"]
    assert [row["caller"] for row in two] == ["ann", "bob"]
    assert [row["caller"] for row in three] == ["bob", "cem"]


def test_an_alias_goes_before_a_column_that_is_no_key_in_having():
    actual = ask(
        "select caller, max(len) as len from Calls group by caller having len > 100"
    )

    assert actual == [{"caller": "ann", "len": 300}]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("avg(len)", wr.mean("len")),
        ("MaxCount(len)", wr.max_count("len")),
        ("ARG_MAX(len, caller)", wr.arg_max("len", "caller")),
        ("min_by(len, caller)", wr.arg_min("len", "caller")),
        ("StdDev(len)", wr.stddev("len")),
        ("var_pop(len)", wr.var_pop("len")),
        ("count(distinct caller)", wr.count_distinct("caller")),
        ("first(len)", wr.first("len")),
        ("string_agg(caller, '-')", wr.concat("caller", separator="-")),
        ("bool_or(len > 100)", None),
        ("any(len > 100)", None),
        ("range(len)", wr.range("len")),
        ("corr(len, len)", wr.corr("len", "len")),
        ("collect_list(caller)", wr.collect("caller")),
    ],
)
def test_aggregates_have_the_names_of_the_catalogue_and_of_sql(written, expected):
    (row,) = ask(f"select {written} as v from Calls")

    if expected is None:
        assert row == {"v": True}
    else:
        (whole,) = wr.aggregate(CALLS, wr.rows(5), v=expected).to_pylist()
        assert row["v"] == whole["v"]


def test_names_are_found_in_other_letters():
    actual = ask("SELECT CALLER, Sum(LEN) AS s FROM calls GROUP BY Caller")

    assert actual[0] == {"CALLER": "ann", "s": 420}


def test_names_with_blanks_stand_in_backticks_or_double_quotes():
    table = pa.table({"full name": ["a", "b"], "window": [1, 2]})

    actual = ask('select "full name", `window` from T', T=table)
    groups = ask(
        "select `full name`, sum(`window`) as s from T group by `full name`", T=table
    )

    assert actual == table.to_pylist()
    assert groups == [{"full name": "a", "s": 1}, {"full name": "b", "s": 2}]


# --- istream ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "select istream(ts, max(len) as m) from Calls [range 2 min slide 1 min]",
        "istream(select ts, max(len) as m from Calls [range 2 min slide 1 min])",
        "select istream(ts, max(len) m) from Calls [range 2 min slide 1 min]",
    ],
)
def test_istream_leaves_out_what_the_window_before_had(text):
    # window ends at   1    2    3    4   5 minutes
    # longest          120  300  300  80  80
    actual = ask(text)

    assert [(row["ts"], row["m"]) for row in actual] == [
        (instant(1), 120),
        (instant(2), 300),
        (instant(4), 80),
    ]


def test_istream_tells_again_what_was_gone_in_between():
    table = pa.table({"ts": [0, 1, 5, 6], "v": [7, 7, 7, 7]})

    actual = ask("select istream(ts, max(v) as m) from T [range 1 slide 1]", T=table)

    assert [row["ts"] for row in actual] == [1, 6]


def test_istream_goes_by_key_and_after_having():
    table = pa.table(
        {"ts": [0, 0, 1, 1, 2, 2], "k": ["a", "b"] * 3, "v": [1, 5, 1, 6, 1, 5]}
    )
    text = "select istream(ts, k, sum(v) as s) from T [range 1 slide 1] group by k"

    every = ask(text, T=table)
    some = ask(f"{text} having s <> 6", T=table)

    assert [(r["k"], r["ts"]) for r in every] == [
        ("a", 1), ("b", 1), ("b", 2), ("b", 3),
    ]  # fmt: skip
    assert [(r["k"], r["ts"]) for r in some] == [("a", 1), ("b", 1), ("b", 3)]


def test_istream_sees_nulls_nans_and_lists_as_values():
    table = pa.table(
        {
            "ts": [0, 1, 2, 3],
            "a": [None, None, 1, 1],
            "x": [float("nan")] * 4,
        }
    )

    values = ask("select istream(ts, max(a) as a, max(x) as x) from T [now]", T=table)
    lists = ask("select istream(ts, collect(a) as a) from T [now]", T=table)

    assert [row["ts"] for row in values] == [0, 2]
    assert [row["ts"] for row in lists] == [0, 2]


def test_istream_over_rows():
    table = pa.table({"v": [3, 3, 1, 1, 1]})

    actual = ask("select istream(max(v) as m) from T [rows 2]", T=table)

    assert actual == [{"m": 3}, {"m": 1}]


# --- several queries, kinds of tables ---------------------------------------------


@pytest.fixture
def calls_made(monkeypatch):
    """The arguments of every aggregation."""
    made = []

    run = _cql_passes._aggregate_rows

    def counted(rows, pass_, on_spark):
        options = pass_.arguments
        made.append((options.pop("window"), options))
        return run(rows, pass_, on_spark)

    monkeypatch.setattr(_cql_passes, "why_not_in_loop", lambda _: "a test counts calls")
    monkeypatch.setattr(_cql_passes, "_aggregate_rows", counted)
    return made


@pytest.mark.parametrize("where", ["", "where len > 30"])
def test_a_text_is_planned_once_for_all_tables_of_a_schema(where, monkeypatch):
    planned, plan = [], _cql_passes.plan_windows

    def counted(schema, **arguments):
        planned.append(schema)
        return plan(schema, **arguments)

    monkeypatch.setattr(_cql_passes, "plan_windows", counted)
    text = f"select caller, max(len) as m, 1 as n{len(where)} from Calls [range 7 "
    text += f"minutes slide 1 minute] {where} group by caller"
    as_floats = CALLS.set_column(
        CALLS.column_names.index("len"), "len", CALLS["len"].cast("float64")
    )

    first, part = wr.cql(text, Calls=CALLS), wr.cql(text, Calls=CALLS.slice(2))
    other = wr.cql(text, Calls=as_floats)

    assert len(planned) == 2
    assert part == wr.cql(text + " ", Calls=CALLS.slice(2))
    assert other["m"].to_pylist() == first["m"].to_pylist()
    assert other["m"].type != first["m"].type


def test_queries_over_the_same_rows_and_keys_share_one_pass(calls_made):
    one, two, three = wr.cql(
        """
        select caller, max(len) as m, ts from Calls [range 2 minutes slide 1 minute]
        where len > 30 group by caller;
        select caller, avg(len) as a from Calls [range 3 minutes slide 1 minute]
        where len > 30 group by caller having a > 100;
        select caller, count(*) as n from Calls [range 120 slide 60]
        where len > 30 group by caller;
        """,
        Calls=CALLS,
    )

    ((windows, options),) = calls_made
    assert [str(window) for window in windows] == [
        "range 2 minutes slide 1 minute",
        "range 3 minutes slide 1 minute",
    ]
    assert sorted(options["aggregates"]) == ["count(*)", "max(len)", "mean(len)"]
    assert one.column_names == ["caller", "m", "ts"]
    assert one.num_rows == three.num_rows
    assert min(two["a"].to_pylist()) > 100


@pytest.mark.parametrize(
    "second",
    [
        "select max(len) from Calls [range 2 minutes] where len > 1",
        "select caller, max(len) from Calls [range 2 minutes] group by caller",
        "select max(len) from Calls [rows 2]",
        "select max(len) from Calls [now]",
        "select max(len) from Other [range 2 minutes]",
    ],
)
def test_queries_over_other_rows_keys_or_windows_have_a_pass_of_their_own(
    second, calls_made
):
    first = "select max(len) from Calls [range 1 minute]"

    wr.cql(f"{first}; {second}", Calls=CALLS, Other=CALLS)

    assert len(calls_made) == 2


def test_a_shared_result_is_what_each_query_gives_alone():
    texts = [
        f"select ts, caller, sum(len) as s, min(len) as m from Calls "
        f"[range {minutes} minutes slide 1 minute] group by caller having m > 30"
        for minutes in (1, 2, 3)
    ]

    actual = wr.cql(";".join(texts), Calls=CALLS)

    assert actual == [wr.cql(text, Calls=CALLS) for text in texts]


def test_the_windows_of_texts_are_those_of_the_library(calls_made):
    wr.cql("select max(len) from Calls [range 24 hours slide 1 minute]", Calls=CALLS)
    wr.cql("select max(len) from Calls [rows 4 slide 2]", Calls=CALLS)

    (time, _), (rows, _) = calls_made
    assert isinstance(time, Sliding)
    assert (time.range.nanoseconds, time.on) == (86_400 * 10**9, "ts")
    assert (isinstance(rows, Rows), rows.range, rows.slide) == (True, 4, 2)


TEXT = """
    select caller, city, case when city = 'x' then city else 'other' end as kind,
           sum(len) as s, window
    from Calls [range 2 minutes slide 1 minute] join Homes on caller = who
    where city <> 'z' group by caller, city having s > 30
"""


def test_pandas_in_and_pandas_out():
    actual = wr.cql(TEXT, Calls=CALLS.to_pandas(), Homes=HOMES.to_pandas())

    assert isinstance(actual, pd.DataFrame)
    assert actual.drop(columns=["window_start", "window_end"]).to_dict("records") == [
        {key: row[key] for key in row if key != "window"} for row in ask(TEXT)
    ]


def test_polars_in_and_polars_out():
    actual = wr.cql(TEXT, Calls=pl.DataFrame(CALLS), Homes=pl.DataFrame(HOMES))

    assert isinstance(actual, pl.DataFrame)
    assert actual.drop("window").to_dicts() == [
        {key: row[key] for key in row if key != "window"} for row in ask(TEXT)
    ]


def test_what_can_be_read_once_is_read_once():
    reader = pa.RecordBatchReader.from_batches(CALLS.schema, CALLS.to_batches())

    one, two = wr.cql(
        "select max(len) as m from Calls; select len from Calls where len > 100",
        Calls=reader,
    )

    assert one.to_pylist() == [{"m": 300}]
    assert two["len"].to_pylist() == [120, 300]


def test_tables_of_two_kinds_meet():
    actual = wr.cql(TEXT, Calls=CALLS, Homes=HOMES.to_pandas())

    assert actual.to_pylist() == ask(TEXT)


def test_streams_whose_names_are_no_words_go_into_a_mapping():
    text = "select count(*) as n from `my calls`"

    assert wr.cql(text, streams={"my calls": CALLS}).to_pylist() == [{"n": 5}]


def test_the_time_column_can_be_named_for_all_or_for_each():
    table = CALLS.append_column("seen", CALLS["ts"])
    text = "select count(*) as n from Calls [range 1 hour]"

    assert ask(text, Calls=table, time="seen") == [{"n": 5}]
    assert ask(text, Calls=table, time={"Calls": "ts"}) == [{"n": 5}]
    assert ask(text, Calls=table) == [{"n": 5}]  # one of them is called ts


def test_no_rows_in_no_rows_out():
    empty = CALLS.slice(0, 0)

    for window in ("", "[now]", "[range 60 slide 1]", "[rows 2]"):
        for where in ("", "where len > 3"):
            text = f"select max(len) as m, count(*) as n from Calls {window} {where}"
            assert ask(text, Calls=empty) == []


def test_nothing_is_run_to_explain():
    words = str(
        wr.explain_cql(
            "select istream(c.caller, count(*) as n) from Calls [rows 3] as c "
            "left join Homes on caller = who where city is null group by caller "
            "having n > 1",
            Calls=CALLS,
            Homes=HOMES,
        )
    )

    for line in (
        "number     rows in order, before any is left out",
        "left join  Homes on caller = Homes.who",
        "where      city is null",
        "complete windows only",
        "having   count(*) > 1",
        "istream  results that the window before did not have",
        "select   caller, count(*) as n",
    ):
        assert line in words


# --- ranks within groups -------------------------------------------------------------


@pytest.mark.parametrize("name", ["percentile_cont", "percentile_disc"])
def test_a_percentile_within_a_group_is_that_of_its_column(name):
    share = f"{name}(0.25) within group (order by len)"
    actual = ask(f"select {share} as p from Calls [rows 3]")

    call = getattr(wr, name)("len", 0.25)
    expected = wr.aggregate(CALLS, wr.rows(3), p=call).to_pylist()
    assert actual == [{"p": row["p"]} for row in expected]
    assert len(actual) == 3
