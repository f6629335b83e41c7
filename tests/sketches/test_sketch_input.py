"""What no sketch can be made of is refused before work starts, with a way out."""

from __future__ import annotations

import pyarrow as pa
import pytest

import windrow as wr

TABLE = pa.table(
    {
        "t": [0],
        "x": [1.0],
        "s": ["a"],
        "b": [b"a"],
        "l": [[1]],
        "d": pa.array([1], pa.decimal128(30, 2)),
    }
)
WINDOW = wr.sliding(10, on="t")


@pytest.mark.parametrize(
    ("make", "fact", "hint"),
    [
        (lambda: wr.approx_quantile("x", 1.5), "quantile 1.5", "median is 0.5"),
        (lambda: wr.approx_quantile("x", [0.5, -1]), "quantile -1", "median"),
        (lambda: wr.approx_quantile("x", []), "of no level", "q=[0.5]"),
        (lambda: wr.approx_quantile("x", 0.5, method="req"), "method='req'", "kll"),
        (lambda: wr.approx_quantile("x", 0.5, k=1), "k=1", "leave k out"),
        (lambda: wr.approx_quantile("x", 0.5, error=2), "error=2", "leave error"),
        (lambda: wr.approx_top_k("s", 0), "k=0", "leave k out"),
        (lambda: wr.approx_top_k("s", 9, tracked=5), "k=9", "leave k out"),
        (lambda: wr.approx_distinct("s", lg_k=99), "lg_k=99", "leave lg_k"),
        (lambda: wr.approx_distinct("s", rsd=5), "rsd=5", "leave rsd"),
        (lambda: wr.hll_sketch("s", lg_k=2.5), "lg_k=2.5", "leave lg_k"),
        (lambda: wr.theta_sketch("s", seed=0), "seed=0", "leave seed"),
        (lambda: wr.histogram("x"), "edges=None", "edges=[0, 10, 100]"),
        (lambda: wr.histogram("x", [1]), "edges=[1]", "edges"),
        (lambda: wr.histogram("x", [2, 1]), "edges=[2, 1]", "edges"),
        (lambda: wr.histogram("x", edges="ab"), "edges", "edges"),
    ],
)
def test_options_without_a_meaning(make, fact, hint):
    with pytest.raises(wr.BadInput) as refused:
        make()

    message = str(refused.value)
    assert fact in message.split("\n", maxsplit=1)[0]
    assert hint in message.split("Hint: ")[1]


@pytest.mark.parametrize(
    "call",
    [
        wr.approx_distinct("l"),
        wr.approx_top_k("b", 3),
        wr.theta_sketch("b"),
        wr.approx_quantile("s", 0.5),
        wr.kll_sketch("s"),
        wr.histogram("s", [0, 1]),
        wr.approx_distinct("d"),
    ],
    ids=lambda call: call.label,
)
def test_columns_without_a_hash_or_an_order(call):
    with pytest.raises(wr.UnsupportedType, match=r"cannot compute .*\n?.*Hint"):
        wr.aggregate(TABLE, WINDOW, r=call)


def test_binary_columns_have_a_hash():
    assert wr.aggregate(TABLE, WINDOW, r=wr.approx_distinct("b"))["r"].to_pylist() == [
        1
    ]


def test_a_missing_package_is_named(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", missing)

    with pytest.raises(wr.BadInput, match="pip install"):
        wr.aggregate(TABLE, WINDOW, r=wr.kll_sketch("x"))


def test_other_names_are_those_of_spark():
    assert wr.approx_count_distinct is wr.approx_distinct
    assert wr.percentile_approx is wr.approx_percentile is wr.approx_quantile
    assert wr.hll_sketch_agg is wr.hll_sketch


def test_cards_state_the_error():
    cards = {card["name"]: card for card in wr.aggregates()}

    assert "1.6 %" in cards["approx_distinct"]["error"]
    assert cards["sum"]["error"] == ""
