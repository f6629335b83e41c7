"""Finishes a plan with what only data can tell, once, before anything is computed.

    plan     windows, aggregates, schema      wr.aggregate(...) as it was written
    facts    nulls, magnitudes, longest key   a scan of the rows; unknown on Spark
    resolve  --------------------------->     product, way, algorithm for each window

Three ways lead to windows, tried in this order:

    graph    several count windows share the scans of one graph
    even     one window over even slices: rows are counted, or no slide is without one
    slices   windows over slices, their bounds from the rule

Slices are cut from rows that are sorted by key, or are cells into which rows are folded
where they stand (`cells.py`).  Executors follow what stands here and choose nothing;
`explain` prints it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import overload

from windrow.algorithms import Algorithm
from windrow.kernels import Product

from .aggregate import Plan
from .bind import BoundCall
from .by_policy import PolicyPlan
from .cells import why_sorted
from .choose import check_chunk, choose_threads
from .facts import Facts
from .over import OverPlan
from .requests import Slots, request_kernel, slots_of
from .resolved import Resolved, ResolvedFrame, ResolvedOver, ResolvedPolicy
from .sharing import choice_alone, sharing_of
from .spans import TechniqueGroup, choose_groups, places_of_ring


@overload
def resolve(
    plan: Plan, facts: Facts, *, inputs: str = "rows", sketches: bool | None = None
) -> Resolved: ...
@overload
def resolve(plan: OverPlan, facts: Facts) -> ResolvedOver: ...
@overload
def resolve(plan: PolicyPlan, facts: Facts) -> ResolvedPolicy: ...
def resolve(
    plan: Plan | OverPlan | PolicyPlan,
    facts: Facts,
    *,
    inputs: str = "rows",
    sketches: bool | None = None,
) -> Resolved | ResolvedOver | ResolvedPolicy:
    """Make every choice that is left, with what is known of the rows.

    Windows slide over `inputs`: "rows"; "slices", into which rows have been folded; or
    "ranges" of rows, of which each window has its own and shares none.  Partials have
    `sketches` over slices, and where rows are folded into those.
    """
    if isinstance(plan, OverPlan):
        return _resolve_over(plan, facts, slots_of(plan.framed, facts.has_nulls))
    slots = slots_of(plan.calls, facts.has_nulls)
    if isinstance(plan, PolicyPlan):
        request = request_kernel(plan.calls, slots, facts.two_words(None))
        request = facts.select(request, plan.calls, None)
        choice = plan.choice(request.product) if request.calls else None
        return ResolvedPolicy(plan, request, slots, choice)
    if facts.cells is not None:
        return _resolve_keyed(plan, facts, slots)
    wide = facts.two_words(plan.longest if plan.counts_rows else None)
    of_slices = sketches if sketches is not None else inputs == "slices"
    request = request_kernel(plan.calls, slots, wide, of_slices=of_slices)
    width = plan.rows_by_one if inputs == "rows" else None
    request = facts.select(request, plan.calls, width)
    none = (None,) * len(plan.rules)
    if plan.span is not None:
        groups = _technique_groups(plan, facts, slots, wide)
        return Resolved(plan, request, slots, "spans", none, groups=groups)
    gapless = facts.gapless and len(request.calls) == len(plan.calls)
    is_even = plan.is_regular or gapless
    way = "even" if is_even and inputs == "rows" else "slices"
    if not request.calls:
        return Resolved(plan, request, slots, way, none)
    product, sharing = request.product, None
    if inputs != "ranges":
        sharing = sharing_of(plan, product, sliced=inputs == "slices")
    if sharing is not None and sharing.unit:
        choices = tuple(
            choice_alone(product, rule, sharing.unit)
            if number in sharing.alone
            else None
            for number, rule in enumerate(plan.rules)
        )
        return Resolved(plan, request, slots, "graph", choices, sharing)
    if sharing is not None:
        return Resolved(plan, request, slots, "slices", none, sharing, by_graph=True)
    own = tuple(plan.choice(rule, product, even=way == "even") for rule in plan.rules)
    if plan.chunk:
        check_chunk(plan, even=way == "even")
    if way == "even" and plan.chooses:
        own = (choose_threads(own[0], product, plan, facts.longest, facts.threads),)
    forced = None if plan.chooses or len(plan.rules) == 1 else own[0].algorithm
    if forced is None or not forced.many or inputs == "ranges":
        return Resolved(plan, request, slots, way, own)
    return Resolved(plan, request, slots, way, own, together=forced)


def _resolve_keyed(plan: Plan, facts: Facts, slots: Slots) -> Resolved:
    """Resolve a plan whose rows may be folded into cells."""
    cells = facts.cells
    assert cells is not None
    product = request_kernel(plan.calls, slots, facts.two_words(None)).product
    reason = why_sorted(plan, product, cells)
    if reason is None:
        folded = resolve(plan, replace(facts, cells=None), inputs="slices")
        return replace(folded, cells=cells)
    known = facts if facts.after_sort is None else facts.after_sort()
    return replace(resolve(plan, known), sorted_because=reason)


def _technique_groups(
    plan: Plan, facts: Facts, slots: Slots, wide: Callable[[BoundCall], bool]
) -> tuple[TechniqueGroup, ...]:
    """The techniques for events with a duration, by how long these are."""
    if facts.spans is None:
        return ()
    groups = choose_groups(
        plan.calls,
        lambda calls: request_kernel(calls, slots, wide),
        facts.spans,
        plan.algorithm,
        plan.chunk,
    )
    return tuple(
        replace(
            group,
            algorithms=slide_algorithms(plan, group.request.product),
            ring=places_of_ring(group.technique, plan.cuts, plan.rules, facts.spans),
            reach=facts.spans.reach,
        )
        for group in groups
    )


def slide_algorithms(plan: Plan, product: Product) -> tuple[Algorithm, ...]:
    """The algorithms that slide over slices of events with a duration."""
    return tuple(plan.choice(rule, product).algorithm for rule in plan.rules)


def _resolve_over(plan: OverPlan, facts: Facts, slots: Slots) -> ResolvedOver:
    frames = []
    for frame, calls in plan.frames.items():
        wide = facts.two_words(
            None if frame.rows is None else frame.before + frame.after + 1
        )
        request = request_kernel(calls, slots, wide, may_be_empty=frame.may_be_empty)
        request = facts.select(request, calls, frame.rows if frame.is_even else None)
        choice = None
        if request.calls:
            choice = frame.choice(plan.algorithm, request.product, calls)
        frames.append(ResolvedFrame(frame, calls, request, choice))
    return ResolvedOver(plan, slots, tuple(frames))
