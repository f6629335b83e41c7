"""Slides windows that are not equally long: [starts[i], stops[i]), window by window."""

import numpy as np

from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    emit,
    inverse,
    leaf,
    load,
    peek,
    store,
)

from .single_window import scan_back


def run_differences(source, inputs, starts, stops, ends, room, out):
    """Windows that are differences of prefixes over the whole stream."""
    prefix = allocate(inputs + 1)  # prefix scan: eager, over the whole stream
    partial = IDENTITY
    store(prefix, np.int64(0), partial)
    for i in range(inputs):
        partial = combine(partial, leaf(source, i))
        store(prefix, i + 1, partial)
    for i in range(len(starts)):
        # a window is prefix[end] - prefix[start]
        start, stop = peek(starts, i), peek(stops, i)
        emit(out, i, inverse(load(prefix, stop), load(prefix, start)))


def slide_stacks(source, starts, stops, begin, end, suffix, out):
    prefix = IDENTITY  # prefix scan: eager, one running value
    base = flip = stop = 0
    for i in range(begin, end):
        start, last = peek(starts, i), peek(stops, i)
        if start >= stop:  # nothing of the last window is left: begin anew
            base = flip = stop = start
            prefix = IDENTITY
        elif start >= flip:  # trigger-point: the suffixes are used up
            scan_back(source, start, stop - start, suffix)
            base, flip = start, stop
            prefix = IDENTITY
        while stop < last:
            prefix = combine(prefix, leaf(source, stop))
            stop += 1
        # a window is suffix[start] + prefix[end]
        older = load(suffix, start - base) if start < flip else IDENTITY
        emit(out, i, combine(older, prefix))


def run_stacks(source, inputs, starts, stops, ends, room, out):
    """Windows that are a suffix and a running prefix: two stacks."""
    suffix = allocate(room)  # of one window after the other, in the same place
    begin = np.int64(0)
    for end in ends:
        slide_stacks(source, starts, stops, begin, end, suffix, out)
        begin = end


def run_uneven(source, inputs, starts, stops, ends, room, out):
    """Windows that are one running value, from which old inputs are taken off."""
    prefix = IDENTITY  # prefix scan: eager, one running value
    start = stop = 0
    for i in range(len(starts)):
        first, last = peek(starts, i), peek(stops, i)
        if first >= stop:  # nothing of the last window is left: begin anew
            start = stop = first
            prefix = IDENTITY
        # a window is prefix[end] - input[start]
        while stop < last:
            prefix = combine(prefix, leaf(source, stop))
            stop += 1
        while start < first:
            prefix = inverse(prefix, leaf(source, start))
            start += 1
        emit(out, i, prefix)
