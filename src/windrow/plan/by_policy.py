"""The plan of `wr.aggregate` over a window by policy, on tables.

rows      ordered by key, then by time where there is one
policies  for each result the rows [start, stop) that it is made of
kernel    those bounds, over rows that are lifted in the loop
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates import Call
from windrow.errors import UnsupportedType, WindowError
from windrow.kernels import Product
from windrow.windows import Duration, PolicyWindow, clock_of
from windrow.windows.policy_numbers import BY_HAND, PolicyNumbers

from .bind import bind, check_new_names, column_type
from .choose import Choice, choose_algorithm
from .table import (
    TablePlan,
    check_columns,
    check_no_frames,
    check_ties,
    holistic_error,
    key_names,
    nominal_product,
)


@dataclass(frozen=True)
class PolicyPlan(TablePlan):
    """What will be done; `policies` count in ticks of the clock."""

    window: PolicyWindow
    policies: PolicyNumbers
    listed = False
    counts_rows = True

    @property
    def reads(self) -> list[str]:
        """Every column of the table that the plan reads, once each."""
        return list(dict.fromkeys([*super().reads, *self.policies.columns]))

    def choice(self, product: Product) -> Choice:
        """The algorithm for windows whose bounds follow from the rows."""
        return choose_algorithm(
            self.algorithm, product, self.label, width=None, regular=False
        )


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
    check_no_frames(calls)
    keys = key_names(by, schema)
    bound = bind(calls, schema)
    check_new_names(list(calls), [*keys, "window"])
    _check_types(policies, schema)
    clock = None
    if window.on is not None:
        both = {"range": window.evict, "every": window.trigger}
        lengths = {k: v for k, v in both.items() if isinstance(v, Duration)}
        kind = column_type(schema, window.on)
        clock = clock_of(window.on, kind, list(lengths.values()))
        ticks: dict[str, Any] = {k: clock.ticks(v) for k, v in lengths.items()}
        policies = replace(policies, **ticks)
    ties = check_columns(window.ties, schema)
    check_ties(ties, window.on)
    plan = PolicyPlan(bound, keys, clock, ties, algorithm, schema, window, policies)
    product = nominal_product(bound)
    if product is not None:
        plan.choice(product)
    elif algorithm != "auto":
        raise holistic_error(bound, algorithm)
    return plan


def _check_types(policies: PolicyNumbers, schema: pa.Schema) -> None:
    for name in policies.columns:
        kind = column_type(schema, name)
        fits, wanted = pat.is_boolean(kind), "a boolean"
        if name != policies.flag:
            fits, wanted = pat.is_integer(kind) or pat.is_floating(kind), "a number"
        if not fits:
            raise UnsupportedType.because(
                f"cannot rule a window by column {name!r}",
                f"it is of type {kind}, not {wanted}",
                "cast the column; for instants use a duration",
            )
