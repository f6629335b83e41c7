"""Plans `wr.over`, which gives every row new columns over its own past.

Calls with the same frame are one pass:

    spend_1h=wr.sum("amount", last="1 hour")      frame: the last hour, both ends in
    n_1h=wr.count(last="1 hour")                  the same frame, the same pass
    spend_9=wr.sum("amount", last=9)              frame: this row and the 8 before it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from windrow.aggregates import Call
from windrow.errors import BadInput, WindowError
from windrow.kernels import Product
from windrow.windows import Clock, Duration, clock_of

from .bind import BoundCall, bind, check_new_names, column_type
from .choose import Choice, choose_algorithm
from .table import TablePlan, check_columns, key_names, label_of, nominal_product


@dataclass(frozen=True)
class Frame:
    """How far back a row looks: over a number of rows, or a duration in ticks."""

    rows: int | None
    ticks: int | None
    closed: str
    text: str

    @property
    def interval(self) -> tuple[int, int]:
        """The frame of a row at t is [t + far, t + near), in ticks."""
        assert self.ticks is not None
        far = int(self.closed in ("right", "neither")) - self.ticks
        return far, max(far, int(self.closed in ("right", "both")))

    @property
    def may_be_empty(self) -> bool:
        """Whether the row's own instant is left out, so that there may be no row."""
        return self.rows is None and self.closed in ("left", "neither")

    def choice(
        self, algorithm: str, product: Product, calls: Sequence[BoundCall]
    ) -> Choice:
        """The algorithm for calls over this frame."""
        regular = self.rows is not None
        return choose_algorithm(
            algorithm, product, label_of(calls), width=self.rows, regular=regular
        )


@dataclass(frozen=True)
class OverPlan(TablePlan):
    """What will be done for `wr.over`: the calls, and the frames that they share."""

    frames: dict[Frame, tuple[BoundCall, ...]]


def plan_over(
    schema: pa.Schema,
    on: str | None,
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    *,
    ties: str | Sequence[str] | None = None,
    algorithm: str = "auto",
) -> OverPlan:
    """Check everything and decide everything for `wr.over`."""
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
        frame = _frame(bound.call, clock)
        frames[frame] = (*frames.get(frame, ()), bound)
    for frame, members in frames.items():
        product = nominal_product(members)
        if product is not None:
            frame.choice(algorithm, product, members)
    return OverPlan(bound_calls, keys, clock, names, algorithm, schema, frames)


def _frame(call: Call, clock: Clock | None) -> Frame:
    if isinstance(call.last, Duration):
        assert clock is not None
        ticks = clock.ticks(call.last)
        return Frame(None, ticks, call.closed, f"last {call.last.text}")
    assert call.last is not None
    return Frame(call.last, None, "both", f"last {call.last} rows")
