"""Plans `wr.over`, which gives every row new columns over its own past.

Calls with the same frame are one pass:

    spend_1h=wr.sum("amount", last="1 hour")      frame: the last hour, both ends in
    n_1h=wr.count(last="1 hour")                  the same frame, the same pass
    spend_9=wr.sum("amount", last=9)              frame: this row and the 8 before it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import Call
from windrow.errors import WindowError
from windrow.windows import Clock, clock_of, sliding

from .bind import BoundCall, bind, check_new_names, column_type
from .frame import Frame, durations_of, share_frames
from .spans import span_of
from .table import TablePlan, check_columns, check_ties, key_names


@dataclass(frozen=True)
class OverPlan(TablePlan):
    """What will be done for `wr.over`: the calls, and the frames that they share.

    With a `span` rows are events with a duration: the clock is that of their starts.
    """

    frames: dict[Frame, tuple[BoundCall, ...]]
    span: tuple[str, str] | None = None

    @property
    def reads(self) -> list[str]:
        """Every column of the table that the plan reads, once each."""
        return list(dict.fromkeys([*super().reads, *(self.span or ())]))

    @property
    def framed(self) -> tuple[BoundCall, ...]:
        """All calls of the frames: also the counts that min_periods= goes by."""
        return tuple(bound for calls in self.frames.values() for bound in calls)

    @property
    def reach(self) -> tuple[int, int]:
        """How far rows look back and ahead, in ticks."""
        frames = [frame for frame in self.frames if not frame.counts_rows]
        return (
            max((frame.ticks or 0 for frame in frames), default=0),
            max((frame.ahead for frame in frames), default=0),
        )

    @property
    def end_clock(self) -> Clock:
        """The clock of the ends of events."""
        assert self.clock is not None
        assert self.span is not None
        return replace(self.clock, column=self.span[1])


def plan_over(
    schema: pa.Schema,
    on: str | None,
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    *,
    ties: str | Sequence[str] | None = None,
    algorithm: str = "auto",
    span: tuple[str, str] | list[str] | None = None,
) -> OverPlan:
    """Check everything and decide everything for `wr.over`."""
    names_of_span = None if span is None else check_span(span, on, schema)
    on = on if names_of_span is None else names_of_span[0]
    keys = key_names(by, schema)
    bound_calls = bind(calls, schema, of_rows=True)
    check_new_names(list(calls), schema.names)
    names = check_columns(ties, schema)
    check_ties(names, on)
    durations = durations_of(bound_calls)
    if on is None and durations:
        raise WindowError.because(
            f"cannot look over {durations[0].text}",
            "no time column is named",
            "say which, as in wr.over(..., on='ts')",
        )
    clock = None if on is None else clock_of(on, column_type(schema, on), durations)
    frames = share_frames(
        bound_calls, clock, "right", algorithm, spans=span is not None
    )
    order = keys, clock, names, algorithm, schema
    return OverPlan(bound_calls, *order, frames, names_of_span)


def check_span(
    span: tuple[str, str] | list[str], on: str | None, schema: pa.Schema
) -> tuple[str, str]:
    """The columns of start and end, which are of one type."""
    window = sliding(1, span=span, on=on)  # refuses what is not two names
    names = span_of([window], schema)
    assert names is not None
    return names
