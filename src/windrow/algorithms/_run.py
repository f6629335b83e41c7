"""Runs an algorithm over windows: even, by numbers, by instants, by arrays of bounds.

All give one array per entry of `product.out_dtypes`.  The source is a tuple of
columns (then of validity arrays) for `leaf="rows"`, or of the product's fields
for `leaf="slices"`.  `tails` are partials, one per window, combined on at the
young end.  `chunk` is the chunk size of those algorithms that have one; 0 lets
them choose.  `lane` None leaves it open whether the algorithm runs, compiled, or the
windows are answered over whole columns for now.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.kernels import Product
from windrow.loops import Lane, arrays, run_with_user_lines
from windrow.windows import WindowNumbers

from ._algorithm import Algorithm
from ._back import CURSORS
from ._cursor import MARKS
from ._kernel import Shape, kernel_assembly

Array = np.ndarray[Any, Any]


def count_regular(
    firsts: Array, lasts: Array, width: int, step: int, lead: bool, trail: bool = False
) -> int:
    """How many windows `slide_regular` answers over those runs of slices."""
    lengths = lasts - firsts
    around = (width - 1) * (int(lead) + int(trail))
    counts = np.maximum((lengths + around - width) // step + 1, 0)
    return int(counts[lengths > 0].sum())


def slide_regular(
    algorithm: Algorithm,
    product: Product,
    source: tuple[Array, ...],
    firsts: Array,
    lasts: Array,
    width: int,
    step: int = 1,
    *,
    leaf: str = "rows",
    lead: bool = False,
    trail: bool = False,
    tails: tuple[Array, ...] = (),
    chunk: int = 0,
    lane: Lane | None = Lane.COMPILED,
    out: tuple[Array, ...] = (),
) -> tuple[Array, ...]:
    """Windows of `width` slices, each `step` on, within each run [first, last).

    With `lead` (and step 1) the windows before the first complete one come too,
    clipped at the run's first slice: one window per slice.  With `trail` those after
    the last come, clipped at the run's end.  Results are written to `out` if it is
    given.
    """
    windows = count_regular(firsts, lasts, width, step, lead, trail)
    out = out or arrays(product.out_dtypes, windows)
    fast = algorithm.stride is not None and step == 1
    shape = Shape(leaf, "regular", bool(tails), fast)
    longest = int((lasts - firsts).max(initial=0))
    widest = min(width, longest) if not fast else width
    arguments = (source, firsts, lasts, width, step, lead, trail, max(widest, 1), chunk)
    _run(algorithm, product, shape, (*arguments, out + tails), lane)
    return out


def slide_numbers(
    algorithm: Algorithm,
    product: Product,
    source: tuple[Array, ...],
    windows: WindowNumbers,
    *,
    leaf: str = "rows",
    chunk: int = 0,
    lane: Lane | None = Lane.COMPILED,
) -> tuple[Array, ...]:
    """Every window that holds a slice, from the windows that each slice lies in."""
    out = arrays(product.out_dtypes, int(windows.counts.sum()))
    shape = Shape(leaf, "numbers")
    numbers = windows.oldest, windows.newest, windows.firsts, windows.lasts
    marks = (np.empty(MARKS, np.int64),)
    arguments = (source, *numbers, windows.widest, chunk, out + marks)
    _run(algorithm, product, shape, arguments, lane)
    return out


def slide_back(
    algorithm: Algorithm,
    product: Product,
    source: tuple[Array, ...],
    times: Array,
    runs: tuple[Array, Array],
    asks: Array,
    frames: tuple[Array, Array],
    interval: tuple[int, int],
    *,
    most: int = 0,
    chunk: int = 0,
    lane: Lane | None = Lane.COMPILED,
) -> tuple[Array, ...]:
    """For each instant of asks, the rows of its run at [ask + far, ask + near).

    `runs` and `frames` are the firsts and lasts of rows and of asks, run by run;
    both rise within a run, and every ask is in one.  With `most`, the last so many
    rows before ask + near, however old.
    """
    out = arrays(product.out_dtypes, len(asks))
    marks = np.empty(CURSORS, np.int64)
    frame = (*interval, most)
    arguments = (source, times, runs, asks, frames, *frame, marks, chunk, out)
    _run(algorithm, product, Shape("rows", "back"), arguments, lane)
    return out


def slide_arrays(
    algorithm: Algorithm,
    product: Product,
    source: tuple[Array, ...],
    starts: Array,
    stops: Array,
    *,
    leaf: str = "rows",
    keep: Array | None = None,
    query: Array | None = None,
    tails: tuple[Array, ...] = (),
    chunk: int = 0,
    raw: bool = False,
    lane: Lane | None = Lane.COMPILED,
) -> tuple[Array, ...]:
    """Window i covers slices [starts[i], stops[i]); stops never fall.

    With `keep` and `query`, windows of several ranges in one pass: `keep[i]` is
    the oldest start that window i or a later one needs, `query[i]` its range.
    With `raw` the windows' partials come out, one array per field.
    """
    out = arrays(product.dtypes if raw else product.out_dtypes, len(starts))
    many = keep is not None and query is not None
    bounds = (starts, stops, keep, query) if many else (starts, stops)
    widest = int((stops - (starts if keep is None else keep)).max(initial=1))
    shape = Shape(leaf, "many" if many else "arrays", bool(tails), raw=raw)
    arguments = (source, bounds, max(widest, 1), chunk, out + tails)
    _run(algorithm, product, shape, arguments, lane)
    return out


def _run(
    algorithm: Algorithm,
    product: Product,
    shape: Shape,
    arguments: tuple[Any, ...],
    lane: Lane | None,
) -> None:
    assembly = kernel_assembly(algorithm, product, shape)
    arguments = assembly.given(arguments)
    in_columns = assembly.lane(arguments, lane) is Lane.COLUMNS
    if in_columns and assembly.run_columns(*arguments):
        return

    def run() -> None:
        kernel = assembly.module()
        if algorithm.conduct is None:
            kernel.run(*arguments)
        else:
            algorithm.conduct(kernel, *arguments)

    run_with_user_lines(product.has_users, run)
