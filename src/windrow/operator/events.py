"""Reads what users give an operator: events, batches and instants, checked.

    whole numbers          instants where ranges are plain numbers
    datetime, datetime64   nanoseconds since 1970 where ranges are durations
    ISO text               the same, read as a datetime
    numbers, unit="ms"     the same, counted in that unit

Everything is checked before anything changes, so that a refused event leaves the
operator as it was.  Instants come out as they went in.
"""

from __future__ import annotations

import datetime as dt
import numbers
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import load_later
from windrow.aggregates import Call
from windrow.batch.columns import plain_array
from windrow.errors import BadInput, UnknownName
from windrow.windows import Duration
from windrow.windows.policy_numbers import EXACT, PolicyNumbers

from .inputs import Events, Others
from .layout import Array
from .read_values import as_column, check_array, check_length

# Only conditions need the parser.
_load = load_later(__name__, {"names_of": "windrow.plan.where"})

Reads = Callable[[Any], Any]
VALUE = "value"
UNITS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_NAIVE_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - of datetimes without a zone
_MICROSECOND = dt.timedelta(microseconds=1)


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
    return replace(call, columns=(VALUE,))


class EventReader:
    """Reads the events of an operator by their columns, and their instants as ticks.

    `numeric` says that instants are whole numbers; None where windows know no time.
    `on` is the field of an event that has its instant, `unit` what numbers count in.
    """

    def __init__(
        self,
        calls: Mapping[str, Call],
        policies: PolicyNumbers,
        late: Duration | None,
        on: str | None = None,
        unit: str | None = None,
    ) -> None:
        read = (name for call in calls.values() for name in _columns_of(call))
        self.names = list(dict.fromkeys([*read, *policies.columns]))
        self.policies = policies
        self.numeric, self.zoned = policies.numeric, False
        if self.numeric is None and late is not None:
            self.numeric = not late.is_time
        self.on = on if self.numeric is not None else None
        self.scale = _scale(unit, self.numeric)
        self.reads = self._reads_by_type(self._read)
        self.steady_reads = self._reads_by_type(self._read_alike)

    def event(self, value: Any) -> Mapping[str, Any]:
        """One event by column."""
        if not isinstance(value, Mapping):
            return self._only_column(value, f"the event {value!r}", "a mapping of")
        for name in self.names:
            if name not in value:
                raise BadInput.because(
                    f"cannot take the event {dict(value)!r}",
                    f"it has no {name!r}",
                    f"give all of {', '.join(self.names)}",
                )
        return value

    def batch(self, values: Any) -> tuple[Mapping[str, Any], int]:
        """A batch by column, and how many events it has."""
        by_name = values = as_columns(values)
        if not isinstance(values, Mapping):
            shape = "a mapping of arrays:"
            by_name = self._only_column(values, "one array of events", shape)
        for name in self.names:
            if name not in by_name:
                raise UnknownName.among("column", name, by_name)
        columns = {name: by_name[name] for name in self.names}
        counted = columns or (values if isinstance(values, Mapping) else {"": values})
        for column in counted.values():
            check_array(column)
        sizes = {len(column) for column in counted.values()} or {0}
        if len(sizes) > 1:
            raise BadInput.because(
                "cannot take columns of different lengths",
                f"they have {', '.join(map(str, sorted(sizes)))} entries",
                "give one entry for each event in every column",
            )
        return columns, sizes.pop()

    def _only_column(self, value: Any, what: str, shape: str) -> dict[str, Any]:
        """What is not given by column, as the only column that events have."""
        if len(self.names) > 1:
            raise BadInput.because(
                f"cannot take {what}",
                f"an event here has {len(self.names)} columns",
                f"give {shape} {', '.join(self.names)}",
            )
        return dict.fromkeys(self.names, value)

    def tick_of(self, at: Any, value: Any) -> int | None:
        """The instant of an event, if need be from the field that has it."""
        if at is None and self.on is not None and isinstance(value, Mapping):
            if self.on not in value:
                raise BadInput.because(
                    f"cannot place the event {dict(value)!r}",
                    f"it has no {self.on!r}, which the window goes by",
                    "give it, or the instant itself: insert(event, at=...)",
                )
            at = value[self.on]
        return self.tick(at)

    def ticks_of(self, at: Any, values: Any, count: int) -> Array:
        """The instants of a batch, if need be from the column that has them."""
        values = as_columns(values)
        if at is None and isinstance(values, Mapping) and self.on in values:
            at = values[self.on]
        return self.ticks(at, count)

    def _read(self, at: dt.datetime) -> int:
        """A datetime, which tells whether others come out with a zone."""
        self.zoned = at.tzinfo is not None
        return nanoseconds(at)

    def _read_alike(self, at: dt.datetime) -> int:
        """A datetime that tells nothing new, for those who may yet be refused."""
        if (at.tzinfo is not None) != self.zoned:
            raise ValueError
        return nanoseconds(at)

    def _reads_by_type(self, read: Reads) -> dict[type, Reads]:
        """How instants of the usual types are read as ticks."""
        if self.numeric is None:
            return {type(None): lambda at: at}
        if self.numeric:
            return {int: lambda at: at}
        if (scale := self.scale) is not None:
            return {int: scale.__mul__, float: lambda at: round(at * scale)}
        return {
            dt.datetime: read,
            str: lambda at: read(dt.datetime.fromisoformat(at)),
        }

    def tick(self, at: Any) -> int | None:
        """An event's instant; None where windows know no time."""
        if self.numeric is not None and at is not None:
            tick = self._tick(at)
            if not -(2**63) <= tick < 2**63:
                raise self._no_instant(at, "it is beyond what 64 bits count")
            return tick
        if self.numeric is not None:
            raise BadInput.because(
                "cannot place an event",
                "it has no instant, and the window goes by time",
                "give one: insert(value, at=...)",
            )
        if at is not None:
            raise BadInput.because(
                f"cannot place an event at {at!r}",
                "the window knows no time",
                "leave at out, or give the operator a lateness",
            )
        return None

    def _tick(self, at: Any) -> int:
        """An instant of any type that can be one."""
        if isinstance(at, bool):
            raise self._no_instant(at)
        try:
            if type(at) in self.reads:
                return int(self.reads[type(at)](at))
            for usual, kind in ((int, numbers.Integral), (float, float)):
                if usual in self.reads and isinstance(at, kind):
                    return int(self.reads[usual](usual(at)))
        except (ValueError, OverflowError) as error:
            raise self._no_instant(at) from error
        read = self.reads.get(dt.datetime)
        if read is not None and isinstance(at, dt.datetime):
            return int(read(at)) + int(getattr(at, "nanosecond", 0))
        if read is not None and isinstance(at, np.datetime64):
            return int(at.astype("datetime64[ns]").astype(np.int64))
        raise self._no_instant(at)

    def ticks(self, at: Any, count: int) -> Array:
        """The instants of a batch; none where windows know no time."""
        if self.numeric is None or at is None:
            self.tick(at)
            return np.empty(0, np.int64)
        array = at
        if not isinstance(at, np.ndarray) or at.dtype.kind not in "iufM":
            array = plain_array(as_column(at)).to_numpy(zero_copy_only=False)
        kind = array.dtype.kind
        if kind == "O" and not self.numeric and self.scale is None:  # ISO text
            array = np.array([self.tick(instant) for instant in array], np.int64)
        elif kind == "f" and self.scale is not None and np.isfinite(array).all():
            array = np.round(array * self.scale)
        elif kind in "iu" and self.scale is not None:
            array = array.astype(np.int64) * self.scale
        elif self.scale is not None or kind not in ("iu" if self.numeric else "M"):
            raise self._no_instant(at)
        elif kind == "M":
            array = array.astype("datetime64[ns]")
        check_length(array, count, f"cannot place {count} events", "instants")
        return np.ascontiguousarray(array).astype(np.int64, copy=False)

    def _no_instant(self, at: Any, cause: str = "") -> BadInput:
        return BadInput.because(
            f"cannot place an event at {at!r}",
            cause or f"it is of type {type(at).__name__}",
            "its range is a plain number: give whole numbers"
            if self.numeric
            else "its range is a duration: give datetimes or ISO text, or numbers and "
            "their unit: unit='ms'"
            if self.scale is None
            else "the operator has a unit: give numbers",
        )

    def instant(self, tick: int) -> Any:
        """A tick as the user writes it."""
        if self.numeric:
            return tick
        if self.scale is not None:
            whole, rest = divmod(tick, self.scale)
            return whole if rest == 0 else tick / self.scale
        at = _EPOCH + (tick // 1000) * _MICROSECOND
        return at if self.zoned else at.replace(tzinfo=None)

    def instants(self, ticks: Array) -> pa.Array:
        """Ticks as an Arrow column of instants."""
        if self.numeric:
            return pa.array(ticks)
        if self.scale is not None:
            whole = not (ticks % self.scale).any()
            return pa.array(ticks // self.scale if whole else ticks / self.scale)
        zone = "UTC" if self.zoned else None
        return pa.array(ticks.astype("datetime64[ns]")).cast(pa.timestamp("ns", zone))

    def others(self, event: Mapping[str, Any]) -> Others:
        """Mark, signal and flag of one event."""
        if not self.policies.columns:
            return 0.0, 0.0, 0
        own = {name: [event[name]] for name in self.policies.columns}
        mark, signal, flag = (
            column[0].item() if len(column) else 0
            for column in self.other_columns(own, 1)
        )
        return mark, signal, flag

    def other_columns(self, columns: Mapping[str, Any], count: int) -> Events:
        """Marks, signals and flags of events; empty where there are none."""
        policies = self.policies
        flags = np.zeros(count if policies.punctuated else 0, np.int8)
        if policies.flag:
            flags = np.asarray(columns[policies.flag]).astype(bool).astype(np.int8)
        marks = _attributes(columns, policies.mark)
        return marks, _attributes(columns, policies.signal), flags


def nanoseconds(at: dt.datetime) -> int:
    """A datetime in nanoseconds since 1970; one without a zone counts as UTC."""
    since = at - (_NAIVE_EPOCH if at.tzinfo is None else _EPOCH)
    seconds = since.days * 86_400 + since.seconds
    return (seconds * 1_000_000 + since.microseconds) * 1000


def _columns_of(call: Call) -> list[str]:
    """The columns that a call reads, those of its condition among them."""
    condition = [] if call.where is None else _load("names_of")(call.where)
    return [*call.columns, *condition]


def as_columns(values: Any) -> Any:
    """A table or a frame as a mapping of columns; whatever else as it is."""
    is_frame = hasattr(values, "columns") and hasattr(values, "__arrow_c_stream__")
    if not is_frame and not hasattr(values, "column_names"):
        return values
    table = pa.table(values)
    return dict(zip(table.column_names, table.columns, strict=True))


def _scale(unit: str | None, numeric: bool | None) -> int | None:
    """Nanoseconds of the unit that numbers count in; None where instants are not."""
    if unit is None:
        return None
    if unit not in UNITS or numeric is not False:
        raise BadInput.because(
            f"cannot read instants in the unit {unit!r}",
            "the window is not made of durations"
            if unit in UNITS
            else f"the units are {', '.join(UNITS)}",
            "leave unit out: it is for numbers where a window's range is a duration",
        )
    return UNITS[unit]


def _attributes(columns: Mapping[str, Any], name: str | None) -> Array:
    if name is None:
        return np.empty(0)
    given = columns[name]
    try:
        column: Array = np.asarray(given).astype(np.float64)
    except (TypeError, ValueError) as error:
        value = given[0] if len(given) == 1 else "a value"
        raise _no_distance(value, name) from error
    bad = ~(np.abs(column) <= EXACT)
    if bad.any():
        raise _no_distance(column[bad][0].item(), name)
    return column


def _no_distance(value: Any, name: str) -> BadInput:
    return BadInput.because(
        f"cannot measure how far {name!r} has moved on",
        f"{value!r} is not a number up to 2**53",
        "give plain numbers; for instants use a duration",
    )
