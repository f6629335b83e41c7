"""The lines that explanations are made of, in process and on Spark alike."""

from __future__ import annotations

from windrow.aggregates import Law
from windrow.kernels import Product
from windrow.slicing import composite_slide, share, shared_combs
from windrow.windows import Rule

from .bind import Bound
from .over import OverPlan
from .plan import Plan
from .requests import ask, may_overflow, slots_of
from .sharing_text import sharing_lines, sharing_slices


def frame_lines(plan: OverPlan) -> list[str]:
    """Frame by frame: what is kept, which algorithm, and why."""
    lines: list[str] = []
    for frame, calls in plan.frames.items():
        ends = "" if frame.rows is not None else f", closed {frame.closed}"
        lines.append(f"  frame      {frame.text}{ends}")
        asked = ask(calls, slots_of(calls, lambda _: False))
        if asked.calls:
            label = ", ".join(bound.call.label for bound in calls)
            choice = frame.choice(plan.algorithm, asked.product, label)
            kind = (
                "by arithmetic"
                if frame.rows is not None
                else "from start and stop arrays"
            )
            lines += partial_lines(asked.product)
            lines.append(f"  bounds     {kind}, one window a row")
            lines.append(f"  algorithm  {choice.algorithm.name}: {choice.reason}")
        lines += holistic_lines(calls)
    lines += result_lines(plan.calls)
    return lines


def order_lines(by: tuple[str, ...], on: str | None) -> list[str]:
    """Keys and order of the rows."""
    keys = f"by {', '.join(by)}" if by else "no key: one run"
    order = f"ordered by {on}, ties as they arrived" if on else "in arrival order"
    return [f"  rows       {keys}; {order}"]


def slice_lines(plan: Plan, product: Product | None) -> list[str]:
    """How rows are cut, unless they are slices themselves."""
    sharing = plan.sharing(product) if product is not None else None
    if sharing is not None and sharing.unit:
        return sharing_slices(sharing)
    slicer = plan.slicer
    triples = [query.even for query in plan.rules]
    if plan.regular and plan.rules[0].even.slide == 1:
        return ["  slices     none: the slide is one row, so rows are slices"]
    lines = [f"  slicer     {slicer.name} ({slicer.title}): {plan.slicer_reason}"]
    shared = share(slicer, triples)
    unit = "rows" if plan.rules[0].counts_rows else "ticks"
    if shared is None:
        combs = len(shared_combs(slicer, triples))
        length = composite_slide(slicer, triples)
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


def algorithm_lines(plan: Plan, product: Product) -> list[str]:
    """Which algorithm slides over slices for which window, and why."""
    lines: list[str] = []
    found: dict[str, list[str]] = {}
    sharing = plan.sharing(product)
    if sharing is not None:
        return sharing_lines(plan, product, sharing) + [_kernel_line(product)]
    for query in plan.rules:
        choice = plan.choice(query, product)
        line = f"{choice.algorithm.name}: {choice.reason}"
        found.setdefault(line, []).append(repr(query.name))
    for line, names in found.items():
        shared = f" (for {', '.join(names)})" if len(found) > 1 else ""
        lines.append(f"  algorithm  {line}{shared}")
    if plan.together:
        lines.append("             all ranges in one pass")
    lines.append(f"  bounds     {_bounds(plan, plan.rules[0])}")
    return [*lines, _kernel_line(product)]


def _kernel_line(product: Product) -> str:
    if product.interpreted:
        return "  kernel     interpreted: a function could not be compiled"
    return "  kernel     generated for this product, compiled by numba, cached"


def _bounds(plan: Plan, query: Rule) -> str:
    if plan.regular:
        return "by arithmetic, run by run"
    if query.counts_rows:
        return "start and stop arrays over slices"
    return "start and stop arrays over the slices that hold a row; gaps cost nothing"


def holistic_lines(calls: tuple[Bound, ...]) -> list[str]:
    """Calls that need the rows themselves."""
    names = [b.call.label for b in calls if Law.HOLISTIC in b.aggregate.laws]
    if not names:
        return []
    return [f"  holistic   {', '.join(names)}: ranges of row positions, no partials"]


def result_lines(calls: tuple[Bound, ...]) -> list[str]:
    """What each result is read off, and what to know of it."""
    lines = []
    for bound in calls:
        note = ""
        if may_overflow(bound):
            note = "  (two words where the largest value times the rows passes 2**63)"
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
]
