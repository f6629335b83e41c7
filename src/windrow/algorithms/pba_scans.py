"""Takes PBA apart, for windows whose slices come in steps.

    slices in a chunk      a    b    c    d
    csa (prefix scan)      a    ab   abc  abcd          grows as slices come
    lcs (suffix scan)      bcd  cd   d    .             what is left once a slice left

    window == lcs of its first chunk . total of the next . csa of the last

The two scans run over stretches of slices, the merge over triples of places in one
set of arrays.  The suffix at a slice is that of the slices after it: it takes the
place of the chunk's partial when that slice leaves the window.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windrow.kernels import Assembly, Product, run_each
from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    choose,
    combine,
    emit,
    leaf,
    load,
    peek,
    store,
)
from windrow.loops import arrays

Array = np.ndarray[Any, Any]
Fields = tuple[Array, ...]


def run_prefixes(source, rows, firsts, lasts, carries, out):
    for k in range(len(firsts)):
        some = carries[k] >= 0
        prefix = IDENTITY
        if some:
            prefix = leaf(source, carries[k])
        for i in range(firsts[k], lasts[k]):
            newest = leaf(source, peek(rows, i))
            if some:
                prefix = combine(prefix, newest)
            else:
                prefix = newest
            some = True
            store(out, i, prefix)


def run_suffixes(source, rows, firsts, lasts, carries, out):
    for k in range(len(firsts)):
        some = carries[k] >= 0
        suffix = IDENTITY
        if some:
            suffix = leaf(source, carries[k])
        for i in range(lasts[k] - 1, firsts[k] - 1, -1):
            store(out, i, suffix)
            oldest = leaf(source, peek(rows, i))
            if some:
                suffix = combine(oldest, suffix)
            else:
                suffix = oldest
            some = True
        store(out, len(rows) + k, suffix)


def run_merge(source, oldest, middle, newest, out):
    for i in range(len(oldest)):
        some = False
        partial = IDENTITY
        for place in (peek(oldest, i), peek(middle, i), peek(newest, i)):
            if place >= 0:
                newer = leaf(source, place)
                if some:
                    partial = combine(partial, newer)
                else:
                    partial = newer
                some = True
        emit(out, i, partial)


def columns_of_prefixes(source, rows, firsts, lasts, carries, out):
    """All runs side by side, from each run's first slice on."""
    prefix = load_some(source, carries)
    some = carries >= 0
    for nth in range((lasts - firsts).max(initial=0)):
        runs = np.flatnonzero(firsts + nth < lasts)
        places = firsts[runs] + nth
        newest = leaf(source, rows[places])
        newest = choose(some[runs], combine(load(prefix, runs), newest), newest)
        store(prefix, runs, newest)
        store(out, places, newest)
        some[runs] = True


def columns_of_suffixes(source, rows, firsts, lasts, carries, out):
    """All runs side by side, from each run's last slice back."""
    suffix = load_some(source, carries)
    some = carries >= 0
    for nth in range((lasts - firsts).max(initial=0)):
        runs = np.flatnonzero(lasts - nth > firsts)
        places = lasts[runs] - 1 - nth
        before = load(suffix, runs)
        store(out, places, before)
        oldest = leaf(source, rows[places])
        store(suffix, runs, choose(some[runs], combine(oldest, before), oldest))
        some[runs] = True
    store(out, slice(len(rows), len(rows) + len(firsts)), suffix)


def columns_of_merge(source, oldest, middle, newest, out):
    """All windows side by side."""
    partial, some = load_some(source, oldest), oldest >= 0
    for places in (middle, newest):
        newer = load_some(source, places)
        both = choose(some, combine(partial, newer), newer)
        partial = choose(places >= 0, both, partial)
        some = some | (places >= 0)
    emit(out, slice(0, len(oldest)), partial)


def load_some(source, places):
    """The partials at those places; the identity where a place is -1."""
    partial = allocate(len(places))
    store(partial, slice(0, len(places)), IDENTITY)
    some = np.flatnonzero(places >= 0)
    store(partial, some, leaf(source, places[some]))
    return partial


def prefix_scan(
    product: Product,
    source: Fields,
    rows: Array,
    firsts: Array,
    lasts: Array,
    carries: Array,
) -> Fields:
    """csa: at i of run k, carry + row[first] + ... + row[i]; a carry of -1 is none."""

    def scan(one: Product, own: Fields) -> Fields:
        out = arrays(one.dtypes, len(rows))
        loop = _assembly(one, run_prefixes, columns_of_prefixes, "csa, slices so far")
        loop.run(own, rows, firsts, lasts, carries, out)
        return out

    return run_each(product, source, scan)


def suffix_scan(
    product: Product,
    source: Fields,
    rows: Array,
    firsts: Array,
    lasts: Array,
    carries: Array,
) -> tuple[Fields, Fields]:
    """lcs: at i of run k, row[i + 1] + ... + carry; then the whole of each run."""

    def scan(one: Product, own: Fields) -> Fields:
        out = arrays(one.dtypes, len(rows) + len(firsts))
        loop = _assembly(one, run_suffixes, columns_of_suffixes, "lcs, slices after")
        loop.run(own, rows, firsts, lasts, carries, out)
        return out

    out = run_each(product, source, scan)
    inner = tuple(field[: len(rows)] for field in out)
    return inner, tuple(field[len(rows) :] for field in out)


def merge(
    product: Product, source: Fields, oldest: Array, middle: Array, newest: Array
) -> Fields:
    """Windows from at most three partials each, lowered; -1 is none."""

    def run(one: Product, own: Fields) -> Fields:
        out = arrays(one.out_dtypes, len(oldest))
        what = "at most three partials merged"
        kernel = _assembly(one, run_merge, columns_of_merge, what, "results")
        kernel.run(own, oldest, middle, newest, out)
        return out

    return run_each(product, source, run)


def _assembly(
    product: Product,
    run: Callable[..., None],
    columns: Callable[..., None],
    what: str,
    emit: str | None = None,
) -> Assembly:
    return Assembly(
        what=what,
        product=product,
        leaf="slices",
        emit=emit,
        entries=(("run", run),),
        columns=columns,
    )
