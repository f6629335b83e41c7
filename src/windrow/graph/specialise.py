"""Turns the initial graph into the one that is compiled (LightSaber 5.2).

Which passes are taken depends on the windows and on the aggregate:

    one window of one input               replace
    with an inverse, one window or a few  undo: a running value each
    with an inverse, more                 differences of prefixes, in long laps
    with an inverse, uneven windows       the same, with one lap, the whole stream
    without, one window, short ones       the initial graph: two stacks each
    without, more                         short laps, and totals between

Then all graphs are merged, marked, swept and placed.

With an inverse, laps are four times as long as the longest window, or `LONG`, or longer
by `SPARE`.  Without, they are as long as the shortest window, but a power of two and at
most `LAP`; windows of fewer than `SHORT` inputs keep laps of their own.

Costs a slide, for k windows with an inverse: running values 2k combines, shared scans
k + 1 and a part of one for suffixes, each of them a read and a write.  So a few windows
(`FEW`), if all of them end at every input, are undone; more share.  Without an inverse:
scans of a window's own 3, shared ones 2k + 2, of which 2k are done side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow._later import dataclass

from .graph import WHOLE, Graph
from .passes import (
    differ,
    mark,
    merge,
    place,
    replace_inputs,
    stack_totals,
    sweep,
    undo,
)

LONG = 4096  # with an inverse, laps are at least this long: each costs some 50 ns
SPARE = 1 << 20  # inputs by which laps may be longer than the longest window
LAP = 512  # without an inverse: four laps of prefixes and suffixes stay in L1
SHORT = 64  # a lap costs some 20 ns for each window
UNEVEN = 16  # the lap of uneven windows: those that lie in one are folded from inputs
FEW = 16  # windows that are better off with running values


@dataclass(frozen=True)
class Special:
    """A specialised graph, the steps that led to it, and the graph it began as."""

    graph: Graph
    steps: tuple[str, ...]
    before: Graph


def specialise(graph: Graph, *, invertible: bool) -> Special:
    """Turn a graph into the one that is compiled."""
    title, special = _rewrite(graph, invertible=invertible)
    merged = merge(special)
    steps = [title] if title else []
    if len(merged.nodes) < len(special.nodes):
        steps.append("twins merged")
    return Special(place(sweep(mark(merged))), (*steps, "swept"), graph)


def _rewrite(graph: Graph, *, invertible: bool) -> tuple[str, Graph]:
    roots = graph.roots
    ranges = sorted(root.range for root in roots)
    if ranges == [1]:
        return "scans of one input replaced by it", replace_inputs(graph)
    each = ranges[0] > 0 and all(root.slide == 1 for root in roots)
    if invertible and (len(roots) == 1 or (each and len(roots) <= FEW)):
        return "each window's scans undone", undo(graph)
    if len(roots) == 1:
        return "", graph
    if invertible:
        lap = max(ranges[-1] + min(3 * ranges[-1], SPARE), LONG)
        return "laps made equal", differ(graph, lap if ranges[0] else WHOLE)
    if not ranges[0]:
        return "laps made equal", stack_totals(graph, UNEVEN, 0)
    if lap := shared_lap(ranges):
        return "laps made equal", stack_totals(graph, lap, SHORT)
    return "", graph


def shared_lap(ranges: Sequence[int]) -> int:
    """The lap of the scans that windows share; 0 if fewer than two can share."""
    long = [range_ for range_ in ranges if range_ >= SHORT]
    if len(long) < 2:
        return 0
    return min(LAP, 1 << (min(long).bit_length() - 1))
