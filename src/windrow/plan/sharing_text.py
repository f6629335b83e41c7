"""What a shared pass looks like, as text: lines of a plan, the graph, its code."""

from __future__ import annotations

from windrow.algorithms import Shape, kernel_text
from windrow.errors import BadInput
from windrow.graph import Special, graph_blocks, graph_lines, graph_svg
from windrow.kernels import Product

from .explanation import Explanation
from .plan import Plan
from .sharing import Sharing, choice_alone, special_of

SHOWN = ("plan", "graph", "code")


def sharing_slices(sharing: Sharing) -> list[str]:
    """What the inputs of the graph are."""
    why = "common divisor of all ranges and slides"
    if sharing.unit == 1:
        return [f"  slices     none: one row is the greatest {why}"]
    return [f"  slices     panes of {sharing.unit:,} rows, the greatest {why}"]


def sharing_lines(plan: Plan, product: Product, sharing: Sharing) -> list[str]:
    """Who is answered by the graph, and who by itself."""
    special = special_of(plan, product, sharing)
    count = len(sharing.graphed)
    windows = f"{count} window{'s' if count > 1 else ''}"
    lines = [
        f"  algorithm  gag: {windows} in one pass over shared scans",
        f"  graph      {_scans(special)}; show='graph' draws it",
    ]
    for number in sharing.alone:
        query = plan.rules[number]
        choice = choice_alone(product, query, sharing.unit)
        whose = f"(for {query.name!r}, too short to share)"
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


def explain_shown(plan: Plan, show: str) -> Explanation:
    """The graph of a plan, or the code that it runs."""
    product = plan.nominal_product()
    if plan.span is not None:
        raise BadInput.because(
            f"cannot show the {show} of this plan",
            "events with a duration are laid over slices by a technique of their own",
            "leave show= out for the plan",
        )
    if product is None:
        raise BadInput.because(
            f"cannot show the {show} of this plan",
            "holistic aggregates have neither partials nor a kernel",
            "leave show= out for the plan",
        )
    sharing = plan.sharing(product)
    if sharing is None and show == "code":
        return Explanation(_kernels(plan, product))
    if sharing is None:
        raise BadInput.because(
            "cannot show the graph of this plan",
            "each of its windows slides by itself",
            "ask for the graph with algorithm='gag', or for show='code'",
        )
    special = special_of(plan, product, sharing)
    if show == "code":
        blocks = [block.strip("\n") for block in graph_blocks(special)]
        return Explanation("\n\n\n".join(blocks))
    names = [str(plan.rules[number].name) for number in sharing.graphed]
    text = "\n".join(graph_lines(special, names))
    return Explanation(text, graph_svg(special, names))


def _kernels(plan: Plan, product: Product) -> str:
    """The kernel of each algorithm that is used."""
    found: dict[str, str] = {}
    for query in plan.rules:
        algorithm = plan.choice(query, product).algorithm
        fast = plan.regular and algorithm.stride is not None
        rows = plan.regular and query.even.slide == 1
        bounds = "regular" if plan.regular else "many" if plan.together else "arrays"
        shape = Shape("rows" if rows else "slices", bounds, fast=fast)
        found[algorithm.name] = kernel_text(algorithm, product, shape)
    return "\n\n".join(text.strip("\n") for text in found.values())


__all__ = ["check_show", "explain_shown", "sharing_lines", "sharing_slices"]
