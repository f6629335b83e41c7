"""The plan of `wr.aggregate` over a window by policy, on tables.

rows      ordered by key, then by time where there is one
policies  for each result the rows [start, stop) that it is made of
kernel    those bounds, over rows that are lifted in the loop
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
from pyarrow import types as pat

from windrow.aggregates import Call
from windrow.errors import BadInput, UnsupportedType, WindowError
from windrow.kernels import Product
from windrow.windows import Duration, PolicyWindow
from windrow.windows.clock import Clock, clock_of
from windrow.windows.policy_numbers import BY_HAND, PolicyNumbers

from .aggregate import columns_read, key_names
from .bind import BoundCall, bind, check_new_names, column_type
from .choose import Choice, choose_algorithm
from .requests import may_overflow, request_kernel, slots_of


@dataclass(frozen=True)
class PolicyPlan:
    """What will be done; `policies` count in ticks of the clock."""

    calls: tuple[BoundCall, ...]
    window: PolicyWindow
    policies: PolicyNumbers
    by: tuple[str, ...]
    clock: Clock | None
    ties: tuple[str, ...]
    algorithm: str

    @property
    def sums(self) -> list[str]:
        """The columns of whole numbers whose sums could pass 64 bits."""
        columns = (bound.columns[0] for bound in self.calls if may_overflow(bound))
        return list(dict.fromkeys(columns))

    @property
    def reads(self) -> list[str]:
        """Every column of the table that is needed."""
        names = columns_read(self.by, self.calls, self.clock, self.ties)
        return list(dict.fromkeys([*names, *self.policies.columns]))

    def choice(self, product: Product) -> Choice:
        """The algorithm."""
        label = ", ".join(bound.call.label for bound in self.calls)
        return choose_algorithm(
            self.algorithm, product, label, width=None, regular=False
        )

    def nominal_product(self) -> Product | None:
        """The product if no column had nulls; None if all calls are holistic."""
        request = request_kernel(self.calls, slots_of(self.calls, lambda _: False))
        return request.product if request.calls else None


def plan_by_policy(
    schema: pa.Schema,
    window: PolicyWindow,
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    *,
    algorithm: str = "auto",
) -> PolicyPlan:
    """Check everything and decide everything."""
    policies = window.policies()
    if BY_HAND in (policies.evict, policies.trigger):
        raise WindowError.because(
            f"cannot slide a window ({window}) over a table",
            "a policy is by hand, and there is nobody to do it",
            "give both evict= and trigger=, or use wr.Operator",
        )
    if window.is_timed and window.on is None:
        raise WindowError.because(
            f"cannot place rows in a window ({window})",
            "it goes by time, and names no time column",
            "say which, as in wr.window(..., on='ts')",
        )
    if policies.punctuated and policies.flag is None:
        raise WindowError.because(
            f"cannot slide a window ({window}) over a table",
            "no column says where the punctuations are",
            "name a boolean one: wr.punctuation('last')",
        )
    keys = key_names(by, schema)
    bound = bind(calls, schema)
    check_new_names(list(calls), [*keys, "window"])
    _check_columns(policies, schema)
    clock = None
    if window.on is not None:
        lengths = [
            one for one in (window.evict, window.trigger) if isinstance(one, Duration)
        ]
        clock = clock_of(window.on, column_type(schema, window.on), lengths)
        policies = _in_ticks(policies, window, clock)
    for name in window.ties:
        column_type(schema, name)
    plan = PolicyPlan(bound, window, policies, keys, clock, window.ties, algorithm)
    product = plan.nominal_product()
    if product is not None:
        plan.choice(product)
    elif algorithm != "auto":
        raise BadInput.because(
            f"cannot slide {', '.join(b.call.label for b in bound)} with {algorithm}",
            "holistic aggregates have no partials to combine",
            "leave the algorithm to the planner",
        )
    return plan


def _in_ticks(
    policies: PolicyNumbers, window: PolicyWindow, clock: Clock
) -> PolicyNumbers:
    if isinstance(window.evict, Duration):
        policies = replace(policies, range=clock.ticks(window.evict))
    if isinstance(window.trigger, Duration):
        policies = replace(policies, every=clock.ticks(window.trigger))
    return policies


def _check_columns(policies: PolicyNumbers, schema: pa.Schema) -> None:
    for name in policies.columns:
        kind = column_type(schema, name)
        if name == policies.flag:
            fits, wanted = pat.is_boolean(kind), "a boolean"
        else:
            fits, wanted = pat.is_integer(kind) or pat.is_floating(kind), "a number"
        if not fits:
            raise UnsupportedType.because(
                f"cannot rule a window by column {name!r}",
                f"it is of type {kind}, not {wanted}",
                "cast the column; for instants use a duration",
            )


__all__ = ["PolicyPlan", "plan_by_policy"]
