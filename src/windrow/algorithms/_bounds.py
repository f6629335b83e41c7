"""Reads the bounds of windows in a kernel, in three ways.

regular     (base, width, step, first, last): window i covers `width` slices from
            base + i * step on, as far as they lie in the run [first, last)
arrays      (starts, stops)
many        (starts, stops, keep, query): windows of several ranges in one pass
"""

from windrow.kernels.vocabulary import peek


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


BOUNDS = {
    "regular": (
        ("start_of", regular_start),
        ("stop_of", regular_stop),
        ("keep_of", regular_start),
        ("query_of", only_query),
    ),
    "arrays": (
        ("start_of", array_start),
        ("stop_of", array_stop),
        ("keep_of", array_start),
        ("query_of", only_query),
    ),
    "many": (
        ("start_of", array_start),
        ("stop_of", array_stop),
        ("keep_of", array_keep),
        ("query_of", array_query),
    ),
}
