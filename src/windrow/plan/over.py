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
from windrow.windows import Duration
from windrow.windows.clock import Clock, clock_of

from .aggregate import columns_read, key_names
from .bind import BoundCall, bind, check_new_names, column_type
from .choose import Choice, choose_algorithm
from .requests import may_overflow, request_kernel, slots_of


@dataclass(frozen=True)
class Frame:
    """How far back a row looks: over a number of rows, or a duration in ticks."""

    rows: int | None
    ticks: int | None
    closed: str
    text: str

    @property
    def may_be_empty(self) -> bool:
        """Whether the row's own instant is left out, so that there may be no row."""
        return self.rows is None and self.closed in ("left", "neither")

    def choice(self, algorithm: str, product: Product, label: str) -> Choice:
        """The algorithm for this frame."""
        return choose_algorithm(
            algorithm, product, label, width=self.rows, regular=self.rows is not None
        )


@dataclass(frozen=True)
class OverPlan:
    """What will be done for `wr.over`: the calls, and the frames that they share."""

    calls: tuple[BoundCall, ...]
    frames: dict[Frame, tuple[BoundCall, ...]]
    by: tuple[str, ...]
    clock: Clock | None
    ties: tuple[str, ...]
    algorithm: str
    schema: pa.Schema

    @property
    def sums(self) -> list[str]:
        """The columns of whole numbers whose sums could pass 64 bits."""
        columns = (bound.columns[0] for bound in self.calls if may_overflow(bound))
        return list(dict.fromkeys(columns))

    @property
    def reads(self) -> list[str]:
        """Every column of the table that the plan reads, once each."""
        return columns_read(self.by, self.calls, self.clock, self.ties)


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
    names = (ties,) if isinstance(ties, str) else tuple(ties or ())
    for name in names:
        column_type(schema, name)
    reaches = [bound.call.last for bound in bound_calls]
    durations = [reach for reach in reaches if isinstance(reach, Duration)]
    if on is None and durations:
        raise WindowError.because(
            f"cannot look back over the last {durations[0].text}",
            "no time column is named",
            "say which, as in wr.over(..., on='ts')",
        )
    clock = None if on is None else clock_of(on, column_type(schema, on), durations)
    frames: dict[Frame, list[BoundCall]] = {}
    for bound in bound_calls:
        frames.setdefault(_frame(bound.call, clock), []).append(bound)
    plan = OverPlan(
        bound_calls,
        {frame: tuple(members) for frame, members in frames.items()},
        keys,
        clock,
        names,
        algorithm,
        schema,
    )
    for frame, members in plan.frames.items():
        request = request_kernel(members, slots_of(members, lambda _: False))
        if request.calls:
            label = ", ".join(bound.call.label for bound in members)
            frame.choice(algorithm, request.product, label)
    return plan


def _frame(call: Call, clock: Clock | None) -> Frame:
    if isinstance(call.last, Duration):
        assert clock is not None
        ticks = clock.ticks(call.last)
        return Frame(None, ticks, call.closed, f"last {call.last.text}")
    assert call.last is not None
    return Frame(call.last, None, "both", f"last {call.last} rows")
