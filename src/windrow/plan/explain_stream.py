"""Explains what a stream on Spark will do, as text.

    tasks      where rows of a key, or all rows, meet
    fed        what is sent to a bucket
    kept       what it keeps, and then how that is slid over:

    slices     chunks of half a window, three merges a slide
    levels     three merges a window; windows within the rows of a step are slid over
    rows       the algorithm over the rows of a window, or the techniques over events
    past       the same for the frames of rows
    window     the same for windows by policy

Everything here is read off the flow that the buckets execute.
"""

from __future__ import annotations

from collections.abc import Sequence

from .aggregate import Plan
from .by_policy import PolicyPlan
from .choose import Choice
from .explain import Explanation
from .explain_choices import kernel_lines, technique_text
from .explain_lines import (
    count,
    frame_line,
    frame_lines,
    holistic_lines,
    partial_lines,
    result_lines,
    sketch_lines,
    slice_lines,
    window_lines,
)
from .explain_spark import rows_line
from .facts import Facts
from .flow import Flow
from .over import OverPlan
from .resolve import resolve

_MERGED = "merged slice by slice as other partials are"


def explain_flow(flow: Flow, kernels: Sequence[str]) -> Explanation:
    """Explain `wr.aggregate` or `wr.over` over a stream.

    `kernels` says how those of its tasks run.
    """
    plan = flow.plan
    call = "over" if isinstance(plan, OverPlan) else "aggregate"
    calls = "one call serves all keys of one" if plan.by else "no key, one bucket"
    lines = [
        f"{call} on a Spark stream, {flow.mode} mode",
        rows_line(plan),
        f"  buckets    {flow.buckets}: {calls}",
        f"  tasks      {flow.shared}",
        f"  fed        {flow.fed}: {flow.fed_reason}",
        f"  kept       {flow.kept}: {flow.kept_reason}",
        f"  late       {_late_text(flow)}",
        *(f"  {name:<10} {text}" for name, text in flow.clock.texts().items()),
    ]
    if flow.request.calls:
        named = plan.algorithm != "auto"
        lines += kernel_lines(flow.request.product, named, kernels)
    if flow.kept == "past":
        assert isinstance(plan, OverPlan)
        lines += frame_lines(resolve(plan, Facts()), by_arrays=True)
        return Explanation("\n".join(lines))
    if isinstance(plan, Plan):
        if plan.span is not None:
            wait = "a window waits for as long as the watermark's delay"
            lines.append(f"  postponed  {wait}")
        lines += window_lines(plan)
    if flow.kept == "slices":
        lines += _slice_lines(flow, plan)
    elif flow.kept == "levels":
        lines += _level_lines(flow)
    else:
        lines += _row_lines(flow)
    return Explanation("\n".join(lines + result_lines(plan.calls, [flow.request])))


def _slice_lines(flow: Flow, plan: object) -> list[str]:
    """How windows are made of slices of time."""
    assert isinstance(plan, Plan)
    halves = dict.fromkeys(-(-rule.overlap // 2) for rule in plan.rules)
    *others, last = halves
    slides = "".join(f"{half:,}, " for half in others) + count(last, "slide")
    lines = [f"  chunks     of {slides}, half a window"]
    lines += slice_lines(resolve(plan, Facts(), inputs="slices"))
    if flow.request.calls:
        lines += partial_lines(flow.request.product)
    more = " and one for events that go on" if plan.span is not None else ""
    three = f"at most three merges a slide{more}"
    lines.append(f"  algorithm  pba, a step at a time: {three}")
    return lines + sketch_lines(plan.calls, _MERGED)


def _level_lines(flow: Flow) -> list[str]:
    """How windows are made of slices by position."""
    unit = "one row" if flow.unit == 1 else f"{flow.unit:,} rows"
    lines = [f"  levels     pages of suffixes, {unit} a slice"]
    if isinstance(flow.plan, OverPlan):
        lines += [frame_line(frame) for frame in flow.plan.frames]
    lines += partial_lines(flow.request.product)
    return [*lines, f"  algorithm  {flow.choice}"]


def _row_lines(flow: Flow) -> list[str]:
    """How windows are made of the rows that are kept."""
    plan, request = flow.plan, flow.request
    if isinstance(plan, PolicyPlan):
        choices: Sequence[Choice | None] = [resolve(plan, Facts()).choice]
        lines = [f"  window     {plan.window}"]
    else:
        assert isinstance(plan, Plan)
        choices, lines = resolve(plan, Facts(), inputs="ranges").choices, []
    if isinstance(plan, Plan) and plan.span is not None:
        text = technique_text(plan, request, flow.slots, apart=True)
        lines = [*slice_lines(resolve(plan, Facts())), f"  technique  {text}"]
    elif request.calls:
        lines += partial_lines(request.product)
        chosen = dict.fromkeys(str(choice) for choice in choices if choice is not None)
        lines += [f"  algorithm  {choice}" for choice in chosen]
    return lines + holistic_lines(plan.calls, request)


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
