"""Explains what one process does, as text: the resolved plan, or its graph or code.

Everything here is read off the resolved plan, which the executors follow.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from windrow.aggregates import Law
from windrow.algorithms import Shape, kernel_text
from windrow.errors import BadInput
from windrow.graph import graph_blocks, graph_lines, graph_svg

from .explain_lines import (
    algorithm_lines,
    count,
    frame_lines,
    holistic_lines,
    order_lines,
    partial_lines,
    result_lines,
    slice_lines,
    span_words,
    window_lines,
)
from .resolve import Facts, Resolved, ResolvedOver, ResolvedPolicy
from .sharing import special_of

SHOWN = ("plan", "graph", "code")


@dataclass(frozen=True)
class Explanation:
    """A plan in words, which is what `wr.explain` gives; it compares as text.

    `svg` is its picture, if it has one; notebooks show that.
    """

    text: str
    svg: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str | None:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, or the text where there is no picture."""
        Path(path).write_text(self.svg or f"{self.text}\n", "utf-8")


def explain_resolved(
    resolved: Resolved | ResolvedOver | ResolvedPolicy, facts: Facts, show: str
) -> Explanation:
    """Explain a resolved plan; `show` is "plan", "graph" or "code"."""
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
    plan, request = resolved.plan, resolved.request
    lines = ["aggregate", *order_lines(plan.by, plan.clock)]
    lines += window_lines(plan) + slice_lines(resolved)
    if request.calls:
        lines += partial_lines(request.product) + algorithm_lines(resolved)
    lines += holistic_lines(plan.calls) + result_lines(plan.calls, [request])
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
        purpose = f" (for {names})" if len(resolved.groups) > 1 else ""
        lines.append(f"  technique  {group.technique.name}: {group.reason}{purpose}")
        lines += partial_lines(group.request.product)
        if group.technique.name in ("se_slicing", "se_ml_slicing"):
            algorithms = dict.fromkeys(chosen.name for chosen in group.algorithms)
            names = ", ".join(algorithms)
            lines.append(f"  algorithm  {names}: over the slices of all windows")
    holistic = [b.call.label for b in plan.calls if Law.HOLISTIC in b.aggregate.laws]
    if holistic:
        lines.append(
            f"  technique  tuple_buckets: no partial of bounded size "
            f"({', '.join(holistic)})"
        )
    requests = [group.request for group in resolved.groups]
    return Explanation("\n".join(lines + result_lines(plan.calls, requests)))


def _explain_policy(resolved: ResolvedPolicy) -> Explanation:
    plan, choice = resolved.plan, resolved.choice
    lines = ["aggregate", *order_lines(plan.by, plan.clock)]
    lines.append(f"  window     {plan.window}")
    lines.append("  slices     one row each: bounds follow from the rows")
    if choice is not None:
        lines += partial_lines(resolved.request.product)
        lines.append(f"  algorithm  {choice.algorithm.name}: {choice.reason}")
    return Explanation("\n".join(lines + result_lines(plan.calls, [resolved.request])))


def check_show(show: str, *, sliding: bool) -> None:
    """Refuse a `show=` that means nothing, or nothing for these windows."""
    if show != "plan" and show in SHOWN and not sliding:
        raise BadInput.because(
            f"cannot show the {show} of this plan",
            "graph and code belong to windows made with wr.rows or wr.sliding",
            "leave show= out for the plan",
        )
    if show not in SHOWN:
        raise BadInput.because(
            f"cannot show {show!r} of a plan",
            f"a plan shows as one of {', '.join(SHOWN)}",
            "leave show= out for the plan",
        )


def check_shown(resolved: object, show: str) -> None:
    """Refuse to show a graph or code that a resolved plan does not have."""
    if not isinstance(resolved, Resolved):
        cause = "graph and code belong to windows made with wr.rows or wr.sliding"
    elif resolved.plan.span is not None:
        cause = (
            "events with a duration are laid over slices by a technique of their own"
        )
    elif not resolved.request.calls:
        cause = "holistic aggregates have neither partials nor a kernel"
    elif resolved.sharing is None and show == "graph":
        raise BadInput.because(
            "cannot show the graph of this plan",
            "each of its windows slides by itself",
            "ask for the graph with algorithm='gag', or for show='code'",
        )
    else:
        return
    raise BadInput.because(
        f"cannot show the {show} of this plan", cause, "leave show= out for the plan"
    )


def explain_shown(resolved: Resolved, show: str) -> Explanation:
    """Print the graph of a resolved plan, or the code that it runs."""
    sharing = resolved.sharing
    if sharing is None:
        return Explanation(_kernels(resolved))
    special = special_of(resolved.plan, resolved.product, sharing)
    if show == "code":
        blocks = [block.strip("\n") for block in graph_blocks(special)]
        return Explanation("\n\n\n".join(blocks))
    names = [str(resolved.plan.rules[number].name) for number in sharing.graphed]
    text = "\n".join(graph_lines(special, names))
    return Explanation(text, graph_svg(special, names))


def _kernels(resolved: Resolved) -> str:
    """The source text of each algorithm's kernel."""
    texts: dict[str, str] = {}
    even = resolved.way == "even"
    for number, rule in enumerate(resolved.plan.rules):
        algorithm = resolved.algorithm(number)
        leaf = "rows" if even and rule.step == 1 else "slices"
        bounds = "regular" if even else "many" if resolved.together else "arrays"
        shape = Shape(leaf, bounds, fast=even and algorithm.stride is not None)
        texts[algorithm.name] = kernel_text(algorithm, resolved.product, shape)
    return "\n\n".join(text.strip("\n") for text in texts.values())


__all__ = ["Explanation", "check_show", "explain_resolved", "explain_shown"]
