"""Draws a graph as lines of text, and as a picture (SVG).

The picture has inputs at the bottom, scans above them and windows on top; blue edges
are followed with each input, black ones at a trigger-point.  Of a long lap its ends are
drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .graph import INPUT, At, Family, Graph, ScanKind
from .specialise import Special

MOST = 6  # nodes of a family that are drawn
STEP, ROW, LEFT, TOP = 46, 62, 150, 54


def graph_lines(special: Special, names: Sequence[str]) -> list[str]:
    """The lines of the graph before and after it is specialised."""
    first, last = special.steps[0][1], special.graph
    return [
        "before: every window by itself",
        *(f"  {scan!s:18} {_nodes(scan)}" for scan in first.families[:-1]),
        *_window_lines(first, names),
        f"after: {_steps_text(special)}",
        *_family_lines(last),
        *_window_lines(last, names),
    ]


def _steps_text(special: Special) -> str:
    """The steps by which the graph was specialised, in words."""
    return ", ".join([*(title for title, _ in special.steps[1:]), "swept"])


def _family_lines(graph: Graph) -> list[str]:
    lines = []
    for family in graph.families[:-1]:
        readers = len(graph.readers(family))
        nodes = _nodes(family)
        if graph.needed(family) == "newest":
            nodes = "one running value" if readers == 1 else "the newest node"
        lazy = family.kind == ScanKind.SUFFIX
        every = _count(family.lap, "input") if family.lap else "time they are used up"
        when = f"lazy, every {every}" if lazy else "eager"
        windows = _count(readers, "window")
        lines.append(f"  {family!s:18} {nodes}, {when}; read by {windows}")
    return lines


def _nodes(family: Family) -> str:
    if family.kind == ScanKind.TOTAL:
        return "one node for each lap"
    return _count(family.lap, "node") if family.lap else "a node for each input"


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def _window_lines(graph: Graph, names: Sequence[str]) -> list[str]:
    lines = []
    for name, root in zip(names, graph.roots, strict=True):
        ways = [
            " ".join(
                f"{'-' if term.off else '+'} {term}" if number else str(term)
                for number, term in enumerate(way)
            )
            for way in (root.last, root.same)
            if way
        ]
        lines.append(f"  window {name:11} = {' | '.join(ways)}")
    return lines


def graph_svg(special: Special, names: Sequence[str]) -> str:
    """The picture of the initial graph, and of the specialised one below it."""
    parts: list[str] = []
    height = 10
    for swept, graph in ((False, special.steps[0][1]), (True, special.graph)):
        word = f"after: {_steps_text(special)}" if swept else "before"
        drawn, tall = _panel(graph, names, word, swept)
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
    ".total{fill:#fff3c4;stroke:#a8860a}.input{fill:#eee;stroke:#777}.window{fill:#fde3cf;stroke:#c9651b}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.node text{fill:#222}"
    ".l{stroke:#aaa}}"
)


def _panel(
    graph: Graph, names: Sequence[str], title: str, swept: bool
) -> tuple[str, int]:
    families = graph.families[:-1]
    rows = {family: TOP + ROW * (k + 1) for k, family in enumerate(families)}
    bottom = TOP + ROW * (len(families) + 1)
    rows[INPUT] = bottom
    edges: list[str] = []
    nodes = [f'<text x="12" y="20" font-weight="bold">{escape(title)}</text>']
    for family in families:
        e, n = _family(family, rows[family], bottom, swept and _runs(graph, family))
        edges += e
        nodes += n
    for k in range(MOST):
        nodes.append(_node("input", k, bottom, f"x{k}" if k < MOST - 1 else "x·"))
    nodes.append(f'<text x="12" y="{bottom + 4}">inputs</text>')
    windows = list(zip(names, graph.roots, strict=True))[:MOST]
    for k, (name, root) in enumerate(windows):
        nodes.append(_node("window", k, TOP, escape(str(name))[:5]))
        for term in dict.fromkeys(root.terms):
            place = _place(term.family, term.at, swept and _runs(graph, term.family))
            style = "l" if term.family.kind == ScanKind.SUFFIX else "e"
            edges.append(_line(k, TOP, place, rows[term.family], style))
    more = len(graph.roots) - len(windows)
    label = f"windows{f' (+{more})' if more else ''}"
    nodes.append(f'<text x="12" y="{TOP + 4}">{label}</text>')
    return "".join(edges + nodes), bottom + 50


def _runs(graph: Graph, family: Family) -> bool:
    """Whether a scan has become one running value."""
    return graph.needed(family) == "newest" and len(graph.readers(family)) == 1


def _family(
    family: Family, y: int, bottom: int, running: bool
) -> tuple[list[str], list[str]]:
    """The edges and nodes of a scan: a chain over inputs, or one running value."""
    word = {ScanKind.PREFIX: "ps", ScanKind.SUFFIX: "ss"}.get(family.kind, "t")
    style = "l" if family.kind == ScanKind.SUFFIX else "e"
    count = 1 if running else _drawn(family)
    nodes = [f'<text x="12" y="{y + 4}">{escape(str(family))}</text>']
    edges = []
    for k in range(count):
        place = MOST - 1 if running else k
        nodes.append(_node(family.kind, place, y, "ps" if running else f"{word}{k}"))
        edges.append(_line(place, y, place, bottom, style))
        if k:
            edges.append(_line(k - 1, y, k, y, style))
    if family.kind == ScanKind.SUFFIX:
        x = LEFT + (count - 0.5) * STEP
        edges.append(f'<line class="t" x1="{x}" y1="{y - 24}" x2="{x}" y2="{bottom}"/>')
        nodes.append(f'<text x="{x + 6}" y="{y - 12}">trigger-point</text>')
    return edges, nodes


def _drawn(family: Family) -> int:
    return min(MOST, family.lap or MOST)


def _place(family: Family, at: At, running: bool) -> int:
    if family == INPUT:
        return 0
    if running:
        return MOST - 1
    last = _drawn(family) - 1
    return {At.START: min(1, last), At.END: last, At.BETWEEN: min(2, last)}[at]


def _node(kind: str, place: int, y: int, label: str) -> str:
    x = LEFT + place * STEP
    return (
        f'<g class="node"><circle class="{kind}" cx="{x}" cy="{y}" r="16"/>'
        f'<text x="{x}" y="{y + 4}" text-anchor="middle">{label}</text></g>'
    )


def _line(a: int, y1: int, b: int, y2: int, style: str) -> str:
    x1, x2 = LEFT + a * STEP, LEFT + b * STEP
    return f'<line class="{style}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'
