"""Explains what one process does, as text: the resolved plan, or its graph or code.

Everything here is read off the resolved plan, which the executors follow.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from windrow import graph
from windrow._later import dataclass
from windrow.algorithms import Shape, kernel_text
from windrow.errors import BadInput
from windrow.slicing import Part

from .as_of import AsOfPlan
from .explain_choices import algorithm_lines, kernel_here, kernel_lines, thread_lines
from .explain_lines import (
    cell_lines,
    count,
    frame_lines,
    holistic_calls,
    holistic_lines,
    keys_text,
    label_line,
    order_lines,
    partial_lines,
    result_lines,
    selection_lines,
    slice_lines,
    span_text,
    window_lines,
)
from .facts import Facts
from .resolved import Resolved, ResolvedOver, ResolvedPolicy
from .sharing import specials_of
from .spans import Lengths
from .table import label_of

# A title, or a subject in its column and words; long ones go on below.
_LINE = re.compile(r"[a-z_]+|  [a-z ]{10} \S.*")
_LEFT = 'style="text-align: left"'
SHOWN = ("plan", "graph", "code")
ONLY_SLIDING = "graph and code belong to windows made with wr.rows or wr.sliding"


@dataclass(frozen=True)
class Explanation:
    """A plan in words, which is what `wr.explain` gives; it compares as text.

    `svg` is its picture, if it has one; notebooks show that.
    """

    text: str
    svg: str | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str | None:
        return self.svg

    def _repr_html_(self) -> str | None:
        """A table of subjects and words; code and trees as they are.

        A line of a plan is a title, or two blanks, a subject and words.
        """
        if self.svg is not None:
            return None
        lines = self.text.splitlines()
        if not all(_LINE.fullmatch(line) for line in lines):
            return f"<pre>{html.escape(self.text)}</pre>"
        return f"<table>{''.join(map(_html_row, lines))}</table>"

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, or the text where there is no picture."""
        Path(path).write_text(self.svg or f"{self.text}\n", "utf-8")


def _html_row(line: str) -> str:
    """A line of a plan as a row of a table."""
    if not line.startswith("  "):
        return f"<tr><th colspan=2 {_LEFT}>{html.escape(line)}</th></tr>"
    subject, words = html.escape(line[2:13].strip()), html.escape(line[13:])
    return f"<tr><td {_LEFT}>{subject}</td><td {_LEFT}>{words}</td></tr>"


def explain_resolved(
    resolved: Resolved | ResolvedOver | ResolvedPolicy,
    facts: Facts,
    show: str,
    threads: int = 1,
    parts: Sequence[Part] = (),
) -> Explanation:
    """Explain a resolved plan; `show` is "plan", "graph" or "code"."""
    if show != "plan":
        return _show(resolved, show)
    plan = resolved.plan
    if isinstance(resolved, ResolvedOver):
        call, labels = "over", []
        if isinstance(plan, AsOfPlan):
            call, labels = "as_of", [label_line(plan)]
        lines = [call, *order_lines(plan), *labels, *frame_lines(resolved)]
    elif isinstance(resolved, ResolvedPolicy):
        lines = ["aggregate", *order_lines(plan), *_policy_lines(resolved)]
    elif facts.spans is not None:
        lines = _span_lines(resolved, facts.spans)
    else:
        order = order_lines(plan) + cell_lines(resolved)
        lines = ["aggregate", *order, *_sliding_lines(resolved)]
    return Explanation("\n".join(lines + thread_lines(resolved, threads, parts)))


def _sliding_lines(resolved: Resolved) -> list[str]:
    plan, request = resolved.plan, resolved.request
    lines = window_lines(plan) + slice_lines(resolved)
    if request.calls:
        lines += partial_lines(request.product) + algorithm_lines(resolved)
        named = plan.algorithm != "auto"
        lines += kernel_lines(request.product, named, [kernel_here()])
    return (
        lines
        + holistic_lines(plan.calls, request)
        + result_lines(plan.calls, [request])
    )


def _span_lines(resolved: Resolved, lengths: Lengths) -> list[str]:
    plan = resolved.plan
    keys = keys_text(plan, "no key: one run")
    lines = ["aggregate", f"  rows       {keys}; {span_text(plan)}"]
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
        if group.ring:
            lines.append(
                f"  slices     {group.ring:,} in a ring, once compiled: events are in "
                "the order of their ends"
            )
        elif group.technique.name in ("se_slicing", "se_ml_slicing"):
            names = ", ".join(dict.fromkeys(chosen.name for chosen in group.algorithms))
            lines.append(f"  algorithm  {names}: over the slices of all windows")
    if holistic := holistic_calls(plan.calls):
        no_partial = f"no partial of bounded size ({label_of(holistic)})"
        lines.append(f"  technique  tuple_buckets: {no_partial}")
        lines += selection_lines(holistic, resolved.request)
    requests = [group.request for group in resolved.groups]
    return lines + result_lines(plan.calls, requests)


def _policy_lines(resolved: ResolvedPolicy) -> list[str]:
    plan, request, choice = resolved.plan, resolved.request, resolved.choice
    lines = [
        f"  window     {plan.window}",
        "  slices     one row each: bounds follow from the rows",
    ]
    if choice is not None:
        lines += partial_lines(request.product)
        lines.append(f"  algorithm  {choice}")
    lines += holistic_lines(plan.calls, request)
    return lines + result_lines(plan.calls, [request])


_USUAL = {"slicer": "auto", "chunk": 0, "hot": False, "late": "count", "mode": "append"}


def check_not_given(function: str, options: Mapping[str, Any]) -> None:
    """Refuse options that the function which is explained does not have."""
    for name, value in options.items():
        if value is not None and not (name in _USUAL and value == _USUAL[name]):
            raise BadInput.because(
                f"cannot take {name}= to explain this call",
                f"it is one of {function}, which has no {name}=",
                f"leave {name}= out",
            )


def check_show(show: str, *, sliding: bool) -> None:
    """Refuse a `show=` that means nothing, or nothing for these windows."""
    if show not in SHOWN:
        raise BadInput.because(
            f"cannot show {show!r} of a plan",
            f"a plan shows as one of {', '.join(SHOWN)}",
            "leave show= out for the plan",
        )
    if show != "plan" and not sliding:
        raise _not_shown(show, ONLY_SLIDING)


def _not_shown(
    show: str, cause: str, hint: str = "leave show= out for the plan"
) -> BadInput:
    return BadInput.because(f"cannot show the {show} of this plan", cause, hint)


def _show(resolved: object, show: str) -> Explanation:
    """Show the graph of a resolved plan, or the code that it runs, if it has them."""
    if not isinstance(resolved, Resolved):
        raise _not_shown(show, ONLY_SLIDING)
    sharing = resolved.sharing
    if resolved.plan.span is not None:
        why = "events with a duration are laid over slices by a technique of their own"
        raise _not_shown(show, why)
    if not resolved.request.calls:
        why = "holistic aggregates have neither partials nor a kernel"
        raise _not_shown(show, why)
    if sharing is None and show == "graph":
        hint = "ask for the graph with algorithm='gag', or for show='code'"
        raise _not_shown(show, "each of its windows slides by itself", hint)
    if sharing is None:
        return Explanation(_kernels(resolved))
    graphs = specials_of(resolved.plan, resolved.product, sharing)
    if show == "code":
        walk = "instants" if resolved.walks_instants else "arrays"
        blocks = [
            b for _, special in graphs for b in graph.graph_blocks(special.graph, walk)
        ]
        parts = list(dict.fromkeys(block.strip("\n") for block in blocks))
        return Explanation("\n\n\n".join(parts))
    names = [str(resolved.plan.rules[number].name) for number in sharing.graphed]
    lines = []
    for results, special in graphs:
        lines += [f"graph of {results}"] * (len(graphs) > 1)
        lines += graph.graph_lines(special, names)
    specials = [special for _, special in graphs]
    return Explanation("\n".join(lines), graph.graph_svg(specials, names))


def _kernels(resolved: Resolved) -> str:
    """The source text of each algorithm's kernel."""
    texts: dict[str, str] = {}
    even = resolved.way == "even"
    for number, rule in enumerate(resolved.plan.rules):
        algorithm = resolved.choice(number).algorithm
        leaf = "rows" if even and rule.counts_rows and rule.step == 1 else "slices"
        fast = even and algorithm.stride is not None
        shape = Shape(leaf, resolved.bounds(number), fast=fast)
        texts[algorithm.name] = kernel_text(algorithm, resolved.product, shape)
    return "\n\n".join(text.strip("\n") for text in texts.values())
