"""Finishes a plan with what only data can tell, once, before anything is computed.

    plan     windows, aggregates, schema      wr.aggregate(...) as it was written
    facts    nulls, magnitudes, longest key   a scan of the rows; unknown on Spark
    resolve  --------------------------->     product, way, algorithm for each window

Three ways lead to windows, tried in this order:

    graph    several count windows share the scans of one graph
    even     one count window, its bounds by arithmetic
    slices   windows over slices, their bounds from the rule

Executors follow what stands here and choose nothing; `explain` prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from windrow.algorithms import Algorithm
from windrow.algorithms import find as find_algorithm
from windrow.kernels import Product

from .aggregate import Plan
from .bind import BoundCall
from .by_policy import PolicyPlan
from .choose import Choice
from .over import Frame, OverPlan
from .requests import KernelRequest, Slots, may_overflow, request_kernel, slots_of
from .sharing import Sharing, choice_alone, sharing_of
from .spans import Lengths, TechniqueGroup, choose_groups

FOLD_BELOW = 0.7  # slices for each row: above that rows are their own slices


@dataclass(frozen=True)
class Facts:
    """What a scan of the rows has found out; the defaults stand for nothing.

    `nulls` are the columns that may hold one (None: all of them), `magnitudes` the
    largest absolute values of columns of whole numbers, `longest` is the number of
    rows of the longest key, `spans` says how long events with a duration last.
    """

    nulls: frozenset[str] | None = None
    magnitudes: Mapping[str, int] = field(default_factory=dict)
    longest: int | None = None
    spans: Lengths | None = None

    def has_nulls(self, column: str) -> bool:
        """Whether a column may hold a null."""
        return self.nulls is None or column in self.nulls

    def needs_two_words(self, bound: BoundCall, rows: int | None) -> bool:
        """Whether the sum of a call over at most `rows` rows could pass 64 bits."""
        if not may_overflow(bound):
            return False
        most = self.magnitudes.get(bound.columns[0])
        counts = [count for count in (rows, self.longest) if count is not None]
        return most is None or not counts or most * (min(counts) + 1) >= 2**63


@dataclass(frozen=True)
class Resolved:
    """A plan of `wr.aggregate` with every choice made.

    `way` is graph, even or slices; `choices` has an entry for each window that slides
    by itself, else None.  Windows over slices may all be answered `by_graph`, or
    `together` by one algorithm that knows several ranges.  `groups` are the techniques
    for events with a duration.
    """

    plan: Plan
    request: KernelRequest
    slots: Slots
    way: str
    choices: tuple[Choice | None, ...]
    sharing: Sharing | None = None
    by_graph: bool = False
    together: Algorithm | None = None
    groups: tuple[TechniqueGroup, ...] = ()
    fold_below: float = FOLD_BELOW

    @property
    def product(self) -> Product:
        """The product of the partials of all aggregates that have one."""
        return self.request.product

    @property
    def is_holistic(self) -> bool:
        """Whether some aggregate needs the rows of each window, not a partial."""
        return len(self.request.calls) < len(self.plan.calls)

    def algorithm(self, number: int) -> Algorithm:
        """The algorithm of a window that slides by itself."""
        choice = self.choices[number]
        assert choice is not None
        return choice.algorithm


@dataclass(frozen=True)
class ResolvedFrame:
    """Calls of `wr.over` with the same frame; `choice` is None if all are holistic."""

    frame: Frame
    calls: tuple[BoundCall, ...]
    request: KernelRequest
    choice: Choice | None


@dataclass(frozen=True)
class ResolvedOver:
    """A plan of `wr.over` with every choice made."""

    plan: OverPlan
    slots: Slots
    frames: tuple[ResolvedFrame, ...]


@dataclass(frozen=True)
class ResolvedPolicy:
    """A plan by policy with every choice made; no `choice` if all are holistic."""

    plan: PolicyPlan
    request: KernelRequest
    slots: Slots
    choice: Choice | None


@overload
def resolve(
    plan: Plan, facts: Facts, *, sliced: bool = False, alone: bool = False
) -> Resolved: ...
@overload
def resolve(plan: OverPlan, facts: Facts) -> ResolvedOver: ...
@overload
def resolve(plan: PolicyPlan, facts: Facts) -> ResolvedPolicy: ...
def resolve(
    plan: Plan | OverPlan | PolicyPlan,
    facts: Facts,
    *,
    sliced: bool = False,
    alone: bool = False,
) -> Resolved | ResolvedOver | ResolvedPolicy:
    """Make every choice that is left, with what is known of the rows.

    With `sliced` the rows are slices already; with `alone` each window slides over
    bounds of its own, whatever it could share.
    """
    if isinstance(plan, OverPlan):
        return _resolve_over(plan, facts)
    if isinstance(plan, PolicyPlan):
        return _resolve_policy(plan, facts)
    slots = slots_of(plan.calls, facts.has_nulls)

    def request_of(calls: Sequence[BoundCall]) -> KernelRequest:
        counts = [rule.longest for rule in plan.rules if rule.counts_rows]
        rows = max(counts) if counts else None
        return request_kernel(
            calls, slots, lambda bound: facts.needs_two_words(bound, rows)
        )

    if plan.span is not None:
        return _resolve_spans(plan, facts, slots, request_of)
    request = request_of(plan.calls)
    none = (None,) * len(plan.rules)
    if not request.calls:
        way = "even" if plan.is_regular and not sliced else "slices"
        return Resolved(plan, request, slots, way, none)
    product = request.product
    sharing = None if alone else sharing_of(plan, product, sliced=sliced)
    if sharing is not None and sharing.unit:
        singles = {
            number: choice_alone(product, plan.rules[number], sharing.unit)
            for number in sharing.alone
        }
        choices = tuple(singles.get(number) for number in range(len(plan.rules)))
        return Resolved(plan, request, slots, "graph", choices, sharing)
    if sharing is not None:
        return Resolved(plan, request, slots, "slices", none, sharing, by_graph=True)
    choices = tuple(plan.choice(rule, product) for rule in plan.rules)
    if plan.is_regular and not sliced and not alone:
        return Resolved(plan, request, slots, "even", choices)
    together = None
    if plan.is_together and not alone:
        together = find_algorithm(plan.algorithm)
    return Resolved(plan, request, slots, "slices", choices, together=together)


def _resolve_spans(
    plan: Plan, facts: Facts, slots: Slots, request_of: Callable[..., KernelRequest]
) -> Resolved:
    """Choose the techniques for events with a duration, by how long these are."""
    lengths = facts.spans
    groups = []
    if lengths is not None:
        groups = [
            replace(group, algorithms=slide_algorithms(plan, group.request.product))
            for group in choose_groups(
                plan.calls, request_of, lengths, plan.algorithm, plan.chunk
            )
        ]
    request = request_of(plan.calls)
    none = (None,) * len(plan.rules)
    return Resolved(plan, request, slots, "spans", none, groups=tuple(groups))


def slide_algorithms(plan: Plan, product: Product) -> tuple[Algorithm, ...]:
    """The algorithms that slide over slices of events with a duration."""
    return tuple(plan.choice(rule, product).algorithm for rule in plan.rules)


def _resolve_over(plan: OverPlan, facts: Facts) -> ResolvedOver:
    """Choose the kernel's request and the algorithm of each frame."""
    slots = slots_of(plan.calls, facts.has_nulls)
    frames = []
    for frame, calls in plan.frames.items():

        def is_wide(bound: BoundCall, rows: int | None = frame.rows) -> bool:
            return facts.needs_two_words(bound, rows)

        request = request_kernel(calls, slots, is_wide, may_be_empty=frame.may_be_empty)
        choice = None
        if request.calls:
            label = ", ".join(bound.call.label for bound in calls)
            choice = frame.choice(plan.algorithm, request.product, label)
        frames.append(ResolvedFrame(frame, calls, request, choice))
    return ResolvedOver(plan, slots, tuple(frames))


def _resolve_policy(plan: PolicyPlan, facts: Facts) -> ResolvedPolicy:
    slots = slots_of(plan.calls, facts.has_nulls)
    request = request_kernel(
        plan.calls, slots, lambda bound: facts.needs_two_words(bound, None)
    )
    choice = plan.choice(request.product) if request.calls else None
    return ResolvedPolicy(plan, request, slots, choice)


__all__ = [
    "Facts",
    "Resolved",
    "ResolvedFrame",
    "ResolvedOver",
    "ResolvedPolicy",
    "resolve",
    "slide_algorithms",
]
