r"""Answers frames of time over events with a duration: what is or was under way.

    events       ========
                     =====        ==
                           ==============
    frame                |------------|          events that start before its end, and
                                                 are not over before its start

Frames end in the order of starts, and events enter as frames come to their starts.  A
tree over all events in the order of their ends holds those that have entered (FlatFAT):

               abcd                   a frame is a suffix of the leaves: from the first
             /      \                 event that ends late enough to the last one
           ab        cd               that has entered
          /  \      /  \
         a    b    c    d             by their ends

so that no law is needed, and events are combined in the order of their ends.
"""

from __future__ import annotations

import numpy as np

from windrow.kernels import Assembly, Product
from windrow.kernels.vocabulary import (
    IDENTITY,
    combine,
    emit,
    leaf,
    load,
    peek,
    store,
)
from windrow.loops import Lane, arrays, pinned

from ._columns import fold_overlaps, lift_rows
from ._technique import Array, Costs, Fields

FRAME_COSTS = Costs("log E", "log E / 2", "log E", "2 E")
"""The tree over a table's E events, rounded up to a power of two: in, and an answer."""


def sweep_frames(
    source,
    order,
    firsts,
    _lasts,
    by_first,
    places,
    lows,
    highs,
    by_high,
    size,
    tree,
    out,
):
    """Answer frame i: events that start before highs[i] and end at lows[i] or later.

    places[i] is the first event, by ends, that ends at lows[i] or later.
    """
    for j in range(2 * size):
        store(tree, j, IDENTITY)
    entered = 0
    for q in range(len(by_high)):
        i = peek(by_high, q)
        while entered < len(by_first) and peek(firsts, peek(by_first, entered)) < peek(
            highs, i
        ):
            at = size + peek(by_first, entered)
            store(tree, at, leaf(source, peek(order, at - size)))
            at //= 2
            while at > 0:
                store(tree, at, combine(load(tree, 2 * at), load(tree, 2 * at + 1)))
                at //= 2
            entered += 1
        whole = IDENTITY
        if peek(places, i) < len(by_first) and peek(lows, i) < peek(highs, i):
            at = size + peek(places, i)
            whole = load(tree, at)
            while at > 1:
                if at % 2 == 0:
                    whole = combine(whole, load(tree, at + 1))
                at //= 2
        emit(out, i, whole)


def columns_of_frames(
    source, order, firsts, lasts, _by_first, _places, lows, highs, _by_high, _size,
    _tree, out,
):  # fmt: skip
    """All frames side by side; no event is left for one that holds no instant."""
    if len(lasts) > 0:
        lows = np.where(lows < highs, lows, lasts[-1] + 1)
    partial = fold_overlaps(lift_rows(source, order), firsts, lasts, lows, highs)
    emit(out, slice(0, len(lows)), partial)


def fold_frames(
    product: Product,
    source: Fields,
    order: Array,
    bounds: tuple[Array, Array],
    frames: tuple[Array, Array],
    lane: Lane | None,
) -> Fields:
    """The results of frames [low, high); `bounds` are first and last of each event.

    `order` has the events by their ends; all bounds are numbers that tell runs apart.
    """
    firsts, lasts = (bound[order] for bound in bounds)
    lows, highs = frames
    size = 1 << max(len(order) - 1, 0).bit_length()
    kernel = Assembly(
        what="sweep_frames over events with a duration",
        product=product,
        entries=(("run", sweep_frames),),
        columns=columns_of_frames,
    )
    out = arrays(product.out_dtypes, len(lows))
    with pinned(lane):
        kernel.run(
            source, order, firsts, lasts, np.argsort(firsts, kind="stable"),
            np.searchsorted(lasts, lows), lows, highs, np.argsort(highs, kind="stable"),
            size, arrays(product.dtypes, 2 * size), out,
        )  # fmt: skip
    return out
