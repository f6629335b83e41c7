"""Special cases come out of the passes (LightSaber 5.1, 5.2 and Figure 8)."""

from __future__ import annotations

import pytest

from windrow.graph import initial
from windrow.graph.graph import WHOLE, At, Graph, Need, NodeKind, Term, When
from windrow.graph.passes import mark, merge
from windrow.graph.specialise import LAP, LONG, SPARE, UNEVEN, shared_lap, specialise


def special(*ranges: int, invertible: bool, slide: int = 1) -> Graph:
    graph = initial([(range_, slide) for range_ in ranges])
    return specialise(graph, invertible=invertible).graph


def told(graph: Graph) -> list[str]:
    """The scans of a graph, with what is kept of each and when it is made."""
    return [f"{scan}: {scan.need}, {scan.when}" for scan in graph.scans]


def sums(graph: Graph) -> list[str]:
    """The sums of the first window: `last`, then `same`."""
    root = graph.roots[0]
    return [
        " ".join(f"{'-' if t.off else '+'}{graph.node(t)}[{t.at}]" for t in way)
        for way in (root.last, root.same)
    ]


def test_at_first_every_window_has_a_suffix_and_a_prefix_scan_of_its_own():
    graph = initial([(5, 1), (7, 1)])

    assert [str(scan) for scan in graph.scans] == [
        "prefix(5)", "prefix(7)", "suffix(5)", "suffix(7)",
    ]  # fmt: skip
    assert sums(graph) == ["+suffix(5)[start] +prefix(5)[end]", ""]


def test_one_window_with_an_inverse_is_one_running_value():
    """Figures 8a and 8b: only one node is left, and the oldest is taken off it."""
    graph = special(5, invertible=True)

    assert told(graph) == ["running: newest, eager"]
    assert graph.scans[0].edges == (
        Term("input", At.END),
        Term("input", At.LEFT, off=True),
    )


def test_one_window_without_an_inverse_keeps_suffixes_and_a_running_prefix():
    """Figures 8d and 8e: two stacks."""
    graph = special(5, invertible=False)

    assert told(graph) == ["prefix(5): newest, eager", "suffix(5): every, lazy"]


def test_a_window_of_one_input_is_the_input():
    assert special(1, invertible=False).scans == []
    assert sums(special(1, invertible=True)) == ["+input[start]", ""]


def test_many_windows_with_an_inverse_share_one_pair_of_scans():
    """Figure 9: upright windows are differences, inverted ones lie in two laps."""
    graph = special(*range(3, 40), 9000, invertible=True)

    assert told(graph) == [
        "prefix(36,000): every, eager",
        "suffix(36,000): every, lazy",
    ]
    assert sums(graph) == [
        "+suffix(36,000)[start] +prefix(36,000)[end]",
        "+prefix(36,000)[end] -prefix(36,000)[start]",
    ]


def test_a_few_windows_with_an_inverse_are_running_values():
    graph = special(3, 900, 900, invertible=True)

    assert told(graph) == ["running: newest, eager"] * 3


def test_windows_that_do_not_end_at_each_input_share():
    graph = special(3, 900, invertible=True, slide=2)

    assert [scan.lap for scan in graph.scans] == [LONG, LONG]


def test_laps_of_differences_are_neither_short_nor_too_long():
    laps = [
        special(1, longest, invertible=True, slide=2).scans[0].lap
        for longest in (3, 10**6, 10**8)
    ]

    assert laps == [LONG, 10**6 + SPARE, 10**8 + SPARE]


def test_many_windows_without_an_inverse_share_laps_and_stack_their_totals():
    graph = special(900, 100, 3, invertible=False)

    assert told(graph) == [
        "prefix(3): newest, eager",
        "prefix(64): newest, eager",
        "suffix(3): every, lazy",
        "suffix(64): every, lazy",
        "total(64): every, eager",
        "prefix(totals): newest, eager",
        "prefix(totals): newest, eager",
        "suffix(totals): every, lazy",
        "suffix(totals): every, lazy",
    ]
    assert sums(graph)[0] == (
        "+suffix(64)[start] +suffix(totals)[start] "
        "+prefix(totals)[end] +prefix(64)[end]"
    )


@pytest.mark.parametrize(
    ("ranges", "lap"),
    [([1, 63], 0), ([1, 64], 0), ([64, 65], 64), ([511, 9], 0), ([511, 600], 256)]
    + [([10**6, 10**7], LAP)],
)
def test_laps_are_powers_of_two_that_no_window_is_shorter_than(ranges, lap):
    assert shared_lap(ranges) == lap


def test_twins_of_equal_windows_merge():
    graph = merge(initial([(5, 1), (5, 1)]))

    assert [str(scan) for scan in graph.scans] == ["prefix(5)", "suffix(5)"]
    assert len(graph.readers[graph.scans[0].name]) == 2


def test_stacks_of_two_windows_are_no_twins():
    graph = merge(initial([(0, 1), (0, 1)]))

    assert len(graph.scans) == 4


def test_what_no_window_reaches_is_marked_so():
    graph = initial([(5, 1)])
    lonely = Graph(graph.nodes, ())

    assert {node.need for node in mark(lonely).nodes} == {Need.NONE}


def test_uneven_windows_with_an_inverse_share_one_scan_and_sweep_the_suffixes():
    graph = special(0, 0, 0, invertible=True)

    assert [(scan.kind, scan.lap) for scan in graph.scans] == [(NodeKind.PREFIX, WHOLE)]


def test_uneven_windows_without_an_inverse_share_short_laps():
    graph = special(0, 0, invertible=False)

    assert {scan.lap for scan in graph.scans if scan.lap > 0} == {UNEVEN}
    assert sums(graph)[1] == "+input[between]"


def test_one_uneven_window_without_an_inverse_keeps_two_stacks():
    graph = special(0, invertible=False)

    assert told(graph) == ["prefix: newest, eager", "suffix: every, lazy"]
    assert {scan.when for scan in graph.scans} == {When.EAGER, When.LAZY}
