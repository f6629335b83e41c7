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
from windrow.loops import Lane

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
    forced, rules = plan.algorithm == GRAPH, plan.rules
    shares = forced or (plan.algorithm == "auto" and len(rules) > 1)
    if not shares or plan.span is not None:
        return None
    if sliced or not all(rule.is_complete for rule in rules):
        return _uneven(plan, product, forced=forced)
    unit = math.gcd(*(n for rule in rules for n in (rule.even.range, rule.even.slide)))
    if len(rules) == 1 and rules[0].even.slide > unit:
        return _uneven(plan, product, forced=forced)
    every_length = forced or product.undoable
    lengths = {n: rule.even.range // unit for n, rule in enumerate(rules)}
    graphed = tuple(n for n in lengths if every_length or lengths[n] >= SHORT)
    alone = tuple(n for n in lengths if n not in graphed)
    # scans go over every input, slices do not: windows must end often enough
    ends = sum(unit / rules[n].even.slide for n in graphed)
    if forced or (len(graphed) > 1 and 2 * ends >= 1):
        return Sharing(unit, graphed, alone)
    return _uneven(plan, product, forced=False)


def _uneven(plan: Plan, product: Product, *, forced: bool) -> Sharing | None:
    """The sharing of windows over slices; None if each has a stack of its own."""
    if forced and not plan.slicer.whole_windows:
        raise UnsuitableAlgorithm.because(
            "cannot slide these windows with gag",
            f"{plan.slicer.name} cuts no slice where a window ends",
            "leave slicer out, or use pairs or panes",
        )
    if forced or (plan.slicer.whole_windows and product.undoable):
        return Sharing(0, tuple(range(len(plan.rules))), ())
    return None


def graph_lane(plan: Plan) -> Lane | None:
    """How a graph runs: compiled where it was asked for by name, else as it pays."""
    return Lane.COMPILED if plan.algorithm == GRAPH else None


def choice_alone(product: Product, rule: Rule, unit: int) -> Choice:
    """The algorithm for a window that shares no scans, over inputs of `unit` rows."""
    width, regular = rule.even.range // unit, rule.even.slide == unit
    return choose_algorithm("auto", product, "", width=width, regular=regular)


def special_of(plan: Plan, product: Product, sharing: Sharing) -> Special:
    """The specialised graph of the windows that share one."""
    if not sharing.unit:
        return uneven_graph(len(plan.rules), product)
    evens, unit = [plan.rules[number].even for number in sharing.graphed], sharing.unit
    windows = [(even.range // unit, even.slide // unit) for even in evens]
    return graph_of(windows, product)
