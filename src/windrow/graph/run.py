"""Runs the kernel of a graph: all windows over runs of inputs, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from windrow._later import dataclass
from windrow.kernels import Product
from windrow.loops import Lane, arrays, pinned
from windrow.windows import Even, count_windows

from .emit import write_kernel
from .graph import Graph, initial
from .kernel import graph_assembly
from .shares import Results, answer_shares
from .specialise import Special, specialise

Array = np.ndarray[Any, Any]


def graph_of(
    windows: Sequence[tuple[int, int]], product: Product, *, undo: bool | None = None
) -> Special:
    """The graph of windows (range, slide) over one product.

    `undo` says whether parts may be taken off; None: where that is exact.
    """
    invertible = product.undoable if undo is None else undo
    return _graph_of(tuple(windows), invertible)


@lru_cache(maxsize=256)
def _graph_of(windows: tuple[tuple[int, int], ...], invertible: bool) -> Special:
    return specialise(initial(windows), invertible=invertible)


def uneven_graph(count: int, product: Product, *, undo: bool | None = None) -> Special:
    """The graph of `count` windows that are not equally long."""
    return graph_of([(0, 1)] * count, product, undo=undo)


def slide_graph(
    product: Product,
    source: tuple[Array, ...],
    firsts: Array,
    lasts: Array,
    windows: Sequence[tuple[int, int]],
    *,
    leaf: str = "rows",
    undo: bool | None = None,
    lane: Lane | None = None,
) -> list[tuple[Array, ...]]:
    """Compute the results of each window (range, slide), run by run.

    Window i of a run covers [first + i * slide, first + i * slide + range).
    A `lane` of None leaves it open whether the graph runs, compiled, or the windows are
    answered over whole columns for now.
    """

    def answer(share: Product, own: tuple[Array, ...]) -> Results:
        inputs = share, own, firsts, lasts, windows
        run, results = prepare_slide(*inputs, leaf=leaf, undo=undo, lane=lane)
        run()
        return results

    return answer_shares(product, source, leaf, answer)


def prepare_slide(
    product: Product,
    source: tuple[Array, ...],
    firsts: Array,
    lasts: Array,
    windows: Sequence[tuple[int, int]],
    *,
    leaf: str = "rows",
    undo: bool | None = None,
    lane: Lane | None = Lane.COMPILED,
) -> tuple[Callable[[], None], list[tuple[Array, ...]]]:
    """Prepare the call that `slide_graph` makes, and the arrays that it fills."""
    longest = int((lasts - firsts).max(initial=0))
    order = sorted(range(len(windows)), key=lambda q: windows[q])
    clipped = [(min(windows[q][0], longest + 1), windows[q][1]) for q in order]
    graph = graph_of(clipped, product, undo=undo).graph  # a longer range does not fit
    run, results = prepare_graph(
        graph, product, source, firsts, lasts, leaf=leaf, lane=lane
    )
    places = {q: place for place, q in enumerate(order)}
    return run, [results[places[q]] for q in range(len(windows))]


def prepare_graph(
    graph: Graph,
    product: Product,
    source: tuple[Array, ...],
    firsts: Array,
    lasts: Array,
    *,
    leaf: str = "rows",
    lane: Lane | None = None,
) -> tuple[Callable[[], None], list[tuple[Array, ...]]]:
    """Prepare the call of a graph's kernel; one array a result for each root."""
    lengths = lasts - firsts
    counts = [
        int(np.maximum((lengths - root.range) // root.slide + 1, 0).sum())
        for root in graph.roots
    ]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    out = arrays(product.out_dtypes, int(starts[-1]))
    ranges = np.array([root.range for root in graph.roots], np.int64)
    slides = np.array([root.slide for root in graph.roots], np.int64)
    kernel, text = graph_assembly(graph, product, leaf), write_kernel(graph)
    inputs = (source, firsts, lasts, ranges, slides)

    def run() -> None:
        if starts[-1]:
            with pinned(lane):
                kernel.run(*inputs, starts[:-1].copy(), text.splits, text.laps, out)

    return run, [
        tuple(field[starts[q] : starts[q + 1]] for field in out)
        for q in range(len(graph.roots))
    ]


def slide_uneven(
    product: Product,
    source: tuple[Array, ...],
    bounds: Sequence[tuple[Array, Array]],
    *,
    leaf: str = "slices",
    undo: bool | None = None,
    lane: Lane | None = None,
) -> list[tuple[Array, ...]]:
    """Compute windows [starts[i], stops[i]) over inputs, for several lists of bounds.

    Within a list neither starts nor stops ever fall.
    """

    def answer(share: Product, own: tuple[Array, ...]) -> Results:
        graph = uneven_graph(len(bounds), share, undo=undo).graph
        return run_uneven(graph, share, own, bounds, leaf=leaf, lane=lane)

    return answer_shares(product, source, leaf, answer)


@dataclass(frozen=True)
class Walked:
    """The windows of one list that hold an input: where each begins, and its results.

    Run k has counts[k] of them.
    """

    begins: Array
    counts: Array
    out: tuple[Array, ...]


def slide_walked(
    product: Product,
    source: tuple[Array, ...],
    instants: Array,
    firsts: Array,
    lasts: Array,
    lists: Sequence[Even],
    *,
    leaf: str = "slices",
    lane: Lane | None = None,
) -> list[Walked]:
    """Compute the windows of several lists that hold one of the inputs.

    Window k of a list lasts from shift + k * slide on for its range; `instants` rise
    within each run [first, last) of inputs.  No bounds are made.
    """
    with pinned(lane):
        counts, room = count_windows(instants, firsts, lasts, lists)
    at = np.append(0, np.cumsum(counts.sum(axis=1)))
    pieces = [slice(*pair) for pair in pairwise(at.tolist())]
    (begins,) = arrays(("int64",), int(at[-1]))
    evens = np.array(lists, np.int64).reshape(-1, 3).T.copy()
    bounds = instants, firsts, lasts, *evens, begins, at

    def answer(share: Product, own: tuple[Array, ...]) -> Results:
        out = arrays(share.out_dtypes, int(at[-1]))
        graph = uneven_graph(len(lists), share).graph
        kernel = graph_assembly(graph, share, leaf, "instants")
        text = write_kernel(graph, "instants")
        with pinned(lane):
            work = *bounds, text.splits, text.laps, room, out
            kernel.run(own, len(instants), *work)
        return [tuple(field[some] for field in out) for some in pieces]

    return [
        Walked(begins[some], counts[q], out)
        for q, (some, out) in enumerate(
            zip(pieces, answer_shares(product, source, leaf, answer), strict=True)
        )
    ]


def run_uneven(
    graph: Graph,
    product: Product,
    source: tuple[Array, ...],
    bounds: Sequence[tuple[Array, Array]],
    *,
    leaf: str = "slices",
    lane: Lane | None = None,
) -> list[tuple[Array, ...]]:
    """Run the kernel of a graph of uneven windows, one root for each list."""
    at = np.cumsum([0, *(len(first) for first, _ in bounds)])
    starts, stops = arrays(("int64", "int64"), int(at[-1]))
    inputs, room = 0, 1
    for q, (first, last) in enumerate(bounds):
        starts[at[q] : at[q + 1]], stops[at[q] : at[q + 1]] = first, last
        inputs = max(inputs, int(last.max(initial=0)))
        room = max(room, int((last - first).max(initial=1)))
    out = arrays(product.out_dtypes, len(starts))
    kernel, text = graph_assembly(graph, product, leaf), write_kernel(graph)
    work = source, inputs, starts, stops, at, text.splits, text.laps, room, out
    with pinned(lane):
        kernel.run(*work)
    return list(zip(*(np.split(field, at[1:-1]) for field in out), strict=True))
