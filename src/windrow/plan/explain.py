"""What will happen and why, as text: the plan, told truthfully.

Everything here is read off the plan that the engine executes.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow.aggregates import Law
from windrow.kernels import Product
from windrow.slicing import composite_slide, share, shared_combs

from .bind import Bound
from .explanation import Explanation
from .flow import Flow
from .over import OverPlan
from .plan import Plan
from .queries import Query
from .requests import ask, may_overflow, slots_of
from .sharing_text import sharing_lines, sharing_slices
from .spanning import Group, Lengths
from .spanning_text import span_words, technique_words
from .spread import Spread
from .tree import Tree


def explain_aggregate(plan: Plan) -> Explanation:
    """The plan of `wr.aggregate`."""
    lines = ["aggregate"]
    lines += order_lines(plan.by, plan.clock.column if plan.clock else None)
    for query in plan.queries:
        label = f" as {query.name!r}" if plan.listed else ""
        lines.append(f"  window     {query.window}{label}")
    product = plan.nominal_product()
    lines += _slice_lines(plan, product)
    if product is not None:
        lines += partial_lines(product)
        lines += _algorithm_lines(plan, product)
    lines += _holistic_lines(plan.calls)
    lines += result_lines(plan.calls)
    return Explanation("\n".join(lines))


def explain_spans(plan: Plan, groups: Sequence[Group], lengths: Lengths) -> Explanation:
    """The plan of `wr.aggregate` over events with a duration, once they were seen."""
    keys = f"by {', '.join(plan.by)}" if plan.by else "no key: one run"
    lines = ["aggregate", f"  rows       {keys}; {span_words(plan)}"]
    for query in plan.queries:
        label = f" as {query.name!r}" if plan.listed else ""
        lines.append(f"  window     {query.window}{label}")
    lines += _slice_lines(plan, None)
    lines.append(
        f"  events     {_count(lengths.events, 'event')} over "
        f"{_count(lengths.slices, 'slice')}, each crosses {lengths.crossed:,.3g}"
    )
    for group in groups:
        names = ", ".join(bound.name for bound in group.calls)
        shared = f" (for {names})" if len(groups) > 1 else ""
        lines.append(f"  technique  {group.technique.name}: {group.reason}{shared}")
        lines += partial_lines(group.asked.product)
        if group.technique.name in ("se_slicing", "se_ml_slicing"):
            lines += _algorithm_lines(plan, group.asked.product)
    holistic = [b.call.label for b in plan.calls if Law.HOLISTIC in b.aggregate.laws]
    if holistic:
        lines.append(
            f"  technique  tuple_buckets: no partial of bounded size "
            f"({', '.join(holistic)})"
        )
    return Explanation("\n".join(lines + result_lines(plan.calls)))


def explain_tree(tree: Tree) -> Explanation:
    """The plan of `wr.aggregate` over many tasks, level by level."""
    plan = tree.plan
    lines = [f"aggregate on Spark: {tree.word}"]
    keys = f"by {', '.join(plan.by)}" if plan.by else "no key"
    order = _order_words(plan) if plan.span is None else f"; {span_words(plan)}"
    lines.append(f"  rows       {keys}{order}")
    for query in plan.queries:
        label = f" as {query.name!r}" if plan.listed else ""
        lines.append(f"  window     {query.window}{label}")
    product = tree.asked.product if tree.asked.calls else None
    lines += _slice_lines(plan, product)
    lines.append(f"  level 1    {tree.level1}: {tree.level1_reason}")
    if tree.asked.calls:
        lines += partial_lines(tree.asked.product)
    steps = {
        "pane": "each pane is lowered where it is, without a further shuffle",
        "none": "one task a key, state carried from batch to batch",
        "overlap": f"one task a key and chunk of {_length(plan, tree.chunk)}",
        "sash": f"sashes in chunks of {_length(plan, tree.chunk)}",
        "blocks": "one task a block of rows",
    }
    lines.append(f"  level 2    {steps[tree.split]}")
    if plan.span is not None:
        lines.append(f"  technique  {technique_words(tree)}")
    elif tree.asked.calls:
        lines += _algorithm_lines(plan, tree.asked.product)
    lines += _holistic_lines(plan.calls)
    lines.append(f"  level 3    {tree.split}: {tree.split_reason}")
    lines += result_lines(plan.calls)
    return Explanation("\n".join(lines))


def _order_words(plan: Plan | OverPlan) -> str:
    if plan.clock is None:
        return "; in no particular order: name a time column with on="
    ties = f", ties by {', '.join(plan.ties)}" if plan.ties else ""
    return f"; ordered by {plan.clock.column}{ties}"


def _length(plan: Plan | OverPlan, ticks: int) -> str:
    """A number of ticks as a person would say it."""
    if plan.clock is None or not plan.clock.tick:
        return f"{ticks:,}"
    nanoseconds = ticks * plan.clock.tick
    for name, size in (("days", 86400), ("hours", 3600), ("minutes", 60), ("s", 1)):
        if nanoseconds % (size * 10**9) == 0 and nanoseconds >= 2 * size * 10**9:
            return f"{nanoseconds // (size * 10**9):,} {name}"
    return f"{nanoseconds / 10**6:,.15g} ms"


def explain_over(plan: OverPlan) -> Explanation:
    """The plan of `wr.over`."""
    lines = ["over"]
    lines += order_lines(plan.by, plan.clock.column if plan.clock else None)
    return Explanation("\n".join(lines + _frame_lines(plan)))


def explain_spread(plan: OverPlan, spread: Spread) -> Explanation:
    """The plan of `wr.over` over many tasks."""
    lines = ["over on Spark: I→Window, a window for each row"]
    keys = f"by {', '.join(plan.by)}" if plan.by else "no key"
    lines.append(f"  rows       {keys}{_order_words(plan)}")
    lines.append(f"  split      {spread.split}: {spread.reason}")
    if spread.chunk:
        reach = _length(plan, spread.reach or 0)
        lines.append(
            f"             chunks of {_length(plan, spread.chunk)}, "
            f"each with the {reach} before it"
        )
    return Explanation("\n".join(lines + _frame_lines(plan)))


def explain_flow(flow: Flow) -> Explanation:
    """The plan of `wr.aggregate` or `wr.over` over a stream."""
    plan = flow.plan
    over = isinstance(plan, OverPlan)
    lines = [f"{'over' if over else 'aggregate'} on a Spark stream, append mode"]
    keys = f"by {', '.join(plan.by)}" if plan.by else "no key"
    order = _order_words(plan)
    if isinstance(plan, Plan) and plan.span is not None:
        order = f"; {span_words(plan)}"
    lines.append(f"  rows       {keys}{order}")
    lines.append(
        f"  buckets    {flow.buckets}: "
        + ("one call serves all keys of one" if plan.by else "no key, one bucket")
    )
    lines.append(f"  fed        {flow.fed}: {flow.fed_reason}")
    lines.append(f"  kept       {flow.kept}: {flow.kept_reason}")
    lines.append(
        "  late       "
        + ("given back in column late" if flow.late == "keep" else "dropped, counted")
    )
    if isinstance(plan, OverPlan):
        return Explanation("\n".join(lines + _frame_lines(plan)))
    if plan.span is not None:
        lines.append("  postponed  a window waits for as long as the watermark's delay")
    for query in plan.queries:
        label = f" as {query.name!r}" if plan.listed else ""
        lines.append(f"  window     {query.window}{label}")
        if flow.kept == "slices":
            chunk = -(-query.range // (2 * query.slide)) * query.slide
            lines.append(f"  chunks     of {_length(plan, chunk)}, half a window")
    lines += _slice_lines(plan, None)
    if flow.kept == "slices":
        lines += partial_lines(flow.asked.product)
        lines.append("  algorithm  pba, a step at a time: at most three merges a slide")
    lines += _holistic_lines(plan.calls) + result_lines(plan.calls)
    return Explanation("\n".join(lines))


def _frame_lines(plan: OverPlan) -> list[str]:
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
        lines += _holistic_lines(calls)
    lines += result_lines(plan.calls)
    return lines


def order_lines(by: tuple[str, ...], on: str | None) -> list[str]:
    """Keys and order of the rows."""
    keys = f"by {', '.join(by)}" if by else "no key: one run"
    order = f"ordered by {on}, ties as they arrived" if on else "in arrival order"
    return [f"  rows       {keys}; {order}"]


def _slice_lines(plan: Plan, product: Product | None) -> list[str]:
    sharing = plan.sharing(product) if product is not None else None
    if sharing is not None and sharing.unit:
        return sharing_slices(sharing)
    slicer = plan.slicer
    triples = [query.triple for query in plan.queries]
    if plan.regular and plan.queries[0].slide == 1:
        return ["  slices     none: the slide is one row, so rows are slices"]
    lines = [f"  slicer     {slicer.name} ({slicer.title}): {plan.slicer_reason}"]
    shared = share(slicer, triples)
    unit = "rows" if plan.queries[0].is_rows else "ticks"
    if shared is None:
        count = len(shared_combs(slicer, triples))
        length = composite_slide(slicer, triples)
        lines.append(
            f"  slices     composite slide of {length:,} {unit}, not laid out: "
            f"cut at the next tooth of {count} combs"
        )
    else:
        lines.append(
            f"  slices     composite slide {shared.composite:,} {unit}, "
            f"{_count(len(shared.edges), 'slice')} in it, "
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
    served = _count(len(product.outputs), "result")
    return [f"  partial    ({', '.join(fields)}): one pass for {served}"]


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def _algorithm_lines(plan: Plan, product: Product) -> list[str]:
    lines: list[str] = []
    found: dict[str, list[str]] = {}
    sharing = plan.sharing(product)
    if sharing is not None:
        return sharing_lines(plan, product, sharing) + [_kernel_line(product)]
    for query in plan.queries:
        choice = plan.choice(query, product)
        line = f"{choice.algorithm.name}: {choice.reason}"
        found.setdefault(line, []).append(repr(query.name))
    for line, names in found.items():
        shared = f" (for {', '.join(names)})" if len(found) > 1 else ""
        lines.append(f"  algorithm  {line}{shared}")
    if plan.together:
        lines.append("             all ranges in one pass")
    lines.append(f"  bounds     {_bounds(plan, plan.queries[0])}")
    return [*lines, _kernel_line(product)]


def _kernel_line(product: Product) -> str:
    if product.interpreted:
        return "  kernel     interpreted: a function could not be compiled"
    return "  kernel     generated for this product, compiled by numba, cached"


def _bounds(plan: Plan, query: Query) -> str:
    if plan.regular:
        return "by arithmetic, run by run"
    if query.is_rows:
        return "start and stop arrays over slices"
    return "start and stop arrays over the slices that hold a row; gaps cost nothing"


def _holistic_lines(calls: tuple[Bound, ...]) -> list[str]:
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
