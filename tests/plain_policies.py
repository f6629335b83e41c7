"""Windows by policy, by their definition: which events each result is made of.

    results(events, evict, trigger)      [(first event, one past the last), ...]

`events` are dicts with `t` (instants that never fall), `d` (a column that never falls)
and `mark`.  A policy is ("count", n), ("time", r), ("delta", d) or ("mark",).
"""

from __future__ import annotations

from typing import Any

Event = dict[str, Any]
Policy = tuple[Any, ...]


def first_kept(events: list[Event], last: int, evict: Policy) -> int:
    """The oldest event that is there when event `last` has just come."""
    kind = evict[0]
    for first in range(last + 1):
        if kind == "count" and last - first < evict[1]:
            return first
        if kind == "time" and events[first]["t"] > events[last]["t"] - evict[1]:
            return first
        if kind == "delta" and events[last]["d"] - events[first]["d"] <= evict[1]:
            return first
        if kind == "mark" and not any(e["mark"] for e in events[first:last]):
            return first
    raise AssertionError("an event is always there when it has just come")


def results(
    events: list[Event], evict: Policy, trigger: Policy
) -> list[tuple[int, int]]:
    """The events of each result, in the order in which they fall due."""
    if trigger[0] == "time":
        return _at_instants(events, evict, trigger[1])
    found, since, seen = [], 0, None
    for last, event in enumerate(events):
        since += 1
        seen = event["d"] if seen is None else seen
        due = event["mark"]
        if trigger[0] == "count":
            due = since == trigger[1]
        if trigger[0] == "delta":
            due = event["d"] - seen > trigger[1]
        if due:
            found.append((first_kept(events, last, evict), last + 1))
            since, seen = 0, event["d"]
    return found


def _at_instants(
    events: list[Event], evict: Policy, every: int
) -> list[tuple[int, int]]:
    """At each multiple of `every` that an event has passed.

    Where time evicts too, windows *start* at such multiples.
    """
    found: list[tuple[int, int]] = []
    if not events:
        return found
    shift = evict[1] if evict[0] == "time" else 0
    end = (events[0]["t"] - shift) // every * every + every + shift
    told = 0
    while end <= events[-1]["t"]:
        stop = sum(event["t"] < end for event in events)
        if evict[0] == "time":
            start = sum(event["t"] < end - evict[1] for event in events)
            if start < stop:
                found.append((start, stop))
        elif stop > told:
            start = first_kept(events, stop - 1, evict)
            if evict[0] == "mark" and events[stop - 1]["mark"]:
                start = stop
            if start < stop:
                found.append((start, stop))
                told = stop
        end += every
    return found
