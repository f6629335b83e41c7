"""Assembles the kernel of a specialised graph: the code that is written for it.

Laps, ranges and slides are arguments, so that graphs of one form share a compiled
kernel; `whole_columns.py` takes the same calls, and answers all forms without a
compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from windrow.kernels import Assembly, Product
from windrow.loops import Text, defined_name

from .emit import write_kernel
from .graph import Graph, GraphError
from .loops import whole_columns

_EVEN: Callable[..., Any] = whole_columns.slide_even_lists
_UNEVEN: dict[str, Callable[..., Any]] = {
    "arrays": whole_columns.slide_uneven_lists,
    "instants": whole_columns.slide_walked_lists,
}


@lru_cache(maxsize=512)
def graph_assembly(
    graph: Graph, product: Product, leaf: str, walk: str = "arrays"
) -> Assembly:
    """The kernel of a graph: `leaf` is "rows", lifted in the loop, or "slices".

    `walk` says how the bounds of uneven windows are found (`emit/uneven.py`).
    """
    sums = [root.terms for root in graph.roots] + [node.edges for node in graph.nodes]
    takes_off = any(term.off for terms in sums for term in terms)
    if takes_off and any(p.request.aggregate.inverse is None for p in product.parts):
        raise GraphError("cannot take parts off: an aggregate has no inverse")
    is_even, text = graph.roots[0].range > 0, write_kernel(graph, walk)
    return Assembly(
        what=f"aggregation graph over {leaf}",
        product=product,
        leaf=leaf,
        entries=(),
        helpers=text.helpers,
        generated=text.functions,
        inline=text.inline,
        columns=_EVEN if is_even else _UNEVEN[walk],
    )


def graph_blocks(graph: Graph, walk: str = "arrays") -> list[str]:
    """The part of the source that follows from the graph, which `explain` shows."""
    written = write_kernel(graph, walk)
    text = Text("aggregation graph", inline=written.inline)
    for helper in written.helpers:
        text.take(helper)
    for function in written.functions:
        is_run = defined_name(function) == "run"
        text.define(function.strip("\n"), entry=is_run)
    return text.sources()
