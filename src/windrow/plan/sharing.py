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
Windows over slices are not equally long: those of whole numbers, from which parts can
be taken off, share one prefix scan.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windrow.errors import UnsuitableAlgorithm
from windrow.graph import SHORT, Special, graph_of, uneven_graph
from windrow.kernels import Product

from .choose import Choice, choose_algorithm

if TYPE_CHECKING:
    from windrow.windows import Rule

    from .aggregate import Plan

GRAPH = "gag"  # as an algorithm: one graph for all windows


@dataclass(frozen=True)
class Sharing:
    """The numbers of the windows that share a graph, and of those that slide `alone`.

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
    if plan.algorithm not in ("auto", GRAPH) or plan.span is not None:
        return None
    forced, many = plan.algorithm == GRAPH, len(plan.rules) > 1
    if not many and not forced:
        return None
    if sliced or not all(rule.is_complete for rule in plan.rules):
        return _uneven(plan, product, forced=forced)
    unit = math.gcd(
        *(n for rule in plan.rules for n in (rule.even.range, rule.even.slide))
    )
    if not many and plan.rules[0].even.slide > unit:
        return _uneven(plan, product, forced=forced)
    numbers = range(len(plan.rules))
    sharing = Sharing(unit, tuple(numbers), ())
    if forced:
        return sharing
    if not product.undoable:
        graphed = [n for n in numbers if plan.rules[n].even.range // unit >= SHORT]
        alone = [n for n in numbers if n not in graphed]
        sharing = Sharing(unit, tuple(graphed), tuple(alone))
    if len(sharing.graphed) > 1 and _pays(plan, sharing):
        return sharing
    return _uneven(plan, product, forced=False)


def _uneven(plan: Plan, product: Product, *, forced: bool) -> Sharing | None:
    """The sharing of windows over slices; None if each has a stack of its own."""
    if not plan.slicer.whole_windows:
        if not forced:
            return None
        raise UnsuitableAlgorithm.because(
            "cannot slide these windows with gag",
            f"{plan.slicer.name} cuts no slice where a window ends",
            "leave slicer out, or use pairs or panes",
        )
    if not forced and not product.undoable:
        return None
    return Sharing(0, tuple(range(len(plan.rules))), ())


def _pays(plan: Plan, sharing: Sharing) -> bool:
    """Whether windows end often enough: scans go over every input, slices do not."""
    return (
        2 * sum(sharing.unit / plan.rules[n].even.slide for n in sharing.graphed) >= 1
    )


def choice_alone(product: Product, rule: Rule, unit: int) -> Choice:
    """The algorithm for a window that shares no scans, over inputs of `unit` rows."""
    width, regular = rule.even.range // unit, rule.even.slide == unit
    return choose_algorithm("auto", product, "", width=width, regular=regular)


def special_of(plan: Plan, product: Product, sharing: Sharing) -> Special:
    """The specialised graph of the windows that share one."""
    if not sharing.unit:
        return uneven_graph(len(plan.rules), product)
    rules = [plan.rules[number] for number in sharing.graphed]
    each = all(rule.even.slide == sharing.unit for rule in rules)
    ranges = [rule.even.range // sharing.unit for rule in rules]
    return graph_of(ranges, product, each=each)
