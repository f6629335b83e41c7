"""Plans an aggregation: makes every decision before any value is read.

calls + schema  --bind-->  what is computed
windows + clock --------->  rules in ticks
rules           --------->  slicer, cuts
product + laws  --------->  algorithm
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import Call
from windrow.errors import BadInput
from windrow.kernels import Product
from windrow.slicing import Cuts, Slicer, cuts_of, share
from windrow.windows import Clock, Rule, Window

from .bind import bind, check_new_names
from .choose import GRAPH, Choice, choose_algorithm, choose_slicer
from .sharing import sharing_of
from .spans import check_forced, span_of
from .table import (
    TablePlan,
    check_no_frames,
    check_ties,
    holistic_error,
    key_names,
    nominal_product,
)
from .windows import check_windows, order_of, rules_of

CELLS_PER_ROW = 8  # an empty cell takes a twentieth of the time of sorting a row
FEW_CELLS = 4096


@dataclass(frozen=True)
class Plan(TablePlan):
    """What will be done for `wr.aggregate`, and why.

    With a `span`, the columns of start and end, events have a duration: the clock is
    that of their ends, `algorithm` names a technique, and `chunk` is its height.
    """

    rules: tuple[Rule, ...]
    listed: bool
    slicer: Slicer
    slicer_reason: str
    chunk: int
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
    def rows_by_one(self) -> int | None:
        """The rows of one count window that moves on by one; None for all others."""
        by_one = self.is_regular and self.rules[0].step == 1
        return self.rules[0].even.range if by_one else None

    @property
    def is_even(self) -> bool:
        """Whether the bounds of all windows are arithmetic."""
        return all(rule.is_even for rule in self.rules)

    @property
    def chooses(self) -> bool:
        """Whether the algorithm that slides over slices is the planner's choice."""
        return self.algorithm in ("auto", GRAPH) or self.span is not None

    @property
    def must_sort(self) -> str | None:
        """Why rows are sorted by key whatever they hold, if they are (`cells.py`)."""
        if self.counts_rows or self.clock is None or self.span is not None:
            return "windows are not measured in time"
        if self.ties:
            return "ties= orders rows of the same instant"
        if not self.chooses or not self.slicer.whole_windows:
            return "an algorithm or a slicer was asked for by name"
        if not all(bound.aggregate.in_kernels for bound in self.calls):
            return "an aggregate needs the rows of each window"
        return None

    def most_cells(self, rows: int) -> int:
        """How many cells of keys x slices so many rows may be folded into."""
        return CELLS_PER_ROW * rows + FEW_CELLS

    @property
    def longest(self) -> int:
        """The length of the longest window, in ticks or rows."""
        return max(rule.longest for rule in self.rules)

    @property
    def counts_rows(self) -> bool:
        """Whether windows are measured in rows, not in time."""
        return self.rules[0].counts_rows

    @property
    def reads(self) -> list[str]:
        """Every column of the table that the plan reads, once each."""
        return list(dict.fromkeys([*super().reads, *(self.span or ())]))

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
        return None if shared is None else shared.partials[self.rules.index(rule)]

    def choice(self, rule: Rule, product: Product, *, even: bool = False) -> Choice:
        """The algorithm for a window that shares nothing with others.

        It is `even` where each window is known to be as many slices as the next.
        """
        return choose_algorithm(
            "auto" if self.chooses else self.algorithm,
            product,
            self.label,
            width=self.width(rule),
            regular=even or self.is_regular,
        )


def check_no_history(start: object, since: object) -> None:
    """Refuse history where nothing is kept for rows to come."""
    if start is not None or since is not None:
        raise BadInput.because(
            "cannot begin a batch with tiles",
            "start= and since= are what a stream begins with",
            "make tiles of the batch too, and call wr.merge_tiles over both",
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
    check_no_frames(calls)
    bound = bind(calls, schema)
    check_new_names(list(calls), [*keys, "window", *(["query"] if listed else [])])
    span = span_of(windows, schema)
    clock, ties = order_of(windows, schema, span)
    check_ties(ties, None if clock is None else clock.column)
    rules = rules_of(windows, clock)
    by_rows = rules[0].counts_rows and algorithm != GRAPH  # a graph has no tails
    cut = choose_slicer(slicer, rules, rows=by_rows, span_times=span is not None)
    if chunk < 0:
        raise BadInput.because(
            f"cannot use chunks of {chunk} slices",
            "a chunk must be positive",
            "leave chunk out to let the algorithm choose",
        )
    if chunk and span is None and algorithm != "pba":
        raise BadInput.because(
            f"cannot use chunks of {chunk} slices",
            "only pba has chunks whose length can be chosen",
            "add algorithm='pba', or leave chunk out",
        )
    plan = Plan(
        bound, keys, clock, ties, algorithm, schema, rules, listed, *cut, chunk, span
    )
    product = nominal_product(bound)
    if span is not None:
        check_forced(algorithm, chunk, bound, product)
    elif product is None and algorithm != "auto":
        raise holistic_error(bound, algorithm)
    elif product is not None and sharing_of(plan, product) is None:
        plan.choice(rules[0], product)
    return plan
