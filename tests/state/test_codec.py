"""Blobs give back what was put in, or say why not: never something else.

bytes    0        4         6        8            12           20
         "WNDR"   version   kind     crc          length       payload
"""

from __future__ import annotations

import datetime as dt
import math
import struct
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import part
from windrow.errors import StateError
from windrow.state.codec import KINDS, LONG_FACTS, SQUEEZED, VERSION, pack, unpack

TABLE = pa.table(
    {
        "key": pa.array(["a", None, "é"]),
        "x": pa.array([1.5, math.inf, None]),
        "n": pa.array([2**63 - 1, None, -(2**63)]),
    }
)


@pytest.mark.parametrize("small", [False, True])
def test_a_table_comes_back_with_its_types_and_facts(small):
    table = pa.table(
        {
            "text": pa.array(["", None, "漢"]),
            "truth": pa.array([True, None, False]),
            "money": pa.array([Decimal("1.25"), None, Decimal("-3.50")]),
            "day": pa.array([dt.date(1969, 7, 20), None, dt.date(2026, 11, 16)]),
            "stamp": pa.array([0, None, -1], pa.timestamp("us", "UTC")),
            "list": pa.array([[1, None], [], None]),
            "pair": pa.array([{"a": 1}, None, {"a": None}]),
            "bytes": pa.array([b"\x00", b"", None]),
        }
    )
    facts = {"now": -(2**63), "pages": [[1, 2, None]], "words": {"a": ["é"]}}

    found, facts_found = unpack(pack(table, "rows", facts, small=small), "rows")

    assert found.equals(table)
    assert found.schema == table.schema
    assert facts_found == facts


@pytest.mark.parametrize("table", [pa.table({}), TABLE.slice(0, 0), TABLE.slice(1, 1)])
def test_tables_without_rows_or_columns_and_parts_of_tables_come_back(table):
    found, facts = unpack(pack(table, "header", small=True), "header")

    assert found.equals(table)
    assert facts == {}


@pytest.mark.parametrize("small", [False, True])
def test_a_blob_with_any_bit_flipped_is_refused(small):
    blob = pack(TABLE, "rows", {"now": 7}, small=small)

    for place in range(len(blob)):
        for bit in range(8):
            altered = bytearray(blob)
            altered[place] ^= 1 << bit
            with pytest.raises(StateError, match="cannot read a blob of rows"):
                unpack(bytes(altered), "rows")


@pytest.mark.parametrize("small", [False, True])
def test_a_blob_cut_off_anywhere_or_with_more_at_its_end_is_refused(small):
    blob = pack(TABLE, "rows", small=small)

    for length in range(len(blob)):
        with pytest.raises(StateError, match="damaged"):
            unpack(blob[:length], "rows")
    with pytest.raises(StateError, match="damaged"):
        unpack(blob + b"\x00", "rows")


@given(noise=st.binary(max_size=200), start=st.integers(0, 40))
@part(5.0)
def test_bytes_that_are_no_blob_are_refused(noise, start):
    blob = pack(TABLE, "rows", small=True)
    altered = blob[:start] + noise + blob[start + len(noise) :]
    if altered == blob:
        return

    with pytest.raises(StateError):
        unpack(altered, "rows")


def test_a_blob_of_a_later_format_is_refused_with_both_versions():
    blob = bytearray(pack(TABLE, "rows", small=True))
    struct.pack_into("<H", blob, 4, SQUEEZED + 1)

    with pytest.raises(StateError) as refused:
        unpack(bytes(blob), "rows")

    assert f"it has format {SQUEEZED + 1}" in str(refused.value)
    assert f"reads formats {VERSION} and {SQUEEZED}" in str(refused.value)
    assert "Hint: run the query with the version that wrote it" in str(refused.value)


def test_instants_come_back_in_utc_whatever_the_zone_of_the_session_was():
    at = pa.array([0, None], pa.timestamp("us", "Asia/Kathmandu"))
    nested = pa.StructArray.from_arrays([at], ["at"])
    many = pa.array([[0], []], pa.list_(at.type))
    table = pa.table({"at": at, "nested": nested, "many": many})

    actual, _ = unpack(pack(table, "rows", small=True), "rows")

    utc = pa.timestamp("us", "UTC")
    assert actual.schema.types == [utc, pa.struct({"at": utc}), pa.list_(utc)]
    assert actual.column("at").cast(pa.int64()).to_pylist() == [0, None]


def test_facts_about_a_thousand_pages_are_squeezed_and_come_back():
    facts = {"raw": [[n, 500 * n, 500 * n + 499, 512, [n // 9]] for n in range(1000)]}

    blob = pack(TABLE, "header", facts, small=True)

    assert unpack(blob, "header")[1] == facts
    assert len(blob) < 9_000 < len(str(facts)) / 3


@pytest.mark.parametrize("length", [1, LONG_FACTS])
def test_a_blob_of_one_format_is_not_read_as_the_other(length):
    blob = bytearray(pack(TABLE, "header", {"a": "b" * length}, small=True))
    (version,) = struct.unpack_from("<H", blob, 4)
    assert version == (VERSION if length == 1 else SQUEEZED)

    struct.pack_into("<H", blob, 4, VERSION + SQUEEZED - version)

    with pytest.raises(StateError, match="checksum"):
        unpack(bytes(blob), "header")


def test_a_blob_is_not_read_as_one_of_another_kind():
    blob = pack(TABLE, "slices", small=True)

    with pytest.raises(StateError, match="it says that it is of kind 3"):
        unpack(blob, "rows")


def test_numbers_of_kinds_never_change():
    actual = {kind: KINDS[kind] for kind in ("header", "rows", "slices")}

    assert actual == {"header": 1, "rows": 2, "slices": 3}
    assert len(set(KINDS.values())) == len(KINDS)


def test_whatever_gives_its_bytes_can_be_read():
    blob = pack(TABLE, "rows", small=False)

    for given_as in (blob, bytearray(blob), memoryview(blob), pa.py_buffer(blob)):
        assert unpack(given_as, "rows")[0].equals(TABLE)
