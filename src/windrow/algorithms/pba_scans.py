"""PBA taken apart, for windows whose slices come in steps and whose state is kept.

    slices in a chunk      a    b    c    d
    csa (prefix scan)      a    ab   abc  abcd          grows as slices come
    lcs (suffix scan)      bcd  cd   d    .             what is left once a slice left

    window == lcs of its first chunk . total of the next . csa of the last

The two scans run over stretches of slices, the merge over triples of places in one
set of arrays.  The suffix at a slice is that of the slices after it: it takes the
place of the chunk's partial when that slice leaves the window.
"""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from windrow.kernels import (
    ENTRY,
    Product,
    Text,
    add_emit,
    add_loaded_leaf,
    add_partial,
    arrays,
    is_interpreting,
    kernel,
    telling_lines,
    titles,
    user_functions,
)

Array = np.ndarray[Any, Any]
Fields = tuple[Array, ...]

_PREFIX = """
{entry}
def run(source, rows, firsts, lasts, carries, out):
    for k in range(len(firsts)):
        some = carries[k] >= 0
        partial = leaf(source, carries[k]) if some else IDENTITY
        for i in range(firsts[k], lasts[k]):
            one = leaf(source, peek(rows, i))
            partial = combine(partial, one) if some else one
            some = True
            store(out, i, partial)
"""

_SUFFIX = """
{entry}
def run(source, rows, firsts, lasts, carries, out):
    for k in range(len(firsts)):
        some = carries[k] >= 0
        partial = leaf(source, carries[k]) if some else IDENTITY
        for i in range(lasts[k] - 1, firsts[k] - 1, -1):
            store(out, i, partial)
            one = leaf(source, peek(rows, i))
            partial = combine(one, partial) if some else one
            some = True
        store(out, len(rows) + k, partial)
"""

_MERGE = """
{entry}
def run(source, oldest, middle, newest, out):
    for i in range(len(oldest)):
        a, b, c = peek(oldest, i), peek(middle, i), peek(newest, i)
        partial = IDENTITY
        if a >= 0:
            partial = leaf(source, a)
            if b >= 0:
                partial = combine(partial, leaf(source, b))
            if c >= 0:
                partial = combine(partial, leaf(source, c))
        elif b >= 0:
            partial = leaf(source, b)
            if c >= 0:
                partial = combine(partial, leaf(source, c))
        elif c >= 0:
            partial = leaf(source, c)
        emit(out, i, partial)
"""

_RUNS = {
    "csa, slices so far": _PREFIX,
    "lcs, slices after": _SUFFIX,
    "at most three partials merged": _MERGE,
}
PREFIX, SUFFIX, MERGE = _RUNS


def prefix_scan(
    product: Product,
    source: Fields,
    rows: Array,
    firsts: Array,
    lasts: Array,
    carries: Array,
) -> Fields:
    """csa: at i of run k, carry + row[first] + ... + row[i]; a carry of -1 is none."""
    out = arrays(product.dtypes, len(rows))
    _run(product, PREFIX, (source, rows, firsts, lasts, carries, out))
    return out


def suffix_scan(
    product: Product,
    source: Fields,
    rows: Array,
    firsts: Array,
    lasts: Array,
    carries: Array,
) -> tuple[Fields, Fields]:
    """lcs: at i of run k, row[i + 1] + ... + carry; then the whole of each run."""
    out = arrays(product.dtypes, len(rows) + len(firsts))
    _run(product, SUFFIX, (source, rows, firsts, lasts, carries, out))
    inner = tuple(field[: len(rows)] for field in out)
    return inner, tuple(field[len(rows) :] for field in out)


def merge(
    product: Product, source: Fields, oldest: Array, middle: Array, newest: Array
) -> Fields:
    """Windows from at most three partials each, lowered; -1 is none."""
    out = arrays(product.out_dtypes, len(oldest))
    _run(product, MERGE, (source, oldest, middle, newest, out))
    return out


def _run(product: Product, name: str, given: tuple[Any, ...]) -> None:
    def run() -> None:
        _compiled(product, name, is_interpreting()).run(*given)

    telling_lines(product.has_users, run)


@lru_cache(maxsize=256)
def _compiled(product: Product, name: str, plain: bool) -> ModuleType:
    text = Text(f"{name}: {titles(product.outputs)}.")
    add_partial(text, product)
    add_loaded_leaf(text, product)
    if name == MERGE:
        add_emit(text, product, tail=False)
    text.add(_RUNS[name].format(entry=ENTRY))
    users = user_functions(product, compiled=not plain)
    return kernel(text.render(), users, interpreted=plain)


__all__ = ["merge", "prefix_scan", "suffix_scan"]
