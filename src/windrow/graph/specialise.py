"""Turns the initial graph into the one that is executed (LightSaber 5.2).

    1  undo    one window, or a few, of an aggregate with an inverse need no scans: a
               running value each, from which the oldest is taken off
    2  share   else laps are made equal, so that windows stand on the same scans; twins
               merge
    3  sweep   unread scans are removed; one of which only the newest node is read
               becomes a running value
    4  edges   prefixes are made eagerly, with each input; suffixes lazily, when their
               lap is complete: the trigger-point

How laps are made equal:

    with an inverse     all four times as long as the longest window, or `LONG`, or
                        longer by `SPARE`.  A window lies in one lap (prefix[end] -
                        prefix[start]) or in two (suffix + prefix: the inverted
                        buffer); suffixes reach as far back as the longest window
    with an inverse,    one lap, the whole stream: no window lies in two laps, so
    uneven windows      there are no suffixes

    without             as long as the shortest window, but a power of two and at most
                        `LAP`.  Whole laps in between are windows over their totals,
                        each with a stack of its own: once a lap, so they cost little.
                        Windows of fewer than `SHORT` inputs, and uneven ones, keep
                        laps of their own

Costs a slide, for k windows with an inverse: running values 2k combines, shared scans
k + 1 and a part of one for suffixes, each of them a read and a write.  So a few windows
(`FEW`), if all of them end at every input, are undone; more share.  Without an inverse:
scans of a window's own 3, shared ones 2k + 2, of which 2k are done side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .graph import INPUT, At, Family, Graph, Root, ScanKind, Term

LONG = 4096  # with an inverse, laps are at least this long: each costs some 50 ns
SPARE = 1 << 20  # inputs by which laps may be longer than the longest window
LAP = 512  # without an inverse: four laps of prefixes and suffixes stay in L1
SHORT = 64  # a lap costs some 20 ns for each window
FEW = 16  # windows that are better off with running values
_SHARED = "laps made equal, twins merged"
_UNDONE = "each window's scans undone"
_REPLACED = "scans of one input replaced by it"


@dataclass(frozen=True)
class Special:
    """A specialised graph, and the steps that led to it."""

    graph: Graph
    steps: tuple[tuple[str, Graph], ...]

    @property
    def scans(self) -> list[Family]:
        """The scans of the graph, ordered by lap."""
        families = [family for family in self.graph.families if family != INPUT]
        return sorted(families, key=lambda family: (family.lap, family.kind))

    @property
    def stored_scans(self) -> list[Family]:
        """The scans of which every node is needed, so that they are stored."""
        return [scan for scan in self.scans if self.graph.needed(scan) == "every"]


def specialise(graph: Graph, *, invertible: bool, each: bool = True) -> Special:
    """Turn a graph into the one that is executed.

    `each` says that every window ends at each input.
    """
    steps = [("every window by itself", graph)]
    few = each and graph.roots[0].range and len(graph.roots) <= FEW
    if invertible and (few or len(graph.roots) == 1):
        special = Graph(tuple(map(_running, graph.roots)))
        return Special(special, (*steps, (_UNDONE, special)))
    special = _replace_single(graph)
    if special != graph:
        return Special(special, (*steps, (_REPLACED, special)))
    special = _share(graph, invertible=invertible)
    if special != graph:
        steps.append((_SHARED, special))
    return Special(special, tuple(steps))


def _share(graph: Graph, *, invertible: bool) -> Graph:
    ranges = sorted({root.range for root in graph.roots})
    if len(graph.roots) == 1:
        return graph
    if not ranges[0]:
        return _over_all(graph) if invertible else graph
    if invertible:
        lap = max(ranges[-1] + min(3 * ranges[-1], SPARE), LONG)
        return Graph(tuple(_in_long_laps(root, lap) for root in graph.roots))
    return _in_short_laps(graph)


def _in_short_laps(graph: Graph) -> Graph:
    lap = shared_lap([root.range for root in graph.roots])
    if not lap:
        return graph
    way = (
        Term(Family(ScanKind.SUFFIX, lap), At.START),
        Term(Family(ScanKind.TOTAL, lap), At.BETWEEN),
        Term(Family(ScanKind.PREFIX, lap), At.END),
    )
    roots = graph.roots
    return Graph(tuple(replace(r, last=way) if r.range >= SHORT else r for r in roots))


def shared_lap(ranges: list[int]) -> int:
    """The lap of the scans that windows share; 0 if fewer than two can share."""
    long = [range_ for range_ in ranges if range_ >= SHORT]
    if len(long) < 2:
        return 0
    return min(LAP, 1 << (min(long).bit_length() - 1))


def _over_all(graph: Graph) -> Graph:
    prefix = Family(ScanKind.PREFIX)
    way = (Term(prefix, At.END), Term(prefix, At.START, off=True))
    return Graph(tuple(replace(root, same=way, last=()) for root in graph.roots))


def _in_long_laps(root: Root, lap: int) -> Root:
    prefix, suffix = Family(ScanKind.PREFIX, lap), Family(ScanKind.SUFFIX, lap)
    upright = (Term(prefix, At.END), Term(prefix, At.START, off=True))
    inverted = (Term(suffix, At.START), Term(prefix, At.END))
    return replace(root, same=upright, last=inverted)


def _replace_single(graph: Graph) -> Graph:
    """Replace the scans of one window of one input by that input."""
    if len(graph.roots) > 1 or graph.roots[0].range != 1:
        return graph
    return Graph((replace(graph.roots[0], last=(Term(INPUT, At.START),)),))


def _running(root: Root) -> Root:
    prefix = next(t.family for t in root.terms if t.family.kind == ScanKind.PREFIX)
    oldest = Term(INPUT, At.START, off=True)
    return replace(root, same=(), last=(Term(prefix, At.END), oldest))
