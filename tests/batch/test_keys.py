"""Keys are numbered in ascending order, nulls first, whatever their types."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.batch.columns import changes
from windrow.batch.keys import group_keys, key_codes

DAY = dt.date(2020, 1, 1)
KINDS = {
    "close": (pa.int8(), st.integers(-128, 127)),
    "far": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "ends": (pa.int64(), st.sampled_from([-(2**63), 1 - 2**63, 2**63 - 1])),
    "unsigned": (pa.uint64(), st.integers(2**63, 2**64 - 1)),
    "truth": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.integers(0, 9).map(lambda d: DAY + dt.timedelta(d))),
    "word": (pa.string(), st.sampled_from(["Rome", "Oslo", "", "Bern"])),
    "entry": (
        pa.dictionary(pa.int8(), pa.string()),
        st.sampled_from(["Rome", "Oslo", "Bern"]),
    ),
    "float": (pa.float64(), st.sampled_from([-1.5, 0.0, 2.25])),
}


@st.composite
def key_tables(draw):
    """One to three columns of keys, with nulls."""
    names = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=3))
    rows = draw(st.integers(0, 12))
    columns = []
    for name in names:
        kind, values = KINDS[name]
        lists = st.lists(st.none() | values, min_size=rows, max_size=rows)
        columns.append(pa.array(draw(lists), kind))
    return pa.table(columns, names=[f"{i}" for i in range(len(names))])


@given(key_tables())
def test_codes_name_the_keys_of_rows_in_ascending_order(table):
    codes, keys = key_codes(table, table.column_names)

    actual = keys.take(pa.array(codes)).to_pylist()
    assert actual == table.to_pylist()
    ranks = [
        tuple((value is not None, value) for value in key.values())
        for key in keys.to_pylist()
    ]
    assert ranks == sorted(set(ranks))


@pytest.mark.parametrize("name", ["close", "truth", "day", "entry"])
def test_small_numbers_and_dictionaries_are_not_hashed(name, monkeypatch):
    kind, _ = KINDS[name]
    values = {"close": [5, -3], "truth": [True, False], "day": [DAY], "entry": ["x"]}
    column = pa.array([*values[name] * 9, None], kind)
    hashed = []
    monkeypatch.setattr(
        "windrow.batch.keys._joined", lambda *a: hashed.append(len(a[0][0][0])) or a[1]
    )

    group_keys(pa.table({"key": column}), ["key"])

    assert sum(hashed) <= 2  # the words of a dictionary alone


def test_chunks_with_dictionaries_of_their_own_share_their_words():
    chunks = [["b", "a"], ["c", "b"], []]
    column = pa.chunked_array(
        [pa.array(chunk, pa.string()).dictionary_encode() for chunk in chunks]
    )
    table = pa.table({"at": [1, 2, 3, 4], "key": column})

    actual = wr.aggregate(table, wr.sliding(10, on="at"), by="key", n=wr.count())

    assert actual["key"].to_pylist() == ["a", "b", "c"]
    assert actual["n"].to_pylist() == [1, 2, 1]


def test_keys_that_fill_more_than_their_room_are_renumbered():
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 300, 400) for _ in range(3)]
    table = pa.table(columns, names=["a", "b", "c"])

    codes, keys = key_codes(table, table.column_names)

    assert keys.take(pa.array(codes)).equals(table)
    assert keys.equals(keys.sort_by([(n, "ascending") for n in keys.column_names]))


def test_what_stands_beneath_nulls_is_no_change_of_a_key():
    validity, beneath = pa.py_buffer(b"\x09"), pa.py_buffer(np.array([5, 7, 8, 5]))
    key = pa.Array.from_buffers(pa.int64(), 4, [validity, beneath])
    assert key.to_pylist() == [5, None, None, 5]

    assert changes(key).tolist() == [True, False, True]
