"""Queries whose rows are filtered and joined in the loop that folds them.

    where, join, group by      one loop      or one step after the other: the same rows

Both are held against each other, interpreted and over columns, and against a plain
reading of the query over Python rows.
"""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import windrow as wr
from lanes import in_both_lanes
from strategies import part
from windrow import _cql_passes
from windrow.batch.cells import NO_TEXTS, UnsortedRows
from windrow.loops import Lane, interpreting, pinned

CONDITIONS = {
    "kind = 1": lambda r: _all(r["kind"], lambda v: v == 1),
    "kind <> 1": lambda r: _all(r["kind"], lambda v: v != 1),
    "x < 0.5": lambda r: _all(r["x"], lambda v: v < 0.5),
    "not x < 0.5": lambda r: _all(r["x"], lambda v: v >= 0.5 or math.isnan(v)),
    "x >= kind": lambda r: (
        _all(r["x"], lambda v: math.isnan(v) or v >= r["kind"])
        if r["kind"] is not None
        else None
    ),
    "x = x": lambda r: _all(r["x"], lambda _: True),
    "kind in (0, 2) and x > 0.0": lambda r: _and(
        _all(r["kind"], lambda v: v in (0, 2)),
        _all(r["x"], lambda v: v > 0 or math.isnan(v)),
    ),
    "kind = 1 or x < 0.0": lambda r: _or(
        _all(r["kind"], lambda v: v == 1), _all(r["x"], lambda v: v < 0)
    ),
    "kind + 1 = 2": lambda r: _all(r["kind"], lambda v: v == 1),
    "abs(kind) = 1": lambda r: _all(r["kind"], lambda v: v == 1),  # left to Arrow
    "kind is null": lambda r: r["kind"] is None,  # left to Arrow
    "flag = true": lambda r: _all(r["flag"], lambda v: v),
}


def _all(value, test):
    return None if value is None else test(value)


def _and(a, b):
    return False if a is False or b is False else None if None in (a, b) else True


def _or(a, b):
    return True if a or b else None if None in (a, b) else False


@contextlib.contextmanager
def step_by_step():
    """Filter and join before anything is folded."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_cql_passes, "why_not_in_loop", lambda _: "a test says so")
        yield


@contextlib.contextmanager
def watched_loops():
    """The rows that were filtered, joined or computed as they were folded within."""
    folded = []
    real = UnsortedRows.fold

    def fold(self, *rest):
        if self.texts is not NO_TEXTS:
            folded.append(self)
        return real(self, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(UnsortedRows, "fold", fold)
        yield folded


def looped_and_single(text, **streams):
    """What was folded in the loop, its answer, and that of single steps."""

    def ask():
        return wr.cql(text, time={"S": "at"}, **streams).to_pylist()

    with watched_loops() as folded:
        actual = in_both_lanes(ask)
    with step_by_step():
        return folded, actual, in_both_lanes(ask)


def lists(n, values):
    return st.lists(st.none() | values, min_size=n, max_size=n)


@st.composite
def streams(draw):
    n = draw(st.integers(0, 14))
    at = draw(lists(n, st.integers(-30, 60)))
    if draw(st.booleans()):
        at.sort(key=lambda instant: -99 if instant is None else instant)
    floats = st.sampled_from([-1.5, 0.0, 0.5, 2.0, math.nan, math.inf])
    return pa.table(
        {
            "at": pa.array(at, pa.int64()),
            "kind": pa.array(draw(lists(n, st.integers(0, 2))), pa.int8()),
            "ad": pa.array(draw(lists(n, st.integers(-2, 6))), pa.int32()),
            "flag": pa.array(draw(lists(n, st.booleans())), pa.bool_()),
            "x": pa.array(draw(lists(n, floats)), pa.float64()),
        }
    )


@st.composite
def tables(draw):
    ads = draw(st.lists(st.integers(-2, 5), min_size=1, max_size=6, unique=True))
    campaigns = draw(lists(len(ads), st.sampled_from(["b", "a", "c"])))
    return pa.table({"ad": pa.array(ads), "campaign": pa.array(campaigns, pa.string())})


def plain(stream, table, condition, key):
    """The counts and the largest x of each key and window of 20 every 10."""
    met = {row["ad"]: row["campaign"] for row in table.to_pylist()}
    groups = {}
    for row in stream.to_pylist():
        if row["at"] is None or not CONDITIONS[condition](row):
            continue
        if key in ("campaign", "none, joined"):
            if row["ad"] not in met or row["ad"] is None:
                continue
            row["campaign"] = met[row["ad"]]
        row |= {"none": "none", "none, joined": "none"}
        for start, end in oracles.time_windows([row["at"]], 20, 10):
            values = groups.setdefault((row[key], start, end), [])
            values.append(row["x"])
    ordered = sorted(groups, key=lambda g: (g[0] is not None, g[0] or 0, g[1]))
    if key == "campaign":
        ordered = sorted(groups, key=lambda g: (g[0] is not None, g[0] or "", g[1]))
    return [
        {"key": g[0], "at": g[2], "n": len(groups[g]), "m": oracles.lower("max", v)}
        for g in ordered
        for v in [groups[g]]
    ]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("key", ["campaign", "kind", "none", "none, joined"])
@part(0.5)
@given(stream=streams(), table=tables())
def test_one_loop_and_single_steps_equal_the_plain_reading(
    condition, key, stream, table
):
    is_joined = key in ("campaign", "none, joined")
    join = "join T on S.ad = T.ad" if is_joined else ""
    chosen, grouped = f"{key} as key", f"group by {key}"
    if key.startswith("none"):
        chosen, grouped = "'none' as key", ""
    text = f"""select {chosen}, at, count(*) as n, max(x) as m
        from S [range 20 slide 10] {join} where {condition} {grouped}"""

    folded, actual, steps = looped_and_single(text, S=stream, T=table)

    assert folded
    expected = plain(stream, table, condition, key)
    assert oracles.alike(actual, expected, 1e-9)
    assert oracles.alike(steps, expected, 1e-9)


JOINS = {
    "join T on S.ad = T.ad": ("ad",),
    "left join T on S.ad = T.ad": ("ad",),
    "join T on S.ad = T.ad and S.kind = T.kind": ("ad", "kind"),
    "left join T on S.kind = T.kind and S.ad = T.ad": ("kind", "ad"),
}
JOINED_KEYS = {
    "campaign": lambda r: r["campaign"],
    "w": lambda r: r["w"],
    "w * 2": lambda r: _all(r["w"], lambda w: w * 2),  # by Arrow, over the table alone
    "w + S.kind": lambda r: _both(r["w"], r["kind"], lambda w, k: w + k),
    "w > 0": lambda r: _all(r["w"], lambda w: w > 0),
    "S.kind": lambda r: r["kind"],
    "": lambda _: "none",
}
JOINED_SUMS = {
    "w": lambda r: r["w"],
    "f": lambda r: r["f"],
    "w * 3 - 1": lambda r: _all(r["w"], lambda w: w * 3 - 1),
    "w * S.kind": lambda r: _both(r["w"], r["kind"], lambda w, k: w * k),
    "x + f": lambda r: _both(r["x"], r["f"], lambda x, f: x + f),
    "S.kind / (w + 2)": lambda r: _both(
        r["kind"], r["w"], lambda k, w: _quotient(k, w + 2)
    ),
}
JOINED_CONDITIONS = {
    "S.kind >= 0": lambda r: _all(r["kind"], lambda _: True),
    "w > 0": lambda r: _all(r["w"], lambda w: w > 0),
    "w > S.kind": lambda r: _both(r["w"], r["kind"], lambda w, k: w > k),
    "campaign = 'a'": lambda r: _all(r["campaign"], lambda word: word == "a"),
    "campaign is null": lambda r: r["campaign"] is None,
    "f >= x and S.kind = 1": lambda r: _and(
        _both(r["f"], r["x"], lambda f, x: math.isnan(f) or f >= x),
        _all(r["kind"], lambda k: k == 1),
    ),
    "w = 1 or campaign = 'a'": lambda r: _or(
        _all(r["w"], lambda w: w == 1), _all(r["campaign"], lambda word: word == "a")
    ),
}


@st.composite
def wide_tables(draw, names):
    """A table by one column or two, each set of them once, with nulls beside them."""
    keys = st.tuples(st.integers(-2, 5), st.integers(0, 2))
    same = {"ad": lambda key: key[0]}.get("".join(names))
    found = draw(
        st.lists(keys, min_size=1, max_size=24, unique_by=same or (lambda k: k))
    )
    n, floats = len(found), st.sampled_from([-1.5, 0.0, 0.5, math.nan, math.inf])
    words = pa.array(draw(lists(n, st.sampled_from(["b", "a", "c"]))), pa.string())
    return pa.table(
        {
            "ad": pa.array([ad for ad, _ in found], pa.int16()),
            "kind": pa.array([kind for _, kind in found], pa.int64()),
            "campaign": words.dictionary_encode() if draw(st.booleans()) else words,
            "w": pa.array(draw(lists(n, st.integers(-1, 2))), pa.int32()),
            "f": pa.array(draw(lists(n, floats)), pa.float32()),
        }
    )


def joined(stream, table, names, is_left):
    """The rows of a stream with what they meet, by definition."""
    met = {tuple(row[name] for name in names): row for row in table.to_pylist()}
    none = dict.fromkeys(table.column_names)
    rows = stream.to_pylist()
    pairs = [(row, met.get(tuple(row[name] for name in names))) for row in rows]
    return [{**(o or none), **row} for row, o in pairs if is_left or o is not None]


@pytest.mark.parametrize("join", JOINS)
@part(2)
@given(data=st.data())
def test_a_joined_table_is_read_in_the_loop(join, data):
    names = JOINS[join]
    stream, table = data.draw(streams()), data.draw(wide_tables(names))
    key, value, condition = (
        data.draw(st.sampled_from(list(menu)))
        for menu in (JOINED_KEYS, JOINED_SUMS, JOINED_CONDITIONS)
    )
    chosen, grouped = (f"{key} as key,", "group by key") if key else ("", "")
    text = f"""select {chosen} at, count(*) as n, sum({value}) as s, max({value}) as m
        from S [range 20 slide 10] {join} where {condition} {grouped}"""

    folded, actual, steps = looped_and_single(text, S=stream, T=table)

    groups = {}
    for row in joined(stream, table, names, join.startswith("left")):
        if row["at"] is not None and JOINED_CONDITIONS[condition](row):
            for _, end in oracles.time_windows([row["at"]], 20, 10):
                group = groups.setdefault((JOINED_KEYS[key](row), end), [])
                group.append(JOINED_SUMS[value](row))
    ordered = sorted(
        groups, key=lambda g: (g[0] is not None, g[0] or type(g[0])(), g[1])
    )
    expected = [
        {
            **({"key": at[0]} if key else {}),
            "at": at[1],
            "n": len(groups[at]),
            "s": oracles.lower("sum", groups[at]),
            "m": oracles.lower("max", groups[at]),
        }
        for at in ordered
    ]
    assert folded
    assert oracles.alike(actual, expected, 1e-6)
    assert oracles.alike(steps, expected, 1e-6)


def test_one_table_is_looked_up_by_what_another_has():
    stream, ads = events()
    campaigns = pa.table({"campaign": [0, 1, 3], "firm": ["x", None, "y"]})
    text = """select firm, at, sum(x * ad) as s, count(*) as n
              from S [range 50 slide 50] join T on S.ad = T.ad
              left join C on T.campaign = C.campaign where firm = 'x' or firm is null
              group by firm"""

    def ask():
        return wr.cql(text, S=stream, T=ads, C=campaigns, time={"S": "at"})

    with watched_loops() as folded:
        actual = in_both_lanes(lambda: ask().to_pylist())
        with pinned(Lane.COMPILED):
            compiled = ask()
    with step_by_step():
        steps = ask()

    assert len(folded) == 3
    assert oracles.alike(actual, steps.to_pylist(), 1e-9)
    assert oracles.alike(compiled.to_pylist(), actual, 1e-9)
    assert compiled.schema == steps.schema


@pytest.mark.parametrize(
    "join",
    [
        pytest.param(join, marks=() if is_usual else pytest.mark.deep)
        for join, is_usual in zip(JOINS, [False, True, True, False], strict=True)
    ],
)
def test_a_join_that_is_compiled_gives_what_columns_and_single_steps_give(join):
    stream = odd_events().append_column("ad", pa.array(np.arange(3_000) % 23 - 4))
    pairs = [(ad, kind) for kind in (2, 0) for ad in range(3, 18) if ad != 6 + kind]
    if "and" not in join:
        pairs = [(ad, ad) for ad in range(15)]
    table = pa.table(
        {
            "ad": [ad for ad, _ in pairs],
            "kind": [kind for _, kind in pairs],
            "w": [[None, 1, 2, 7][n % 4] for n in range(len(pairs))],
            "c": ["abcde"[n % 5] for n in range(len(pairs))],
        }
    )
    text = f"""select c, at, sum(w * S.kind) as s, max(w) as m, count(*) as n
              from S [range 50 slide 10] {join}
              where x < 1.0 and (w <> 1 or S.kind = 0) group by c"""

    def ask():
        return wr.cql(text, S=stream, T=table, time={"S": "at"})

    with pinned(Lane.COMPILED), watched_loops() as folded:
        actual = ask()
    with pinned(Lane.COLUMNS):
        columns = ask()
        with step_by_step():
            steps = ask()

    assert folded
    assert actual.equals(columns)
    assert actual.equals(steps)


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("kind = 1", "kind = 1 or campaign = 'a'"),  # of both, and of text
        ("sum(x)", "min(campaign)"),
        ("sum(x)", "arg_max(x, w)"),  # results are looked up in rows
        ("sum(x)", "max(d)"),
        ("S.ad", "S.x"),
    ],
)
def test_what_the_loop_cannot_compute_is_computed_before(part, other):
    stream, table = events(200)
    table = table.set_column(1, "campaign", pa.array(list("abcab") * 3))
    table = table.append_column("w", pa.array(range(15)))
    table = table.append_column(
        "d", pa.array([*range(15)], pa.int32()).cast(pa.decimal128(18, 2))
    )

    def ask(text):
        return wr.cql(text, S=stream, T=table, time={"S": "at"})

    text = TEXT.replace(part, other)
    with watched_loops() as folded:
        actual = ask(text)
        ask(TEXT)
    with step_by_step():
        expected = ask(text)

    assert len(folded) == 1
    assert actual.equals(expected)


def events(rows=3_000):
    rng = np.random.default_rng(4)
    stream = pa.table(
        {
            "at": np.sort(rng.integers(0, 500, rows)),
            "ad": rng.integers(0, 20, rows),
            "kind": rng.integers(0, 3, rows),
            "x": rng.normal(size=rows),
        }
    )
    return stream, pa.table({"ad": np.arange(15), "campaign": np.arange(15) % 4})


TEXT = """select campaign, at, sum(x) as s, count(*) as n from S [range 50 slide 50]
          join T on S.ad = T.ad where kind = 1 group by campaign"""


def test_a_compiled_loop_gives_what_columns_give():
    stream, table = events()

    def ask():
        return wr.cql(TEXT, S=stream, T=table, time={"S": "at"})

    with pinned(Lane.COMPILED), watched_loops() as folded:
        actual = ask()
    with pinned(Lane.COLUMNS):
        expected = ask()

    assert len(folded) == 1
    assert actual.equals(expected)


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"ad": [1, 1, 2], "campaign": [1, 2, 3]}),  # pairs multiply
        pa.table({"ad": [1, 2**40], "campaign": [1, 2]}),  # far apart
        pa.table({"ad": pa.array([1, None]), "campaign": [1, 2]}),
        pa.table({"ad": [1.0, 2.0], "campaign": [1, 2]}),
        pa.table(
            {"ad": pa.array([], pa.int64()), "campaign": pa.array([], pa.int64())}
        ),
    ],
)
def test_tables_that_do_not_fit_are_joined_before(table):
    stream, _ = events()

    with watched_loops() as folded:
        actual = wr.cql(TEXT, S=stream, T=table, time={"S": "at"})
    with step_by_step():
        expected = wr.cql(TEXT, S=stream, T=table, time={"S": "at"})

    assert not folded
    assert actual.equals(expected)


def _both(a, b, compute):
    return None if a is None or b is None else compute(a, b)


def _quotient(a, b):
    return None if b == 0 else int(math.copysign(abs(a) // abs(b), a * b))


def _remainder(a, b):
    return None if b == 0 else a - _quotient(a, b) * b


COMPUTED = {
    "ad * 3 - kind": lambda r: _both(r["ad"], r["kind"], lambda a, k: a * 3 - k),
    "-ad / 2": lambda r: _all(r["ad"], lambda a: _quotient(-a, 2)),
    "ad % -3": lambda r: _all(r["ad"], lambda a: _remainder(a, -3)),
    "ad / kind": lambda r: _both(r["ad"], r["kind"], _quotient),
    "kind + 1 > ad": lambda r: _both(r["kind"], r["ad"], lambda k, a: k + 1 > a),
    "x * 2.0 - x / ad": lambda r: _both(
        r["x"], r["ad"], lambda x, a: None if a == 0 else x * 2.0 - x / a
    ),
}


def computed_windows(stream, expression, as_key):
    """The windows of 20 every 10 as they are read off, of a key or of its sums."""
    groups = {}
    for row in stream.to_pylist():
        value = COMPUTED[expression](row)
        if row["at"] is None:
            continue
        for _, end in oracles.time_windows([row["at"]], 20, 10):
            key = value if as_key else row["kind"]
            groups.setdefault((key, end), []).append(value)
    ordered = sorted(groups, key=lambda g: (g[0] is not None, g[0] or 0, g[1]))
    return [
        {"key": key, "at": end, "n": len(groups[key, end])}
        if as_key
        else {"key": key, "at": end, "m": oracles.lower("sum", groups[key, end])}
        for key, end in ordered
    ]


# floats are numbered by hashing, and conditions have no sum
KEYS = [pytest.param(text, True) for text in COMPUTED if "x" not in text]
SUMS = [pytest.param(text, False) for text in COMPUTED if ">" not in text]


@pytest.mark.parametrize(("expression", "as_key"), KEYS + SUMS)
@part(0.5)
@given(stream=streams())
def test_computed_columns_are_computed_in_the_loop(expression, as_key, stream):
    key = f"{expression} as key" if as_key else "kind as key"
    call = "count(*) as n" if as_key else f"sum({expression}) as m"
    text = f"select {key}, at, {call} from S [range 20 slide 10] group by key"

    folded, actual, steps = looped_and_single(text, S=stream)

    assert folded
    assert all(rows.texts.numbers for rows in folded)
    expected = computed_windows(stream, expression, as_key)
    assert oracles.alike(actual, expected, 1e-9)
    assert oracles.alike(steps, expected, 1e-9)


def test_computed_columns_that_are_compiled_give_what_columns_give():
    stream, _ = events()
    text = """select (ad - 9) / 4 as key, at, sum(x * ad) as s, max(kind % 2) as m
              from S [range 50 slide 50] group by key"""

    def ask():
        return wr.cql(text, S=stream, time="at")

    with pinned(Lane.COMPILED), watched_loops() as folded:
        actual = ask()
    with pinned(Lane.COLUMNS):
        expected = ask()
    with pinned(Lane.COLUMNS), step_by_step():
        steps = ask()

    assert len(folded[0].texts.numbers) == 3
    assert actual.equals(expected)
    assert expected.equals(steps)


@pytest.mark.parametrize("expression", ["n * 4", "n + n", "-n - 9", "n * 1.0"])
def test_whole_numbers_that_could_overflow_are_left_to_arrow(expression):
    stream = pa.table({"at": [1, 2], "k": [1, 1], "n": [2**63 - 1, 3]})
    text = f"select k, max({expression}) as s from S [range 10 slide 10] group by k"

    with pytest.raises(wr.BadInput, match="cannot compute"):
        wr.cql(text, S=stream, time="at")


def test_rows_that_where_leaves_out_cannot_fail():
    stream = pa.table({"at": [1, 2], "k": [1, 1], "n": [2**62, 3]})
    text = """select k, sum(n * 4) as s from S [range 10 slide 10]
              where n < 100 group by k"""

    actual = wr.cql(text, S=stream, time="at")

    assert actual["s"].to_pylist() == [12]


def odd_events(rows=3_000):
    """Events with nulls, NaN and infinities, of which none is in its place by time."""
    rng = np.random.default_rng(5)
    some = lambda share: rng.random(rows) < share  # noqa: E731
    x = rng.integers(-9, 9, rows) / 4
    x[some(0.05)], x[some(0.01)] = math.nan, math.inf
    return pa.table(
        {
            "at": pa.array(rng.integers(0, 500, rows), mask=some(0.1)),
            "kind": pa.array(rng.integers(0, 3, rows), mask=some(0.2)),
            "x": pa.array(x, mask=some(0.2)),
        }
    )


NO_KEY = """select at, count(*) as n, max(x) as m, sum(kind * 3 - 1) as s
            from S [range 50 slide 10] where """


@pytest.mark.parametrize(
    "condition",
    [
        "kind = 1 and x > 0.0",
        pytest.param("kind = 9", marks=pytest.mark.deep),  # each is machine code
        pytest.param("x = x or kind > 0", marks=pytest.mark.deep),
    ],
)
@pytest.mark.parametrize(
    ("rows", "is_sorted"), [(3_000, True), (3_000, False), (512, True), (0, True)]
)
def test_rows_without_a_key_are_filtered_in_every_lane(rows, condition, is_sorted):
    stream = odd_events().slice(0, rows)
    if is_sorted:
        stream = stream.sort_by("at")

    def ask():
        return wr.cql(NO_KEY + condition, S=stream, time="at")

    with step_by_step(), pinned(Lane.COLUMNS):
        expected = ask()
    with watched_loops() as folded:
        with pinned(Lane.COMPILED):
            compiled = ask()
        with pinned(Lane.COLUMNS):
            columns = ask()
        with interpreting():
            interpreted = ask()

    assert len(folded) == 3
    assert (expected.num_rows == 0) == (condition == "kind = 9" or not rows)
    for actual in (compiled, columns, interpreted):
        assert oracles.alike(actual.to_pylist(), expected.to_pylist(), 0)
        assert actual.schema == expected.schema


@pytest.mark.parametrize(
    "lane", [pytest.param(Lane.COMPILED, marks=pytest.mark.deep), Lane.COLUMNS]
)
def test_sums_without_a_key_are_those_of_single_steps_bit_for_bit(lane):
    stream, _ = events(20_000)
    text = "select at, sum(x) as s, avg(x) as m from S [range 50 slide 50] where "

    def ask():
        return wr.cql(text + "kind <> 1", S=stream, time="at")

    with pinned(lane), watched_loops() as folded:
        actual = ask()
    with pinned(lane), step_by_step():
        expected = ask()

    assert folded
    assert actual.equals(expected)


@pytest.mark.parametrize("key", ["", "group by kind"])
@pytest.mark.parametrize("far", [2**63 - 1, 2**61])
def test_times_that_where_leaves_out_may_be_anywhere(key, far):
    stream = pa.table({"at": [1, 2, far], "kind": [1, 1, 2]})
    text = f"select at, count(*) as n from S [range 10 slide 10] where kind = 1 {key}"

    assert wr.cql(text, S=stream, time="at").to_pylist() == [{"at": 10, "n": 2}]


def test_a_join_without_a_key_of_the_table_only_leaves_rows_out():
    stream, table = events()
    text = """select kind, at, count(*) as n from S [range 50 slide 50]
              join T on S.ad = T.ad group by kind"""

    with watched_loops() as folded:
        actual = wr.cql(text, S=stream, T=table, time={"S": "at"})
    with step_by_step():
        expected = wr.cql(text, S=stream, T=table, time={"S": "at"})

    assert folded
    assert actual.equals(expected)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT, "  loop       where and join while rows are folded into cells"),
        (TEXT.replace("sum(x)", "sum(x * 2)"), "loop       where and join and compute"),
        (NO_KEY + "kind = 1", "  loop       where and compute while rows are folded"),
        (TEXT.replace("join T", "left join T"), "loop       where and join while rows"),
        (TEXT.replace("kind = 1", "campaign = 1"), "where and join while rows are"),
        (TEXT.replace("sum(x)", "first(campaign)"), "loop       none, where and join"),
        (TEXT.replace("sum(x)", "first(campaign)"), "looked up in campaign, of a"),
        (TEXT, ", where these and the keys of T serve"),
        (NO_KEY.replace("max(x)", "median(x)") + "kind = 1", "needs the rows of each"),
        (TEXT.replace("kind = 1", "kind = 1 or word = 'a'"), "where compares several"),
        (TEXT.replace("sum(x)", "min(word)"), "word of a joined table is not a number"),
        (TEXT.replace("sum(x)", "max(abs(w * x))"), "of several tables, and more than"),
        (TEXT.replace("S.ad", "S.x"), "the keys of T are not whole numbers"),
        (TEXT.replace("range 50 slide 50", "rows 5"), "none, where and join go before"),
    ],
)
def test_explain_says_what_runs_in_the_loop(text, words):
    stream, table = events()
    table = table.append_column("word", pa.array(list("abcde") * 3))
    table = table.append_column("w", pa.array(range(15)))

    explained = str(wr.explain_cql(text, S=stream, T=table, time={"S": "at"}))

    assert words in explained
