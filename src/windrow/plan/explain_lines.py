"""The lines that explanations are made of, in process and on Spark alike."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.aggregates import WIDE_SUM, Law
from windrow.kernels import Product
from windrow.slicing import composite_slide, share, shared_combs
from windrow.windows import Clock

from .aggregate import Plan
from .bind import Bound
from .requests import Asked
from .resolve import Resolved, ResolvedOver
from .sharing_text import sharing_lines, sharing_slices


def frame_lines(resolved: ResolvedOver) -> list[str]:
    """Frame by frame: what is kept, which algorithm, and why."""
    lines: list[str] = []
    for part in resolved.frames:
        frame, choice = part.frame, part.choice
        ends = "" if frame.rows is not None else f", closed {frame.closed}"
        lines.append(f"  frame      {frame.text}{ends}")
        if choice is not None:
            by_number = frame.rows is not None
            kind = "by arithmetic" if by_number else "from start and stop arrays"
            lines += partial_lines(part.asked.product)
            lines.append(f"  bounds     {kind}, one window a row")
            lines.append(f"  algorithm  {choice.algorithm.name}: {choice.reason}")
        lines += holistic_lines(part.calls)
    requests = [part.asked for part in resolved.frames]
    return lines + result_lines(resolved.plan.calls, requests)


def order_lines(by: tuple[str, ...], clock: Clock | None) -> list[str]:
    """Keys and order of the rows, and what a zone in the type of times means."""
    keys = f"by {', '.join(by)}" if by else "no key: one run"
    order = "in arrival order"
    if clock is not None:
        order = f"ordered by {clock.column}, ties as they arrived"
    return [f"  rows       {keys}; {order}", *zone_lines(clock)]


def zone_lines(clock: Clock | None) -> list[str]:
    """What the zone of a typed time column does not do."""
    if clock is None or clock.zone in (None, "UTC"):
        return []
    typed = f"{clock.column} is typed with {clock.zone}, which only labels its instants"
    return [f"  zone       {typed}: windows go by UTC unless tz= names a zone"]


def window_lines(plan: Plan) -> list[str]:
    """The windows, with their names where there is a list of them."""
    labels = [f" as {rule.name!r}" if plan.listed else "" for rule in plan.rules]
    pairs = zip(plan.rules, labels, strict=True)
    return [f"  window     {rule.text}{label}" for rule, label in pairs]


def slice_lines(resolved: Resolved) -> list[str]:
    """How rows are cut, unless they are slices themselves."""
    plan, slicer = resolved.plan, resolved.plan.slicer
    if resolved.way == "graph" and resolved.sharing is not None:
        return sharing_slices(resolved.sharing)
    if resolved.way == "even" and plan.rules[0].step == 1:
        return ["  slices     none: the slide is one row, so rows are slices"]
    lines = [f"  slicer     {slicer.name} ({slicer.title}): {plan.slicer_reason}"]
    if not plan.is_even:
        most = max(rule.overlap for rule in plan.rules)
        return [
            *lines,
            f"  slices     an instant lies in {count(most, 'window')} at most",
        ]
    evens = [rule.even for rule in plan.rules]
    shared = share(slicer, evens)
    unit = "rows" if plan.counts_rows else "ticks"
    if shared is None:
        combs = len(shared_combs(slicer, evens))
        length = composite_slide(slicer, evens)
        lines.append(
            f"  slices     composite slide of {length:,} {unit}, not laid out: "
            f"cut at the next tooth of {combs} combs"
        )
    else:
        lines.append(
            f"  slices     composite slide {shared.composite:,} {unit}, "
            f"{count(len(shared.edges), 'slice')} in it, "
            f"at most {shared.width:,} in a window"
        )
    return lines


def partial_lines(product: Product) -> list[str]:
    """The fields of the partial."""
    fields = []
    for part in product.parts:
        names = [field.name for field in part.request.aggregate.fields]
        names = names or [f"{part.request.aggregate.name}.{i}" for i in range(9)]
        fields += [
            f"{name} {dtype}" for name, dtype in zip(names, part.dtypes, strict=False)
        ]
    served = count(len(product.outputs), "result")
    return [f"  partial    ({', '.join(fields)}): one pass for {served}"]


def count(number: int, thing: str) -> str:
    """3 slices, 1 slice."""
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def algorithm_lines(resolved: Resolved) -> list[str]:
    """Which algorithm slides over slices for which window, and why."""
    plan, product = resolved.plan, resolved.product
    if resolved.sharing is not None:
        return sharing_lines(resolved) + [_kernel_line(product)]
    names: dict[str, list[str]] = {}
    for rule, choice in zip(plan.rules, resolved.choices, strict=True):
        assert choice is not None
        line = f"{choice.algorithm.name}: {choice.reason}"
        names.setdefault(line, []).append(repr(rule.name))
    lines = []
    for line, windows in names.items():
        shared = f" (for {', '.join(windows)})" if len(names) > 1 else ""
        lines.append(f"  algorithm  {line}{shared}")
    if resolved.together is not None:
        lines.append("             all ranges in one pass")
    lines.append(f"  bounds     {_bounds(resolved)}")
    return [*lines, _kernel_line(product)]


def _kernel_line(product: Product) -> str:
    if product.interpreted:
        return "  kernel     interpreted: a function could not be compiled"
    return "  kernel     generated for this product, compiled by numba, cached"


def _bounds(resolved: Resolved) -> str:
    if resolved.way == "even":
        return "by arithmetic, run by run"
    if resolved.plan.counts_rows:
        return "start and stop arrays over slices"
    return "start and stop arrays over the slices that hold a row; gaps cost nothing"


def holistic_lines(calls: tuple[Bound, ...]) -> list[str]:
    """Calls that need the rows themselves."""
    names = [b.call.label for b in calls if Law.HOLISTIC in b.aggregate.laws]
    if not names:
        return []
    return [f"  holistic   {', '.join(names)}: ranges of row positions, no partials"]


def result_lines(calls: Sequence[Bound], requests: Sequence[Asked]) -> list[str]:
    """What each result is read off, and what to know of it."""
    wide = {
        bound.name
        for asked in requests
        for bound, outputs in asked.calls
        if asked.product.outputs[outputs[0]].request.aggregate is WIDE_SUM
    }
    lines = []
    for bound in calls:
        note = "  (in two words: a sum could pass 2**63)" if bound.name in wide else ""
        kind = "as its functions give" if bound.aggregate.is_users else bound.result
        lines.append(f"  result     {bound.name} = {bound.call.label}: {kind}{note}")
    return lines


__all__ = [
    "algorithm_lines",
    "count",
    "frame_lines",
    "holistic_lines",
    "order_lines",
    "partial_lines",
    "result_lines",
    "slice_lines",
    "window_lines",
]
