"""Assembles the kernel of a specialised graph.

Each part of a kernel stands for a part of the graph: a stored scan is an array
and the loop that fills it, one of which only the newest node is read is a running value
or, where several windows read it, a block of values; a window is a loop for each way in
which it can be read.  Laps, ranges and slides are arguments (`loops/__init__.py`):
graphs of the same form share one compiled kernel.
"""

from __future__ import annotations

from collections.abc import Callable

from windrow.kernels import Assembly, Product, Text

from .graph import ScanKind
from .loops import (
    few_windows,
    long_laps,
    short_laps,
    single_window,
    uneven_windows,
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
    )


def graph_text(special: Special, product: Product, leaf: str) -> str:
    """The source text of a graph's kernel."""
    return graph_assembly(special, product, leaf).text().render()


def graph_blocks(special: Special) -> list[str]:
    """The part of the source that follows from the graph, which `explain` shows."""
    text = Text("aggregation graph", inline=_INLINE)
    text.take(_loop_of(special), "run", entry=True)
    return text.sources()


def _loop_of(special: Special) -> Callable[..., None]:
    """The loop for the form that a graph has."""
    roots = special.graph.roots
    if not roots[0].range:
        return _uneven_loop(special)
    if len(roots) == 1:
        return _lone_loop(special)
    if not special.stored_scans:
        return few_windows.run_few
    return long_laps.run_laps if roots[0].same else _short_loop(special)


def _lone_loop(special: Special) -> Callable[..., None]:
    """The loop for one window: by scans, by a running value, or by inputs."""
    if special.stored_scans:
        return single_window.run_scans
    if special.scans:
        return single_window.run_running
    return single_window.run_inputs


def _short_loop(special: Special) -> Callable[..., None]:
    """The loop for windows that share scans in short laps, or some that do not."""
    shares = {
        any(term.family.kind == ScanKind.TOTAL for term in root.last)
        for root in special.graph.roots
    }
    if shares == {True, False}:
        return short_laps.run_mixed
    return short_laps.run_shared if True in shares else short_laps.run_alone


def _uneven_loop(special: Special) -> Callable[..., None]:
    if special.graph.roots[0].same:
        return uneven_windows.run_differences
    if special.stored_scans:
        return uneven_windows.run_stacks
    return uneven_windows.run_uneven


__all__ = ["graph_assembly", "graph_blocks", "graph_text"]
