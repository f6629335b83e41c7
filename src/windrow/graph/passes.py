"""Rewrites graphs: each pass is a function from a graph to a graph (LightSaber 5.2).

undo       a window's scans become one running value, from which the oldest is
           taken off: subtract-on-evict
replace    the scans of a window of one input become that input
differ     windows stand on laps of one length, longer than they are: differences
stack      windows stand on laps of one length, and on the totals of whole laps
merge      twins, nodes of the same kind, lap and edges, become one
mark       what is read of each node: every place, or only the newest
sweep      nodes that no window reaches are removed
place      a node that reads only the newest of others is made eagerly, with each
           input; one that goes back over a lap lazily, at its trigger-point
"""

from __future__ import annotations

from dataclasses import replace

from .graph import (
    INPUT,
    USED_UP,
    WHOLE,
    At,
    Graph,
    Need,
    Node,
    NodeKind,
    Root,
    Sum,
    Term,
    When,
    prefix,
    suffix,
)


def undo(graph: Graph) -> Graph:
    """Make each window a running value: the newest is added, the oldest taken off."""
    edges = Term(INPUT.name, At.END), Term(INPUT.name, At.LEFT, off=True)
    numbers = range(len(graph.roots))
    values = [Node(f"running.{number}", NodeKind.RUNNING, edges) for number in numbers]
    roots = [
        replace(root, same=(), last=(Term(value.name, At.END),))
        for root, value in zip(graph.roots, values, strict=True)
    ]
    return Graph((*graph.nodes, *values), tuple(roots))


def replace_inputs(graph: Graph) -> Graph:
    """Make each window of one input that input."""
    way = (Term(INPUT.name, At.START),)
    roots = [replace(r, last=way) if r.range == 1 else r for r in graph.roots]
    return replace(graph, roots=tuple(roots))


def differ(graph: Graph, lap: int) -> Graph:
    """Make windows differences of the prefixes of one lap, or let them lie in two.

    Where the lap is the whole stream, none lies in two.
    """
    nodes, roots = list(graph.nodes), []
    for number, root in enumerate(graph.roots):
        newer, older = prefix(f"prefix:{number}", lap), suffix(f"suffix:{number}", lap)
        end, start = Term(newer.name, At.END), Term(newer.name, At.START, off=True)
        upright, inverted = (end, start), (Term(older.name, At.START), end)
        nodes += [newer, older]
        last = inverted if lap != WHOLE else ()
        roots.append(replace(root, same=upright, last=last))
    return Graph(tuple(nodes), tuple(roots))


def stack_totals(graph: Graph, lap: int, least: int) -> Graph:
    """Let windows of `least` inputs or more stand on laps, and on totals between.

    The totals between are a window over totals, with two stacks of its own.  Windows
    whose range is not known may lie in one lap: those are folded from their inputs.
    """
    nodes, roots = list(graph.nodes), []
    for number, root in enumerate(graph.roots):
        if root.range < least:
            roots.append(root)
            continue
        newer, older = prefix(f"prefix:{number}", lap), suffix(f"suffix:{number}", lap)
        edges = (Term(newer.name, At.END),)
        total = Node(f"total:{number}", NodeKind.TOTAL, edges, lap)
        front = suffix(f"front:{number}", USED_UP, total.name)
        back = prefix(f"back:{number}", USED_UP, total.name)
        nodes += [newer, older, total, front, back]
        last = (
            Term(older.name, At.START),
            Term(front.name, At.START),
            Term(back.name, At.END),
            Term(newer.name, At.END),
        )
        same = () if root.range else (Term(INPUT.name, At.BETWEEN),)
        roots.append(replace(root, same=same, last=last))
    return Graph(tuple(nodes), tuple(roots))


def merge(graph: Graph) -> Graph:
    """Let twins be one node; those of laps that follow one window have none."""
    names: dict[str, str] = {}
    twins: dict[tuple[object, ...], str] = {}
    nodes = []
    for twin in graph.nodes:  # edges lead to nodes that stand before
        node = replace(twin, edges=_renamed(twin.edges, names))
        follows = node.lap == USED_UP or node.kind is NodeKind.RUNNING
        key = (node.name,) if follows else (node.kind, node.lap, node.edges)
        names[node.name] = twins.setdefault(key, node.name)
        if names[node.name] == node.name:
            nodes.append(node)
    roots = [
        replace(root, same=_renamed(root.same, names), last=_renamed(root.last, names))
        for root in graph.roots
    ]
    return Graph(tuple(nodes), tuple(roots))


def _renamed(terms: Sum, names: dict[str, str]) -> Sum:
    return tuple(replace(term, node=names[term.node]) for term in terms)


def mark(graph: Graph) -> Graph:
    """Write to each node what is read of it, by windows or by nodes that they reach."""
    places: dict[str, set[At]] = {node.name: set() for node in graph.nodes}
    for root in graph.roots:
        _mark(graph, root, places)
    return replace(
        graph,
        nodes=tuple(replace(n, need=_need(places[n.name])) for n in graph.nodes),
    )


def _mark(graph: Graph, root: Root, places: dict[str, set[At]]) -> None:
    open_terms = list(root.terms)
    while open_terms:
        term = open_terms.pop()
        if term.at not in places[term.node]:
            places[term.node].add(term.at)
            open_terms += graph.node(term).edges


def _need(places: set[At]) -> Need:
    if not places:
        return Need.NONE
    return Need.NEWEST if places == {At.END} else Need.EVERY


def sweep(graph: Graph) -> Graph:
    """Remove nodes that no window reaches."""
    return replace(
        graph, nodes=tuple(n for n in graph.nodes if n.need is not Need.NONE)
    )


def place(graph: Graph) -> Graph:
    """Make nodes lazily where they go back over a lap, and eagerly elsewhere."""

    def when(node: Node) -> When:
        back = any(term.at is At.BETWEEN for term in node.edges)
        return When.LAZY if back else When.EAGER

    return replace(
        graph, nodes=tuple(replace(node, when=when(node)) for node in graph.nodes)
    )
