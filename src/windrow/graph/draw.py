"""Draws a graph as lines of text, and as a picture (SVG).

The picture has inputs at the bottom, scans above them and windows on top; blue edges
are followed with each input, black ones at a trigger-point.  Of a long lap its ends are
drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .graph import INPUT, At, Graph, Need, Node, NodeKind, Sum, When
from .specialise import Special

MOST = 6  # nodes of a scan that are drawn
STEP, ROW, LEFT, TOP = 46, 62, 150, 54


def graph_lines(special: Special, names: Sequence[str]) -> list[str]:
    """The lines of the graph before and after it is specialised."""
    first, last = special.before, special.graph
    return [
        "before: every window by itself",
        *dict.fromkeys(f"  {node!s:18} {_places(node)}" for node in first.scans),
        *_window_lines(first, names),
        f"after: {', '.join(special.steps)}",
        *_node_lines(last),
        *_window_lines(last, names),
    ]


def _alike(graph: Graph) -> dict[str, list[Node]]:
    """The scans of a graph; those that each window has for itself are told once."""
    rows: dict[str, list[Node]] = {}
    for node in graph.scans:
        rows.setdefault(str(node), []).append(node)
    return rows


def _node_lines(graph: Graph) -> list[str]:
    lines = []
    for label, nodes in _alike(graph).items():
        node, readers = nodes[0], len(graph.readers[nodes[0].name])
        kept = _places(node)
        if node.kind is NodeKind.RUNNING:
            kept = f"one running value: {_sum(graph, node.edges)}"
        elif node.need is Need.NEWEST:
            kept = "one running value" if readers == 1 else "the newest node"
        every = _count(node.lap, "input") if node.lap > 0 else "time they are used up"
        when = f"lazy, every {every}" if node.when is When.LAZY else "eager"
        windows = _count(readers, "window")
        read = f"one for each of {_count(len(nodes), 'window')}"
        read = f"read by {windows}" if len(nodes) == 1 else read
        lines.append(f"  {label:18} {kept}, {when}; {read}")
    return lines


def _places(node: Node) -> str:
    if node.kind is NodeKind.TOTAL:
        return "one node for each lap"
    if node.kind is NodeKind.RUNNING:
        return "one running value"
    part = "total" if str(node).count("totals") else "input"
    return _count(node.lap, "node") if node.lap > 0 else f"a node for each {part}"


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def _window_lines(graph: Graph, names: Sequence[str]) -> list[str]:
    lines = []
    for name, root in zip(names, graph.roots, strict=True):
        ways = [
            _sum(graph, way).removeprefix("+ ") for way in (root.last, root.same) if way
        ]
        lines.append(f"  window {name:11} = {' | '.join(ways)}")
    return lines


def _sum(graph: Graph, terms: Sum) -> str:
    parts = [f"{'-' if t.off else '+'} {graph.node(t)}[{t.at}]" for t in terms]
    return " ".join(parts)


def graph_svg(specials: Sequence[Special], names: Sequence[str]) -> str:
    """The picture of the initial graph, and of the specialised ones below it."""
    parts: list[str] = []
    height = 10
    panels = [("before", specials[0].before)]
    panels += [(f"after: {', '.join(s.steps)}", s.graph) for s in specials]
    for title, graph in panels:
        drawn, tall = _panel(graph, names, title)
        parts.append(f'<g transform="translate(0,{height})">{drawn}</g>')
        height += tall
    width = LEFT + (MOST + 2) * STEP + 60
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="13">'
        f"<style>{_STYLE}</style>{''.join(parts)}</svg>\n"
    )


_STYLE = (
    "text{fill:#222}.e{stroke:#1f6fd6;stroke-width:1.4}.l{stroke:#333;stroke-width:1}"
    ".t{stroke:#2a9d4a;stroke-dasharray:5 4;stroke-width:1.6}"
    ".prefix{fill:#cfe2ff;stroke:#1f6fd6}.suffix{fill:#d3f2da;stroke:#2a9d4a}"
    ".total{fill:#fff3c4;stroke:#a8860a}.running{fill:#e6d9ff;stroke:#7048c0}"
    ".input{fill:#eee;stroke:#777}.window{fill:#fde3cf;stroke:#c9651b}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.node text{fill:#222}"
    ".l{stroke:#aaa}}"
)


def _panel(graph: Graph, names: Sequence[str], title: str) -> tuple[str, int]:
    alike = _alike(graph)
    rows = {label: TOP + ROW * (k + 1) for k, label in enumerate(alike)}
    bottom = TOP + ROW * (len(rows) + 1)
    rows[str(INPUT)] = bottom
    edges: list[str] = []
    nodes = [f'<text x="12" y="20" font-weight="bold">{escape(title)}</text>']
    for label, scans in alike.items():
        e, n = _scan(graph, scans[0], rows[label], rows)
        edges += e
        nodes += n
    for k in range(MOST):
        nodes.append(_node("input", k, bottom, f"x{k}" if k < MOST - 1 else "x·"))
    nodes.append(f'<text x="12" y="{bottom + 4}">inputs</text>')
    windows = list(zip(names, graph.roots, strict=True))[:MOST]
    for k, (name, root) in enumerate(windows):
        nodes.append(_node("window", k, TOP, escape(str(name))[:5]))
        for term in dict.fromkeys(root.terms):
            node = graph.node(term)
            style = "l" if node.when is When.LAZY else "e"
            edges.append(_line(k, TOP, _place(node, term.at), rows[str(node)], style))
    more = len(graph.roots) - len(windows)
    label = f"windows{f' (+{more})' if more else ''}"
    nodes.append(f'<text x="12" y="{TOP + 4}">{label}</text>')
    return "".join(edges + nodes), bottom + 50


def _runs(node: Node) -> bool:
    """Whether one value is kept of a scan."""
    return node.need is Need.NEWEST or node.kind is NodeKind.RUNNING


def _scan(
    graph: Graph, node: Node, y: int, rows: dict[str, int]
) -> tuple[list[str], list[str]]:
    """The edges and nodes of a scan: a chain over what it is made of, or one value."""
    word = {NodeKind.PREFIX: "ps", NodeKind.SUFFIX: "ss", NodeKind.RUNNING: "r"}
    short, lazy = word.get(node.kind, "t"), node.when is When.LAZY
    style = "l" if lazy else "e"
    count = 1 if _runs(node) else _drawn(node)
    nodes = [f'<text x="12" y="{y + 4}">{escape(str(node))}</text>']
    edges = []
    for k in range(count):
        place = MOST - 1 if _runs(node) else k
        nodes.append(
            _node(node.kind, place, y, short if _runs(node) else f"{short}{k}")
        )
        for term in node.edges:
            below = place if term.at is not At.LEFT else 0
            edges.append(_line(place, y, below, rows[str(graph.node(term))], style))
        if k:
            edges.append(_line(k - 1, y, k, y, style))
    if lazy:
        x, bottom = LEFT + (count - 0.5) * STEP, rows[str(INPUT)]
        edges.append(f'<line class="t" x1="{x}" y1="{y - 24}" x2="{x}" y2="{bottom}"/>')
        nodes.append(f'<text x="{x + 6}" y="{y - 12}">trigger-point</text>')
    return edges, nodes


def _drawn(node: Node) -> int:
    return min(MOST, node.lap if node.lap > 0 else MOST)


def _place(node: Node, at: At) -> int:
    if node.kind is NodeKind.INPUT:
        return 0
    if _runs(node):
        return MOST - 1
    last = _drawn(node) - 1
    return {At.START: min(1, last), At.END: last}.get(at, min(2, last))


def _node(kind: str, place: int, y: int, label: str) -> str:
    x = LEFT + place * STEP
    return (
        f'<g class="node"><circle class="{kind}" cx="{x}" cy="{y}" r="16"/>'
        f'<text x="{x}" y="{y + 4}" text-anchor="middle">{label}</text></g>'
    )


def _line(a: int, y1: int, b: int, y2: int, style: str) -> str:
    x1, x2 = LEFT + a * STEP, LEFT + b * STEP
    return f'<line class="{style}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'
