"""What a shared pass looks like, as text: lines of a plan, the graph, its code."""

from __future__ import annotations

from windrow.algorithms import Shape, kernel_text
from windrow.errors import BadInput
from windrow.graph import Special, graph_blocks, graph_lines, graph_svg

from .explanation import Explanation
from .resolve import Resolved
from .sharing import Sharing, special_of

SHOWN = ("plan", "graph", "code")


def sharing_slices(sharing: Sharing) -> list[str]:
    """What the inputs of the graph are."""
    why = "common divisor of all ranges and slides"
    if sharing.unit == 1:
        return [f"  slices     none: one row is the greatest {why}"]
    return [f"  slices     panes of {sharing.unit:,} rows, the greatest {why}"]


def sharing_lines(resolved: Resolved) -> list[str]:
    """Who is answered by the graph, and who by itself."""
    plan, sharing = resolved.plan, resolved.sharing
    assert sharing is not None
    special = special_of(plan, resolved.product, sharing)
    count = len(sharing.graphed)
    windows = f"{count} window{'s' if count > 1 else ''}"
    lines = [
        f"  algorithm  gag: {windows} in one pass over shared scans",
        f"  graph      {_scans(special)}; show='graph' draws it",
    ]
    for number in sharing.alone:
        choice = resolved.choices[number]
        assert choice is not None
        whose = f"(for {plan.rules[number].name!r}, too short to share)"
        lines.append(f"  algorithm  {choice.algorithm.name}: {choice.reason} {whose}")
    if not sharing.unit:
        return [*lines, "  bounds     start and stop arrays over slices"]
    return [*lines, "  bounds     by arithmetic, run by run"]


def _scans(special: Special) -> str:
    """Which scans there are, in few words."""
    *kinds, last = dict.fromkeys(str(one.kind) for one in special.scans) or [""]
    named = f"{', '.join(kinds)} and {last}" if kinds else last
    laps = sorted({one.lap for one in special.scans})
    if not laps:
        return "inputs as they are"
    if not laps[0]:
        own = any(one.window >= 0 for one in special.scans)
        over = "each window's own" if own else "one over all slices"
        return f"{named} scans, {over}"
    shown = ", ".join(f"{lap:,}" for lap in laps[:6])
    more = f" and {len(laps) - 6} more" if len(laps) > 6 else ""
    return f"{named} scans, in laps of {shown}{more}"


def check_show(show: str, *, sliding: bool) -> None:
    """Refuse what cannot be shown."""
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
    """Refuse to show what a resolved plan does not have."""
    if not isinstance(resolved, Resolved):
        cause = "graph and code belong to windows made with wr.rows or wr.sliding"
    elif resolved.plan.span is not None:
        cause = (
            "events with a duration are laid over slices by a technique of their own"
        )
    elif not resolved.asked.calls:
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
    """The graph of a resolved plan, or the code that it runs."""
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
    """The kernel of each algorithm that is used."""
    texts: dict[str, str] = {}
    even = resolved.way == "even"
    for number, rule in enumerate(resolved.plan.rules):
        algorithm = resolved.algorithm(number)
        leaf = "rows" if even and rule.step == 1 else "slices"
        bounds = "regular" if even else "many" if resolved.together else "arrays"
        shape = Shape(leaf, bounds, fast=even and algorithm.stride is not None)
        texts[algorithm.name] = kernel_text(algorithm, resolved.product, shape)
    return "\n\n".join(text.strip("\n") for text in texts.values())


__all__ = [
    "check_show",
    "check_shown",
    "explain_shown",
    "sharing_lines",
    "sharing_slices",
]
