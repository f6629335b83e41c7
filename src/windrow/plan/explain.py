"""What will happen and why, as text: the plan, told truthfully.

Everything here is read off the plan that the engine executes.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow.aggregates import Law

from .explain_lines import (
    algorithm_lines,
    count,
    frame_lines,
    holistic_lines,
    order_lines,
    partial_lines,
    result_lines,
    slice_lines,
)
from .explanation import Explanation
from .over import OverPlan
from .plan import Plan
from .spans import Group, Lengths
from .spans_text import span_words


def explain_aggregate(plan: Plan) -> Explanation:
    """The plan of `wr.aggregate`."""
    lines = ["aggregate"]
    lines += order_lines(plan.by, plan.clock.column if plan.clock else None)
    for query in plan.rules:
        label = f" as {query.name!r}" if plan.listed else ""
        lines.append(f"  window     {query.text}{label}")
    product = plan.nominal_product()
    lines += slice_lines(plan, product)
    if product is not None:
        lines += partial_lines(product)
        lines += algorithm_lines(plan, product)
    lines += holistic_lines(plan.calls)
    lines += result_lines(plan.calls)
    return Explanation("\n".join(lines))


def explain_spans(plan: Plan, groups: Sequence[Group], lengths: Lengths) -> Explanation:
    """The plan of `wr.aggregate` over events with a duration, once they were seen."""
    keys = f"by {', '.join(plan.by)}" if plan.by else "no key: one run"
    lines = ["aggregate", f"  rows       {keys}; {span_words(plan)}"]
    for query in plan.rules:
        label = f" as {query.name!r}" if plan.listed else ""
        lines.append(f"  window     {query.text}{label}")
    lines += slice_lines(plan, None)
    lines.append(
        f"  events     {count(lengths.events, 'event')} over "
        f"{count(lengths.slices, 'slice')}, each crosses {lengths.crossed:,.3g}"
    )
    for group in groups:
        names = ", ".join(bound.name for bound in group.calls)
        shared = f" (for {names})" if len(groups) > 1 else ""
        lines.append(f"  technique  {group.technique.name}: {group.reason}{shared}")
        lines += partial_lines(group.asked.product)
        if group.technique.name in ("se_slicing", "se_ml_slicing"):
            lines += algorithm_lines(plan, group.asked.product)
    holistic = [b.call.label for b in plan.calls if Law.HOLISTIC in b.aggregate.laws]
    if holistic:
        lines.append(
            f"  technique  tuple_buckets: no partial of bounded size "
            f"({', '.join(holistic)})"
        )
    return Explanation("\n".join(lines + result_lines(plan.calls)))


def explain_over(plan: OverPlan) -> Explanation:
    """The plan of `wr.over`."""
    lines = ["over"]
    lines += order_lines(plan.by, plan.clock.column if plan.clock else None)
    return Explanation("\n".join(lines + frame_lines(plan)))


__all__ = ["explain_aggregate", "explain_over", "explain_spans"]
