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


@dataclass(frozen=True)
class Frame:
    """How far back a row looks: over a number of rows, or a duration in ticks."""

    rows: int | None
    ticks: int | None
    closed: str
    text: str
    spans: bool = False

    @property
    def may_be_empty(self) -> bool:
        """Whether there may be no row in it: its own may be left out, or no event."""
        return self.spans or (self.rows is None and self.closed in ("left", "neither"))

    def choice(
        self, algorithm: str, product: Product, calls: Sequence[BoundCall]
    ) -> Choice:
        """The algorithm for calls over this frame."""
        if self.spans:
            return _choose_tree(algorithm, product, label_of(calls))
        regular = self.rows is not None
        return choose_algorithm(
            algorithm, product, label_of(calls), width=self.rows, regular=regular
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
    bound_calls = bind(calls, schema)
    check_new_names(list(calls), schema.names)
    for bound in bound_calls:
        if bound.call.last is None:
            raise BadInput.because(
                f"cannot compute {bound.name!r} over the past of each row",
                f"{bound.call.label} does not say how far back",
                f"add it, as in wr.{bound.aggregate.name}(..., last='1 hour') "
                "or last=9",
            )
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
    frames: dict[Frame, tuple[BoundCall, ...]] = {}
    for bound in bound_calls:
        frame = _frame(bound.call, clock, spans=span is not None)
        if span is not None:
            _check_under_way(bound, frame)
        frames[frame] = (*frames.get(frame, ()), bound)
    for frame, members in frames.items():
        product = nominal_product(members)
        if product is not None:
            frame.choice(algorithm, product, members)
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


def _check_under_way(bound: BoundCall, frame: Frame) -> None:
    """Refuse a call that has no meaning over events with a duration."""
    fact = f"cannot compute {bound.name!r} over events with a duration"
    label = bound.call.label
    if frame.rows is not None:
        cause = f"{label} counts rows, and events under way have no order"
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


def _frame(call: Call, clock: Clock | None, *, spans: bool) -> Frame:
    if isinstance(call.last, Duration):
        assert clock is not None
        ticks = clock.ticks(call.last)
        return Frame(None, ticks, call.closed, f"last {call.last.text}", spans)
    assert call.last is not None
    return Frame(call.last, None, "both", f"last {call.last} rows")
