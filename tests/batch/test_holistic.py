"""Tests lists, joined strings and distinct values against slices of plain lists."""

from __future__ import annotations

import contextlib
import math
import struct
import tracemalloc
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numba
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import shaped, small, special_floats, texts, with_nulls
from windrow.batch import holistic as module
from windrow.batch.holistic import holistic
from windrow.errors import UnsupportedType

POOLS: list[pa.MemoryPool] = []  # a pool must outlive the arrays made from it
EPOCH = datetime(2020, 1, 1, tzinfo=UTC)

COLUMNS: dict[str, tuple[pa.DataType, Any]] = {
    "int64": (pa.int64(), small),
    "int8": (pa.int8(), small),
    "float64": (pa.float64(), st.one_of(special_floats, st.just(-0.0))),
    "bool": (pa.bool_(), st.booleans()),
    "string": (pa.string(), texts),
    "large_string": (pa.large_string(), texts),
    "string_view": (pa.string_view(), texts),
    "binary_view": (pa.binary_view(), texts.map(str.encode)),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), texts),
    "binary": (pa.binary(), texts.map(str.encode)),
    "date": (pa.date32(), small.map(lambda d: date(2020, 1, 1) + timedelta(d))),
    "timestamp": (pa.timestamp("us", "UTC"), small.map(lambda s: EPOCH + timedelta(s))),
    "decimal128": (pa.decimal128(18, 2), small.map(lambda n: Decimal(n) / 4)),
    "decimal256": (pa.decimal256(50, 2), small.map(lambda n: Decimal(n) / 4)),
}
with contextlib.suppress(
    pa.ArrowException, TypeError
):  # old Arrow makes none of floats
    pa.array([0.5], pa.float16())
    halves = st.sampled_from([0.0, -0.0, 1.5, math.nan])
    COLUMNS["float16"] = (pa.float16(), halves)
if hasattr(pa, "decimal64"):
    quarters = small.map(lambda n: Decimal(n) / 4)
    COLUMNS["decimal64"] = (pa.decimal64(9, 2), quarters)

# Arrow cannot take from views; these are what it can
RESULTS = {
    pa.string_view(): pa.large_string(),
    pa.binary_view(): pa.large_binary(),
}


# --- the oracle -------------------------------------------------------------------


def key_of(value: Any) -> Any:
    """NaN equals NaN here; Python already takes -0.0 for 0.0."""
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def identity_of(value: Any) -> Any:
    """A value with its sign of zero, but without the bits of a NaN."""
    return (key_of(value), math.copysign(1.0, value)) if value == 0.0 else key_of(value)


def present(rows: list[Any], start: int, stop: int) -> list[Any]:
    return [value for value in rows[start:stop] if value is not None]


def firsts(values: list[Any]) -> list[Any]:
    seen: dict[Any, Any] = {}
    for value in values:
        seen.setdefault(key_of(value), value)
    return list(seen.values())


# --- streams and windows ------------------------------------------------------------


@st.composite
def windows_over(draw: Any, values: Any) -> tuple[list[Any], list[int], list[int]]:
    """Rows of several keys, with windows that overlap, leave gaps, or are empty."""
    pool = draw(st.lists(values, min_size=1, max_size=8))
    rows: list[Any] = []
    starts: list[int] = []
    stops: list[int] = []
    for _ in range(draw(st.integers(0, 3))):
        base = len(rows)
        codes = draw(with_nulls(shaped(small, 40)))
        rows += [None if c is None else pool[c % len(pool)] for c in codes]
        count = draw(st.integers(0, 12))
        bound = st.integers(base, len(rows))
        lows = sorted(draw(st.lists(bound, min_size=count, max_size=count)))
        highs = sorted(draw(st.lists(bound, min_size=count, max_size=count)))
        starts += lows
        stops += highs  # some may lie before their start: those windows are empty
    return rows, starts, stops


def column_of(rows: list[Any], kind: pa.DataType) -> pa.Array:
    """The rows as a column with an offset of one or two."""
    others = [*rows[-1:], None]
    return pa.array([*others, *rows], type=kind)[len(others) :]


def run(
    name: str, column: pa.Array, starts: Any, stops: Any, **options: Any
) -> pa.Array:
    result = holistic(
        name,
        column,
        np.asarray(starts, dtype=np.int64),
        np.asarray(stops, dtype=np.int64),
        options,
    )
    result.validate(full=True)
    return result


def lists_of(result: pa.Array) -> list[list[Any]]:
    return [[identity_of(value) for value in entry] for entry in result.to_pylist()]


# --- agreement ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", COLUMNS)
@given(data=st.data())
def test_collect_lists_the_values_of_each_window_in_order(kind, data):
    arrow, values = COLUMNS[kind]
    rows, starts, stops = data.draw(windows_over(values))

    result = run("collect", column_of(rows, arrow), starts, stops)

    actual = lists_of(result)
    expected = [
        [identity_of(v) for v in present(rows, *bounds)]
        for bounds in zip(starts, stops, strict=True)
    ]
    assert actual == expected
    assert result.type == pa.list_(RESULTS.get(arrow, arrow))


@pytest.mark.parametrize("kind", COLUMNS)
@given(data=st.data())
def test_collect_distinct_lists_each_value_where_it_first_occurs(kind, data):
    arrow, values = COLUMNS[kind]
    rows, starts, stops = data.draw(windows_over(values))

    result = run("collect_distinct", column_of(rows, arrow), starts, stops)

    actual = lists_of(result)
    expected = [
        [identity_of(v) for v in firsts(present(rows, *bounds))]
        for bounds in zip(starts, stops, strict=True)
    ]
    assert actual == expected
    assert result.type == pa.list_(RESULTS.get(arrow, arrow))


@pytest.mark.parametrize("kind", COLUMNS)
@given(data=st.data())
def test_count_distinct_counts_each_value_once(kind, data):
    arrow, values = COLUMNS[kind]
    rows, starts, stops = data.draw(windows_over(values))

    result = run("count_distinct", column_of(rows, arrow), starts, stops)

    actual = result.to_pylist()
    expected = [
        len({key_of(v) for v in present(rows, *bounds)})
        for bounds in zip(starts, stops, strict=True)
    ]
    assert actual == expected
    assert result.type == pa.int64()


@pytest.mark.parametrize(
    "kind", ["string", "large_string", "string_view", "dictionary"]
)
@pytest.mark.parametrize("separator", ["", ",", "·🌾"])
@given(data=st.data())
def test_concat_joins_the_strings_of_each_window(kind, separator, data):
    arrow, values = COLUMNS[kind]
    rows, starts, stops = data.draw(windows_over(values))

    column = column_of(rows, arrow)
    actual = run("concat", column, starts, stops, separator=separator).to_pylist()

    windows = [present(rows, *b) for b in zip(starts, stops, strict=True)]
    expected = [separator.join(window) if window else None for window in windows]
    assert actual == expected


@given(
    seed=st.integers(0, 2**32),
    kinds=st.sampled_from([1, 3, 40, 3000]),
    wide=st.integers(1, 3000),
    slide=st.integers(1, 3000),
)
def test_distinct_values_are_read_across_many_words_of_bits(seed, kinds, wide, slide):
    codes = np.random.default_rng(seed).integers(0, kinds, 4000).tolist()
    starts = np.arange(0, len(codes) - wide + 1, slide)
    stops = starts + wide

    lists = run("collect_distinct", pa.array(codes), starts, stops).to_pylist()
    counts = run("count_distinct", pa.array(codes), starts, stops).to_pylist()

    expected = [firsts(codes[a:b]) for a, b in zip(starts, stops, strict=True)]
    assert lists == expected
    assert counts == [len(entry) for entry in expected]


# --- edges --------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [0x7FF8000000000001, 0xFFF8000000000000])
def test_nan_equals_nan_whatever_its_bits_and_zero_has_no_sign(bits):
    (strange,) = struct.unpack("d", struct.pack("Q", bits))
    column = pa.array(np.array([math.nan, strange, -0.0, 0.0]))

    counts = run("count_distinct", column, [0, 2], [4, 4]).to_pylist()
    ((_, zero),) = run("collect_distinct", column, [0], [4]).to_pylist()

    assert counts == [2, 1]
    assert math.copysign(1.0, zero) == -1.0


def test_what_another_key_left_behind_lies_before_the_window():
    #    key     x x x | y y y | z
    #    row     0 1 2   3 4 5   6
    #    value   a b a | a b c | a
    column = pa.array(list("abaabca"))
    starts, stops = [0, 1, 3, 4, 6], [3, 3, 5, 6, 7]

    counts = run("count_distinct", column, starts, stops).to_pylist()
    lists = run("collect_distinct", column, starts, stops).to_pylist()

    assert counts == [2, 2, 2, 2, 1]
    assert lists == [["a", "b"], ["b", "a"], ["a", "b"], ["b", "c"], ["a"]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("collect", [[], []]),
        ("collect_distinct", [[], []]),
        ("count_distinct", [0, 0]),
        ("concat", [None, None]),
    ],
)
@pytest.mark.parametrize(
    "column", [pa.nulls(3), pa.nulls(3, pa.string())], ids=["null", "string"]
)
def test_a_window_without_values_is_empty_and_only_concat_is_null(
    name, expected, column
):
    actual = run(name, column, [0, 2], [2, 2]).to_pylist()

    assert actual == expected


@pytest.mark.parametrize(
    "name", ["collect", "collect_distinct", "count_distinct", "concat"]
)
def test_no_windows_give_an_empty_result(name):
    actual = run(name, pa.array([], pa.string()), [], [])

    assert len(actual) == 0


def test_a_null_hidden_in_a_dictionary_is_skipped_like_any_other():
    column = pa.DictionaryArray.from_arrays([0, 1, 0], pa.array(["a", None]))

    lists = run("collect", column, [0], [3]).to_pylist()
    counts = run("count_distinct", column, [0], [3]).to_pylist()

    assert lists == [["a", "a"]]
    assert counts == [1]


def test_nested_values_are_collected():
    column = pa.array([[1, 2], None, [], [3]])

    actual = run("collect", column, [0, 1], [3, 4]).to_pylist()

    assert actual == [[[1, 2], []], [[], [3]]]


def test_results_past_32_bit_offsets_are_of_large_types(monkeypatch):
    monkeypatch.setattr(module, "MOST", 7)
    words, numbers = pa.array(["abc", "d", "abc"]), pa.array(range(5))
    starts, stops = [0, 0], [3, 3]

    lists = run("collect", numbers, [0, 0], [4, 4])
    texts_ = run("collect", words, starts, stops)
    firsts_ = run("collect_distinct", words, starts, stops)
    joined = run("concat", words, starts, stops, separator="-")

    assert lists.type == pa.large_list(pa.int64())
    assert lists.to_pylist() == [[0, 1, 2, 3]] * 2
    assert texts_.type == pa.list_(pa.large_string())
    assert texts_.to_pylist() == [["abc", "d", "abc"]] * 2
    assert firsts_.type == pa.list_(pa.large_string())
    assert firsts_.to_pylist() == [["abc", "d"]] * 2
    assert joined.type == pa.large_string()
    assert joined.to_pylist() == ["abc-d-abc"] * 2


def test_results_within_32_bit_offsets_keep_the_type_of_the_column(monkeypatch):
    monkeypatch.setattr(module, "MOST", 8)
    words = pa.array(["abc", "d", "abc"])

    firsts_ = run("collect_distinct", words, [0, 0], [3, 3])

    assert firsts_.type == pa.list_(pa.string())


@pytest.mark.parametrize("name", ["count_distinct", "collect_distinct"])
def test_values_that_cannot_be_hashed_are_refused_with_their_type(name):
    column = pa.array([[1], [2]])

    with pytest.raises(UnsupportedType, match=r"list<item: int64>.*\nHint: "):
        run(name, column, [0], [2])


def test_concat_of_numbers_is_refused_with_their_type():
    column = pa.array([1, 2])

    with pytest.raises(UnsupportedType, match=r"int64, not text\nHint: cast"):
        run("concat", column, [0], [2], separator="")


# --- cost ---------------------------------------------------------------------------


@pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="a million rows take minutes interpreted"
)
@pytest.mark.parametrize("name", ["count_distinct", "collect_distinct"])
def test_memory_grows_with_the_rows_and_not_with_the_range(name):
    rows, wide = 1_000_000, 100_000
    kinds = rows if name == "count_distinct" else 3  # 3: the output stays small
    column = pa.array(np.random.default_rng(7).integers(0, kinds, rows))
    starts = np.maximum(np.arange(rows) - wide, 0)
    stops = np.arange(1, rows + 1)
    run(name, column, starts[:1], stops[:1])  # compiled outside the measurement

    before = pa.default_memory_pool()
    POOLS.append(pa.proxy_memory_pool(before))
    pa.set_memory_pool(POOLS[-1])
    tracemalloc.start()
    try:
        result = holistic(name, column, starts, stops, {})
        peak = tracemalloc.get_traced_memory()[1] + POOLS[-1].max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(before)

    # a pair (row, window) for each row of each window would be 100,000 times this
    assert peak < 150 * rows
    assert len(result) == rows
