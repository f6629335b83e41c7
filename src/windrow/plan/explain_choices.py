"""Lines of `explain` on how windows are answered: algorithms, kernels, threads."""

from __future__ import annotations

from collections.abc import Sequence

from windrow import graph
from windrow.aggregates import Law
from windrow.kernels import Product
from windrow.loops import PRICE, Lane, forced_lane
from windrow.slicing import Part

from .aggregate import Plan
from .explain_lines import count, holistic_calls
from .requests import KernelRequest, Slots, may_overflow, request_kernel
from .resolved import Resolved, ResolvedOver, ResolvedPolicy
from .sharing import specials_of


def algorithm_lines(resolved: Resolved) -> list[str]:
    """The algorithm of each window and its reason, and the bounds."""
    shares = resolved.sharing is not None
    lines = _sharing_lines(resolved) if shares else _single_lines(resolved)
    return [*lines, f"  bounds     {_bounds(resolved)}"]


def kernel_lines(product: Product, named: bool, chosen: Sequence[str]) -> list[str]:
    """How kernels run, and why; `chosen` if nothing about the query says otherwise."""
    if product.interpreted:
        chosen = ["interpreted: a function could not be compiled"]
    elif named:
        chosen = ["compiled before the first call: asked for by its name"]
    elif product.has_users:
        chosen = ["compiled before the first call: it has functions of your own"]
    return [f"  kernel     {reason}" for reason in dict.fromkeys(chosen)]


def kernel_here() -> str:
    """How kernels run in this process."""
    forced = forced_lane()
    if forced is Lane.COMPILED:
        return "compiled before the first call"
    if forced is Lane.COLUMNS:
        return "over whole columns, never compiled: WINDROW_COMPILE=never"
    return f"over whole columns for {PRICE:g} s of work, then compiled; or as cached"


def thread_lines(
    resolved: Resolved | ResolvedOver | ResolvedPolicy,
    threads: int,
    parts: Sequence[Part],
) -> list[str]:
    """How many threads take how many parts, where there is more than one."""
    if len(parts) > 1 and not isinstance(resolved, ResolvedPolicy) and resolved.divides:
        cut = sum(part.is_stretch for part in parts)
        ways = ["by key"] * (cut < len(parts)) + ["by stretches of a key"] * (cut > 0)
        many = f"{count(len(parts), 'part')} {' and '.join(ways)}"
        return [f"  threads    {min(threads, len(parts))}: {many}"]
    if threads == 1:
        return []
    if isinstance(resolved, Resolved) and resolved.cells is not None:
        each = "stretches of slices" if resolved.cells.in_order else "no stretch alone"
        return [f"  threads    {threads}: cells by {each}, windows by key"]
    if isinstance(resolved, ResolvedPolicy) or getattr(resolved.plan, "span", None):
        return ["  threads    1: these windows are not divided"]
    if not resolved.divides:
        return ["  threads    1: plain Python runs on one at a time"]
    return [f"  threads    {threads} for the order of rows, 1 for windows: one part"]


def _single_lines(resolved: Resolved) -> list[str]:
    """The algorithms of windows that slide by themselves."""
    names: dict[str, list[str]] = {}
    for rule, choice in zip(resolved.plan.rules, resolved.choices, strict=True):
        if choice is not None:
            names.setdefault(str(choice), []).append(repr(rule.name))
    lines = []
    for line, windows in names.items():
        purpose = f" (for {', '.join(windows)})" if len(names) > 1 else ""
        lines.append(f"  algorithm  {line}{purpose}")
    if resolved.together is not None:
        lines.append("             all ranges in one pass")
    return lines


def _sharing_lines(resolved: Resolved) -> list[str]:
    """The windows that share a graph, and those that slide by themselves."""
    plan, sharing = resolved.plan, resolved.sharing
    assert sharing is not None
    graphs = specials_of(plan, resolved.product, sharing)
    many = len(sharing.graphed)
    windows = f"{many} window{'s' if many > 1 else ''}"
    passes = "one pass" if len(graphs) == 1 else "two passes"
    lines = [
        f"  algorithm  gag: {windows} in {passes} over shared scans",
    ]
    for results, special in graphs:
        purpose = f" (for {results})" if len(graphs) > 1 else ""
        lines.append(f"  graph      {_scans(special)}{purpose}; show='graph' draws it")
    for number in sharing.alone:
        choice = resolved.choices[number]
        assert choice is not None
        purpose = f"(for {plan.rules[number].name!r}, too short to share)"
        lines.append(f"  algorithm  {choice} {purpose}")
    return lines


def _scans(special: graph.Special) -> str:
    """The kinds and laps of the scans of a graph."""
    scans = special.graph.scans
    *kinds, last = dict.fromkeys(str(scan.kind) for scan in scans) or [""]
    names = f"{', '.join(kinds)} and {last}" if kinds else last
    laps = sorted({scan.lap for scan in scans if scan.lap > 0})
    if not scans:
        return "inputs as they are"
    if last == "running":
        return f"{'a running value' if len(scans) == 1 else 'running values'}"
    if not laps:
        over = "each window's own" if len(scans) > 1 else "one over all slices"
        return f"{names} scans, {over}"
    first_laps = ", ".join(f"{lap:,}" for lap in laps[:6])
    more = f" and {len(laps) - 6} more" if len(laps) > 6 else ""
    return f"{names} scans, in laps of {first_laps}{more}"


def _bounds(resolved: Resolved) -> str:
    if resolved.way in ("even", "graph"):
        dense = "" if resolved.plan.counts_rows else ": no slide is without a row"
        return f"by arithmetic, run by run{dense}"
    if resolved.walks_instants or (
        resolved.sharing is None and resolved.bounds(0) == "numbers"
    ):
        return (
            "a cursor for each end walks the slices that hold a row; gaps cost nothing"
        )
    if resolved.plan.counts_rows or resolved.sharing is not None:
        return "start and stop arrays over slices"
    return "start and stop arrays over the slices that hold a row; gaps cost nothing"


def technique_text(
    plan: Plan, request: KernelRequest, slots: Slots, *, apart: bool
) -> str:
    """The techniques that tasks may choose for the events that they have.

    Folded events are computed together; over rows each call may have its own technique,
    `apart` from the others.
    """
    if plan.algorithm != "auto":
        return f"{plan.algorithm}: asked for by name"
    calls = [bound for bound, _ in request.calls]
    products = [request.product] if calls else []
    if apart:
        requests = [request_kernel([bound], slots, may_overflow) for bound in calls]
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
