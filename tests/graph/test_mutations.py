"""The code follows from the graph: what changes the one changes the other.

Every term, edge and placement of specialised graphs is changed in every way.  A change
is refused, or code and answers change, or the graph still denotes the same, in the walk
over bounds and in the one that finds them from instants (lists of time): judged by
reading graphs over words (`graph_words.py`), which shares no code with the emitter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from graph_words import (
    Timed,
    Unread,
    answered,
    code_of,
    denoted,
    letters,
    windows_of,
)
from windrow.graph import GraphError, initial
from windrow.graph.graph import WHOLE, At, Graph, Need, Node, NodeKind, Root, Sum, When
from windrow.graph.passes import (
    differ,
    mark,
    merge,
    place,
    replace_inputs,
    stack_totals,
    sweep,
    undo,
)

INPUTS = 45


def finished(graph: Graph) -> Graph:
    return place(sweep(mark(merge(graph))))


def even(*ranges: int) -> Graph:
    return initial([(range_, 1) for range_ in ranges])


UNEVEN = initial([(0, 1), (0, 1)])
FORMS = {
    "inputs": replace_inputs(even(1)),
    "subtract_on_evict": undo(even(3)),
    "two_stacks": even(3),
    "running_values": undo(even(2, 3, 5, 7, 8)),
    "differences": differ(initial([(2, 1), (5, 2), (6, 1)]), 8),
    "shared_laps": stack_totals(initial([(4, 1), (6, 1), (9, 2), (13, 1)]), 4, 4),
    "short_and_long": stack_totals(even(2, 3, 4, 9), 4, 4),
    "uneven_running": undo(initial([(0, 1)])),
    "uneven_stacks": UNEVEN,
    "uneven_differences": differ(UNEVEN, WHOLE),
    "uneven_laps": stack_totals(UNEVEN, 4, 0),
}

WALKED = [(name, "arrays") for name in FORMS]
WALKED += [(name, "instants") for name in FORMS if name.startswith("uneven")]


def inputs_of(graph: Graph, walk: str):
    """How many inputs; or bounds of windows with gaps, short, long and empty ones.

    Where bounds are found by the code: instants with bursts, gaps and equal ones.
    """
    if graph.roots[0].range:
        return INPUTS
    if walk == "instants":
        rng = np.random.default_rng(8)
        steps = rng.choice([0, 0, 1, 2, 5, 20], 45)
        instants = np.concatenate([np.cumsum(steps), 3 + np.cumsum(steps[:15])])
        evens = ((9, 2, 1), (16, 5, -3))
        return Timed(instants, (0, 45, 60), evens[: len(graph.roots)])
    rng = np.random.default_rng(7)
    bounds = []
    for most in (5, 12):
        starts = np.minimum(np.cumsum(rng.integers(0, 3, 40)), 50)
        stops = np.minimum(starts + rng.integers(0, most, 40), 52)
        starts[25:] += 4
        stops = np.maximum.accumulate(np.maximum(starts, stops))
        bounds.append((starts.tolist(), stops.tolist()))
    return bounds[: len(graph.roots)]


def told(inputs):
    """Inputs as the definition reads them."""
    return inputs.bounds if isinstance(inputs, Timed) else inputs


def expected(graph: Graph, inputs):
    if graph.roots[0].range:
        windows = [windows_of(root, inputs) for root in graph.roots]
    else:
        windows = [zip(*bounds, strict=True) for bounds in told(inputs)]
    return [[letters(a, b) for a, b in those] for those in windows]


# --- mutations -------------------------------------------------------------------


def sums_like(terms: Sum, names: list[str]) -> Iterator[tuple[str, Sum]]:
    """A sum with one term dropped, doubled, swapped, moved, or read elsewhere."""
    for k, term in enumerate(terms):
        before, after = terms[:k], terms[k + 1 :]
        yield "drop", before + after
        yield "double", (*before, term, term, *after)
        yield "sign", (*before, replace(term, off=not term.off), *after)
        for at in At:
            if at is not term.at:
                yield "place", (*before, replace(term, at=at), *after)
        for name in names:
            if name != term.node:
                yield "node", (*before, replace(term, node=name), *after)
        if after:
            yield "swap", (*before, after[0], term, *after[1:])


def roots_like(root: Root, names: list[str]) -> Iterator[tuple[str, Root]]:
    for word, terms in sums_like(root.same, names):
        yield f"term: {word}", replace(root, same=terms)
    for word, terms in sums_like(root.last, names):
        yield f"term: {word}", replace(root, last=terms)
    yield "sums swapped", replace(root, same=root.last, last=root.same)


def nodes_like(node: Node, names: list[str]) -> Iterator[tuple[str, Node]]:
    if node.kind is NodeKind.INPUT:
        return
    for word, edges in sums_like(node.edges, names):
        yield f"edge: {word}", replace(node, edges=edges)
    for need in Need:
        if need is not node.need:
            yield "need", replace(node, need=need)
    yield (
        "placement",
        replace(node, when=[When.EAGER, When.LAZY][node.when is When.EAGER]),
    )
    for kind in set(NodeKind) - {NodeKind.INPUT, node.kind}:
        yield "kind", replace(node, kind=kind)
    for lap in {WHOLE, -1, 3, 5, 2 * node.lap} - {node.lap}:
        yield "lap", replace(node, lap=lap)


def mutants(graph: Graph) -> Iterator[tuple[str, Graph]]:
    names = [node.name for node in graph.nodes]
    for k, root in enumerate(graph.roots):
        for word, other in roots_like(root, names):
            roots = (*graph.roots[:k], other, *graph.roots[k + 1 :])
            yield word, replace(graph, roots=roots)
    for k, node in enumerate(graph.nodes):
        for word, changed in nodes_like(node, names):
            nodes = (*graph.nodes[:k], changed, *graph.nodes[k + 1 :])
            yield word, replace(graph, nodes=nodes)


def outcome(graph: Graph, mutant: Graph, inputs, right, walk: str) -> str:
    try:
        code = code_of(mutant, walk)
    except (GraphError, RecursionError) as error:
        return "refused" if "\n" not in str(error) else "refused at length"
    try:
        means_the_same = denoted(mutant, told(inputs)) == right
    except Unread:
        means_the_same = False
    try:
        is_right = answered(mutant, inputs, walk) == right
    except IndexError:  # it reads where no input is
        is_right = False
    assert is_right == means_the_same, "code and graph say two things"
    if is_right:
        return "equivalent"
    assert code != code_of(graph, walk), "another graph, the same code"
    return "wrong"


@pytest.mark.parametrize(("name", "walk"), WALKED)
def test_code_and_definition_give_each_window(name, walk):
    graph = finished(FORMS[name])
    inputs = inputs_of(graph, walk)

    assert denoted(graph, told(inputs)) == expected(graph, inputs)
    assert answered(graph, inputs, walk) == expected(graph, inputs)


@pytest.mark.parametrize(("name", "walk"), WALKED)
def test_no_change_of_a_graph_goes_unseen(name, walk):
    graph = finished(FORMS[name])
    inputs = inputs_of(graph, walk)
    right = expected(graph, inputs)
    seen: Counter[str] = Counter()

    for word, mutant in mutants(graph):
        try:
            seen[outcome(graph, mutant, inputs, right, walk)] += 1
        except AssertionError as error:
            raise AssertionError(f"{word}: {mutant}") from error

    assert seen["refused"]
    assert not seen["refused at length"]
    assert seen["wrong"]


@pytest.mark.parametrize(("name", "walk"), WALKED)
def test_no_change_of_a_sum_goes_unseen_if_the_graph_is_placed_again(name, walk):
    """Passes clean up behind a change, so that fewer are refused."""
    graph = finished(FORMS[name])
    inputs = inputs_of(graph, walk)
    right = expected(graph, inputs)
    seen: Counter[str] = Counter()

    for word, mutant in mutants(graph):
        if not word.startswith(("term", "sums")):
            continue
        again = place(sweep(mark(mutant)))
        try:
            seen[outcome(graph, again, inputs, right, walk)] += 1
        except AssertionError as error:
            raise AssertionError(f"{word}: {mutant}") from error

    assert seen["wrong"]
