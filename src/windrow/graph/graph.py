"""Models the aggregation graph of LightSaber 5, which is the form that is compiled.

Inputs stand in laps; over each lap runs a prefix scan, and a suffix scan once it is
complete.  A window is a suffix of one lap, whole laps, and a prefix of another:

              lap               lap               lap               lap
    |-----------------|-----------------|-----------------|-----------------|
         start |suffix|----- total -----|----- total -----|--prefix--| end

A graph is a list of nodes and a root for each window.  A node stands for a whole scan;
its edges are terms too, and say what it is made of.  A root is a sum of terms, a term
the place in a node that is read there.  Terms name nodes, so that passes can change a
node and leave its readers alone (`passes.py`); code is written from what stands here
and from nothing else (`emit/`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cached_property

from windrow._later import dataclass


class GraphError(AssertionError):
    """A graph that cannot be compiled as it stands: a mistake in a pass."""


class NodeKind(StrEnum):
    """The kind of a node: inputs, one of three scans, or a running value."""

    INPUT = "input"
    PREFIX = "prefix"  # all of the lap so far, older parts before newer ones
    SUFFIX = "suffix"  # from each place to the end of its lap
    TOTAL = "total"  # a whole lap
    RUNNING = "running"  # from window to window: parts are added and taken off


class At(StrEnum):
    """The place that a term reads in a node, seen from the window [start, end)."""

    START = "start"
    END = "end"
    LEFT = "left"  # the part that the last slide left behind, just before the start
    BETWEEN = "between"  # all parts from start to end


class Need(StrEnum):
    """What is read of a node while inputs come."""

    NONE = "none"
    NEWEST = "newest"
    EVERY = "every"


class When(StrEnum):
    """When a node is made: with each input, or when its lap is complete."""

    EAGER = "eager"
    LAZY = "lazy"


WHOLE = 0  # a lap that is the whole stream
USED_UP = -1  # laps that end when the window that reads them has used up its suffixes


@dataclass(frozen=True)
class Term:
    """The place that is read in a node; with `off` it is taken off the sum so far."""

    node: str
    at: At
    off: bool = False


Sum = tuple[Term, ...]


@dataclass(frozen=True)
class Node:
    """A scan over laps of `lap` parts, which are what its edges read."""

    name: str
    kind: NodeKind
    edges: Sum = ()
    lap: int = WHOLE
    need: Need = Need.NONE
    when: When = When.EAGER

    def __str__(self) -> str:
        over = "totals" if self.edges and self.edges[0].node.startswith("total") else ""
        lap = f"{self.lap:,}" if self.lap > 0 else ""
        inside = ", ".join(filter(None, [over, lap]))
        return f"{self.kind}({inside})" if inside else str(self.kind)


INPUT = Node("input", NodeKind.INPUT)


@dataclass(frozen=True)
class Root:
    """A window, as the sum of terms `same` or `last`.

    It is `same` if it starts in the lap in which it ends, `last` if in an earlier one;
    a case that cannot occur is empty.  A range of 0 is not known beforehand.
    """

    range: int
    slide: int = 1
    same: Sum = ()
    last: Sum = ()

    @property
    def terms(self) -> Sum:
        """All terms that are read for the window."""
        return (*self.same, *self.last)


@dataclass(frozen=True)
class Graph:
    """The nodes, and a root for each window."""

    nodes: tuple[Node, ...]
    roots: tuple[Root, ...]

    @cached_property
    def _hash(self) -> int:
        """Computed once: a kernel is looked up by it in each call."""
        return hash((self.nodes, self.roots))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def by_name(self) -> dict[str, Node]:
        """Each node by its name."""
        return {node.name: node for node in self.nodes}

    def node(self, term: Term) -> Node:
        """The node that a term reads."""
        if term.node not in self.by_name:
            raise GraphError(f"cannot read {term.node}: the graph has no such node")
        return self.by_name[term.node]

    def reached(self, terms: Sequence[Term]) -> Iterator[Node]:
        """The nodes that terms read, directly or through edges; some come twice."""
        for term in terms:
            node = self.node(term)
            yield node
            yield from self.reached(node.edges)

    @cached_property
    def readers(self) -> dict[str, list[Root]]:
        """The windows that read each node, directly or through others."""
        readers: dict[str, list[Root]] = {node.name: [] for node in self.nodes}
        for root in self.roots:
            for name in {node.name for node in self.reached(root.terms)}:
                readers[name].append(root)
        return readers

    @property
    def scans(self) -> list[Node]:
        """All nodes but the inputs, ordered by kind and lap."""
        scans = [node for node in self.nodes if node.kind is not NodeKind.INPUT]
        return sorted(scans, key=lambda node: (node.edges[0].node, node.kind, node.lap))


def prefix(name: str, lap: int, of: str = INPUT.name) -> Node:
    """A prefix scan: each part is added as it comes."""
    return Node(name, NodeKind.PREFIX, (Term(of, At.END),), lap)


def suffix(name: str, lap: int, of: str = INPUT.name) -> Node:
    """A suffix scan: it goes back over all parts of a lap."""
    return Node(name, NodeKind.SUFFIX, (Term(of, At.BETWEEN),), lap)


def initial(windows: Sequence[tuple[int, int]]) -> Graph:
    """The graph of windows (range, slide) that share nothing.

    Each has laps of its own range; a range of 0 is not known, and its laps end where
    its suffixes are used up.
    """
    nodes, roots = [INPUT], []
    for number, (range_, slide) in enumerate(windows):
        lap = range_ or USED_UP
        older, newer = suffix(f"suffix.{number}", lap), prefix(f"prefix.{number}", lap)
        nodes += [newer, older]
        terms = Term(older.name, At.START), Term(newer.name, At.END)
        roots.append(Root(range_, slide, last=terms))
    return Graph(tuple(nodes), tuple(roots))
