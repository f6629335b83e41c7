r"""Folds rows where they stand into cells, one for each key and slice.

    slices        |   0   |   1   |   2   |      edges are instants
    key 0          .. .      .
    key 1             .           ..    .        cell = code of the key * slices + slice

No row is sorted or moved: the loop reads what it needs of a row, computes its cell, and
combines it on to what the cell holds.  `is_left_in` and `code_of` are generated for a
query, and may leave rows out.

Where association matters, rows of a cell are combined as `fold` does it, bit for bit:
the run under way is in `out`, and pairs of runs wait in levels of `stack`.

    cell     ........ ........ ........ ...        runs of 8
    stack    level 1: the first two     level 0: the third      out: the last
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow._later import dataclass
from windrow.kernels import Assembly, KeyText, Product
from windrow.kernels.vocabulary import (
    code_of,
    combine,
    is_left_in,
    leaf,
    load,
    peek,
    poke,
    row_at,
    store,
)
from windrow.loops import arrays
from windrow.loops.columns import read
from windrow.loops.sort import is_sorted, stable_order
from windrow.loops.text import defined_name

from .fold import RUN, fold_stretches

Array = np.ndarray[Any, Any]

START, STOP, SINCE, UNTIL = 0, 1, 2, 3  # rows and slices of a piece, in `bounds`
BLOCK, CHOSEN = 512, 4  # rows that are looked at together, and the first one's place
RUN_BITS = RUN.bit_length() - 1  # RUN is a power of two


def slice_of(edges, time):
    """The slice [edges[k], edges[k + 1]) of an instant."""
    low, high = np.int64(0), np.int64(len(edges) - 1)
    while high - low > 1:
        middle = (low + high) >> 1
        if read(edges, middle) <= time:
            low = middle
        else:
            high = middle
    return low


def choose_rows(source, bounds, start):
    """Write down which rows of a block are left in, without a branch; their number."""
    chosen = np.int64(0)
    for i in range(start, min(start + BLOCK, read(bounds, STOP))):
        poke(bounds, CHOSEN + chosen, i)
        chosen += np.int64(is_left_in(source, i))
    return chosen


def chosen_row(bounds, start, k):
    """The row that was written down k-th."""
    return peek(bounds, CHOSEN + k)


def all_rows(source, bounds, start):
    """The number of rows of a block: all are left in."""
    return min(BLOCK, read(bounds, STOP) - start)


def next_row(bounds, start, k):
    """Row k of a block."""
    return start + k


def run_cells(source, numbers, times, edges, bounds, counts, stack, out):
    """Combine each row on to its cell, one after the other."""
    slices = np.int64(len(edges) - 1)
    at, begin, end = np.int64(0), np.int64(0), np.int64(0)
    for start in range(read(bounds, START), read(bounds, STOP), BLOCK):
        for k in range(choose_rows(source, bounds, start)):
            i = row_at(bounds, start, k)
            code = code_of(source, numbers, i)
            if code >= 0:
                time = read(times, i)
                if time < begin or time >= end:
                    at = slice_of(edges, time)
                    begin, end = read(edges, at), read(edges, at + 1)
                cell = code * slices + at
                partial = leaf(source, i)
                if peek(counts, cell) > 0:
                    partial = combine(load(out, cell), partial)
                store(out, cell, partial)
                poke(counts, cell, peek(counts, cell) + 1)


def run_cells_in_runs(source, numbers, times, edges, bounds, counts, stack, out):
    """Combine rows in runs, and runs in pairs."""
    slices = np.int64(len(edges) - 1)
    at, begin, end = np.int64(0), np.int64(0), np.int64(0)
    for start in range(read(bounds, START), read(bounds, STOP), BLOCK):
        for k in range(choose_rows(source, bounds, start)):
            i = row_at(bounds, start, k)
            code = code_of(source, numbers, i)
            if code >= 0:
                time = read(times, i)
                if time < begin or time >= end:
                    at = slice_of(edges, time)
                    begin, end = read(edges, at), read(edges, at + 1)
                cell = code * slices + at
                rows = np.int64(peek(counts, cell))
                partial = leaf(source, i)
                if rows & (RUN - 1):
                    partial = combine(load(out, cell), partial)
                rows += 1
                poke(counts, cell, rows)
                if rows & (RUN - 1):
                    store(out, cell, partial)
                else:
                    push_run(stack, cell, len(counts), (rows >> RUN_BITS) - 1, partial)
    since, until = read(bounds, SINCE), read(bounds, UNTIL)
    for first in range(since, len(counts), slices or 1):
        for place in range(first, first + until - since):
            if peek(counts, place) >= RUN:
                store(out, place, whole_cell(stack, place, len(counts), counts, out))


def push_run(stack, cell, cells, runs, partial):
    """Put a run on the stack of a cell that holds so many; give its level."""
    level = np.int64(0)
    while runs & 1:
        partial = combine(load(stack, level * cells + cell), partial)
        level, runs = level + 1, runs >> 1
    store(stack, level * cells + cell, partial)
    return level


def whole_cell(stack, cell, cells, counts, out):
    """The partial of all runs of a cell, of which there is one on the stack."""
    rows = np.int64(peek(counts, cell))
    runs = rows >> RUN_BITS
    if rows & (RUN - 1):
        level = push_run(stack, cell, cells, runs, load(out, cell))
        runs += 1
    else:
        level, pairs = np.int64(0), runs
        while not pairs & 1:
            level, pairs = level + 1, pairs >> 1
    partial = load(stack, level * cells + cell)
    level, pairs = np.int64(0), runs & (runs - 1)
    while pairs:
        if pairs & 1:
            partial = combine(load(stack, level * cells + cell), partial)
        level, pairs = level + 1, pairs >> 1
    return partial


def columns_of_cells(source, numbers, times, edges, bounds, counts, stack, out):
    """Sort the numbers of cells by counting, and fold the rows of each."""
    start, stop = bounds[START], bounds[STOP]
    rows, some = np.arange(start, stop), slice(start, stop)
    left_in = is_left_in(source, some)
    if left_in is not True:
        some = rows = rows[np.broadcast_to(left_in, len(rows))]
    codes = np.broadcast_to(code_of(source, numbers, some), len(rows))
    if (codes < 0).any():
        rows = rows[codes >= 0]
        codes = codes[codes >= 0]
    own = times[rows]
    if is_sorted(own):
        at = np.repeat(np.arange(len(edges) - 1), np.diff(np.searchsorted(own, edges)))
    else:
        at = np.searchsorted(edges, own, side="right") - 1
    cells = codes.astype(np.int64) * (len(edges) - 1) + at
    if not is_sorted(cells):  # one key, in order of time, is
        order = stable_order(cells, len(counts))
        rows, cells = rows[order], cells[order]
    is_first = np.ones(len(cells), np.bool_)
    is_first[1:] = cells[1:] != cells[:-1]
    firsts = np.flatnonzero(is_first)
    lasts = np.append(firsts[1:], len(cells))[: len(firsts)]
    store(out, cells[firsts], fold_stretches(source, rows, firsts, lasts))
    counts[cells[firsts]] = lasts - firsts


@dataclass(frozen=True)
class CellRows:
    """Rows in no order, and how their keys are numbered (`windrow.kernels.codes`).

    Keys are read from `source`, behind the columns of the product, and `numbers`; rows
    for which the expression `left_in` or one of the `tests` is false are left out.
    `computed` are the texts of slots that stand for no column; texts may call the
    `functions`.
    """

    source: tuple[Array, ...]
    numbers: Array
    times: Array
    keys: tuple[KeyText, ...]
    left_in: str | None = None
    tests: tuple[str, ...] = ()
    computed: tuple[tuple[int, str], ...] = ()
    functions: tuple[str, ...] = ()


@dataclass(frozen=True)
class CellTable:
    """The rows of each cell, and the partial of those that have any."""

    counts: Array
    partials: tuple[Array, ...]

    @staticmethod
    def levels(rows: int) -> int:
        """How many levels the stack of a cell has that may hold so many rows."""
        return (rows // RUN).bit_length() + 1


def fold_cells(
    product: Product, rows: CellRows, edges: Array, keys: int, pieces: list[slice]
) -> tuple[CellTable, list[Any]]:
    """Room for the cells, and the work that folds each piece of the rows into it.

    Pieces must have no slice in common.
    """
    in_runs = not product.is_lattice
    slices = len(edges) - 1
    counts, *partials = arrays(("int32", *product.dtypes), keys * slices)
    counts.fill(0)
    cells = CellTable(counts, tuple(partials))
    levels = CellTable.levels(len(rows.times)) if in_runs else 0
    stack = tuple(np.empty(levels * keys * slices, d) for d in product.dtypes)
    choose, row = (choose_rows, chosen_row) if rows.left_in else (all_rows, next_row)
    kernel = Assembly(
        what="rows folded into cells",
        product=product,
        emit=None,
        entries=(("run", run_cells_in_runs if in_runs else run_cells),),
        columns=columns_of_cells,
        words=(("choose_rows", choose), ("row_at", row)),
        alike=True,
        computed=rows.computed,
        generated=(
            *rows.functions,
            KeyText.is_left_in(rows.left_in),
            KeyText.code_of(rows.keys, rows.tests),
        ),
        inline=(
            *map(defined_name, rows.functions),
            "is_left_in",
            "code_of",
            "push_run",
        ),
        allocates=False,
    )

    def work(piece: slice) -> Any:
        ends = [0, slices]
        if len(pieces) > 1:
            times = rows.times[[piece.start, piece.stop - 1]]
            since, until = np.searchsorted(edges, times, side="right")
            ends = [since - 1, until]
        bounds = np.zeros(CHOSEN + BLOCK, np.int64)
        bounds[:CHOSEN] = piece.start, piece.stop, *ends
        return lambda: kernel.run(
            rows.source,
            rows.numbers,
            rows.times,
            edges,
            bounds,
            cells.counts,
            stack,
            cells.partials,
        )

    return cells, [work(piece) for piece in pieces]
