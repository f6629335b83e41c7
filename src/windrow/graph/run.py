"""Runs the kernel of a graph: all windows over runs of inputs, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from windrow.kernels import Product
from windrow.loops import Lane, arrays, pinned

from .emit import write_kernel
from .graph import Graph, initial
from .kernel import graph_assembly
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
    run, results = prepare_slide(
        product, source, firsts, lasts, windows, leaf=leaf, undo=undo, lane=lane
    )
    run()
    return results


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
    graph = uneven_graph(len(bounds), product, undo=undo).graph
    return run_uneven(graph, product, source, bounds, leaf=leaf, lane=lane)


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
    starts = np.concatenate([first for first, _ in bounds])
    stops = np.concatenate([last for _, last in bounds])
    ends = np.cumsum([len(first) for first, _ in bounds])
    inputs, room = int(stops.max(initial=0)), int((stops - starts).max(initial=1))
    out = arrays(product.out_dtypes, len(starts))
    kernel, text = graph_assembly(graph, product, leaf), write_kernel(graph)
    work = source, inputs, starts, stops, ends, text.splits, text.laps, room, out
    with pinned(lane):
        kernel.run(*work)
    return list(zip(*(np.split(field, ends[:-1]) for field in out), strict=True))
