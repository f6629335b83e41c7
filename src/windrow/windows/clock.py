"""The clock of a time column: its ticks, and durations counted in them.

Durations are whole numbers of ticks.  A tick is the column's own unit, or the
coarsest finer one that every duration divides by: half a second over a column of
seconds is counted in milliseconds, and so are the windows that come out.  A column
of whole numbers is its own clock.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.errors import UnsupportedType, WindowError

from .duration import Duration, exact_duration

_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


@dataclass(frozen=True)
class Clock:
    """How a time column is counted: `factor` ticks to each of its own units.

    `instant` is the type of window bounds; `tick` is in nanoseconds, 0 for numbers.
    """

    column: str
    instant: pa.DataType
    tick: int
    factor: int

    @property
    def zone(self) -> str | None:
        """The time zone that the column is typed with."""
        return self.instant.tz if pat.is_timestamp(self.instant) else None

    def ticks(self, duration: Duration) -> int:
        """A duration as a whole number of ticks."""
        return duration.amount // self.tick if self.tick else duration.amount

    def tell(self, ticks: int) -> str:
        """A number of ticks in words: "10 minutes", or as it is for numbers."""
        return exact_duration(ticks * self.tick).text if self.tick else f"{ticks:,}"


def clock_of(column: str, kind: pa.DataType, durations: Sequence[Duration]) -> Clock:
    """The clock of a column on which all those durations are whole numbers."""
    if pat.is_integer(kind):
        for duration in durations:
            if duration.is_time:
                raise WindowError.because(
                    f"cannot slide {duration.text} over column {column!r}",
                    f"it is of type {kind}, which has no unit of time",
                    "give range and slide as whole numbers in its unit, "
                    "or cast the column to timestamp",
                )
        return Clock(column, pa.int64(), 0, 1)
    if not (pat.is_timestamp(kind) or pat.is_date(kind)):
        also = (
            "; round the floats to whole ticks first" if pat.is_floating(kind) else ""
        )
        raise UnsupportedType.because(
            f"cannot order time by column {column!r}",
            f"it is of type {kind}",
            f"use a timestamp, a date or a whole number{also}",
        )
    for duration in durations:
        if not duration.is_time:
            raise WindowError.because(
                f"cannot slide {duration.text} over column {column!r}",
                f"it is of type {kind}, and a bare number has no unit of time",
                "write the unit, as in '60 seconds'",
            )
    own, coarsest = _unit(kind)
    zone = kind.tz if pat.is_timestamp(kind) else None
    for name, tick in _UNITS.items():
        if tick <= coarsest and all(d.amount % tick == 0 for d in durations):
            return Clock(column, pa.timestamp(name, zone), tick, own // tick)
    raise AssertionError("every duration is a whole number of nanoseconds")


def _unit(kind: pa.DataType) -> tuple[int, int]:
    """Nanoseconds of the column's unit, and of the coarsest tick to count in."""
    if pat.is_date32(kind):
        return 86400 * 10**9, 10**3
    if pat.is_date64(kind):
        return 10**6, 10**3
    return _UNITS[kind.unit], _UNITS[kind.unit]
