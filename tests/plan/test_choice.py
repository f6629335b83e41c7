"""What the planner picks, and what `explain` says about it."""

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.aggregates import BY_NAME
from windrow.batch import aggregate as batch
from windrow.batch import slices as sliced
from windrow.kernels import Request, product_of
from windrow.loops import interpreting
from windrow.plan.choose import choose_algorithm

TABLE = pa.table(
    {"ts": pa.array([1, 2], pa.timestamp("s")), "x": [1.0, 2.0], "n": [1, 2]}
)


def chosen(name, kind, width, regular):
    takes = BY_NAME[name].takes
    request = Request(BY_NAME[name], kind, tuple(range(len(takes))))
    choice = choose_algorithm(
        "auto", product_of([request]), name, width=width, regular=regular
    )
    return choice.algorithm.name


@pytest.mark.parametrize(
    ("name", "kind", "width", "regular", "expected"),
    [
        ("sum", "int", 1000, True, "subtract_on_evict"),
        ("count", "int", None, False, "subtract_on_evict"),
        ("sum", "float", 1000, True, "sba"),
        ("mean", "float", None, False, "two_stacks_lite"),
        ("max", "int", 1000, True, "sba"),
        ("max", "float", None, False, "two_stacks_lite"),
        ("variance", "float", 1000, True, "sba"),
        ("max", "float", 1, True, "recompute"),
        ("sum", "float", 3, False, "recompute"),
        ("sum", "float", 8, True, "recompute"),
        ("variance", "float", 8, True, "recompute"),
        ("sum", "float", 8, False, "two_stacks_lite"),
        ("sum", "float", 9, True, "sba"),
        ("arg_max", "float", 8, True, "sba"),
        ("sum", "int", 8, True, "subtract_on_evict"),
    ],
)
def test_auto_picks_by_laws_width_and_value_type(name, kind, width, regular, expected):
    assert chosen(name, kind, width, regular) == expected


@pytest.mark.parametrize("name", sorted({a.name for a in BY_NAME.values() if a.fields}))
def test_auto_never_subtracts_floats(name):
    aggregate = BY_NAME[name]

    for width, regular in ((1000, True), (None, False)):
        picked = chosen(name, "float", width, regular)

        kinds = {f.kind for f in aggregate.fields}
        if kinds - {"int"}:
            assert picked != "subtract_on_evict"


def test_explain_tells_slicer_algorithm_partial_and_reason():
    text = str(
        wr.explain(
            TABLE,
            wr.sliding("24 hours", every="1 minute", on="ts"),
            mean=wr.mean("x"),
            most=wr.max("x"),
        )
    )

    assert "range 24 hours slide 1 minute" in text
    assert "panes" in text
    assert "at most 1,440 in a window" in text
    assert "(count int64, total float64, max float64): one pass for 2 results" in text
    assert "sba: not invertible; regular windows" in text


def test_explain_says_that_rows_are_slices_where_the_slide_is_one():
    text = str(wr.explain(TABLE, wr.rows(1000), total=wr.sum("n")))

    assert "rows are slices" in text
    assert "subtract_on_evict: invertible and exact" in text
    assert "by arithmetic" in text


def test_explain_lists_each_frame_of_over():
    text = str(
        wr.explain(
            TABLE,
            on="ts",
            a=wr.sum("x", last="1 hour"),
            b=wr.sum("x", last=9),
            c=wr.max("x", last=9),
        )
    )

    assert text.count("frame ") == 2
    assert "last 1 hour, closed right" in text
    assert "last 9 rows" in text


def test_explain_does_not_lay_out_a_composite_slide_of_millions():
    windows = [
        wr.sliding("10007 s", every="10007 s", on="ts"),
        wr.sliding("10009 s", every="10009 s", on="ts"),
        wr.sliding("10037 s", every="10037 s", on="ts"),
    ]

    text = str(wr.explain(TABLE, windows, n=wr.count()))

    assert "not laid out" in text


def test_the_algorithm_that_explain_names_is_the_one_that_runs(monkeypatch):
    ran = []
    real = batch.slide_regular

    def spy(algorithm, *args, **options):
        ran.append(algorithm.name)
        return real(algorithm, *args, **options)

    monkeypatch.setattr(batch, "slide_regular", spy)
    values = np.arange(100.0)

    wr.slide(values, wr.rows(10), "max")
    wr.slide(values, wr.rows(10), "max", algorithm="daba_lite")

    assert ran == ["sba", "daba_lite"]


@pytest.mark.parametrize("algorithm", ["flat_fat", "slick_deque", "two_stacks_lite"])
def test_a_list_of_windows_is_one_pass_where_the_algorithm_can(algorithm, monkeypatch):
    passes = []
    real = sliced.slide_arrays
    monkeypatch.setattr(
        sliced, "slide_arrays", lambda *a, **k: passes.append(1) or real(*a, **k)
    )
    table = pa.table({"x": [3, 1, 4, 1, 5, 9, 2, 6]})
    windows = [wr.rows(2), wr.rows(3), wr.rows(5, every=2)]

    with interpreting():
        actual = wr.aggregate(table, windows, m=wr.max("x"), algorithm=algorithm)
    text = str(wr.explain(table, windows, m=wr.max("x"), algorithm=algorithm))

    together = algorithm != "two_stacks_lite"
    assert len(passes) == (1 if together else 3)
    assert ("all ranges in one pass" in text) == together
    assert actual["m"].to_pylist() == [3, 4, 4, 5, 9, 9, 6, 4, 4, 5, 9, 9, 9, 5, 9]


def test_the_cards_print_as_tables_and_read_as_arrow():
    cards = wr.algorithms()

    assert "two_stacks_lite" in repr(cards)
    assert pa.table(cards).num_rows == len(cards)
    assert {"name", "laws"} <= set(pa.table(wr.aggregates()).column_names)
