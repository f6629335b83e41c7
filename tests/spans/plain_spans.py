"""The definition of windows over events with a duration, over plain lists.

For each window, the rows that overlap it, folded in the order of their ends.  Nothing
here knows the package under test.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import oracles


class Span(NamedTuple):
    """Windows [start, start + range), starts at offset + i * slide."""

    range: int
    slide: int
    offset: int = 0
    query: Any = None


def overlaps(start: int, end: int, low: int, high: int) -> bool:
    """Whether [start, end), or the instant start if both are equal, meets [low, high).

    >>> overlaps(5, 10, 10, 20), overlaps(5, 11, 10, 20), overlaps(10, 10, 10, 20)
    (False, True, True)
    """
    last = start if start == end else end - 1
    return start < high and last >= low


def windows_of(start: int, end: int, window: Span) -> list[int]:
    """The starts of the windows that an event overlaps."""
    low = start - window.range
    low -= (low - window.offset) % window.slide
    found = []
    while low <= end:
        if overlaps(start, end, low, low + window.range):
            found.append(low)
        low += window.slide
    return found


def by_end(row: dict[str, Any]) -> tuple[int, bool]:
    """Of two that end at once, a point comes last: it holds that instant."""
    return row["end"], row["start"] == row["end"]


def aggregate(
    rows: list[dict[str, Any]], keys: list[str], windows: list[Span], calls: Any
) -> list[dict[str, Any]]:
    """A row per key, window of the list and start: keys, bounds, results."""
    rows = [r for r in rows if r["start"] is not None and r["end"] is not None]
    answer = []
    for key, members in oracles.groups(rows, keys):
        ordered = sorted(members, key=by_end)
        for index, window in enumerate(windows):
            query = index if window.query is None else window.query
            held: dict[int, list[dict[str, Any]]] = {}
            for row in ordered:
                for low in windows_of(row["start"], row["end"], window):
                    held.setdefault(low, []).append(row)
            for low in sorted(held):
                bounds = {"query": query, "start": low, "end": low + window.range}
                answer.append({**key, **bounds, **oracles.results(held[low], calls)})
    return answer
