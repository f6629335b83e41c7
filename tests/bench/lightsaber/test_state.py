"""Bytes that a query remembers, from slices drawn by hand.

key a   slices    0 . . 3 .          range 4, slide 1, time stands at 5
key b                 . . . 4
windows that are open at 5 begin at 2, 3, 4, ...; those that hold a slice:
a       [2, 6) [3, 7)                slice 3
b       [2, 6) [3, 7) [4, 8)         slice 4
"""

import pyarrow as pa

import windrow as wr
from windrow_bench.measure.state import counted, folding_of, packed

MICROSECONDS = 1_000_000
PARTIAL, INSTANTS, BESIDE = 8, 16, 16


def stream(rows):
    instants = pa.array([at * MICROSECONDS for at, _ in rows]).cast(
        pa.timestamp("us", "UTC")
    )
    return pa.table({"ts": instants, "key": [key for _, key in rows]})


ROWS = stream([(0, "a"), (3, "a"), (3, "a"), (4, "b")])
WINDOW = wr.sliding("4 seconds", every="1 second", on="ts")


def test_open_windows_and_the_slices_in_them_are_counted():
    folding, _ = folding_of(ROWS, WINDOW, ["key"], wr.count())

    actual = counted(folding.fold(ROWS), folding, 5 * MICROSECONDS)

    assert actual["windows"] == 5 * (PARTIAL + INSTANTS)
    assert actual["slices"] == 2 * PARTIAL + 2 * BESIDE
    assert actual["lazy"] == 2 * (PARTIAL + 5 * 8)


def test_nothing_is_counted_once_all_windows_have_ended():
    folding, _ = folding_of(ROWS, WINDOW, ["key"], wr.count())

    actual = counted(folding.fold(ROWS), folding, 20 * MICROSECONDS)

    assert actual == {"windows": 0, "slices": 0, "lazy": 0}


def test_what_is_packed_holds_every_row_and_says_where_time_stands():
    size, slices, _, now = packed(ROWS, WINDOW, ["key"], wr.count(), MICROSECONDS)

    assert size > 0
    assert sum(slices.column("rows").to_pylist()) == 4
    assert now == 5 * MICROSECONDS
