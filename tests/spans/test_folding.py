r"""Events folded stretch by stretch, then slid: slices of two parts, pieces, and both.

stretch 1      stretch 2      stretch 3
slices         pieces         slices          of the same keys and slices
     \\            |            /
      windows over all of them, as if nothing had been folded
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plain_spans
import pyarrow as pa
import pytest
import random_spans as spans
from by_hand import folded_schema, slid_pieces
from hypothesis import given
from hypothesis import strategies as st

import menus
import oracles
import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import partial_fields
from windrow.loops import interpreting
from windrow.plan import plan_aggregate
from windrow.plan.tree import Tree, grow_tree
from windrow.slicing import shared_combs
from windrow.spans import Events, Work, find, number_slices, parts_of
from windrow.tasks.span_pieces import FIRST, GOES, LAST, pack, packs
from windrow.tasks.spans import SpanFolding

CALLS = {
    "two parts": {
        "n": ("count", ()),
        "total": ("sum", ("int_1",)),
        "mean": ("mean", ("float_1",)),
        "most": ("max", ("text_1",)),
        "ties": ("max_count", ("int_1",)),
    },
    "whole numbers": {"n": ("count", ()), "total": ("sum", ("int_1",))},
    "one part": {"most": ("max", ("int_1",))},
}
KINDS = ("slices", "pieces", "fewer")


def tree_of(table, windows, by, calls, **how) -> Tree:
    plan = plan_aggregate(table.schema, windows, by, gather_calls(calls, None), **how)
    return grow_tree(plan, frozenset(table.schema.names), hot=True)


def folding(tree: Tree) -> SpanFolding:
    return SpanFolding(tree.plan, tree.request, tree.slots)


def sent(folded: pa.Table, tree: Tree) -> pa.Table:
    """As a task sends it, packed or not."""
    schema = folded_schema(tree)
    fields = partial_fields(tree.request, tree.slots)
    if packs(tree, fields):
        folded = pack(folded, tree.plan, fields)
    return folded.select(schema.names).cast(schema)


@pytest.mark.parametrize("split", ["none", "overlap"])
@pytest.mark.parametrize("parts", CALLS)
@given(data=st.data())
def test_whatever_each_stretch_is_folded_into_the_windows_are_those_of_the_definition(
    parts, split, data
):
    calls = CALLS[parts]
    asked = [data.draw(spans.spans())._replace(query=f"w{i}")
             for i in range(data.draw(st.integers(1, 2)))]  # fmt: skip
    by = data.draw(st.sampled_from([("key",), ()]))
    columns = data.draw(spans.tables(calls.values(), asked[0], most=16))
    table = spans.arrow(columns)
    windows = [spans.window_of(one) for one in asked]
    tree = tree_of(table, windows, by, spans.asked(calls))
    chunk = data.draw(st.sampled_from([1, 7, 40]))
    tree = replace(tree, split=split, chunk=chunk)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(table)), max_size=3)))
    edges = [0, *cuts, len(table)]
    kinds = [data.draw(st.sampled_from(KINDS)) for _ in edges[1:]]

    with interpreting():
        stretches = [
            folding(tree).fold_into(table.slice(a, b - a).combine_chunks(), kind)
            for a, b, kind in zip(edges, edges[1:], kinds, strict=False)
            if b > a
        ]
        met = [folded_schema(tree).empty_table(), *(sent(s, tree) for s in stretches)]
        found = slid_pieces(tree, pa.concat_tables(met))

    actual = [
        {**({"key": r["k0"]} if by else {}), "query": f"w{r['q']}",
         "start": r["start"], "end": r["end"],
         **{name: r[f"r{i}"] for i, name in enumerate(calls)}}
        for r in found.to_pylist()
    ]  # fmt: skip
    expected = plain_spans.aggregate(menus.rows_of(columns), list(by), asked, calls)
    for rows in (actual, expected):
        rows.sort(key=lambda r: (oracles.nulls_first(r.get("key")),
                                 r["query"], r["start"]))  # fmt: skip
    assert oracles.differences(actual, expected, 1e-9) == []


@pytest.mark.parametrize(
    "technique", ["se_slicing", "se_ml_slicing", "starts_and_ends"]
)
@pytest.mark.parametrize("name", ["whole numbers", "one part"])
@given(data=st.data())
def test_the_parts_are_the_same_whichever_technique_fills_them(name, technique, data):
    calls = CALLS[name]
    window = data.draw(spans.spans())
    columns = data.draw(spans.tables(calls.values(), window, nulls=False))
    columns["key"] = [None] * len(columns["key"])
    table = spans.arrow(columns)
    tree = tree_of(table, spans.window_of(window), None, spans.asked(calls))
    product = tree.request.product
    if not find(technique).suits(product.laws) or not len(table):
        return
    starts = table["start"].to_numpy()
    lasts = np.maximum(table["end"].to_numpy() - 1, starts)
    bounds = np.array([0]), np.array([len(table)])
    combs = shared_combs(tree.plan.slicer, [q.even for q in tree.plan.rules])
    laid = number_slices(Events(starts, lasts, *bounds), combs).lay()
    source = tuple(np.arange(len(table)) % 7 for _ in tree.slots.columns)
    masks = tuple(np.ones(len(table), bool) for _ in tree.slots.masks)
    height = data.draw(st.integers(1, 5)) if technique == "se_ml_slicing" else 1

    with interpreting():
        work = Work(laid, product, source + masks, height)
        actual = parts_of(work, find(technique))
        expected = parts_of(replace(work, height=1), find("se_slicing"))

    for mine, other in zip(actual, expected, strict=True):
        for one, same in zip(mine, other, strict=True):
            assert one.tolist() == same.tolist()


def many(n: int, longest: int, keys: int = 1) -> pa.Table:
    dice = np.random.default_rng(5)
    starts = dice.integers(0, 1000, n)
    return pa.table(
        {
            "key": [f"k{i % keys}" for i in range(n)],
            "start": starts,
            "end": starts + dice.integers(0, longest + 1, n),
            "v": dice.integers(0, 100, n),
        }
    )


def folded(table: pa.Table, **how) -> pa.Table:
    window = wr.sliding(50, every=10, span=("start", "end"))
    calls = how.pop("calls", {"n": wr.count(), "most": wr.max("v")})
    tree = tree_of(table, window, "key", calls, **how)
    return folding(tree).fold(table)


def test_many_events_become_two_rows_a_slice():
    table = many(5_000, 300)

    rows = folded(table)

    slices = -(-int(pa.compute.max(table["end"]).as_py()) // 10)
    assert len(rows) <= 2 * slices
    assert rows[FIRST].equals(rows[LAST])
    assert sum(rows[GOES].to_pylist()) == slices - 1


def test_a_slice_belongs_to_each_key_that_has_an_event_in_it():
    """The last slice of one key begins where the first one of the next key does."""
    n = 40
    table = pa.table({"key": ["a"] * n + ["b"] * n, "start": [3] * 2 * n,
                      "end": [5] * 2 * n, "v": list(range(2 * n))})  # fmt: skip

    rows = folded(table)

    assert rows.select(["k0", FIRST, "p0"]).to_pylist() == [
        {"k0": "a", FIRST: 0, "p0": n},
        {"k0": "b", FIRST: 0, "p0": n},
    ]


@pytest.mark.parametrize("pieces", [1, 3])
def test_blocks_come_out_one_after_the_other(pieces):
    """Events over many blocks of time, from several tasks, packed row by row."""
    table = many(600, 3_000, keys=2)
    window = wr.sliding(4, every=1, span=("start", "end"))
    calls = {"n": wr.count(), "most": wr.max("v"), "mean": wr.mean("v")}
    tree = replace(tree_of(table, window, "key", calls), split="none")
    size = -(-len(table) // pieces)

    stretches = [
        sent(folding(tree).fold_into(table.slice(a, size), kind), tree)
        for a, kind in zip(range(0, len(table), size), KINDS, strict=False)
    ]
    found = slid_pieces(tree, pa.concat_tables(stretches))

    expected = menus.flat(wr.aggregate(table, window, by="key", aggregates=calls))
    actual = [
        {"key": r["k0"], "start": r["start"], "end": r["end"],
         **{name: r[f"r{i}"] for i, name in enumerate(calls)}}
        for r in found.to_pylist()
    ]  # fmt: skip
    assert oracles.differences(actual, expected, 1e-9) == []


def test_numbers_of_whole_keys_are_packed_and_nothing_else_is():
    table = many(600, 3_000, keys=2).append_column("word", pa.array(["w"] * 600))
    window = wr.sliding(4, every=1, span=("start", "end"))

    def is_packed(split: str, **calls: object) -> bool:
        tree = replace(tree_of(table, window, "key", calls), split=split)
        return packs(tree, partial_fields(tree.request, tree.slots))

    assert is_packed("none", n=wr.count(), most=wr.max("v"))
    assert not is_packed("overlap", n=wr.count(), most=wr.max("v"))  # cut on the way
    assert not is_packed("none", most=wr.max("word"))

    tree = replace(tree_of(table, window, "key", {"n": wr.count()}), split="none")
    rows = folding(tree).fold(table)
    assert 10 * len(sent(rows, tree)) < len(rows)


def test_one_part_is_enough_where_counting_twice_does_no_harm():
    rows = folded(many(5_000, 300), calls={"most": wr.max("v")})

    assert not any(rows[GOES].to_pylist())
    assert len(rows) == len(set(rows[FIRST].to_pylist()))


def test_few_events_that_cross_many_slices_stay_pieces():
    table = many(20, 3_000)

    rows = folded(table)

    assert len(rows) == 20
    assert not any(rows[GOES].to_pylist())
    assert any(a < b for a, b in zip(rows[FIRST].to_pylist(), rows[LAST].to_pylist(),
                                     strict=True))  # fmt: skip


def test_many_events_that_cross_the_same_slices_are_one_piece():
    """Ten thousand events over the same thousand slices: one row, not two thousand."""
    n = 10_000
    table = pa.table({"key": ["k"] * n, "start": [3] * n, "end": [10_000] * n,
                      "v": list(range(n))})  # fmt: skip

    rows = folded(table)

    assert len(rows) == 1
    assert (rows[FIRST][0].as_py(), rows[LAST][0].as_py()) == (0, 9_990)


def test_an_event_over_more_slices_than_memory_holds_is_a_piece_of_its_own():
    """Laying out 10**11 slices is refused: nobody may try."""
    table = pa.concat_tables(
        [many(500, 30),
         pa.table({"key": ["k0"], "start": [0], "end": [10**12], "v": [1]})]
    )  # fmt: skip

    rows = folded(table)

    assert len(rows) <= len(table)
    assert max(rows[LAST].to_pylist()) == 10**12 - 10


def test_a_technique_asked_for_by_name_gets_pieces():
    rows = folded(many(5_000, 300), algorithm="aggregate_buckets")

    assert any(a < b for a, b in zip(rows[FIRST].to_pylist(), rows[LAST].to_pylist(),
                                     strict=True))  # fmt: skip
