"""Explains what Spark will do, as text: for batches, frames and streams.

Everything here is read off the plan that the tasks execute.
"""

from __future__ import annotations

from windrow.aggregates import Law
from windrow.kernels import Product

from .aggregate import Plan
from .explain import Explanation
from .explain_lines import (
    algorithm_lines,
    frame_lines,
    holistic_lines,
    partial_lines,
    result_lines,
    slice_lines,
    span_words,
    window_lines,
    zone_lines,
)
from .flow import Flow
from .over import OverPlan
from .requests import may_overflow, request_kernel
from .resolve import Facts, resolve
from .spread import Spread
from .tree import Tree


def explain_tree(tree: Tree) -> Explanation:
    """Explain `wr.aggregate` over many tasks, level by level."""
    plan = tree.plan
    lines = [f"aggregate on Spark: {tree.word}"]
    keys = f"by {', '.join(plan.by)}" if plan.by else "no key"
    order = _order_words(plan) if plan.span is None else f"; {span_words(plan)}"
    lines.append(f"  rows       {keys}{order}")
    lines += zone_lines(plan.clock) + window_lines(plan) + slice_lines(tree.resolved)
    lines.append(f"  level 1    {tree.level1}: {tree.level1_reason}")
    if tree.request.calls:
        lines += partial_lines(tree.request.product)
    steps = {
        "pane": "each pane is lowered where it is, without a further shuffle",
        "none": "one task a key, state carried from batch to batch",
        "overlap": f"one task a key and chunk of {_length(plan, tree.chunk)}",
        "sash": f"sashes in chunks of {_length(plan, tree.chunk)}",
        "blocks": "one task a block of rows",
    }
    lines.append(f"  level 2    {steps[tree.split]}")
    if plan.span is not None:
        lines.append(f"  technique  {_technique_words(tree)}")
    elif tree.request.calls:
        lines += algorithm_lines(tree.resolved)
    lines += holistic_lines(plan.calls)
    lines.append(f"  level 3    {tree.split}: {tree.split_reason}")
    lines += result_lines(plan.calls, [tree.request])
    return Explanation("\n".join(lines))


def explain_spread(plan: OverPlan, spread: Spread) -> Explanation:
    """Explain `wr.over` over many tasks."""
    lines = ["over on Spark: I→Window, a window for each row"]
    keys = f"by {', '.join(plan.by)}" if plan.by else "no key"
    lines.append(f"  rows       {keys}{_order_words(plan)}")
    lines.append(f"  split      {spread.split}: {spread.reason}")
    if spread.chunk:
        reach = _length(plan, spread.reach or 0)
        lines.append(
            f"             chunks of {_length(plan, spread.chunk)}, "
            f"each with the {reach} before it"
        )
    return Explanation("\n".join(lines + frame_lines(resolve(plan, Facts()))))


def explain_flow(flow: Flow) -> Explanation:
    """Explain `wr.aggregate` or `wr.over` over a stream."""
    plan = flow.plan
    over = isinstance(plan, OverPlan)
    lines = [f"{'over' if over else 'aggregate'} on a Spark stream, append mode"]
    keys = f"by {', '.join(plan.by)}" if plan.by else "no key"
    order = _order_words(plan)
    if isinstance(plan, Plan) and plan.span is not None:
        order = f"; {span_words(plan)}"
    lines.append(f"  rows       {keys}{order}")
    lines.append(
        f"  buckets    {flow.buckets}: "
        + ("one call serves all keys of one" if plan.by else "no key, one bucket")
    )
    lines.append(f"  fed        {flow.fed}: {flow.fed_reason}")
    lines.append(f"  kept       {flow.kept}: {flow.kept_reason}")
    lines.append(
        "  late       "
        + ("given back in column late" if flow.late == "keep" else "dropped, counted")
    )
    if isinstance(plan, OverPlan):
        return Explanation("\n".join(lines + frame_lines(resolve(plan, Facts()))))
    if plan.span is not None:
        lines.append("  postponed  a window waits for as long as the watermark's delay")
    lines += window_lines(plan)
    if flow.kept == "slices":
        halves = [-(-rule.overlap // 2) for rule in plan.rules]
        slides = ", ".join(f"{half:,}" for half in dict.fromkeys(halves))
        lines.append(f"  chunks     of {slides} slides, half a window")
    lines += slice_lines(resolve(plan, Facts(), sliced=True))
    if flow.kept == "slices":
        lines += partial_lines(flow.request.product)
        lines.append("  algorithm  pba, a step at a time: at most three merges a slide")
    lines += holistic_lines(plan.calls) + result_lines(plan.calls, [flow.request])
    return Explanation("\n".join(lines))


def _technique_words(tree: Tree) -> str:
    """The techniques that tasks may choose for the events that they have.

    Folded events are computed together; over rows each call may have its own technique.
    """
    plan = tree.plan
    if plan.algorithm != "auto":
        return f"{plan.algorithm}: asked for by name"
    calls = [bound for bound, _ in tree.request.calls]
    products = [tree.request.product] if calls else []
    if tree.level1 == "rows":
        products = [
            request_kernel([bound], tree.slots, may_overflow).product for bound in calls
        ]
    names = dict.fromkeys(
        name for product in products for name in _technique_names(product)
    )
    if any(Law.HOLISTIC in bound.aggregate.laws for bound in plan.calls):
        names["tuple_buckets"] = None
    *others, last = names
    choices = f"{', '.join(others)} or {last}" if others else last
    return f"{choices}, as each task chooses for as long as its events are"


def _technique_names(product: Product) -> list[str]:
    """The names of the techniques that may be chosen for a product."""
    names = ["se_slicing"]
    if Law.COMMUTATIVE in product.laws:
        names.append("se_ml_slicing")
    elif Law.SELECTIVE in product.laws:
        names.append("selective_sweeping")
    if product.undoable:
        names.append("starts_and_ends")
    return names


def _order_words(plan: Plan | OverPlan) -> str:
    if plan.clock is None:
        return "; in no particular order: name a time column with on="
    ties = f", ties by {', '.join(plan.ties)}" if plan.ties else ""
    return f"; ordered by {plan.clock.column}{ties}"


def _length(plan: Plan | OverPlan, ticks: int) -> str:
    """A number of ticks in the largest unit of time that divides it."""
    if plan.clock is None or not plan.clock.tick:
        return f"{ticks:,}"
    nanoseconds = ticks * plan.clock.tick
    for name, size in (("days", 86400), ("hours", 3600), ("minutes", 60), ("s", 1)):
        if nanoseconds % (size * 10**9) == 0 and nanoseconds >= 2 * size * 10**9:
            return f"{nanoseconds // (size * 10**9):,} {name}"
    return f"{nanoseconds / 10**6:,.15g} ms"


__all__ = ["explain_flow", "explain_spread", "explain_tree"]
