"""Explains what Spark will do, as text: for batches, frames and streams.

Everything here is read off the plan that the tasks execute.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow.aggregates import Law
from windrow.kernels import Product

from .aggregate import Plan
from .as_of import AsOfPlan
from .by_policy import PolicyPlan
from .explain import Explanation
from .explain_choices import algorithm_lines, kernel_lines
from .explain_lines import (
    frame_lines,
    holistic_calls,
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
from .flow import Flow
from .label_columns import choose_columns
from .over import OverPlan
from .requests import may_overflow, request_kernel
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
    lines = [f"aggregate on Spark: {tree.word}", _rows_line(plan)]
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
        lines.append(f"  technique  {_technique_text(tree)}")
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
    lines = ["over on Spark: I→Window, a window for each row", _rows_line(plan)]
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
    lines = ["as_of on Spark: I→Window, a window for each label", _rows_line(plan)]
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


def explain_flow(flow: Flow, kernels: Sequence[str]) -> Explanation:
    """Explain `wr.aggregate` or `wr.over` over a stream."""
    plan = flow.plan
    call = "over" if isinstance(plan, OverPlan) else "aggregate"
    calls = "one call serves all keys of one" if plan.by else "no key, one bucket"
    lines = [
        f"{call} on a Spark stream, {flow.mode} mode",
        _rows_line(plan),
        f"  buckets    {flow.buckets}: {calls}",
        f"  tasks      {flow.shared}",
        f"  fed        {flow.fed}: {flow.fed_reason}",
        f"  kept       {flow.kept}: {flow.kept_reason}",
        f"  late       {_late_text(flow)}",
        *(f"  {name:<10} {text}" for name, text in flow.clock.texts().items()),
    ]
    if flow.kept == "levels":
        lines.append(f"  levels     pages of suffixes, {_unit_text(flow)} a slice")
        lines.append(f"  new rows   windows within them: {flow.choice}")
    if isinstance(plan, OverPlan):
        return Explanation("\n".join(lines + _frame_lines(plan, kernels)))
    lines += kernel_lines(flow.request.product, plan.algorithm != "auto", kernels)
    if isinstance(plan, PolicyPlan):
        lines.append(f"  window     {plan.window}")
        choice = resolve(plan, Facts()).choice
        lines += [] if choice is None else [f"  algorithm  {choice}"]
        lines += holistic_lines(plan.calls, flow.request)
        return Explanation("\n".join(lines + result_lines(plan.calls, [flow.request])))
    if plan.span is not None:
        lines.append("  postponed  a window waits for as long as the watermark's delay")
    lines += window_lines(plan)
    slices = slice_lines(resolve(plan, Facts(), inputs="slices"))
    if flow.kept == "slices":
        halves = dict.fromkeys(-(-rule.overlap // 2) for rule in plan.rules)
        slides = ", ".join(f"{half:,}" for half in halves)
        lines.append(f"  chunks     of {slides} slides, half a window")
        lines += slices + partial_lines(flow.request.product)
        more = " and one for events that go on" if plan.span is not None else ""
        three = f"at most three merges a slide{more}"
        lines.append(f"  algorithm  pba, a step at a time: {three}")
    elif flow.kept == "levels":
        lines += partial_lines(flow.request.product)
    else:
        lines += slices
    lines += holistic_lines(plan.calls, flow.request)
    lines += result_lines(plan.calls, [flow.request])
    return Explanation("\n".join(lines))


def _unit_text(flow: Flow) -> str:
    return "one row" if flow.unit == 1 else f"{flow.unit:,} rows"


def _late_text(flow: Flow) -> str:
    """What becomes of rows behind the watermark."""
    back = (
        "given back in column late" if flow.late == "keep" else "counted in late_rows"
    )
    if flow.late == "drop":
        return f"dropped where a slice is closed, {back}"
    if flow.late_for_all is not None:
        return (
            f"a row behind the watermark is late for all: {flow.late_for_all}; {back}"
        )
    tree = " (a tree of late slices)" if flow.kept == "slices" else ""
    where = f"counts in windows that are not out{tree}"
    return f"a row behind the watermark {where}; rows that missed one are {back}"


def _technique_text(tree: Tree) -> str:
    """The techniques that tasks may choose for the events that they have.

    Folded events are computed together; over rows each call may have its own technique.
    """
    plan = tree.plan
    if plan.algorithm != "auto":
        return f"{plan.algorithm}: asked for by name"
    calls = [bound for bound, _ in tree.request.calls]
    products = [tree.request.product] if calls else []
    if tree.level1 == "rows":
        requests = [request_kernel([b], tree.slots, may_overflow) for b in calls]
        products = [request.product for request in requests]
    names = dict.fromkeys(name for p in products for name in _technique_names(p))
    if holistic_calls(plan.calls):
        names["tuple_buckets"] = None
    *others, last = names
    choices = f"{', '.join(others)} or {last}" if others else last
    return f"{choices}, as each task chooses for as long as its events are"


def _technique_names(product: Product) -> list[str]:
    """The names of the techniques that may be chosen for a product."""
    is_commutative = Law.COMMUTATIVE in product.laws
    names = {
        "se_slicing": True,
        "se_ml_slicing": is_commutative,
        "selective_sweeping": not is_commutative and Law.SELECTIVE in product.laws,
        "starts_and_ends": product.undoable,
    }
    return [name for name, is_able in names.items() if is_able]


def _rows_line(plan: TablePlan) -> str:
    order = _order_text(plan)
    if isinstance(plan, Plan) and plan.span is not None:
        order = span_text(plan)
    return f"  rows       {keys_text(plan)}; {order}"


def _order_text(plan: TablePlan) -> str:
    if plan.clock is None:
        return "in no particular order: name a time column with on="
    ties = f", ties by {', '.join(plan.ties)}" if plan.ties else ""
    return f"ordered by {plan.clock.column}{ties}"
