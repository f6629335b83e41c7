"""From the initial graph to the one that is executed (LightSaber 5.2).

    1  share   laps are made equal where that lets windows stand on the same scans;
               twins merge
    2  undo    a window that reads its scans alone, of an aggregate with an inverse,
               needs neither: one running value, from which the oldest is taken off
    3  sweep   scans that nobody reads go; one of which only the newest node is read
               becomes a running value
    4  edges   prefixes are made eagerly, with each input; suffixes lazily, when their
               lap is complete: the trigger-point

How laps are made equal:

    with an inverse     all as long as the longest window, or `LONG`.  A window lies in
                        one lap (prefix[end] - prefix[start]) or in two (suffix +
                        prefix: the inverted buffer)
    with an inverse,    one lap, the whole stream: no window is inverted, so nobody
    uneven windows      reads suffixes

    without             from the shortest on, as long as the shortest of those that are
                        less than twice as long: such a window reaches over one
                        boundary or two, so over one whole lap at most.  Uneven windows
                        keep laps of their own

Costs, in combines and reads of inputs a slide, for k windows with an inverse: running
values 2k + 2k, shared scans k + 2 + 2.  So one window undoes, two or more share.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .graph import INPUT, At, Family, Graph, Kind, Root, Term

LONG = 4096  # with an inverse, laps are at least this long: each costs some 50 ns
_SHARED = "laps made equal, twins merged"
_UNDONE = "the only window's scans undone"
_REPLACED = "scans of one input replaced by it"


@dataclass(frozen=True)
class Special:
    """A specialised graph: each scan with what is needed of it."""

    graph: Graph
    invertible: bool
    steps: tuple[tuple[str, Graph], ...]

    @property
    def scans(self) -> list[Family]:
        """The scans that are kept or run, by lap."""
        families = [one for one in self.graph.families if one != INPUT]
        return sorted(families, key=lambda one: (one.lap, one.kind))

    @property
    def kept(self) -> list[Family]:
        """Those of which every node is needed."""
        return [one for one in self.scans if self.graph.needed(one) == "every"]

    @property
    def form(self) -> tuple[object, ...]:
        """All that the emitted code depends on: laps and ranges are its arguments."""
        roots = self.graph.roots
        ways = [any(way) for way in zip(*map(_ways, roots), strict=True)]
        kept = tuple(sorted({one.kind for one in self.kept}))
        return len(roots) == 1, roots[0].range == 0, bool(self.scans), kept, *ways


def _ways(root: Root) -> tuple[bool, bool, bool]:
    return bool(root.earlier), bool(root.last), bool(root.same)


def specialise(graph: Graph, *, invertible: bool) -> Special:
    """Mark, sweep, merge, and decide what is made when."""
    steps = [("every window by itself", graph)]
    shared = _share(graph, invertible=invertible)
    if shared != graph:
        steps.append((_SHARED, shared))
    alone = _undo(shared) if invertible else _replace_single(shared)
    if alone != shared:
        steps.append((_UNDONE if invertible else _REPLACED, alone))
    return Special(alone, invertible, tuple(steps))


def _share(graph: Graph, *, invertible: bool) -> Graph:
    ranges = sorted({root.range for root in graph.roots})
    if len(graph.roots) == 1:
        return graph
    if not ranges[0]:
        return _over_all(graph) if invertible else graph
    if invertible:
        lap = max(ranges[-1], LONG)
        return Graph(tuple(_in_long_laps(root, lap) for root in graph.roots))
    laps = shared_laps(ranges)
    return Graph(tuple(_in_short_laps(root, laps[root.range]) for root in graph.roots))


def shared_laps(ranges: list[int]) -> dict[int, int]:
    """The lap for each of some rising ranges."""
    laps: dict[int, int] = {}
    lap = ranges[0]
    for range_ in ranges:
        lap = lap if range_ < 2 * lap else range_
        laps[range_] = lap
    return laps


def _over_all(graph: Graph) -> Graph:
    prefix = Family(Kind.PREFIX)
    way = (Term(prefix, At.END), Term(prefix, At.START, off=True))
    return Graph(tuple(replace(root, same=way, last=()) for root in graph.roots))


def _in_long_laps(root: Root, lap: int) -> Root:
    prefix, suffix = Family(Kind.PREFIX, lap), Family(Kind.SUFFIX, lap)
    upright = (Term(prefix, At.END), Term(prefix, At.START, off=True))
    inverted = (Term(suffix, At.START), Term(prefix, At.END))
    return replace(root, same=upright if root.range < lap else (), last=inverted)


def _in_short_laps(root: Root, lap: int) -> Root:
    prefix, suffix = Family(Kind.PREFIX, lap), Family(Kind.SUFFIX, lap)
    start, end = Term(suffix, At.START), Term(prefix, At.END)
    way = (start, Term(suffix, At.TOTAL), end) if root.range > lap else ()
    return replace(root, last=(start, end), earlier=way)


def _undo(graph: Graph) -> Graph:
    roots = []
    for root in graph.roots:
        families = {term.family for term in root.terms}
        alone = all(len(graph.readers(family)) == 1 for family in families)
        roots.append(_running(root) if alone else root)
    return Graph(tuple(roots))


def _replace_single(graph: Graph) -> Graph:
    """One window of one input: its scans have one node each, which is its child."""
    if len(graph.roots) > 1 or graph.roots[0].range != 1:
        return graph
    return Graph((replace(graph.roots[0], last=(Term(INPUT, At.START),)),))


def _running(root: Root) -> Root:
    prefix = next(t.family for t in root.terms if t.family.kind == Kind.PREFIX)
    oldest = Term(INPUT, At.START, off=True)
    return replace(root, same=(), last=(Term(prefix, At.END), oldest), earlier=())


__all__ = ["Special", "shared_laps", "specialise"]
