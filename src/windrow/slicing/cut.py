"""Cutting rows into slices: where each slice begins, run by run.

    rows    t0 t1 | t2 | t3 t4 t5 | ...        | an edge lies between two rows
    edges   0       2    3          6

Only slices that hold a row exist, so a gap of years costs nothing.  Between two
edges a row costs one comparison; the next edge is computed once a slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from windrow._compiled import compiled

from ._slicer import Comb

Array = np.ndarray[Any, Any]


@compiled
def _next_edge(time, periods, phases):  # type: ignore[no-untyped-def]
    least = time - (time - phases[0]) % periods[0] + periods[0]
    for k in range(1, len(periods)):
        edge = time - (time - phases[k]) % periods[k] + periods[k]
        least = min(least, edge)
    return least


@compiled
def _cut_times(times, firsts, lasts, periods, phases, edges, runs):  # type: ignore[no-untyped-def]
    """The number of slices; fills `edges` and `runs` if they have room."""
    slices = 0
    for k in range(len(firsts)):
        if len(runs) > 0:
            runs[k] = slices
        edge = np.int64(0)
        for i in range(firsts[k], lasts[k]):
            if i == firsts[k] or times[i] >= edge:
                edge = _next_edge(times[i], periods, phases)
                if len(edges) > 0:
                    edges[slices] = i
                slices += 1
    if len(runs) > 0:
        runs[len(firsts)] = slices
    return slices


@compiled
def _cut_positions(firsts, lasts, periods, phases, edges, runs):  # type: ignore[no-untyped-def]
    """The same where a row's time is its position within the run."""
    slices = 0
    for k in range(len(firsts)):
        if len(runs) > 0:
            runs[k] = slices
        i = firsts[k]
        while i < lasts[k]:
            if len(edges) > 0:
                edges[slices] = i
            slices += 1
            i = firsts[k] + _next_edge(i - firsts[k], periods, phases)
    if len(runs) > 0:
        runs[len(firsts)] = slices
    return slices


def cut(
    times: Array | None, firsts: Array, lasts: Array, combs: Sequence[Comb]
) -> tuple[Array, Array]:
    """Slice edges in rows (one more than slices) and run bounds in slices.

    `times` are non-decreasing within each run [first, last) of rows, and the runs
    stand one behind the other; without times, a row's time is its position.  Slice j
    is rows [edges[j], edges[j + 1]); run k is slices [runs[k], runs[k + 1]).
    """
    periods = np.array([comb.period for comb in combs], np.int64)
    phases = np.array([comb.phase for comb in combs], np.int64)
    empty = np.empty(0, np.int64)

    def fill(edges: Array, runs: Array) -> int:
        if times is None:
            return int(_cut_positions(firsts, lasts, periods, phases, edges, runs))
        return int(_cut_times(times, firsts, lasts, periods, phases, edges, runs))

    slices = fill(empty, empty)
    edges = np.empty(slices + 1, np.int64)
    runs = np.empty(len(firsts) + 1, np.int64)
    fill(edges, runs)
    edges[slices] = lasts[-1] if len(lasts) else 0
    return edges, runs


def slice_begins(times: Array, combs: Sequence[Comb]) -> Array:
    """Where the slice of each instant begins: the last edge at or before it.

    >>> slice_begins(np.array([3, 4, 9]), [Comb(4, 0), Comb(4, 2)])
    array([2, 4, 8])
    """
    edges = [times - (times - comb.phase) % comb.period for comb in combs]
    begins: Array = np.max(edges, axis=0)
    return begins


def slice_ends(times: Array, combs: Sequence[Comb]) -> Array:
    """Where the slice of each instant ends: the first edge after it.

    >>> slice_ends(np.array([3, 4, 9]), [Comb(4, 0), Comb(4, 2)])
    array([ 4,  6, 10])
    """
    edges = [times - (times - comb.phase) % comb.period + comb.period for comb in combs]
    ends: Array = np.min(edges, axis=0)
    return ends
