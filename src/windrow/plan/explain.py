"""What happens in one process and why, as text: the resolved plan, told truthfully.

Everything here is read off what the executors follow.
"""

from __future__ import annotations

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
    window_lines,
)
from .explanation import Explanation
from .resolve import Facts, Resolved, ResolvedOver, ResolvedPolicy
from .sharing_text import check_shown, explain_shown
from .spans_text import span_words


def explain_resolved(
    resolved: Resolved | ResolvedOver | ResolvedPolicy, facts: Facts, show: str
) -> Explanation:
    """A resolved plan in words; `show` as in `wr.explain`."""
    if show != "plan":
        check_shown(resolved, show)
        assert isinstance(resolved, Resolved)
        return explain_shown(resolved, show)
    if isinstance(resolved, ResolvedOver):
        lines = ["over", *order_lines(resolved.plan.by, resolved.plan.clock)]
        return Explanation("\n".join(lines + frame_lines(resolved)))
    if isinstance(resolved, ResolvedPolicy):
        return _explain_policy(resolved)
    if resolved.plan.span is not None:
        return _explain_spans(resolved, facts)
    return _explain_windows(resolved)


def _explain_windows(resolved: Resolved) -> Explanation:
    plan, asked = resolved.plan, resolved.asked
    lines = ["aggregate", *order_lines(plan.by, plan.clock)]
    lines += window_lines(plan) + slice_lines(resolved)
    if asked.calls:
        lines += partial_lines(asked.product) + algorithm_lines(resolved)
    lines += holistic_lines(plan.calls) + result_lines(plan.calls, [asked])
    return Explanation("\n".join(lines))


def _explain_spans(resolved: Resolved, facts: Facts) -> Explanation:
    plan, lengths = resolved.plan, facts.spans
    assert lengths is not None
    keys = f"by {', '.join(plan.by)}" if plan.by else "no key: one run"
    lines = ["aggregate", f"  rows       {keys}; {span_words(plan)}"]
    lines += window_lines(plan) + slice_lines(resolved)
    lines.append(
        f"  events     {count(lengths.events, 'event')} over "
        f"{count(lengths.slices, 'slice')}, each crosses {lengths.crossed:,.3g}"
    )
    for group in resolved.groups:
        names = ", ".join(bound.name for bound in group.calls)
        shared = f" (for {names})" if len(resolved.groups) > 1 else ""
        lines.append(f"  technique  {group.technique.name}: {group.reason}{shared}")
        lines += partial_lines(group.asked.product)
        if group.technique.name in ("se_slicing", "se_ml_slicing"):
            sliders = ", ".join(dict.fromkeys(one.name for one in group.algorithms))
            lines.append(f"  algorithm  {sliders}: over the slices of all windows")
    holistic = [b.call.label for b in plan.calls if Law.HOLISTIC in b.aggregate.laws]
    if holistic:
        lines.append(
            f"  technique  tuple_buckets: no partial of bounded size "
            f"({', '.join(holistic)})"
        )
    requests = [group.asked for group in resolved.groups]
    return Explanation("\n".join(lines + result_lines(plan.calls, requests)))


def _explain_policy(resolved: ResolvedPolicy) -> Explanation:
    plan, choice = resolved.plan, resolved.choice
    lines = ["aggregate", *order_lines(plan.by, plan.clock)]
    lines.append(f"  window     {plan.window}")
    lines.append("  slices     one row each: bounds follow from the rows")
    if choice is not None:
        lines += partial_lines(resolved.asked.product)
        lines.append(f"  algorithm  {choice.algorithm.name}: {choice.reason}")
    return Explanation("\n".join(lines + result_lines(plan.calls, [resolved.asked])))


__all__ = ["explain_resolved"]
