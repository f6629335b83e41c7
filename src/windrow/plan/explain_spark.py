"""Explains what Spark will do with batches, as text; streams: `explain_stream.py`.

Everything here is read off the plan that the tasks execute.
"""

from __future__ import annotations

from collections.abc import Sequence

from .aggregate import Plan
from .as_of import AsOfPlan
from .by_policy import PolicyPlan
from .explain import Explanation
from .explain_choices import algorithm_lines, kernel_lines, technique_text
from .explain_lines import (
    frame_lines,
    holistic_lines,
    keys_text,
    label_line,
    partial_lines,
    result_lines,
    slice_lines,
    span_text,
    tell_length,
    window_lines,
    zone_lines,
)
from .facts import Facts
from .label_columns import choose_columns
from .over import OverPlan
from .resolve import resolve
from .spread import Spread
from .table import TablePlan
from .tree import Tree

_ALIKE = (
    "start and stop arrays over the slices that hold a row; windows in a row that hold "
    "the same slices are one row, which Catalyst repeats"
)


def explain_tree(tree: Tree, kernels: Sequence[str]) -> Explanation:
    """Explain `wr.aggregate` over many tasks, level by level.

    `kernels` says how those of its tasks run.
    """
    plan, request = tree.plan, tree.request
    lines = [f"aggregate on Spark: {tree.word}", rows_line(plan)]
    lines += zone_lines(plan.clock) + window_lines(plan)
    if tree.split == "window":
        lines.append(f"  catalyst   {tree.level1_reason}")
        return Explanation("\n".join(lines + result_lines(plan.calls, [request])))
    lines += slice_lines(tree.resolved)
    lines.append(f"  level 1    {tree.level1}: {tree.level1_reason}")
    if request.calls:
        lines += partial_lines(request.product)
    steps = {
        "none": "one task a key, state carried from batch to batch",
        "overlap": f"one task a key and chunk of {tell_length(plan, tree.chunk)}",
        "sash": f"sashes in chunks of {tell_length(plan, tree.chunk)}",
        "blocks": "one task a block of rows",
    }
    lines.append(f"  level 2    {steps[tree.split]}")
    if plan.span is not None:
        apart = tree.level1 == "rows"
        text = technique_text(plan, request, tree.slots, apart=apart)
        lines.append(f"  technique  {text}")
    elif tree.sends_stretches:
        lines += algorithm_lines(tree.resolved)[:-1]
        lines.append(f"  bounds     {_ALIKE}")
    elif request.calls:
        lines += algorithm_lines(tree.resolved)
    lines += kernel_lines(request.product, plan.algorithm != "auto", kernels)
    lines += holistic_lines(plan.calls, request)
    lines.append(f"  level 3    {tree.split}: {tree.split_reason}")
    return Explanation("\n".join(lines + result_lines(plan.calls, [request])))


def explain_policies(
    plan: PolicyPlan, facts: Facts, kernels: Sequence[str]
) -> Explanation:
    """Explain `wr.aggregate` over a window by policy, over many tasks."""
    resolved = resolve(plan, facts)
    product = resolved.request.product
    lines = [f"aggregate on Spark: S→Window, {plan.window}"]
    lines.append(f"  rows       {keys_text(plan)}; {_order_text(plan)}")
    lines.append("  split      none: a key is one pass, policies go row by row")
    if resolved.choice is not None:
        lines.append(f"  algorithm  {resolved.choice}")
        lines += kernel_lines(product, plan.algorithm != "auto", kernels)
    lines += holistic_lines(plan.calls, resolved.request)
    return Explanation("\n".join(lines + result_lines(plan.calls, [resolved.request])))


def explain_spread(
    plan: OverPlan, spread: Spread, kernels: Sequence[str]
) -> Explanation:
    """Explain `wr.over` over many tasks."""
    lines = ["over on Spark: I→Window, a window for each row", rows_line(plan)]
    lines.append(f"  split      {spread.split}: {spread.reason}")
    if spread.chunk:
        back, ahead = (tell_length(plan, ticks) for ticks in spread.reach or (0, 0))
        later = f" and the {ahead} after it" if spread.reach and spread.reach[1] else ""
        chunk = f"chunks of {tell_length(plan, spread.chunk)}"
        lines.append(f"             {chunk}, each with the {back} before it{later}")
    lines += _frame_lines(plan, kernels)
    return Explanation("\n".join(lines))


def explain_labels(plan: AsOfPlan, split: str, kernels: Sequence[str]) -> Explanation:
    """Explain `wr.as_of` over many tasks."""
    lines = ["as_of on Spark: I→Window, a window for each label", rows_line(plan)]
    lines.append(label_line(plan))
    lines.append(f"  split      {split}")
    read = [name for name in plan.reads if name in plan.schema.names]
    _, own = choose_columns(plan)
    lines.append(f"  travels    {own}; of events {', '.join(read)}")
    return Explanation("\n".join(lines + _frame_lines(plan, kernels)))


def _frame_lines(plan: OverPlan, kernels: Sequence[str]) -> list[str]:
    """The frames of `wr.over`, and how kernels run for them."""
    resolved = resolve(plan, Facts())
    products = [part.request.product for part in resolved.frames if part.choice]
    named = plan.algorithm != "auto"
    lines = [line for p in products for line in kernel_lines(p, named, kernels)]
    return [*dict.fromkeys(lines), *frame_lines(resolved)]


def rows_line(plan: TablePlan) -> str:
    """The keys, and the order in which rows count."""
    order = _order_text(plan)
    if isinstance(plan, Plan) and plan.span is not None:
        order = span_text(plan)
    return f"  rows       {keys_text(plan)}; {order}"


def _order_text(plan: TablePlan) -> str:
    if plan.clock is None:
        return "in no particular order: name a time column with on="
    ties = f", ties by {', '.join(plan.ties)}" if plan.ties else ""
    return f"ordered by {plan.clock.column}{ties}"
