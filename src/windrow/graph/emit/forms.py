"""Groups windows that one loop answers: their roots have the same form.

The form of a root is its sums and the nodes that they reach, without what arguments of
the kernel say: ranges, slides and how long laps are.  Nodes that only this window needs
get names of their order in the sum:

    root                                           form
    suffix.3[start] + prefix.3[end], laps of 70    suffix#0[start] + prefix#1[end]
    suffix:0[start] + ... + prefix:0[end]          suffix:0[start] + ... + prefix:0[end]

Windows that follow each other and have one form are a group; a kernel has a loop for
each group, and is the same for all graphs that have the same groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from windrow._later import dataclass
from windrow.graph.graph import (
    INPUT,
    USED_UP,
    WHOLE,
    At,
    Graph,
    GraphError,
    Need,
    Node,
    NodeKind,
    Root,
    Sum,
    When,
)

OWN = -2  # in a form: laps as long as the window


@dataclass(frozen=True)
class Form:
    """The sums of a window, and the nodes that they reach, the inputs left out."""

    same: Sum
    last: Sum
    nodes: tuple[Node, ...]
    stepping: bool

    @property
    def shared(self) -> list[Node]:
        """The nodes in laps that do not belong to one window."""
        return [node for node in self.nodes if node.lap >= WHOLE and not _follows(node)]

    def of_kind(self, kind: NodeKind) -> list[Node]:
        """The nodes of a kind that are made of inputs."""
        return [n for n in self.nodes if n.kind is kind and not over_totals(n)]

    @property
    def stacks(self) -> list[Node]:
        """The nodes that are made of totals."""
        return [node for node in self.nodes if over_totals(node)]

    def node(self, name: str) -> Node:
        """The node of a name; the inputs are there too."""
        return next((n for n in self.nodes if n.name == name), INPUT)


@dataclass(frozen=True)
class Group:
    """Windows [start, stop) of a graph, which have one form and one lap."""

    form: Form
    lap: int
    start: int
    stop: int


def over_totals(node: Node) -> bool:
    """Whether a node is made of totals."""
    return any(term.node.startswith("total") for term in node.edges)


def _follows(node: Node) -> bool:
    """Whether a node follows one window."""
    return node.kind is NodeKind.RUNNING or node.lap == USED_UP


def groups_of(graph: Graph) -> list[Group]:
    """The groups of a graph's windows, in their order."""
    check(graph)
    stepping = any(root.slide > 1 for root in graph.roots)
    forms = [_form(graph, root, stepping) for root in graph.roots]
    groups, start = [], 0
    for (form, lap), members in groupby(forms):
        stop = start + len(list(members))
        groups.append(Group(form, lap, start, stop))
        start = stop
    return groups


def _form(graph: Graph, root: Root, stepping: bool) -> tuple[Form, int]:
    """The form of a root, and the lap of the nodes that it shares, 0 for none."""
    names: dict[str, str] = {INPUT.name: INPUT.name}
    nodes: list[Node] = []
    reached = {n.name: n for n in graph.reached(root.terms) if n.name != INPUT.name}
    for node in reversed(list(reached.values())):  # edges before what they lead to
        own = node.lap > 0 and all(
            r.range == node.lap for r in graph.readers[node.name]
        )
        own = own and not any(over_totals(other) for other in reached.values())
        named = own or _follows(node)
        base = node.name.rstrip("0123456789").rstrip(".:")
        name = f"{base}#{len(names)}" if named else node.name
        names[node.name] = name
        nodes.append(replace(node, name=name, lap=OWN if own else node.lap))
    laps = {node.lap for node in nodes if node.lap > 0}
    if len(laps) > 1:
        raise GraphError(f"cannot read scans of laps {sorted(laps)} in one sum")
    nodes = [
        replace(n, edges=_renamed(n.edges, names), lap=min(n.lap, 1)) for n in nodes
    ]
    sums = _renamed(root.same, names), _renamed(root.last, names)
    return Form(*sums, tuple(nodes), stepping), max(laps, default=0)


def _renamed(terms: Sum, names: dict[str, str]) -> Sum:
    return tuple(replace(term, node=names[term.node]) for term in terms)


_MADE_OF = {
    NodeKind.PREFIX: (At.END,),
    NodeKind.SUFFIX: (At.BETWEEN,),
    NodeKind.TOTAL: (At.END,),
    NodeKind.RUNNING: (At.END, At.LEFT),
}
_WHEN = {NodeKind.SUFFIX: When.LAZY}


def check(graph: Graph) -> None:
    """Refuse a graph whose nodes cannot be made as they are placed."""
    if len(graph.by_name) < len(graph.nodes):
        raise GraphError("cannot tell nodes apart: two have the same name")
    for node in graph.nodes:
        if node.kind is NodeKind.INPUT:
            continue
        if not graph.readers[node.name]:
            raise GraphError(f"cannot place {node.name}: no window reads it")
        if node.when is not _WHEN.get(node.kind, When.EAGER):
            raise GraphError(
                f"cannot make {node.name} {node.when}: it is a {node.kind}"
            )
        if _follows(node) and len(graph.readers[node.name]) > 1:
            raise GraphError(f"cannot let {node.name} follow one window: two read it")
        _check_edges(graph, node)
        _check_lap(node)
    twins = [(n.kind, n.lap, n.edges) for n in graph.nodes if not _follows(n)]
    if len(set(twins)) < len(twins):
        raise GraphError("cannot make one scan twice: twins are to be merged")
    _check_needs(graph)


def _check_edges(graph: Graph, node: Node) -> None:
    if not node.edges or any(term.at not in _MADE_OF[node.kind] for term in node.edges):
        raise GraphError(f"cannot make {node.name}: a {node.kind} has other edges")
    kinds = {graph.node(term).kind for term in node.edges}
    of = {NodeKind.PREFIX} if node.kind is NodeKind.TOTAL else {NodeKind.INPUT}
    if node.lap == USED_UP and node.kind is not NodeKind.TOTAL:
        of = of | {NodeKind.TOTAL}
    if not kinds <= of or len(kinds) > 1:
        raise GraphError(f"cannot make {node.name} of {', '.join(sorted(kinds))}")
    if node.kind is NodeKind.TOTAL and any(
        graph.node(term).lap != node.lap for term in node.edges
    ):
        raise GraphError(f"cannot make {node.name}: a total ends with its scan's lap")


def _check_lap(node: Node) -> None:
    whole = node.kind in (NodeKind.PREFIX, NodeKind.RUNNING)
    lapped = node.kind is not NodeKind.RUNNING
    used_up = node.kind in (NodeKind.PREFIX, NodeKind.SUFFIX)
    if not {WHOLE: whole, USED_UP: used_up}.get(node.lap, lapped and node.lap > 0):
        raise GraphError(f"cannot walk {node.name} in laps of {node.lap}")


def _check_needs(graph: Graph) -> None:
    """Refuse reads of places that are not kept."""
    sums: Sequence[Sum] = [node.edges for node in graph.nodes]
    for terms in (*sums, *(root.terms for root in graph.roots)):
        for term in terms:
            node = graph.node(term)
            kept = node.need is Need.EVERY or term.at is At.END
            if node.need is Need.NONE or not kept:
                raise GraphError(f"cannot read {node.name}: {node.need} of it is kept")
