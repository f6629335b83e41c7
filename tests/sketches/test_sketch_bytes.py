"""HyperLogLog is that of Apache DataSketches, for every type and in every mode."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import datasketches
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.sketches import objects
from windrow.sketches.hyperloglog import HyperLogLog
from windrow.sketches.kll import Kll
from windrow.sketches.theta import Theta

TYPES = [datasketches.HLL_4, datasketches.HLL_6, datasketches.HLL_8]

values = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
    st.lists(st.floats(), min_size=1),
    st.lists(st.text(max_size=60), min_size=1),
)


def theirs(items, lg_k=12, kind=datasketches.HLL_8):
    sketch = datasketches.hll_sketch(lg_k, kind)
    for item in items:
        sketch.update(item)
    return sketch


def ours(items, lg_k=12, kind=None):
    sketch = HyperLogLog(lg_k, "bytes")
    return sketch, sketch.lift(sketch.read(pa.array(items, kind)))


@given(items=values)
def test_the_same_values_give_the_same_coupons(items):
    sketch, partial = ours(items)

    assert np.array_equal(sketch.load(theirs(items).serialize_compact()), partial)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 31, 300, 385, 5000, 200_000])
@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.parametrize("lg_k", [4, 10, 12])
def test_every_mode_is_read_and_written(count, kind, lg_k):
    items = list(range(count))
    sketch, partial = ours(items, lg_k, pa.int64())
    other = theirs(items, lg_k, kind)

    for data in (other.serialize_compact(), other.serialize_updatable()):
        read = sketch.load(data)
        if read.dtype == partial.dtype:
            assert np.array_equal(read, partial)
        assert np.array_equal(sketch._registers(read), sketch._registers(partial))

    back = datasketches.hll_sketch.deserialize(sketch.dump(partial))
    union = datasketches.hll_union(lg_k)
    union.update(theirs(items[: count // 2], lg_k, kind))
    union.update(other)  # merged, so that both estimate from registers alone
    if count // 2 > sketch.most_coupons or count <= sketch.most_coupons:
        assert back.get_estimate() == pytest.approx(union.get_estimate(), rel=1e-6)
        union.update(back)  # the same values: nothing new
        assert union.get_estimate() == pytest.approx(back.get_estimate(), rel=1e-6)


def test_instants_decimals_and_truths_are_hashed_as_numbers():
    stamp = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - a column without a zone
    micros = 1_577_836_800_000_000
    pairs = [
        (pa.array([stamp], pa.timestamp("us")), micros),
        (pa.array([stamp], pa.timestamp("s")), micros),
        (pa.array([stamp], pa.timestamp("ns")), micros),
        (pa.array([dt.date(1970, 1, 11)]), 10),
        (pa.array([dt.date(1970, 1, 11)], pa.date64()), 10),
        (pa.array([Decimal("-1.25")], pa.decimal128(10, 2)), -125),
        (pa.array([True]), 1),
        (pa.array([7], pa.uint8()), 7),
        (pa.array(["ü"]).dictionary_encode(), "ü"),
        (pa.array([2.5], pa.float32()), 2.5),
    ]

    for column, value in pairs:
        sketch = HyperLogLog(12)
        expected = sketch.load(theirs([value]).serialize_compact())
        assert np.array_equal(sketch.lift(sketch.read(column)), expected), column.type


def test_an_empty_string_counts_but_is_passed_over_in_bytes():
    table = pa.table({"t": [0, 1, 2], "s": ["", "a", ""]})
    window = wr.sliding(10, on="t")

    both = wr.aggregate(table, window, d=wr.approx_distinct("s"), b=wr.hll_sketch("s"))

    assert both["d"].to_pylist() == [2]
    data = both["b"][0].as_py()
    assert datasketches.hll_sketch.deserialize(data).get_estimate() == pytest.approx(1)


def test_kll_and_theta_are_the_bytes_of_the_package():
    table = pa.table(
        {"t": [0] * 50, "x": np.arange(50.0), "s": [f"n{i}" for i in range(50)]}
    )
    window = wr.sliding(10, on="t")

    found = wr.aggregate(
        table, window, kll=wr.kll_sketch("x"), theta=wr.theta_sketch("s")
    ).to_pylist()[0]

    kll = datasketches.kll_doubles_sketch.deserialize(found["kll"])
    assert (kll.n, kll.k, kll.get_quantile(0.5, True)) == (50, 200, 24.0)
    theta = datasketches.compact_theta_sketch.deserialize(found["theta"])
    assert theta.get_estimate() == 50


@pytest.mark.parametrize(
    ("sketch", "data", "why"),
    [
        (HyperLogLog(12), b"", "do not begin"),
        (HyperLogLog(12), b"not a sketch at all", "do not begin"),
        (HyperLogLog(12), HyperLogLog(10).dump(np.zeros(1024, np.uint8)), "lg_k is 10"),
        (
            HyperLogLog(12),
            HyperLogLog(12).dump(np.ones(4096, np.uint8))[:99],
            "too few",
        ),
        (Kll(200), b"xx", "kll"),
        (Kll(200), Kll(100).dump(Kll(100).lift(np.ones(3))), "k is 100"),
        (Theta(12), b"what is this", "theta"),
        (Theta(12), Theta(12, 7).dump(Theta(12, 7).lift(np.array([1]))), "theta"),
    ],
)
def test_bytes_of_something_else_are_refused_in_a_sentence(sketch, data, why):
    with pytest.raises(wr.BadInput) as refused:
        sketch.load(data)

    message = str(refused.value)
    assert message.startswith("cannot read bytes as a sketch of")
    assert why in message
    assert "Hint: " in message


@pytest.mark.parametrize("length", range(1, 50))
def test_strings_of_every_length_are_hashed_alike(length):
    text = "".join(chr(ord("a") + i % 26) for i in range(length))
    sketch, partial = ours([text])

    assert np.array_equal(sketch.load(theirs([text]).serialize_compact()), partial)


@pytest.mark.parametrize("lg_k", [4, 12])
def test_a_column_of_bytes_is_read_as_each_of_its_sketches(lg_k):
    sketch = HyperLogLog(lg_k, "bytes")
    random = np.random.default_rng(lg_k)
    partials = [
        sketch.lift(sketch.read(pa.array(random.integers(0, 10**9, n)))) if n else None
        for n in (0, 1, 100, 20_000, 7, 9_000, 0)
    ]
    dumped = sketch.dump_all(objects(partials))

    for column in (
        dumped,
        dumped.slice(2, 4),
        dumped.cast(pa.large_binary()),
        pa.chunked_array([dumped.slice(0, 4), dumped.slice(4)]),
        pa.chunked_array([], pa.binary()),
    ):
        actual = sketch.load_all(column)
        expected = [None if v is None else sketch.load(v) for v in column.to_pylist()]
        assert [None if p is None else p.tolist() for p in actual] == [
            None if p is None else p.tolist() for p in expected
        ]
