"""One event at a time: the Reactive Aggregator, any policy, any order (RA 4, 5).

An event passes through these modules, from top to bottom:

    operator.py       wr.Operator: insert, feed, query, trigger, save
    spans.py          the same over events with a duration, which
                      span_program.py reads and span_windows.py keeps
    long_ways.py      windows by key, and the ways of any event or batch to them
    keys.py           which keys can be kept, and which key each event has
    order.py          refuses events that come too late
    events.py         reads events, batches and instants as users write them
    quick.py          short ways for plain numbers
    array_feed.py     batches of numbers, in one call
    list_feed.py      the same for a list of windows
    setup.py          with the first event: types, plan, kernel
    inputs.py         an event as numbers and payloads, made of what
                      read_values.py reads or refuses
    waiting.py        events that wait
    window.py         one window: its memory, what waits, what fell due
    keyed.py          the windows of all keys, where they can share one array
    many.py           the windows of a list, over one ring of events
    late_windows.py   windows whose events come late, and results that are revised
    results.py        what comes out: one value, a result, a table
    read_results.py   results as Python values, also those made of payloads

Below them is the kernel, which sees arrays of numbers only:

    runtime.py        assembles it, and makes memory for a new window
    steps.py          runs it as plain Python, and compiled once that pays
    layout.py         its memory: one flat array
    arena.py          the memory of many windows: blocks of one array
    loops.py          events in, results out
    key_loops.py      the same for the windows of many keys
    many_loops.py     the same for the windows of a list
    lap_loops.py      batches over a list, by laps that its windows share
    policies.py       what leaves, and what falls due
    places.py         finds an event again, and puts a late one in its place

Beside them an operator is kept:

    save.py           an operator as bytes, and back
    saved_columns.py  the windows of many keys, payloads and results as columns
    description.py    window, aggregates, keys and values as JSON

Algorithms are chosen in `plan/operator.py`; `windows/policy_numbers.py` has a window's
policies, `state` the codec of saves, `batch` columns and results.
"""

from .operator import Operator
from .results import Result, Results

__all__ = ["Operator", "Result", "Results"]
