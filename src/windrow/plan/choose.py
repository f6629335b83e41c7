"""Chooses the slicer and the algorithm; nothing else in the package does.

Each rule is a condition, a choice and a reason, tried in order; the last always
holds.  What was measured is in `benchmarks/RESULTS.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windrow.aggregates import Law
from windrow.algorithms import CATALOGUE, Algorithm
from windrow.algorithms import find as find_algorithm
from windrow.errors import UnsuitableAlgorithm
from windrow.kernels import Product
from windrow.slicing import Slicer
from windrow.slicing import find as find_slicer
from windrow.windows import Rule

FEW_SLICES = 4


@dataclass(frozen=True)
class Choice:
    """An algorithm, and why it was chosen."""

    algorithm: Algorithm
    reason: str


def choose_algorithm(
    name: str, product: Product, label: str, *, width: int | None, regular: bool
) -> Choice:
    """The algorithm for a product over windows of about `width` slices.

    `width` is None where it is not known.  Any name but "auto" is forced,
    and refused if the product lacks a law that it needs.
    """
    laws = product.laws
    if name != "auto":
        algorithm = find_algorithm(name)
        if not algorithm.suits(laws):
            raise _unsuitable(algorithm, laws, label)
        return Choice(algorithm, "asked for by name")
    if width is not None and width <= FEW_SLICES:
        return Choice(
            find_algorithm("recompute"),
            f"a window is {width} slice{'s' if width > 1 else ''} at most: "
            "too few to reuse anything",
        )
    if product.undoable:
        return Choice(
            find_algorithm("subtract_on_evict"),
            "invertible and exact (whole numbers): the oldest can be taken off",
        )
    why = (
        "floats, which are never subtracted"
        if Law.INVERTIBLE in laws
        else "not invertible"
    )
    if regular:
        return Choice(
            find_algorithm("sba"),
            f"{why}; regular windows: two scans a chunk, no branch",
        )
    return Choice(
        find_algorithm("two_stacks_lite"),
        f"{why}; windows of varying width: 3 combines a slide, one buffer",
    )


def _unsuitable(algorithm: Algorithm, laws: Law, label: str) -> UnsuitableAlgorithm:
    missing = (algorithm.needs & ~laws).names()[0]
    names = [candidate.name for candidate in CATALOGUE if candidate.suits(laws)]
    preferred = [name for name in ("sba", "two_stacks_lite") if name in names]
    return UnsuitableAlgorithm.lacking(
        missing, algorithm=algorithm.name, aggregate=label, able=preferred
    )


def choose_slicer(
    name: str,
    rules: Sequence[Rule],
    *,
    rows: bool,
    span_times: bool = False,
) -> tuple[Slicer, str]:
    """The slicer for windows of those rules, and why.

    With `lasting`, events have a duration and reach back into earlier windows, which
    are combined from slices again: these must end where windows do, and be few.
    """
    if not all(rule.is_even for rule in rules):
        if name not in ("auto", "pairs"):
            raise UnsuitableAlgorithm.because(
                f"cannot cut windows ({rules[0].text}) with {name}",
                "they are not equally long, and only pairs follows their edges",
                "leave the slicer to the planner",
            )
        return find_slicer("pairs"), (
            "windows are not equally long: cut wherever one starts or ends"
        )
    if name != "auto":
        return find_slicer(name), "asked for by name"
    if span_times:
        return find_slicer("pairs"), (
            "events last: cut where windows start and end, and nowhere else"
        )
    divides = all(rule.even.range % rule.even.slide == 0 for rule in rules)
    if divides and len(rules) == 1:
        return find_slicer("panes"), "the slide divides the range: one slice a slide"
    if rows and len(rules) == 1:
        return find_slicer("cutty"), (
            "the slide does not divide the range and rows stand in order: "
            "one slice a slide and a tail"
        )
    if len(rules) == 1:
        return find_slicer("pairs"), (
            "the slide does not divide the range: two slices a slide"
        )
    return find_slicer("pairs"), (
        "several windows: cut only where one of them starts or ends"
    )
