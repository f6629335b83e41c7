"""LightSaber's Figure 9, and SlickDeque's examples 2 and 3 by a graph."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import windrow as wr
from windrow.aggregates import find
from windrow.graph import graph_blocks, initial, slide_graph
from windrow.graph.graph import At, Graph, Term
from windrow.graph.passes import differ, mark, merge, place, sweep
from windrow.graph.run import prepare_graph
from windrow.kernels import Request, product_of
from windrow.loops import Lane, interpreting

STREAM = [6, 5, 0, 1, 3, 4, 2, 7]  # SlickDeque, Figures 8 and 9


def of(name: str, kind: str = "int"):
    return product_of([Request(find(name), kind, (0,))])


def answers(name: str, values: list[int], ranges: list[int]) -> list[list[int]]:
    column, runs = np.array(values), (np.array([0]), np.array([len(values)]))
    windows = [(range_, 1) for range_ in ranges]
    got = slide_graph(of(name), (column,), *runs, windows)
    return [out[0].tolist() for out in got]


def test_figure_9_two_sums_over_a_buffer_that_inverts():
    """{3, 4, 2, 8}, then 5: Q1 of 3 values gives 14, then 15; Q2 of 4 gives 17, 19."""
    assert answers("sum", [3, 4, 2, 8, 5], [3, 4]) == [[9, 14, 15], [17, 19]]


def figure_9() -> Graph:
    """Q1 of 3 values and Q2 of 4, over a buffer of four places."""
    graph = differ(initial([(3, 1), (4, 1)]), 4)
    return place(sweep(mark(merge(graph))))


def test_figure_9_is_read_as_the_paper_reads_it():
    """Upright, PS(e) - PS(s); inverted, SS(s) and PS(e)."""
    graph = figure_9()

    assert [str(scan) for scan in graph.scans] == ["prefix(4)", "suffix(4)"]
    prefix, suffix = (scan.name for scan in graph.scans)
    end, start = Term(prefix, At.END), Term(prefix, At.START, off=True)
    for root in graph.roots:
        assert root.same == (end, start)
        assert root.last == (Term(suffix, At.START), end)


def test_figure_9_by_the_code_of_that_graph():
    graph, product = figure_9(), of("sum")
    runs = np.array([0]), np.array([5])
    code = "\n".join(graph_blocks(graph))

    run, (q1, q2) = prepare_graph(
        graph, product, (np.array([3, 4, 2, 8, 5]),), *runs, lane=Lane.COMPILED
    )
    with interpreting():
        run()

    assert "inverse(load(prefix, j + n), load(prefix, k + n))" in code
    assert "combine(load(suffix, i + n), load(prefix, j + n))" in code
    assert (q1[0].tolist(), q2[0].tolist()) == ([9, 14, 15], [17, 19])


def test_example_2_sums_of_3_and_5():
    three, five = answers("sum", STREAM, [3, 5])
    assert three == [11, 6, 4, 8, 9, 13]
    assert five == [15, 13, 10, 17]


def test_example_3_greatest_of_3_and_5():
    three, five = answers("max", STREAM, [3, 5])
    assert three == [6, 5, 3, 4, 4, 7]
    assert five == [6, 5, 4, 7]


def test_example_1_shares_partials_of_two_rows():
    """Slides of 2 and 4 over ranges of 6 and 8: one partial every 2 tuples."""
    table = pa.table({"x": STREAM * 4})
    windows = [wr.rows(6, every=2), wr.rows(8, every=4)]
    plan = str(wr.explain(table, windows, algorithm="gag", top=wr.max("x")))
    assert "panes of 2 rows" in plan
    found = wr.aggregate(table, windows, algorithm="gag", top=wr.max("x"))
    for number, window in enumerate(windows):
        mine = found.filter(pc.equal(found["query"], number)).drop(["query"])
        assert mine.equals(wr.aggregate(table, window, top=wr.max("x")))
