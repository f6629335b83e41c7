"""Plans `wr.as_of`: features of labels, over the events before their instants.

    events      e1    e2       e3  e4            of one key, by time
    labels           ^at             ^at
    last 5     [-----)        [------)           closed="left": nothing at `at` or later

A label is an instant of a key, and never an event.  `delay` moves every interval back:
what is known only an hour later is not known at `at`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates import Call, check_closed
from windrow.errors import BadInput, WindowError
from windrow.windows import Clock, Duration, clock_of, parse_duration

from .bind import bind, check_new_names, column_type
from .frame import durations_of, share_frames
from .over import OverPlan
from .table import check_columns, key_names


@dataclass(frozen=True, kw_only=True)
class AsOfPlan(OverPlan):
    """What will be done for `wr.as_of`; schema, keys and clock are those of events."""

    labels: pa.Schema
    at: Clock
    delay: int


def plan_as_of(
    labels: pa.Schema,
    events: pa.Schema,
    times: tuple[str, str | None],
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    *,
    closed: str = "left",
    delay: object = None,
    ties: str | Sequence[str] | None = None,
    algorithm: str = "auto",
) -> AsOfPlan:
    """Check everything for `wr.as_of`; `times` are columns of labels and of events."""
    at, on = times
    if on is None:
        raise WindowError.because(
            "cannot place events before a label",
            "no time column of theirs is named",
            "say which, as in wr.as_of(..., at='label_ts', on='ts')",
        )
    check_closed(closed)
    keys = key_names(by, events)
    for key in keys:
        _check_key(key, labels, events)
    bound_calls = bind(calls, events)
    check_new_names(list(calls), labels.names)
    durations = durations_of(bound_calls)
    late = None if delay is None else check_delay(delay)
    durations += [] if late is None else [late]
    clocks = _clocks(labels, events, at, on, durations)
    frames = share_frames(bound_calls, clocks[1], closed, algorithm, of_labels=True)
    names = check_columns(ties, events)
    return AsOfPlan(
        bound_calls,
        keys,
        clocks[1],
        names,
        algorithm,
        events,
        frames,
        labels=labels,
        at=clocks[0],
        delay=0 if late is None else clocks[1].ticks(late),
    )


def _check_key(key: str, labels: pa.Schema, events: pa.Schema) -> None:
    if key not in labels.names:
        raise BadInput.because(
            f"cannot find the events of a label by {key!r}",
            "the labels have no such column",
            "add it to them, or rename theirs to what it is called in the events",
        )
    kinds = column_type(labels, key), column_type(events, key)
    if kinds[0] != kinds[1]:
        raise BadInput.because(
            f"cannot find the events of a label by {key!r}",
            f"it is of type {kinds[0]} in the labels and {kinds[1]} in the events",
            "cast one of them",
        )


def check_delay(delay: object) -> Duration:
    """The delay that a user writes: not before it happens."""
    length = parse_duration(delay, what="a delay")
    if length.amount < 0:
        raise WindowError.because(
            f"cannot delay events by {length.text}",
            "a negative delay would let the future in",
            "leave out the sign",
        )
    return length


def _clocks(
    labels: pa.Schema, events: pa.Schema, at: str, on: str, durations: list[Duration]
) -> tuple[Clock, Clock]:
    """The clocks of labels and events: the same ticks, the finer of both."""
    kinds = column_type(labels, at), column_type(events, on)
    zones = [kind.tz if pat.is_timestamp(kind) else None for kind in kinds]
    alike = pat.is_timestamp(kinds[0]) == pat.is_timestamp(kinds[1])
    if (
        not alike
        or zones[0] != zones[1]
        or pat.is_date(kinds[0]) != pat.is_date(kinds[1])
    ):
        raise BadInput.because(
            f"cannot compare {at!r} of labels with {on!r} of events",
            f"they are of types {kinds[0]} and {kinds[1]}",
            "cast one of them to the type and the time zone of the other",
        )
    clocks = [
        clock_of(name, kind, durations)
        for name, kind in zip((at, on), kinds, strict=True)
    ]
    if clocks[0].tick == clocks[1].tick:
        return clocks[0], clocks[1]
    tick = min(clock.tick for clock in clocks)
    instant = next(clock.instant for clock in clocks if clock.tick == tick)
    finer = [
        replace(c, instant=instant, tick=tick, factor=c.factor * (c.tick // tick))
        for c in clocks
    ]
    return finer[0], finer[1]
