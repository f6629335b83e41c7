"""Defines what all plans over a table have: calls, keys, an order and an algorithm.

Plan        wr.aggregate over numbered windows     aggregate.py
PolicyPlan  wr.aggregate over a window by policy   by_policy.py
OverPlan    wr.over                                over.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import FRAME, Call
from windrow.errors import BadInput
from windrow.kernels import Product
from windrow.windows import Clock

from .bind import BoundCall, column_type
from .requests import may_overflow, request_kernel, slots_of
from .selection import ranged_columns


@dataclass(frozen=True)
class TablePlan:
    """What will be done over a table, as far as all plans have it in common."""

    calls: tuple[BoundCall, ...]
    by: tuple[str, ...]
    clock: Clock | None
    ties: tuple[str, ...]
    algorithm: str
    schema: pa.Schema

    @property
    def label(self) -> str:
        """All calls as they were written."""
        return label_of(self.calls)

    @property
    def sums(self) -> list[str]:
        """The columns of whole numbers whose sums could pass 64 bits."""
        columns = (bound.columns[0] for bound in self.calls if may_overflow(bound))
        return list(dict.fromkeys(columns))

    @property
    def ranged(self) -> list[str]:
        """The columns of whole numbers whose range decides how values are ordered."""
        return ranged_columns(self.calls)

    @property
    def reads(self) -> list[str]:
        """Every column of the table that the plan reads, once each."""
        names = [*self.by, *(name for bound in self.calls for name in bound.reads)]
        if self.clock is not None:
            names += [self.clock.column, *self.ties]
        return list(dict.fromkeys(names))


def check_no_frames(calls: Mapping[str, Call]) -> None:
    """Refuse frames where a window says how far back."""
    for name, call in calls.items():
        for word in FRAME:
            if getattr(call, word) is not None:
                raise BadInput.because(
                    f"cannot compute {name!r}",
                    f"{word}= belongs to wr.over, and the window says how far back",
                    f"leave {word}= out, or call wr.over",
                )


def label_of(calls: Sequence[BoundCall]) -> str:
    """Calls as they were written."""
    return ", ".join(bound.call.label for bound in calls)


def nominal_product(calls: Sequence[BoundCall]) -> Product | None:
    """The product if no column had nulls; None if all calls are holistic."""
    request = request_kernel(calls, slots_of(calls, lambda _: False))
    return request.product if request.calls else None


def holistic_error(
    calls: Sequence[BoundCall],
    algorithm: str,
    hint: str = "leave the algorithm to the planner",
) -> BadInput:
    """The error for an algorithm that is asked for where nothing can be combined."""
    return BadInput.because(
        f"cannot slide {label_of(calls)} with {algorithm}",
        "holistic aggregates have no partials to combine",
        hint,
    )


def check_columns(
    names: str | Sequence[str] | None, schema: pa.Schema
) -> tuple[str, ...]:
    """The columns of those names, each of which must exist."""
    columns = () if names is None else (names,) if isinstance(names, str) else names
    for name in columns:
        column_type(schema, name)
    return tuple(columns)


def check_ties(names: Sequence[str], on: str | None) -> None:
    """Refuse ties of rows that go by no time, and stand as they came."""
    if names and on is None:
        raise BadInput.because(
            f"cannot break ties by {', '.join(names)}",
            "no time column is named, so that no two rows are at one instant",
            "say which, as in on='ts', or leave ties= out",
        )


def key_names(by: str | Sequence[str] | None, schema: pa.Schema) -> tuple[str, ...]:
    """The key columns, each of which must exist, and be named once."""
    names = check_columns(by, schema)
    if len(set(names)) < len(names):
        raise BadInput.because(
            f"cannot group by {', '.join(names)}",
            "a key is named twice",
            "name it once",
        )
    return names
