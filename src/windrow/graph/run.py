"""Runs the kernel of a graph: all windows over runs of inputs, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from windrow.kernels import Product
from windrow.loops import Lane, arrays, pinned

from .graph import initial, initial_uneven
from .kernel import graph_assembly
from .specialise import Special, specialise

Array = np.ndarray[Any, Any]


def graph_of(
    ranges: Sequence[int],
    product: Product,
    *,
    each: bool = True,
    undo: bool | None = None,
) -> Special:
    """The graph of windows of those ranges over one product.

    `each` says that every window ends at each input, `undo` whether parts may be taken
    off; None: where that is exact.
    """
    invertible = product.undoable if undo is None else undo
    return specialise(initial(ranges), invertible=invertible, each=each)


def uneven_graph(count: int, product: Product) -> Special:
    """The graph of `count` windows that are not equally long."""
    return specialise(initial_uneven(count), invertible=product.undoable)


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

    Window i of a run covers [first + i * slide, first + i * slide + range).  One
    window alone moves on by one input at a time: make slices of its slide first.
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
    lengths = lasts - firsts
    counts = [
        int(np.maximum((lengths - range_) // slide + 1, 0).sum())
        for range_, slide in windows
    ]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    out = arrays(product.out_dtypes, int(starts[-1]))
    longest = int(lengths.max(initial=0))
    order = sorted(range(len(windows)), key=lambda q: windows[q])
    ranges = [min(windows[q][0], longest + 1) for q in order]  # or does not fit
    slides = np.array([windows[q][1] for q in order], np.int64)
    each = all(slide == 1 for _, slide in windows)
    special = graph_of(ranges, product, each=each, undo=undo)
    lap, alone, room = scratch_of(special)
    widths = np.array(ranges, np.int64)
    inputs = (source, firsts, lasts, widths, slides)
    kernel = graph_assembly(special, product, leaf)

    def run() -> None:
        if starts[-1]:
            with pinned(lane):
                kernel.run(*inputs, starts[order], lap, alone, room, out)

    return run, [
        tuple(field[starts[q] : starts[q + 1]] for field in out)
        for q in range(len(windows))
    ]


def slide_uneven(
    product: Product,
    source: tuple[Array, ...],
    bounds: Sequence[tuple[Array, Array]],
    *,
    leaf: str = "slices",
    lane: Lane | None = None,
) -> list[tuple[Array, ...]]:
    """Compute windows [starts[i], stops[i]) over inputs, for several lists of bounds.

    Within a list stops never fall.
    """
    special = uneven_graph(len(bounds), product)
    starts = np.concatenate([first for first, _ in bounds])
    stops = np.concatenate([last for _, last in bounds])
    ends = np.cumsum([len(first) for first, _ in bounds])
    inputs, room = int(stops.max(initial=0)), int((stops - starts).max(initial=1))
    out = arrays(product.out_dtypes, len(starts))
    kernel = graph_assembly(special, product, leaf)
    with pinned(lane):
        kernel.run(source, inputs, starts, stops, ends, room, out)
    return list(zip(*(np.split(field, ends[:-1]) for field in out), strict=True))


def scratch_of(special: Special) -> tuple[int, int, int]:
    """The lap of shared scans, how many windows share none, and room for suffixes."""
    roots = special.graph.roots
    laps = [term.family.lap for root in roots if root.shares for term in root.last]
    alone = sum(not root.shares for root in roots)
    widest = roots[-1] if alone in (0, len(roots)) else roots[alone - 1]
    return max(laps, default=0), alone, widest.range
