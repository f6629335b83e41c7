"""Time windows by arrays of bounds, as version 0.1 had them: a plain way to beat.

    rows of a key     t0 t1 . t2 ...
    edges             0  1    2 ...            slices of `slide`, where these hold a row
    starts, stops     [0 0 1 ..] [1 2 2 ..]    in slices, written for every window;
                                               then in rows, looked up in the edges
    kernel            two_stacks_lite over these, each window in its turn
    begins, ends      columns of their own, and keys repeated and taken, by numpy

So did 0.1 where most slices hold one row; the kernel is today's for bounds in arrays.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit

from windrow.algorithms import find, slide_arrays

from .answers import Array
from .kernels import product


@njit(error_model="numpy", nogil=True)
def _sort(keys, at, values, firsts, times, sorted_values):
    """Rows of key k stand from firsts[k] on, in the order in which they came."""
    for key in keys:
        firsts[key + 1] += 1
    for k in range(1, len(firsts)):
        firsts[k] += firsts[k - 1]
    place = firsts[:-1].copy()
    for i in range(len(keys)):
        j = place[keys[i]]
        place[keys[i]] = j + 1
        times[j], sorted_values[j] = at[i], values[i]


@njit(error_model="numpy", nogil=True)
def _cut(times, firsts, slide, edges, runs):
    """Where slices begin, key by key; how many there are."""
    slices = 0
    for k in range(len(firsts) - 1):
        runs[k] = slices
        for i in range(firsts[k], firsts[k + 1]):
            if i == firsts[k] or times[i] // slide != times[i - 1] // slide:
                edges[slices] = i
                slices += 1
    runs[len(firsts) - 1] = slices
    edges[slices] = len(times)
    return slices


@njit(error_model="numpy", nogil=True)
def _frames(times, edges, runs, range_, slide, starts, stops, begins, counts):
    """Count windows that hold a row, key by key; fill the arrays if they have room."""
    at = 0
    for k in range(len(counts)):
        base, end = runs[k], runs[k + 1]
        begun, low, high = at, base, base
        window = np.int64(0)
        for j in range(base, end):
            time = times[edges[j]]
            least = (time - range_) // slide + 1
            window = least if j == base else max(window, least)
            last = time // slide
            while window <= last:
                begin = window * slide
                window += 1
                if len(starts) > 0:
                    while low < end and times[edges[low]] < begin:
                        low += 1
                    high = max(high, low)
                    while high < end and times[edges[high]] < begin + range_:
                        high += 1
                    starts[at], stops[at], begins[at] = low, high, begin
                at += 1
        counts[k] = at - begun
    return at


def aggregate(
    aggregate: str, keys: Array, at: Array, values: Array, range_: int, slide: int
) -> pa.Table:
    """Windows of whole-number keys from 0 on: what `wr.aggregate` gives, row by row.

    Rows come in the order of their times, which are microseconds.
    """
    firsts = np.zeros(int(keys.max()) + 2, np.int64)
    edges, runs = np.empty(len(at) + 1, np.int64), np.empty_like(firsts)
    times, sorted_values = np.empty_like(at), np.empty_like(values)
    _sort(keys, at, values, firsts, times, sorted_values)
    edges = edges[: _cut(times, firsts, slide, edges, runs) + 1]
    counts, none = np.zeros(len(runs) - 1, np.int64), np.empty(0, np.int64)
    total = _frames(times, edges, runs, range_, slide, none, none, none, counts)
    starts, stops, begins = (np.empty(total, np.int64) for _ in range(3))
    _frames(times, edges, runs, range_, slide, starts, stops, begins, counts)
    (out,) = slide_arrays(
        find("two_stacks_lite"),
        product(aggregate, values),
        (sorted_values,),
        edges[starts],
        edges[stops],
    )
    run = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return pa.table(
        {
            "key": pa.array(np.arange(len(counts))).take(pa.array(run)),
            "window": _windows(begins, begins + range_),
            "r": out,
        }
    )


def _windows(begins: Array, ends: Array) -> Any:
    sides = [pa.array(side).view(pa.timestamp("us")) for side in (begins, ends)]
    return pa.StructArray.from_arrays(sides, names=["start", "end"])
