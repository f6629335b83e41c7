"""Writes the lines of explanations, of which each says one thing about a plan."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.aggregates import WIDE_SUM, Law
from windrow.kernels import Product
from windrow.loops import Lane, forced_lane
from windrow.slicing import composite_slide, share, shared_combs
from windrow.windows import Clock

from .aggregate import Plan
from .as_of import AsOfPlan
from .bind import BoundCall
from .frame import Frame
from .requests import KernelRequest
from .resolved import Resolved, ResolvedOver
from .table import TablePlan, label_of


def frame_line(frame: Frame) -> str:
    """A frame, and whether rows at its ends are in it."""
    ends = "" if frame.is_even else f", closed {frame.closed}"
    return f"  frame      {frame.text}{ends}"


def frame_lines(resolved: ResolvedOver, *, by_arrays: bool = False) -> list[str]:
    """The partial, bounds and algorithm of each frame, and the results."""
    lines: list[str] = []
    for part in resolved.frames:
        frame, choice = part.frame, part.choice
        lines.append(frame_line(frame))
        if choice is not None:
            kind = "from start and stop arrays"
            if not by_arrays:
                kind = "by arithmetic" if frame.is_even else kind
                if part.by_cursors:
                    kind = "by a cursor over the times for each end"
            lines += partial_lines(part.request.product)
            each = "label" if frame.of_labels else "row"
            lines.append(f"  bounds     {kind}, one window a {each}")
            lines.append(f"  algorithm  {choice}")
        lines += holistic_lines(part.calls, part.request)
    requests = [part.request for part in resolved.frames]
    return lines + result_lines(resolved.plan.calls, requests)


def keys_text(plan: TablePlan, none: str = "no key") -> str:
    """The keys of a plan, or what to say where there is none."""
    return f"by {', '.join(plan.by)}" if plan.by else none


def order_lines(plan: TablePlan) -> list[str]:
    """The keys and the order of the rows, and a note on the zone of their times."""
    order = "in arrival order"
    if plan.clock is not None:
        order = f"ordered by {plan.clock.column}, ties as they arrived"
    keys = keys_text(plan, "no key: one run")
    return [f"  rows       {keys}; {order}", *zone_lines(plan.clock)]


def cell_lines(resolved: Resolved) -> list[str]:
    """Whether rows are folded where they stand, or why they are sorted by key."""
    cells, reason = resolved.cells, resolved.sorted_because
    if resolved.plan.by and reason is None:
        reason = resolved.plan.must_sort
    if cells is not None and cells.rows:
        table = f"{count(cells.keys, 'key')} x {count(cells.slices or 0, 'slice')}"
        return [
            f"  cells      {table}: rows are folded where they stand, none is sorted"
        ]
    if cells is not None:
        few = "few keys x slices for their rows"
        return [
            f"  cells      as there are rows: folded unsorted if {few}, else sorted"
        ]
    if reason is not None:
        return [f"  cells      none, rows are sorted by key: {reason}"]
    return []


def label_line(plan: AsOfPlan) -> str:
    """The instants of labels, and how late events are known."""
    late = ""
    if plan.delay:
        late = f", {plan.at.tell(plan.delay)} late: intervals end that much before them"
    return f"  labels     at {plan.at.column}; never events themselves{late}"


def zone_lines(clock: Clock | None) -> list[str]:
    """A note that the time zone in a column's type does not place windows."""
    if clock is None or clock.zone in (None, "UTC"):
        return []
    label = f"{clock.column} is typed with {clock.zone}, which only labels its instants"
    return [f"  zone       {label}: windows go by UTC unless tz= names a zone"]


def window_lines(plan: Plan) -> list[str]:
    """The windows; those of a list with their names."""
    label = " as {!r}" if plan.listed else ""
    return [f"  window     {r.text}{label.format(r.name)}" for r in plan.rules]


def slice_lines(resolved: Resolved) -> list[str]:
    """How rows are cut into slices."""
    plan, slicer = resolved.plan, resolved.plan.slicer
    if resolved.way == "graph" and resolved.sharing is not None:
        pane, why = resolved.sharing.unit, "common divisor of all ranges and slides"
        panes = f"panes of {pane:,} rows, the" if pane > 1 else "none: one row is the"
        return [f"  slices     {panes} greatest {why}"]
    if resolved.way == "even" and plan.counts_rows and plan.rules[0].step == 1:
        return ["  slices     none: the slide is one row, so rows are slices"]
    lines = [f"  slicer     {slicer.name} ({slicer.title}): {plan.slicer_reason}"]
    if not plan.is_even:
        most = count(max(rule.overlap for rule in plan.rules), "window")
        return [*lines, f"  slices     an instant lies in {most} at most"]
    evens = [rule.even for rule in plan.rules]
    shared = share(slicer, evens)
    if shared is None:
        composite = tell_length(plan, composite_slide(slicer, evens))
        combs = len(shared_combs(slicer, evens))
        slices = (
            f"composite slide of {composite}, not laid out: "
            f"cut at the next tooth of {combs} combs"
        )
    else:
        slices = (
            f"composite slide {tell_length(plan, shared.composite)}, "
            f"{count(len(shared.edges), 'slice')} in it, "
            f"at most {shared.width:,} in a window"
        )
    return [*lines, f"  slices     {slices}"]


def tell_length(plan: TablePlan, length: int) -> str:
    """A length in rows, in time, or in the numbers of a numeric time column."""
    if isinstance(plan, Plan) and plan.counts_rows:
        return count(length, "row")
    return f"{length:,}" if plan.clock is None else plan.clock.tell(length)


def partial_lines(product: Product) -> list[str]:
    """The fields of a product's partial, and how many results it serves."""
    fields = []
    for part in product.parts:
        names = [field.name for field in part.request.aggregate.fields]
        names = names or [f"{part.request.aggregate.name}.{i}" for i in range(9)]
        fields += [
            f"{name} {dtype}" for name, dtype in zip(names, part.dtypes, strict=False)
        ]
    results = count(len(product.outputs), "result")
    return [f"  partial    ({', '.join(fields)}): one pass for {results}"]


def count(number: int, thing: str) -> str:
    """A number with its noun: 3 slices, 1 slice."""
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def holistic_calls(calls: Sequence[BoundCall]) -> list[BoundCall]:
    """The calls that need the rows of a window, since they have no partial."""
    return [bound for bound in calls if Law.HOLISTIC in bound.aggregate.laws]


def holistic_lines(calls: Sequence[BoundCall], request: KernelRequest) -> list[str]:
    """A line on the calls that have no partial, and one on each way to order values."""
    if not (holistic := holistic_calls(calls)):
        return sketch_lines(calls)
    line = f"  holistic   {label_of(holistic)}: ranges of row positions, no partials"
    return [line, *selection_lines(holistic, request), *sketch_lines(calls)]


def selection_lines(calls: Sequence[BoundCall], request: KernelRequest) -> list[str]:
    """A line on each method that finds values by their order, and how it runs."""
    ways: dict[str, list[BoundCall]] = {}
    for bound in calls:
        if bound.name in request.selections:
            ways.setdefault(str(request.selections[bound.name]), []).append(bound)
    lines = [f"  order      {label_of(some)} by {way}" for way, some in ways.items()]
    walked = any(s.method.is_walked for s in request.selections.values())
    if walked and forced_lane() is not Lane.COMPILED:
        lines.append(
            "             over whole columns all windows ask one wavelet_tree instead"
        )
    return lines


def sketch_lines(calls: Sequence[BoundCall], way: str = "") -> list[str]:
    """A line on each call whose partial is a sketch: how it slides, and its error.

    `way` is how it does where that is not its own choice.
    """
    lines = []
    for bound in calls:
        if bound.aggregate.sketch:
            sketch = bound.sketch
            how = "whole columns: no sketch of a window is made"
            if not sketch.whole_columns:
                how = "two_stacks_lite: 3 merges a slide"
            lines.append(
                f"  sketch     {bound.call.label}: {sketch.name}, {way or how}"
            )
            lines.append(f"  error      {bound.call.label}: {bound.aggregate.error}")
    return lines


def result_lines(
    calls: Sequence[BoundCall], requests: Sequence[KernelRequest]
) -> list[str]:
    """The results with their types; those that are summed in two words say so."""
    wide = {
        bound.name
        for request in requests
        for bound, outputs in request.calls
        if request.product.outputs[outputs[0]].request.aggregate is WIDE_SUM
    }
    lines = []
    for bound in calls:
        note = "  (in two words: a sum could pass 2**63)" if bound.name in wide else ""
        kind = "as its functions give" if bound.aggregate.is_users else bound.result
        lines.append(f"  result     {bound.name} = {bound.call.label}: {kind}{note}")
    return lines


def span_text(plan: Plan) -> str:
    """The columns of start and end of events, and the order in which they count."""
    assert plan.span is not None
    order = "in the order of their ends"
    if all(Law.COMMUTATIVE in bound.aggregate.laws for bound in plan.calls):
        order = "in any order"
    return f"events last from {plan.span[0]} to {plan.span[1]}, {order}"
