"""Walks the runs of slices, and lets an algorithm answer the windows of each.

A run is the slices [first, last) of one key.  `lead` asks for the windows before the
first complete one too, each clipped at the run's first slice: what `over` needs.
"""

import numpy as np

from windrow.kernels.vocabulary import (
    IDENTITY,
    combine,
    emit,
    leaf,
    prepare,
    slide,
    stage,
    stride,
)


def run_arrays(source, bounds, widest, chunk, out):
    """Windows whose bounds are arrays."""
    slide(source, bounds, len(bounds[0]), np.int64(0), prepare(widest, chunk), out)


def run_regular(source, firsts, lasts, width, step, lead, widest, chunk, out):
    """Windows of `width` slices, each `step` on."""
    scratch = prepare(widest, chunk)
    at = np.int64(0)
    for k in range(len(firsts)):
        first, last = firsts[k], lasts[k]
        base = first - (width - 1) if lead else first
        count = (last - base - width) // step + 1
        if count <= 0:
            continue
        slide(source, (base, width, step, first, last), count, at, scratch, out)
        at += count


def run_stride(source, firsts, lasts, width, step, lead, widest, chunk, out):
    """Windows of `width` slices, each one slice on: the fast path."""
    scratch = stage(widest, chunk)
    at = np.int64(0)
    for k in range(len(firsts)):
        first, last = firsts[k], lasts[k]
        if lead:
            prefix = IDENTITY
            for i in range(first, min(first + width - 1, last)):
                prefix = combine(prefix, leaf(source, i))
                emit(out, at, prefix)
                at += 1
        count = last - first - width + 1
        if count > 0:
            stride(source, first, count, width, at, scratch, out)
            at += count
