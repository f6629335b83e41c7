"""What a user gives an operator: events, batches and instants, checked.

Everything is checked before anything changes, so that a refused event leaves the
operator as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import Call
from windrow.errors import BadInput, UnknownName
from windrow.plan.policies import EXACT, Rules
from windrow.windows import Duration

from .instants import Instants

Array = np.ndarray[Any, Any]
VALUE = "value"


def with_columns(call: Call) -> Call:
    """The call over the one column that an event is, where it names none."""
    least = call.aggregate.columns[0]
    if call.columns or least == 0:
        return call
    if least > 1:
        raise BadInput.because(
            f"cannot keep {call.aggregate.name}",
            f"it needs {least} columns",
            f"name them, and insert mappings: wr.{call.aggregate.name}('x', 'y')",
        )
    return Call(call.aggregate, (VALUE,), options=call.options)


class Given:
    """The shape of an operator's events: their columns, and if they have a time."""

    def __init__(
        self, calls: Mapping[str, Call], rules: Rules, lateness: Duration | None
    ) -> None:
        read = (name for call in calls.values() for name in call.columns)
        self.names = list(dict.fromkeys([*read, *rules.columns]))
        self.rules = rules
        numeric = rules.numeric
        if numeric is None and lateness is not None:
            numeric = not lateness.is_time
        self.instants = None if numeric is None else Instants(numeric=numeric)

    def event(self, value: Any) -> Mapping[str, Any]:
        """One event by column."""
        if isinstance(value, Mapping):
            for name in self.names:
                if name not in value:
                    raise BadInput.because(
                        f"cannot take the event {dict(value)!r}",
                        f"it has no {name!r}",
                        f"give all of {', '.join(self.names)}",
                    )
            return value
        if len(self.names) > 1:
            raise BadInput.because(
                f"cannot take the event {value!r}",
                f"an event here has {len(self.names)} columns",
                f"give a mapping of {', '.join(self.names)}",
            )
        return dict.fromkeys(self.names, value)

    def batch(self, values: Any) -> tuple[Mapping[str, Any], int]:
        """A batch by column, and how many events it has."""
        if isinstance(values, Mapping):
            columns = {name: values[name] for name in self.names if name in values}
        elif hasattr(values, "column_names"):
            table = pa.table(values)
            columns = {
                name: table.column(name).combine_chunks()
                for name in self.names
                if name in table.column_names
            }
        else:
            if len(self.names) > 1:
                raise BadInput.because(
                    "cannot take one array of events",
                    f"an event here has {len(self.names)} columns",
                    f"give a mapping of arrays: {', '.join(self.names)}",
                )
            columns = dict.fromkeys(self.names, values)
        for name in self.names:
            if name not in columns:
                raise UnknownName.among("column", name, list(columns))
        sizes = {len(one) for one in columns.values()} or {len(values)}
        if len(sizes) > 1:
            raise BadInput.because(
                "cannot take columns of different lengths",
                f"they have {', '.join(map(str, sorted(sizes)))} entries",
                "give one entry for each event in every column",
            )
        return columns, sizes.pop()

    def tick(self, at: Any) -> int | None:
        """An event's instant; None where windows know no time."""
        if self.instants is None:
            if at is not None:
                raise BadInput.because(
                    f"cannot place an event at {at!r}",
                    "the window knows no time",
                    "leave at out, or give the operator a lateness",
                )
            return None
        if at is None:
            raise BadInput.because(
                "cannot place an event",
                "it has no instant, and the window goes by time",
                "give one: insert(value, at=...)",
            )
        return self.instants.tick(at)

    def ticks(self, at: Any, count: int) -> Array | None:
        """The instants of a batch."""
        if self.instants is None or at is None:
            self.tick(None if at is None else at)
            return None
        found = self.instants.ticks(at)
        if len(found) != count:
            raise BadInput.because(
                f"cannot place {count} events",
                f"there are {len(found)} instants",
                "give one for each event",
            )
        return found

    def others(self, event: Mapping[str, Any]) -> tuple[float, float, int]:
        """Mark, signal and flag of one event."""
        rules = self.rules
        mark = _attribute(event, rules.mark)
        signal = _attribute(event, rules.signal)
        return mark, signal, int(bool(event[rules.flag])) if rules.flag else 0

    def other_columns(
        self, columns: Mapping[str, Any], count: int
    ) -> tuple[Array, ...]:
        """Marks, signals and flags of a batch; empty where there are none."""
        rules = self.rules
        flags = np.empty(0, np.int8)
        if rules.punctuated:
            flags = np.zeros(count, np.int8)
            if rules.flag:
                flags = np.asarray(columns[rules.flag]).astype(np.int8)
        return _column(columns, rules.mark), _column(columns, rules.signal), flags


def _attribute(event: Mapping[str, Any], name: str | None) -> float:
    if name is None:
        return 0.0
    try:
        found = float(event[name])
    except (TypeError, ValueError) as error:
        raise _no_distance(event[name], name) from error
    if found != found or abs(found) > EXACT:
        raise _no_distance(event[name], name)
    return found


def _column(columns: Mapping[str, Any], name: str | None) -> Array:
    if name is None:
        return np.empty(0)
    try:
        found: Array = np.asarray(columns[name]).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise _no_distance("a value", name) from error
    bad = ~(np.abs(found) <= EXACT)
    if bad.any():
        raise _no_distance(found[bad][0].item(), name)
    return found


def _no_distance(value: Any, name: str) -> BadInput:
    return BadInput.because(
        f"cannot measure how far {name!r} has moved on",
        f"{value!r} is not a number up to 2**53",
        "give plain numbers; for instants use a duration",
    )


__all__ = ["Given", "with_columns"]
