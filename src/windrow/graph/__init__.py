"""Shares one pass among many windows: the generalised aggregation graph.

graph.py        nodes, terms and roots: the form that is compiled
passes.py       rewrites a graph: undo, differ, stack, merge, mark, sweep, place
specialise.py   which passes are taken
emit/           writes the code of a graph
kernel.py       assembles the kernel
run.py          runs it
shares.py       divides a product: what has an inverse goes its own way
loops/          loops that are lifted, also those that need no compiler
draw.py         draws a graph

Its names are loaded when they are first used: most calls share nothing.
"""

from typing import TYPE_CHECKING

from windrow._later import load_later

if TYPE_CHECKING:
    from .draw import graph_lines, graph_svg
    from .graph import GraphError, initial
    from .kernel import graph_blocks
    from .run import graph_of, slide_graph, slide_uneven, slide_walked, uneven_graph
    from .shares import shares_of
    from .specialise import SHORT, Special

__getattr__ = load_later(
    __name__,
    {
        "SHORT": ".specialise",
        "GraphError": ".graph",
        "Special": ".specialise",
        "graph_blocks": ".kernel",
        "graph_lines": ".draw",
        "graph_of": ".run",
        "graph_svg": ".draw",
        "initial": ".graph",
        "shares_of": ".shares",
        "slide_graph": ".run",
        "slide_uneven": ".run",
        "slide_walked": ".run",
        "uneven_graph": ".run",
    },
)

__all__ = [
    "SHORT",
    "GraphError",
    "Special",
    "graph_blocks",
    "graph_lines",
    "graph_of",
    "graph_svg",
    "initial",
    "shares_of",
    "slide_graph",
    "slide_uneven",
    "slide_walked",
    "uneven_graph",
]
