"""Parts of a product go their own way: a sum keeps its inverse beside a minimum."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.aggregates import find
from windrow.graph import run as graph_run
from windrow.graph import shares_of
from windrow.kernels import Request, product_of


def product(*requests: tuple[str, str], masks: tuple[int, ...] = ()):
    return product_of(
        [
            Request(find(name), kind, (slot,), masks)
            for slot, (name, kind) in enumerate(requests)
        ]
    )


def named(shares) -> list[list[str]]:
    return [[o.request.aggregate.name for o in s.product.outputs] for s in shares]


def test_whole_numbers_that_can_be_taken_off_are_one_share():
    shares = shares_of(product(("sum", "int"), ("min", "float"), ("mean", "int")))

    assert named(shares) == [["sum", "mean"], ["min"]]
    assert [share.product.undoable for share in shares] == [True, False]


def test_a_float_sum_is_never_taken_off():
    shares = shares_of(product(("sum", "float"), ("sum", "int")))

    assert [share.product.undoable for share in shares] == [True, False]
    assert named(shares) == [["sum"], ["sum"]]


@pytest.mark.parametrize("names", [["sum"], ["min", "max"], ["sum", "mean"]])
def test_results_that_go_one_way_are_not_divided(names):
    whole = product(*((name, "int") for name in names))

    assert [share.product for share in shares_of(whole)] == [whole]


def test_a_count_that_shows_nulls_is_with_each_result_that_needs_it():
    shares = shares_of(product(("sum", "int"), ("min", "float"), masks=(2,)))

    for share in shares:
        for output in share.product.outputs:
            assert output.present_in is not None
            assert output.present_in < len(share.product.dtypes)


TABLE = pa.table(
    {
        "t": np.cumsum(np.arange(900) % 5),
        "x": pa.array(np.arange(900) % 7, mask=np.arange(900) % 11 == 0),
        "y": np.sin(np.arange(900)),
    }
)
CALLS = {"s": wr.sum("x"), "low": wr.min("y"), "m": wr.mean("x"), "top": wr.max("x")}


@pytest.mark.parametrize(
    "windows",
    [
        [wr.rows(100), wr.rows(150), wr.rows(200, every=2)],
        [wr.sliding(90, every=3, on="t"), wr.sliding(50, every=1, on="t")],
    ],
)
def test_each_share_is_a_graph_of_its_own(monkeypatch, windows):
    taken = []
    assembled = graph_run.graph_assembly

    def seen(graph, product, *how):
        taken.append(
            any(term.off for node in graph.nodes for term in node.edges)
            or any(term.off for root in graph.roots for term in root.terms)
        )
        return assembled(graph, product, *how)

    monkeypatch.setattr(graph_run, "graph_assembly", seen)
    shared = wr.aggregate(TABLE, windows, **CALLS)
    alone = [wr.aggregate(TABLE, window, **CALLS) for window in windows]

    assert taken == [True, False]
    assert shared.drop(["query"]).equals(pa.concat_tables(alone))


def test_the_plan_names_the_graph_of_each_result():
    windows = [wr.rows(100), wr.rows(150)]
    plan = str(wr.explain(TABLE, windows, **CALLS))
    shown = str(wr.explain(TABLE, windows, show="graph", **CALLS))

    assert "graph      running values (for sum, mean)" in plan
    assert "in laps of 64 (for min, max)" in plan
    assert "graph of sum, mean" in shown
    assert "graph of min, max" in shown
