"""Implements Aggregate Buckets: events are combined into a partial for each window.

    event            ========
    windows     |--------|                combined into the partial of each window
                   |--------|             that it overlaps, as it comes
                      |--------|

A release is one `lower`; an event costs as much as windows overlap it.
"""

from __future__ import annotations

from typing import Any

from windrow.aggregates import Law
from windrow.kernels import arrays
from windrow.kernels.vocabulary import IDENTITY, combine, emit, leaf, load, peek, store

from ._technique import Fields, Technique, Windows, Work
from .tuple_buckets import overlapped


def combine_buckets(source, first, last, firsts, lasts, buckets, out):
    for w in range(len(buckets[0])):
        store(buckets, w, IDENTITY)
    for i in range(len(firsts)):
        partial = leaf(source, i)
        start, stop = peek(first, peek(firsts, i)), peek(last, peek(lasts, i)) + 1
        for w in range(start, stop):
            store(buckets, w, combine(load(buckets, w), partial))
    for w in range(len(buckets[0])):
        emit(out, w, load(buckets, w))


def _answer(work: Work, _: Any, windows: Windows) -> Fields:
    laid, product = work.laid, work.product
    first, last = overlapped(laid, windows.frames)
    buckets = arrays(product.dtypes, len(windows))
    out = arrays(product.out_dtypes, len(windows))
    work.run(combine_buckets, work.source, first, last, laid.firsts, laid.lasts,
             buckets, out)  # fmt: skip
    return out


AGGREGATE_BUCKETS = Technique(
    name="aggregate_buckets",
    title="Aggregate Buckets: a partial for each window",
    needs=Law.NONE,
    insert="(m + w) / b",
    release="1",
    space="w / b",
    source="Traub et al. (EDBT 2019); SES 5.3, Table 4",
    answer=_answer,
)
