"""Assembles the kernel of an algorithm and a product.

A kernel differs by where partials come from (`rows`, lifted in the loop, or
`slices`), by whether a tail partial is added to each window (Cutty), by whether
results are lowered or come out as partials (`raw`: sashes, which are merged further),
and by how bounds are read:

    regular     (base, width, step, first, last): window i covers `width` slices from
                base + i * step on, as far as they lie in the run [first, last)
    arrays      (starts, stops)
    many        (starts, stops, keep, query): windows of several ranges in one pass
    numbers     (oldest, newest) windows of each slice, walked by cursors: `_cursor.py`
    back        (far, near) of instants, walked by cursors over times: `_back.py`

A driver walks the runs, which are the slices [first, last) of one key, and lets the
algorithm answer the windows of each.  `lead` asks for the windows before the first
complete one too, each clipped at the run's first slice, which is what `over` needs, and
`trail` for those after the last, clipped at its end: with both, every window that holds
a slice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from windrow._later import dataclass
from windrow.aggregates import Law
from windrow.kernels import Assembly, Named, Product
from windrow.kernels.vocabulary import (
    IDENTITY,
    combine,
    emit,
    leaf,
    peek,
    prepare,
    slide,
    stage,
    stride,
)

from ._algorithm import Algorithm
from ._back import back_start, back_stop, run_back
from ._cursor import FROM, UPTO, number_start, number_stop, run_numbers
from ._doubling import slide_back, slide_bounds, slide_even, slide_numbers
from ._parts import by_parts, slide_ranges, slide_steps


def regular_start(bounds, i):
    return max(bounds[0] + i * bounds[2], bounds[3])


def regular_stop(bounds, i):
    return min(bounds[0] + i * bounds[2] + bounds[1], bounds[4])


def array_start(bounds, i):
    return peek(bounds[0], i)


def array_stop(bounds, i):
    return peek(bounds[1], i)


def array_keep(bounds, i):
    return peek(bounds[2], i)


def array_query(bounds, i):
    return peek(bounds[3], i)


def only_query(bounds, i):
    return 0


def any_order():
    return True


def stream_order():
    return False


_BOUNDS = {  # start_of, stop_of, keep_of, query_of
    "regular": (regular_start, regular_stop, regular_start, only_query),
    "arrays": (array_start, array_stop, array_start, only_query),
    "many": (array_start, array_stop, array_keep, array_query),
    "numbers": (number_start, number_stop, number_start, only_query),
    "back": (back_start, back_stop, back_start, only_query),
}


def run_arrays(source, bounds, widest, chunk, out):
    """Windows whose bounds are arrays."""
    slide(source, bounds, len(bounds[0]), np.int64(0), prepare(widest, chunk), out)


def run_regular(source, firsts, lasts, width, step, lead, trail, widest, chunk, out):
    """Windows of `width` slices, each `step` on."""
    scratch = prepare(widest, chunk)
    at = np.int64(0)
    for k in range(len(firsts)):
        first, last = firsts[k], lasts[k]
        base = first - (width - 1) if lead else first
        count = (last - base - (1 if trail else width)) // step + 1
        if count <= 0 or first == last:
            continue
        slide(source, (base, width, step, first, last), count, at, scratch, out)
        at += count


def run_stride(source, firsts, lasts, width, step, lead, trail, widest, chunk, out):
    """Windows of `width` slices, each one slice on: the fast path."""
    scratch = stage(widest, chunk)
    at = np.int64(0)
    for k in range(len(firsts)):
        first, last = firsts[k], lasts[k]
        count = last - first - width + 1
        prefix = suffix = IDENTITY
        if lead:
            for i in range(first, min(first + width - 1, last)):
                prefix = combine(prefix, leaf(source, i))
                emit(out, at, prefix)
                at += 1
        if count > 0:
            stride(source, first, count, width, at, scratch, out)
            at += count
        elif lead and trail and first < last:
            for _ in range(1 - count):  # the whole run, which is shorter than a window
                emit(out, at, prefix)
                at += 1
            first += 1
        if trail:
            tails = min(last - first, width - 1)
            for i in range(1, tails + 1):
                suffix = combine(leaf(source, last - i), suffix)
                emit(out, at + tails - i, suffix)
            at += tails


_DRIVERS: dict[str, Any] = {
    "regular": run_regular,
    "numbers": run_numbers,
    "back": run_back,
}
_COLUMNS: dict[str, Any] = {
    "regular": slide_even,
    "numbers": slide_numbers,
    "back": slide_back,
}


@dataclass(frozen=True)
class Shape:
    """Which of the kernels of an algorithm and a product."""

    leaf: str = "rows"
    bounds: str = "arrays"
    tail: bool = False
    fast: bool = False
    raw: bool = False

    def __str__(self) -> str:
        tails = ", with tails" if self.tail else ""
        partials = ", partials out" if self.raw else ""
        return f"{self.bounds} bounds over {self.leaf}{tails}{partials}"


@lru_cache(maxsize=512)
def kernel_assembly(algorithm: Algorithm, product: Product, shape: Shape) -> Assembly:
    """What the kernel is made of; its `run` is the shape's driver."""
    driver: Callable[..., None] = run_stride
    words: dict[str, Any] = {"stage": algorithm.stage, "stride": algorithm.stride}
    words["commutes"] = any_order if Law.COMMUTATIVE in product.laws else stream_order
    entries = algorithm.stride_entries  # that `conduct` calls, beside `run`
    steps = algorithm.steps_for(product) if algorithm.by_parts(product) else None
    if not shape.fast:
        words = {"prepare": algorithm.prepare, "slide": algorithm.slide}
        names = ("start_of", "stop_of", "keep_of", "query_of")
        words |= zip(names, _BOUNDS[shape.bounds], strict=True)
        driver = _DRIVERS.get(shape.bounds, run_arrays)
        entries = algorithm.slide_entries if shape.bounds == "arrays" else ()
    parted: dict[str, Any] = {}
    if steps is not None:
        several = shape.bounds == "many"
        form = (several and steps.list_form) or steps
        del words["prepare"]
        words["slide"] = slide_ranges if several else slide_steps
        parted = by_parts(form)
    named: Named = tuple((function.__name__, function) for function in entries)
    return Assembly(
        **parted,
        what=f"{algorithm.name}, {shape}",
        product=product,
        leaf=shape.leaf,
        emit="partials" if shape.raw else "results",
        tails=shape.tail,
        tallies=shape.fast,
        words=tuple(words.items()),
        entries=(("run", driver), *named),
        columns=_COLUMNS.get(shape.bounds, slide_bounds),
        stretches=shape.bounds == "numbers",
        constants=(("FROM", FROM), ("UPTO", UPTO)) if shape.bounds == "numbers" else (),
    )


def kernel_text(algorithm: Algorithm, product: Product, shape: Shape) -> str:
    """The source of the kernel, as it is cached and shown."""
    return kernel_assembly(algorithm, product, shape).text().render()


def compile_kernel(algorithm: Algorithm, product: Product, shape: Shape) -> ModuleType:
    """The kernel, ready to be called: its `run` is the entry."""
    return kernel_assembly(algorithm, product, shape).module()
