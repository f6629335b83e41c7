"""Plans an aggregation: makes every decision before any value is read.

calls + schema  --bind-->  what is computed
windows + clock --------->  rules in ticks
rules           --------->  slicer, cuts
product + laws  --------->  algorithm
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from windrow.aggregates import Call
from windrow.algorithms import find as find_algorithm
from windrow.errors import BadInput
from windrow.kernels import Product
from windrow.slicing import Cuts, Slicer, cuts_of, share
from windrow.spans import find as find_technique
from windrow.windows import Rule, Window
from windrow.windows.clock import Clock

from .bind import BoundCall, bind, check_new_names, column_type
from .choose import Choice, choose_algorithm, choose_slicer
from .requests import may_overflow, request_kernel, slots_of
from .sharing import GRAPH, sharing_of
from .spans import check_forced, check_slicer, check_suits, span_of
from .windows import check_windows, clock_for, order_of, rules_of


@dataclass(frozen=True)
class Plan:
    """What will be done for `wr.aggregate`, and why.

    With a `span`, the columns of start and end, events have a duration: the clock is
    that of their ends, `algorithm` names a technique, and `chunk` is its height.
    """

    calls: tuple[BoundCall, ...]
    rules: tuple[Rule, ...]
    listed: bool
    by: tuple[str, ...]
    clock: Clock | None
    ties: tuple[str, ...]
    slicer: Slicer
    slicer_reason: str
    algorithm: str
    chunk: int
    schema: pa.Schema
    span: tuple[str, str] | None = None

    @cached_property
    def cuts(self) -> Cuts:
        """The cuts that the slicer makes for all windows."""
        return cuts_of(self.slicer, self.rules)

    @property
    def is_regular(self) -> bool:
        """Whether the plan is one count window whose bounds are arithmetic."""
        if len(self.rules) != 1 or not self.rules[0].is_complete:
            return False
        range_, slide, _ = self.rules[0].even
        return slide == 1 or range_ % slide == 0 or not self.slicer.whole_windows

    @property
    def is_even(self) -> bool:
        """Whether the bounds of all windows are arithmetic."""
        return all(rule.is_even for rule in self.rules)

    @property
    def chooses(self) -> bool:
        """Whether the algorithm that slides over slices is the planner's choice."""
        return self.algorithm in ("auto", GRAPH) or self.span is not None

    @property
    def is_together(self) -> bool:
        """Whether one pass of an algorithm for several ranges answers all windows."""
        if self.chooses:
            return False
        return find_algorithm(self.algorithm).many and len(self.rules) > 1

    @property
    def longest(self) -> int:
        """The length of the longest window, in ticks or rows."""
        return max(rule.longest for rule in self.rules)

    @property
    def counts_rows(self) -> bool:
        """Whether windows are measured in rows, not in time."""
        return self.rules[0].counts_rows

    @property
    def sums(self) -> list[str]:
        """The columns of whole numbers whose sums could pass 64 bits."""
        columns = (bound.columns[0] for bound in self.calls if may_overflow(bound))
        return list(dict.fromkeys(columns))

    @property
    def reads(self) -> list[str]:
        """Every column of the table that the plan reads, once each."""
        names = columns_read(self.by, self.calls, self.clock, self.ties)
        return list(dict.fromkeys([*names, *(self.span or ())]))

    @property
    def start_clock(self) -> Clock:
        """The clock of the column in which events with a duration start."""
        assert self.clock is not None
        assert self.span is not None
        return replace(self.clock, column=self.span[0])

    def width(self, rule: Rule) -> int | None:
        """The number of slices in a window: exact where regular, else the most.

        None where the composite slide is too long to lay out, or edges are mixed.
        """
        if not self.is_even:
            return rule.overlap if len(self.rules) == 1 else None
        range_, slide, _ = rule.even
        if self.is_regular:
            return range_ // slide if slide > 1 else range_
        shared = share(self.slicer, [other.even for other in self.rules])
        if shared is None:
            return None
        return shared.partials[self.rules.index(rule)]

    def choice(self, rule: Rule, product: Product) -> Choice:
        """The algorithm for a window that shares nothing with others."""
        label = ", ".join(bound.call.label for bound in self.calls)
        return choose_algorithm(
            "auto" if self.chooses else self.algorithm,
            product,
            label,
            width=self.width(rule),
            regular=self.is_regular,
        )


def plan_aggregate(
    schema: pa.Schema,
    window: Window | Sequence[Window],
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    *,
    algorithm: str = "auto",
    slicer: str = "auto",
    chunk: int = 0,
) -> Plan:
    """Check everything and decide everything for `wr.aggregate`."""
    listed = isinstance(window, (list, tuple))
    windows: list[Window] = list(window) if listed else [window]  # type: ignore[list-item,arg-type]
    check_windows(windows)
    keys = key_names(by, schema)
    for name, call in calls.items():
        if call.last is not None:
            raise BadInput.because(
                f"cannot compute {name!r}",
                "last= belongs to wr.over, and the window says how far back",
                "leave last= out, or call wr.over",
            )
    bound_calls = bind(calls, schema)
    check_new_names(list(calls), [*keys, "window", *(["query"] if listed else [])])
    span = span_of(windows, schema)
    on, ties = order_of(windows, schema, span)
    clock = clock_for(windows, on, schema)
    rules = rules_of(windows, clock)
    chosen_slicer, reason = choose_slicer(
        slicer,
        rules,
        rows=rules[0].counts_rows and algorithm != GRAPH,  # a graph has no tails
        span_times=span is not None,
    )
    if span is not None:
        check_slicer(chosen_slicer.whole_windows, chosen_slicer.name)
    if chunk < 0:
        raise BadInput.because(
            f"cannot use chunks of {chunk} slices",
            "a chunk must be positive",
            "leave chunk out to let the algorithm choose",
        )
    plan = Plan(
        bound_calls,
        rules,
        listed,
        keys,
        clock,
        ties,
        chosen_slicer,
        reason,
        algorithm,
        chunk,
        schema,
        span,
    )
    request = request_kernel(bound_calls, slots_of(bound_calls, lambda _: False))
    product = request.product if request.calls else None
    if span is not None:
        check_forced(algorithm, chunk, bound_calls)
        if product is not None and algorithm != "auto":
            check_suits(find_technique(algorithm), product, bound_calls)
    elif product is not None:
        if sharing_of(plan, product) is None:
            plan.choice(rules[0], product)
    elif algorithm != "auto":
        labels = ", ".join(bound.call.label for bound in bound_calls)
        raise BadInput.because(
            f"cannot slide {labels} with {algorithm}",
            "holistic aggregates have no partials to combine",
            "leave the algorithm to the planner",
        )
    return plan


def columns_read(
    by: Sequence[str],
    calls: Sequence[BoundCall],
    clock: Clock | None,
    ties: Sequence[str],
) -> list[str]:
    """Every column that keys, calls, clock and ties name, once each."""
    names = [*by, *(name for bound in calls for name in bound.reads)]
    if clock is not None:
        names += [clock.column, *ties]
    return list(dict.fromkeys(names))


def key_names(by: str | Sequence[str] | None, schema: pa.Schema) -> tuple[str, ...]:
    """The key columns, each of which must exist."""
    names = () if by is None else (by,) if isinstance(by, str) else tuple(by)
    for name in names:
        column_type(schema, name)
    if len(set(names)) < len(names):
        raise BadInput.because(
            f"cannot group by {', '.join(names)}",
            "a key is named twice",
            "name it once",
        )
    return names


__all__ = ["Plan", "columns_read", "key_names", "plan_aggregate"]
