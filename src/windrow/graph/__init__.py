"""Shares one pass among many windows: the generalised aggregation graph."""

from .draw import graph_lines, graph_svg
from .graph import initial
from .kernel import graph_blocks
from .run import graph_of, slide_graph, slide_uneven, uneven_graph
from .specialise import SHORT, Special, specialise

__all__ = [
    "SHORT",
    "Special",
    "graph_blocks",
    "graph_lines",
    "graph_of",
    "graph_svg",
    "initial",
    "slide_graph",
    "slide_uneven",
    "specialise",
    "uneven_graph",
]
