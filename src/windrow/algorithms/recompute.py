"""Recompute: fold every window from scratch.

    window i        |-----------------|      stop - start - 1 combines
    window i + 1       |-----------------|   and again

No state between windows, so no invariant to keep: the last resort of the planner
and the fastest for windows of a few slices.
"""

from windrow.aggregates import Law
from windrow.kernels.vocabulary import IDENTITY, combine, emit, leaf, start_of, stop_of

from ._algorithm import Algorithm


def prepare(widest, chunk):
    return ()


def slide(source, bounds, count, at, scratch, out):
    for i in range(count):
        start, stop = start_of(bounds, i), stop_of(bounds, i)
        whole = leaf(source, start) if start < stop else IDENTITY
        for j in range(start + 1, stop):
            whole = combine(whole, leaf(source, j))
        emit(out, at + i, whole)


RECOMPUTE = Algorithm(
    name="recompute",
    title="Recompute: fold every window from scratch",
    needs=Law.NONE,
    time="n - 1",
    worst="n - 1",
    space="1",
    source="SlickDeque 2.2 (Naive), PBA 3.1 (Recal)",
    prepare=prepare,
    slide=slide,
    many=True,
)
