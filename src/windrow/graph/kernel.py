"""Assembles the kernel of a specialised graph.

Each part of a kernel stands for a part of the graph: a stored scan is an array
and the loop that fills it, one of which only the newest node is read is a running value
or, where several windows read it, a block of values; a window is a loop for each way in
which it can be read.  Laps, ranges and slides are arguments (`loops/__init__.py`):
graphs of the same form share one compiled kernel.
"""

from __future__ import annotations

from collections.abc import Callable

from windrow.kernels import Assembly, Product
from windrow.loops import Text

from .loops import (
    few_windows,
    long_laps,
    short_laps,
    single_window,
    uneven_windows,
    whole_columns,
)
from .specialise import Special

_INLINE = ("advance",)  # its running value would go through memory


def graph_assembly(special: Special, product: Product, leaf: str) -> Assembly:
    """The kernel of a graph: `leaf` is "rows", lifted in the loop, or "slices"."""
    return Assembly(
        what=f"aggregation graph over {leaf}",
        product=product,
        leaf=leaf,
        entries=(("run", _loop_of(special)),),
        inline=_INLINE,
        columns=whole_columns.slide_even_lists
        if special.graph.roots[0].range
        else whole_columns.slide_uneven_lists,
    )


def graph_blocks(special: Special) -> list[str]:
    """The part of the source that follows from the graph, which `explain` shows."""
    text = Text("aggregation graph", inline=_INLINE)
    text.take(_loop_of(special), "run", entry=True)
    return text.sources()


def _loop_of(special: Special) -> Callable[..., None]:
    """The loop for the form that a graph has."""
    roots, stored = special.graph.roots, special.stored_scans
    first, last = roots[0], roots[-1]
    if not first.range and first.same:
        return uneven_windows.run_differences
    if not first.range:
        return uneven_windows.run_stacks if stored else uneven_windows.run_uneven
    if len(roots) == 1 and not special.scans:
        return single_window.run_inputs
    if len(roots) == 1:
        return single_window.run_scans if stored else single_window.run_running
    if not stored:
        return few_windows.run_few
    if first.same:
        return long_laps.run_laps
    if first.shares != last.shares:  # they are ordered by range
        return short_laps.run_mixed
    return short_laps.run_shared if last.shares else short_laps.run_alone
