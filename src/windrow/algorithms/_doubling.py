"""Slides windows over whole columns, without a compiler: doubling.

    table 0 [i]       slice i
    table b + 1 [i]   table b [i] . table b [i + 2**b]       2 ** (b + 1) slices

    a window of 13 = 1 + 4 + 8 slices
                      |s|. . . .|. . . . . . . . |
                       table 0   table 2   table 3         lowest bit first

Each table is one `combine` of whole columns, and so is each set bit of all windows'
lengths: log2(length) calls, whatever the number of windows, in stream order.  Windows
are taken in blocks whose tables stay in the processor's cache; which block a window is
in follows from its bounds alone, so that results are the same wherever they are made.

`slide_even`, `slide_bounds`, `slide_numbers` and `slide_back` take the calls of the
drivers in `_kernel.py`, `_cursor.py` and `_back.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    emit,
    leaf,
    load,
    store,
)
from windrow.loops import ordinals
from windrow.windows import find_frames, list_stretches

ROWS = 8192  # of a block, at least: a few columns of partials fit the cache
WINDOWS = 32768  # of a block, at most


def slide_bounds(source, bounds, widest, chunk, out):
    """Windows whose bounds are arrays."""
    slide_columns(source, bounds[0], bounds[1], widest, out)


def slide_even(source, firsts, lasts, width, step, lead, trail, widest, chunk, out):
    """Windows of `width` slices, each `step` on, within each run of slices."""
    bases, least = firsts - (width - 1) if lead else firsts, 1 if trail else width
    counts = np.where(lasts > firsts, (lasts - bases - least) // step + 1, 0)
    counts = np.maximum(counts, 0)
    begins = np.repeat(bases, counts) + ordinals(counts) * step
    starts = np.maximum(begins, np.repeat(firsts, counts)) if lead else begins
    stops = np.minimum(begins + width, np.repeat(lasts, counts))
    slide_columns(source, starts, stops, width, out)


def slide_numbers(source, oldest, newest, firsts, lasts, widest, chunk, out):
    """Windows of slices of which slice j lies in windows oldest[j] to newest[j].

    Windows that hold the same slices are answered once (6.7M windows of 460,000 slices,
    a row every ten slides: 0.8 s one by one).
    """
    starts, stops, _, counts = list_stretches(oldest, newest, firsts, lasts)
    own = tuple(np.empty(len(counts), array.dtype) for array in out[:-1])
    slide_columns(source, starts, stops, widest, own)
    for array, results in zip(out[:-1], own, strict=True):  # behind them are marks
        array[:] = np.repeat(results, counts)


def slide_back(source, times, runs, asks, frames, far, near, most, marks, chunk, out):
    """Frames of the rows of runs at [ask + far, ask + near), for asks in order."""
    starts, stops = find_frames(times, runs, asks, frames, far, near, most)
    slide_columns(source, starts, stops, (stops - starts).max(initial=1), out)


def slide_columns(source, starts, stops, widest, out):
    """Answer the windows [starts[i], stops[i]) of slices, block by block."""
    for low, high in blocks(stops, widest):
        double(source, starts[low:high], stops[low:high], low, out)


def blocks(stops, widest):
    """Bounds of blocks of windows, by the slices at which they stop."""
    rows = max(ROWS, 2 * widest)
    marks = np.arange(rows, (stops[-1] if len(stops) else 0) + 1, rows)
    cuts = np.searchsorted(stops, marks, side="right")
    cuts = np.concatenate([[0], cuts, [len(stops)]])
    for k in range(1, len(cuts)):
        for at in range(cuts[k - 1], cuts[k], WINDOWS):
            yield at, min(at + WINDOWS, cuts[k])


def double(source, starts, stops, at, out):
    """Answer one block: its first window is number `at`."""
    count = len(starts)
    lengths = np.maximum(stops - starts, 0)
    longest = lengths.max()
    first = min(starts.min(), stops.min())
    room = stops.max() - first
    table = allocate(room)
    store(table, slice(0, room), leaf(source, slice(first, first + room)))
    partial = allocate(count)
    store(partial, slice(0, count), IDENTITY)
    places, step = starts - first, 1
    while step <= longest:
        chosen: Any = np.flatnonzero(lengths & step)
        if len(chosen) == count:
            chosen = slice(0, count)
        newer = load(table, places[chosen])
        store(partial, chosen, combine(load(partial, chosen), newer))
        places[chosen] += step
        room -= step
        if 2 * step <= longest:
            older, newer = slice(0, room), slice(step, step + room)
            store(table, older, combine(load(table, older), load(table, newer)))
        step *= 2
    emit(out, slice(at, at + count), partial)
