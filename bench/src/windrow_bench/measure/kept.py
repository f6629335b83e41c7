"""How many partials a kernel holds on to, counted while it runs as plain Python.

    inputs    . . . . . o o o o o o o o          read again: they have to be kept
                        |--- reach ---| newest
    scratch   allocate(n)                        n partials

What a kernel reads again would be a buffer of its own on a stream that is not kept
anyway; so the inputs that it reaches back to count, as in the paper.  Positions and
other whole numbers beside partials do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from windrow.algorithms import Algorithm, Shape, kernel_text
from windrow.graph.emit import write_kernel
from windrow.graph.kernel import graph_assembly
from windrow.graph.run import graph_of
from windrow.loops import arrays, kernel

from .answers import Array, check_windows
from .kernels import product
from .sharing import bounds_of


class WatchedArray:
    """An array that knows how far behind its newest item it was read.

    A kernel may go over all inputs again, for other queries: that starts anew.
    """

    def __init__(self, values: Array) -> None:
        self.values = values
        self.newest, self.reach = -1, 0

    def __getitem__(self, index: int) -> Any:
        if index > self.newest or (not index and self.newest == len(self.values) - 1):
            self.newest = index
        else:  # the newest itself is at hand
            self.reach = max(self.reach, self.newest - index + 1)
        return self.values[index]


def _count(text: str, values: Array, run: Callable[[ModuleType, Any], None]) -> int:
    """Partials in scratch, and inputs that are read again."""
    module = kernel(text, interpreted=True)
    allocate, rooms = module.allocate, []

    def counting(n: int) -> Any:
        rooms.append(n)
        return allocate(n)

    module.__dict__["allocate"] = counting
    watched = WatchedArray(values)
    run(module, (watched,))
    return int(sum(rooms) + watched.reach)


def kept_alone(algorithm: Algorithm, aggregate: str, values: Array, width: int) -> int:
    """Partials of one query by itself."""
    asked = product(aggregate, values)
    out = arrays(asked.out_dtypes, len(values) - width + 1)
    ends = np.array([0]), np.array([len(values)])

    def run(module: ModuleType, source: Any) -> None:
        module.run(source, *ends, width, 1, False, False, width, 0, out)
        check_windows(algorithm.name, out[0], values, width, aggregate)

    text = kernel_text(algorithm, asked, Shape("rows", "regular"))
    return _count(text, values, run)


def kept_together(
    algorithm: Algorithm, aggregate: str, values: Array, ranges: Sequence[int]
) -> int:
    """Partials of an algorithm that answers all ranges in one pass."""
    asked = product(aggregate, values)
    b = bounds_of(len(values), tuple(ranges))
    out = arrays(asked.out_dtypes, len(b.starts))
    bounds = b.starts, b.stops, b.keep, b.query
    widest = int((b.stops - b.keep).max())

    def run(module: ModuleType, source: Any) -> None:
        module.run(source, bounds, widest, 0, out)
        for number, range_ in enumerate(ranges):
            found = out[0][b.query == number]
            check_windows(algorithm.name, found, values, range_, aggregate)

    text = kernel_text(algorithm, asked, Shape("rows", "many"))
    return _count(text, values, run)


def kept_by_graph(aggregate: str, values: Array, ranges: Sequence[int]) -> int:
    """Partials of the graph that is generated for those ranges."""
    asked = product(aggregate, values)
    graph = graph_of([(range_, 1) for range_ in sorted(ranges)], asked).graph
    widths = np.array(sorted(ranges))
    counts = len(values) - widths + 1
    starts = np.concatenate([[0], np.cumsum(counts)])
    out = arrays(asked.out_dtypes, int(starts[-1]))
    ends = np.array([0]), np.array([len(values)])
    groups = write_kernel(graph)

    def run(module: ModuleType, source: Any) -> None:
        at, slides = starts[:-1].copy(), np.ones_like(widths)
        work = source, *ends, widths, slides, at, groups.splits, groups.laps
        module.run(*work, out)
        for number, range_ in enumerate(widths.tolist()):
            found = out[0][starts[number] : starts[number + 1]]
            check_windows("gag", found, values, range_, aggregate)

    text = graph_assembly(graph, asked, "rows").text().render()
    return _count(text, values, run)
