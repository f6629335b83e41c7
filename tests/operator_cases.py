"""Aggregates of operators that read several columns, and what they are of plain events.

Event `number` has a value x, which may be null, its number as id, and a text t.
"""

from __future__ import annotations

import statistics
from typing import Any

import windrow as wr
from plain_window import Event

TUPLES = wr.Aggregate(
    name="tuples",
    lift=lambda value: (value,),
    combine=lambda older, newer: older + newer,
    lower=list,
)


def event(case: str, value: int | None, number: int) -> Any:
    """An event as an operator of that case takes it."""
    fields = {"x": value, "id": number, "t": f"t{number % 7}"}
    names = COLUMNS.get(case)
    return {name: fields[name] for name in names} if names else value


def many(events: list[Event]) -> dict[str, Any]:
    """Ties in `who` tell the order of equal values; nulls are skipped."""
    if not events:
        return dict.fromkeys(MANY)
    valid = [event for event in events if event.value is not None]
    best = max((event.value for event in valid), default=None)
    ids = [event.number for event in valid if event.value == best]
    return {
        "n": len(events),
        "s": sum(event.value for event in valid) if valid else None,
        "m": best,
        "who": ids[0] if ids else None,
        "f": events[0].number,
        "l": events[-1].number,
    }


def few(events: list[Event]) -> dict[str, Any]:
    """No number of an event is kept here: it is counted, or pointed at."""
    if not events:
        return dict.fromkeys(FEW)
    valid = [event.value for event in events if event.value is not None]
    return {"n": len(events), "v": len(valid), "l": valid[-1] if valid else None}


MANY = {
    "n": wr.count(),
    "s": wr.sum("x"),
    "m": wr.max("x"),
    "who": wr.arg_max("x", "id"),
    "f": wr.first("id"),
    "l": wr.last("id"),
}
FEW = {"n": wr.count(), "v": wr.count("x"), "l": wr.last("x")}


def held(events: list[Event]) -> dict[str, Any]:
    """What is made of values: there are no partials, but a ring of payloads."""
    if not events:
        return dict.fromkeys(HELD)
    values = [event.value for event in events if event.value is not None]
    texts = [f"t{event.number % 7}" for event in events]
    return {
        "c": values,
        "d": list(dict.fromkeys(values)),
        "n": len(set(values)),
        "j": "+".join(texts),
        "hi": max(texts),
        "lo": min(texts),
        "s": sum(values) if values else None,
        "mid": statistics.median(values) if values else None,
    }


HELD = {
    "c": wr.collect("x"),
    "d": wr.collect_distinct("x"),
    "n": wr.count_distinct("x"),
    "j": wr.concat("t", separator="+"),
    "hi": wr.max("t"),
    "lo": wr.min("t"),
    "s": wr.sum("x"),
    "mid": wr.median("x"),
}
COLUMNS = {"few": ["x"], "many": ["x", "id"], "held": ["x", "t"]}  # others: values
TYPES = {"x": "int64", "id": "int64", "t": "string"}
