"""Decides which windows of a list share one graph, and which slide by themselves.

Count windows of which only complete ones come out stand at places known beforehand:
over rows, or over panes as long as the greatest common divisor of all ranges and
slides.  Those windows share the scans of one graph (`windrow.graph`).

                      rows      | | | | | | | | | | | | |
    ranges 6, 4       panes     |   |   |   |   |   |   |       two rows each
    slides 2, 4       windows   |-----------|                   3 panes, 1 on
                                    |-------|                   2 panes, 2 on

Where nothing can be taken off, windows of fewer than `SHORT` inputs share no scans, and
are left to a loop of their own, the fastest there is.  And where windows end at
few of the inputs, rows are folded into slices, as they are for windows of time.
Windows over slices are not equally long.  Those of time share too: one prefix scan
where parts can be taken off, else scans of short laps.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from windrow import graph
from windrow._later import dataclass
from windrow.errors import UnsuitableAlgorithm
from windrow.kernels import Product
from windrow.loops import Lane

from .choose import GRAPH, Choice, choose_algorithm

if TYPE_CHECKING:
    from windrow.windows import Rule

    from .aggregate import Plan


@dataclass(frozen=True)
class Sharing:
    """The numbers of the windows that share a graph, and of those that slide `alone`.

    Those that share are ordered by range, as they are in the graph, unless it is 0.

    An input of the graph is `unit` rows or, where that is 0, a slice, cut wherever a
    window starts or ends.
    """

    unit: int
    graphed: tuple[int, ...]
    alone: tuple[int, ...]


def sharing_of(plan: Plan, product: Product, *, sliced: bool = False) -> Sharing | None:
    """The windows of a plan that share a graph; None if each slides by itself.

    With `sliced` the rows have been folded into slices already.
    """
    forced, rules = plan.algorithm == GRAPH, plan.rules
    shares = forced or (plan.algorithm == "auto" and len(rules) > 1)
    if not shares or plan.span is not None:
        return None
    if sliced or not all(rule.is_complete for rule in rules):
        return _uneven(plan, forced=forced, pays=True)
    unit = math.gcd(*(n for rule in rules for n in (rule.even.range, rule.even.slide)))
    if len(rules) == 1 and rules[0].even.slide > unit:
        return _uneven(plan, forced=forced, pays=False)
    every_length = forced or product.undoable
    lengths = {n: rule.even.range // unit for n, rule in enumerate(rules)}
    by_length = sorted(lengths, key=lambda n: rules[n].even[:2])
    graphed = tuple(n for n in by_length if every_length or lengths[n] >= graph.SHORT)
    alone = tuple(n for n in lengths if n not in graphed)
    # scans go over every input, slices do not: windows must end often enough
    ends = sum(unit / rules[n].even.slide for n in graphed)
    if forced or (len(graphed) > 1 and 2 * ends >= 1):
        return Sharing(unit, graphed, alone)
    return _uneven(plan, forced=False, pays=product.undoable)


def _uneven(plan: Plan, *, forced: bool, pays: bool) -> Sharing | None:
    """The sharing of windows over slices; None if each slides by itself."""
    if forced and not plan.slicer.whole_windows:
        raise UnsuitableAlgorithm.because(
            "cannot slide these windows with gag",
            f"{plan.slicer.name} cuts no slice where a window ends",
            "leave slicer out, or use pairs or panes",
        )
    if forced or (pays and plan.slicer.whole_windows):
        return Sharing(0, tuple(range(len(plan.rules))), ())
    return None


def graph_lane(plan: Plan) -> Lane | None:
    """How a graph runs: compiled where it was asked for by name, else as it pays."""
    return Lane.COMPILED if plan.algorithm == GRAPH else None


def choice_alone(product: Product, rule: Rule, unit: int) -> Choice:
    """The algorithm for a window that shares no scans, over inputs of `unit` rows."""
    width, regular = rule.even.range // unit, rule.even.slide == unit
    return choose_algorithm("auto", product, "", width=width, regular=regular)


def specials_of(
    plan: Plan, product: Product, sharing: Sharing
) -> list[tuple[str, graph.Special]]:
    """The specialised graphs of the windows that share, and the results of each.

    There are two where some results can be taken off and others cannot.
    """
    graphs = []
    for share in graph.shares_of(product):
        calls = dict.fromkeys(o.request.aggregate.name for o in share.product.outputs)
        if sharing.unit:
            evens = [plan.rules[number].even for number in sharing.graphed]
            unit = sharing.unit
            windows = [(even.range // unit, even.slide // unit) for even in evens]
            special = graph.graph_of(windows, share.product)
        else:
            special = graph.uneven_graph(len(plan.rules), share.product)
        graphs.append((", ".join(calls), special))
    return graphs
