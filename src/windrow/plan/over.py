"""Plans `wr.over`, which gives every row new columns over its own past.

Calls with the same frame are one pass:

    spend_1h=wr.sum("amount", last="1 hour")      frame: the last hour, both ends in
    n_1h=wr.count(last="1 hour")                  the same frame, the same pass
    spend_9=wr.sum("amount", last=9)              frame: this row and the 8 before it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from windrow.aggregates import Call, Law
from windrow.errors import BadInput, UnsuitableAlgorithm, WindowError
from windrow.kernels import Product
from windrow.windows import Clock, Duration, clock_of, sliding

from .bind import BoundCall, bind, check_new_names, column_type
from .choose import Choice, choose_algorithm
from .spans import span_of
from .table import TablePlan, check_columns, key_names, label_of, nominal_product

EVERYTHING = 2**62
"""More rows than there are."""


@dataclass(frozen=True)
class Frame:
    """How far back a row looks: over rows, over a duration in ticks, or everything.

    `of_labels` if those who look are not the rows themselves; `spans` if rows are
    events with a duration.
    """

    rows: int | None
    ticks: int | None
    closed: str
    text: str
    of_labels: bool = False
    spans: bool = False

    @property
    def is_even(self) -> bool:
        """Whether each row looks back over as many rows, itself the last of them."""
        own = not (self.of_labels or self.spans)
        return self.rows is not None and self.near == 1 and own

    @property
    def near(self) -> int:
        """The frame of a row at t ends before t + near: 1 if its own instant is in."""
        return int(self.closed in ("right", "both"))

    @property
    def interval(self) -> tuple[int, int]:
        """The frame of a row at t is [t + far, t + near), in ticks; see `most`."""
        far = int(self.closed in ("right", "neither")) - (self.ticks or 0)
        return min(far, self.near), self.near

    @property
    def most(self) -> int:
        """How many rows it holds at most; 0 if a duration says."""
        return 0 if self.ticks is not None else self.rows or EVERYTHING

    @property
    def before(self) -> int:
        """How many rows before itself a row counts back to."""
        return 0 if self.rows is None else self.rows - self.near

    @property
    def may_be_empty(self) -> bool:
        """Whether there may be no row in it: its own may be left out, or no event."""
        others = self.of_labels or self.spans
        return others or self.closed in ("left", "neither")

    def choice(
        self, algorithm: str, product: Product, calls: Sequence[BoundCall]
    ) -> Choice:
        """The algorithm for calls over this frame."""
        if self.spans:
            return _choose_tree(algorithm, product, label_of(calls))
        label, width = label_of(calls), self.rows
        return choose_algorithm(
            algorithm, product, label, width=width, regular=self.is_even
        )


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
    lengths = (bound.call.last for bound in bound_calls)
    durations = [length for length in lengths if isinstance(length, Duration)]
    if on is None and durations:
        raise WindowError.because(
            f"cannot look back over the last {durations[0].text}",
            "no time column is named",
            "say which, as in wr.over(..., on='ts')",
        )
    clock = None if on is None else clock_of(on, column_type(schema, on), durations)
    frames = share_frames(
        bound_calls, clock, "right", algorithm, spans=span is not None
    )
    order = keys, clock, names, algorithm, schema
    return OverPlan(bound_calls, *order, frames, names_of_span)


def share_frames(
    calls: Sequence[BoundCall],
    clock: Clock | None,
    closed: str,
    algorithm: str,
    *,
    of_labels: bool = False,
    spans: bool = False,
) -> dict[Frame, tuple[BoundCall, ...]]:
    """The frames of calls, closed as these say themselves or else as `closed` says.

    The algorithm is refused if it does not suit the calls of a frame.
    """
    frames: dict[Frame, tuple[BoundCall, ...]] = {}
    for bound in calls:
        frame = _frame_of(bound.call, clock, closed)
        frame = replace(frame, of_labels=of_labels, spans=spans)
        if frame.spans:
            _check_under_way(bound, frame)
        frames[frame] = (*frames.get(frame, ()), bound)
    for frame, members in frames.items():
        product = nominal_product(members)
        if product is not None:
            frame.choice(algorithm, product, members)
    return frames


def _frame_of(call: Call, clock: Clock | None, closed: str) -> Frame:
    closed = call.closed or closed
    if isinstance(call.last, Duration):
        assert clock is not None
        return Frame(None, clock.ticks(call.last), closed, f"last {call.last.text}")
    if call.last is None:
        return Frame(None, None, closed, "everything before")
    return Frame(call.last, None, closed, f"last {call.last} rows")


def check_span(
    span: tuple[str, str] | list[str], on: str | None, schema: pa.Schema
) -> tuple[str, str]:
    """The columns of start and end, which are of one type."""
    window = sliding(1, span=span, on=on)  # refuses what is not two names
    names = span_of([window], schema)
    assert names is not None
    return names


def _check_under_way(bound: BoundCall, frame: Frame) -> None:
    """Refuse a call that has no meaning over events with a duration."""
    fact = f"cannot compute {bound.name!r} over events with a duration"
    label = bound.call.label
    if frame.ticks is None:
        cause = f"{label} has no duration, and events under way have no order"
        raise BadInput.because(fact, cause, "give a duration: last='1 hour'")
    if Law.HOLISTIC in bound.aggregate.laws:
        cause = f"{label} is holistic: no partial of bounded size exists"
        hint = "use wr.aggregate with a window over the same span"
        raise BadInput.because(fact, cause, hint)


def _choose_tree(algorithm: str, product: Product, label: str) -> Choice:
    """FlatFAT, the one algorithm whose events may enter in another order than leave."""
    if algorithm not in ("auto", "flat_fat"):
        raise UnsuitableAlgorithm.because(
            f"{algorithm} cannot look back over {label}",
            "events enter by their starts and leave by their ends",
            "use flat_fat, or leave the algorithm out",
        )
    choice = choose_algorithm("flat_fat", product, label, width=None, regular=False)
    if algorithm == "flat_fat":
        return choice
    reason = "events enter by their starts and leave by their ends: a tree"
    return replace(choice, reason=reason)
