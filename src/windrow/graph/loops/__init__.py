"""Holds the loops of graphs, one module for each form that a graph can take.

Each `run_*` is the entry of one form; laps, ranges and slides are its arguments:

    run(source, firsts, lasts, ranges, slides, at, lap, alone, room, out)

    firsts, lasts     runs of inputs: [first, last) for each key
    ranges, slides    of each window, in inputs; windows are ordered by range
    at                where the next result of each window goes
    lap               of the scans that windows share
    alone             how many windows, the shortest ones, have laps of their own
    room              the most suffixes that are stored for one of those

Where windows are not equally long (a range of 0 in the graph):

    run(source, inputs, starts, stops, ends, room, out)

    starts, stops     of all windows, those of the first before those of the second
    ends              one past the last of each

`whole_columns.py` takes the same calls, and answers all forms without a compiler.

A comment at the place where windows are read says what they are in the graph's terms:
suffix[start] + prefix[end].
"""
