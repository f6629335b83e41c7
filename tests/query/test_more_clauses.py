"""rstream, dstream, distinct, inner queries, spans, and aggregates of your own."""

import numpy as np
import pyarrow as pa
import pytest
import workloads
from test_results import CALLS, ask, instant

import windrow as wr
from windrow.loops import interpreting


@pytest.fixture(autouse=True)
def plain_kernels():
    """Kernels as plain Python: what they compute has tests of its own."""
    with interpreting():
        yield


LONGEST = "ts, max(len) as m) from Calls [range 2 minutes slide 1 minute]"


def test_rstream_gives_the_result_of_every_window():
    every = "select " + LONGEST.replace(" m)", " m")

    actual = ask(f"select rstream({LONGEST}")

    assert actual == ask(every)
    assert len(actual) == 5


def test_dstream_gives_what_the_next_window_has_no_more_and_when():
    actual = ask(f"select dstream({LONGEST}")

    # 1: 120    2: 300    3: 300    4: 80    5: 80    6: nothing is left
    assert actual == [
        {"ts": instant(2), "m": 120},
        {"ts": instant(4), "m": 300},
        {"ts": instant(6), "m": 80},
    ]


def test_what_is_new_and_what_is_gone_follow_each_other_in_every_key():
    rng = np.random.default_rng(3)
    table = pa.table(
        {"ts": np.sort(rng.integers(0, 300, 60)), "k": rng.choice(list("abc"), 60),
         "v": rng.integers(0, 4, 60)}
    )  # fmt: skip
    rest = "(ts, k, max(v) as m) from S [range 20 slide 5] group by k"
    new = wr.cql(f"select istream{rest}", S=table).to_pylist()
    gone = wr.cql(f"select dstream{rest}", S=table).to_pylist()

    for key in "abc":
        begun = [(row["ts"], row["m"]) for row in new if row["k"] == key]
        ended = [(row["ts"], row["m"]) for row in gone if row["k"] == key]
        assert [m for _, m in begun] == [m for _, m in ended]
        assert all(a[0] < b[0] for a, b in zip(begun, ended, strict=True))
        assert all(b[0] <= a[0] for a, b in zip(begun[1:], ended, strict=False))


def test_dstream_counts_windows_of_rows_too():
    actual = ask("select dstream(max(len) as m) from Calls [rows 2]")

    assert actual == [{"m": 120}, {"m": 300}, {"m": 80}]


def test_distinct_gives_each_different_row_of_a_window_once():
    actual = ask(
        "select distinct ts, caller from Calls [range 4 minutes] where len > 40"
    )
    groups = ask(
        "select ts, caller from Calls [range 4 minutes] where len > 40 "
        "group by ts, caller"
    )

    assert actual == groups
    assert len(ask("select distinct caller from Calls")) == 3
    assert len(ask("select distinct caller, len / 1000 as k from Calls")) == 3


def test_distinct_results_of_groups_are_distinct_by_themselves():
    plain = "caller, max(len) as m from Calls group by caller"

    assert ask(f"select distinct {plain}") == ask(f"select {plain}")


INNER = """
    select ts, count(caller) as people, max(n) as most
    from (
        select ts, caller, count(*) as n from Calls [range 2 minutes slide 1 minute]
        group by caller
    ) [now] as R
"""


def test_an_inner_query_has_a_window_of_its_own_and_its_results_are_a_stream():
    actual = ask(INNER)

    inner = wr.cql(
        "select ts, caller, count(*) as n from Calls [range 2 minutes slide 1 minute]"
        " group by caller",
        Calls=CALLS,
    )
    outer = "select ts, count(caller) as people, max(n) as most from R [now]"
    assert actual == wr.cql(outer, R=inner).to_pylist()
    assert [row["people"] for row in actual] == [2, 2, 2, 2, 1]


def test_an_inner_query_may_have_one_of_its_own_and_need_no_alias():
    actual = ask(
        """
        select sum(people) as total from (
            select ts, count(*) as people from (
                select ts, caller, count(*) as n from Calls [range 2 minutes]
                group by caller
            ) [now]
        ) [range unbounded]
        """
    )

    assert actual == [{"total": 4}], "ann and bob, then cem and bob"


def test_explain_shows_an_inner_query_and_its_plan():
    text = str(wr.explain_cql(INNER, Calls=CALLS))

    assert "stream R\n      query\n        stream Calls" in text
    assert text.count("pass 1 for query 1") == 2


def test_lrb2_as_a_whole_is_one_text():
    """Vehicles in each segment: reports of each vehicle, then how many there are."""
    streams = workloads.WORK["lrb2"].streams()
    inner = workloads.APPLICATIONS["LRB2"].text
    whole = f"""
        select ts, highway, direction, segment, count(vehicle) as vehicles
        from ({inner}) [now] as R group by highway, direction, segment
    """

    actual = wr.cql(whole, **streams).to_pylist()

    rows = wr.cql(inner, **streams).to_pylist()
    expected: dict = {}
    for row in rows:
        key = row["ts"], row["highway"], row["direction"], row["segment"]
        expected[key] = expected.get(key, 0) + 1
    names = ("ts", "highway", "direction", "segment")
    assert {tuple(r[n] for n in names): r["vehicles"] for r in actual} == expected


TRIPS = pa.table(
    {"start": pa.array([1, 12, 4], pa.timestamp("s")),
     "end": pa.array([21, 13, 4], pa.timestamp("s")), "len": [20, 1, 0],
     "id": [7, 8, 7]}
)  # fmt: skip


def test_a_window_with_a_span_holds_what_overlaps_it():
    text = """
        select id, window.start, count(*) as n, max(len) as longest
        from Trips [range 15 seconds slide 5 seconds span start, end] group by id
    """
    window = wr.sliding("15 seconds", every="5 seconds", span=("start", "end"))

    actual = wr.cql(text, Trips=TRIPS).to_pylist()

    calls = {"n": wr.count(), "longest": wr.max("len")}
    expected = wr.aggregate(TRIPS, window, by="id", **calls).to_pylist()
    assert actual == [
        {"id": r["id"], "start": r["window"]["start"], "n": r["n"],
         "longest": r["longest"]}
        for r in expected
    ]  # fmt: skip


def test_two_queries_over_one_span_share_their_pass():
    text = """
        select count(*) as n from Trips [range 15 slide 5 span start, end];
        select max(len) as m from Trips [range 10 slide 5 span start, end];
    """

    assert "pass 1 for queries 1, 2" in str(wr.explain_cql(text, Trips=TRIPS))
    assert [len(result) for result in wr.cql(text, Trips=TRIPS)] == [7, 6]


SQUARES = wr.Aggregate(
    name="squares",
    identity=0.0,
    lift=lambda value: value * value,
    combine=lambda older, newer: older + newer,
    lower=lambda partial: partial,
    laws=("commutative",),
)


def test_an_aggregate_of_your_own_is_called_by_the_name_that_it_is_given_under():
    text = (
        "select caller, my_Squares(len) as q, max(len) as m from Calls group by caller"
    )

    actual = ask(text, my_squares=SQUARES)

    assert actual[1] == {"caller": "bob", "q": 7300.0, "m": 80}
    assert "my_squares(len)" in str(
        wr.explain_cql(text, Calls=CALLS, my_squares=SQUARES)
    )


def test_an_aggregate_of_your_own_cannot_take_a_name_of_the_language():
    with pytest.raises(
        wr.WindrowError, match="cannot call an aggregate of your own 'max'"
    ):
        ask("select max(len) as m from Calls", max=SQUARES)


def test_an_unknown_function_may_be_one_of_your_own_mistyped():
    with pytest.raises(wr.QueryError, match="did you mean squares"):
        ask("select squres(len) as q from Calls", squares=SQUARES)
