"""Chooses the slicer and the algorithm; nothing else in the package does.

Each rule is a condition, a choice and a reason, tried in order; the last always
holds.  `windrow bench run kernels` measures it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from windrow import spans as techniques
from windrow._later import dataclass
from windrow.aggregates import Law
from windrow.algorithms import LEAST_STREAM, LEAST_WINDOW, Algorithm, best_chunk
from windrow.algorithms import find as find_algorithm
from windrow.errors import BadInput, UnsuitableAlgorithm, WindowError
from windrow.kernels import Product
from windrow.loops import Lane
from windrow.slicing import HALOS, Slicer
from windrow.slicing import find as find_slicer
from windrow.windows import Rule

if TYPE_CHECKING:
    from .aggregate import Plan

FEW_SLICES = 4
FEW_IN_VECTORS = 8  # slices of regular windows that are folded many windows at a time
GRAPH = "gag"  # one graph for all windows of a list (`sharing.py`)
FORCED = "asked for by name"
UNDOABLE = "invertible and exact (whole numbers): the oldest can be taken off"


@dataclass(frozen=True)
class Choice:
    """An algorithm, and why it was chosen; whether windows are even."""

    algorithm: Algorithm
    reason: str
    even: bool = True

    def __str__(self) -> str:
        """What `explain` says: also what runs where the algorithm itself cannot."""
        line = f"{self.algorithm.name}: {self.reason}"
        if self.even or not self.algorithm.uneven:
            return line
        where = " in one thread," if self.algorithm.threads > 1 else ","
        return f"{line}; {self.algorithm.uneven} runs{where} since windows are not even"

    @property
    def lane(self) -> Lane | None:
        """How it runs: compiled where it was asked for by name, else as it pays."""
        return Lane.COMPILED if self.reason == FORCED else None


def choose_algorithm(
    name: str, product: Product, label: str, *, width: int | None, regular: bool
) -> Choice:
    """The algorithm for a product over windows of about `width` slices.

    `width` is None where it is not known.  Any name but "auto" is forced,
    and refused if the product lacks a law that it needs.
    """
    laws = product.laws
    if name == GRAPH:
        raise UnsuitableAlgorithm.because(
            f"cannot slide {label} with {GRAPH}",
            "a graph answers windows of wr.aggregate and wr.slide, alone or in a list",
            "leave the algorithm to the planner",
        )
    if name != "auto":
        algorithm = find_algorithm(name)
        check_product(algorithm, product, label, ("sba", "two_stacks_lite"))
        return Choice(algorithm, FORCED, regular)
    floats = Law.INVERTIBLE in laws
    why = "floats, which are never subtracted" if floats else "not invertible"
    if width is not None and width <= FEW_SLICES:
        slices = f"{width} slice{'s' if width > 1 else ''}"
        reason = f"a window is {slices} at most: too few to reuse anything"
        return Choice(find_algorithm("recompute"), reason)
    if product.undoable:
        return Choice(find_algorithm("subtract_on_evict"), UNDOABLE)
    if regular and width is not None and width <= FEW_IN_VECTORS and product.is_narrow:
        reason = f"a window is {width} slices: folded many windows at a time"
        return Choice(find_algorithm("recompute"), reason)
    if regular:
        reason = f"{why}; regular windows: two scans a chunk, no branch"
        return Choice(find_algorithm("sba"), reason)
    reason = f"{why}; windows of varying width: 3 combines a slide, one buffer"
    return Choice(find_algorithm("two_stacks_lite"), reason)


def choose_threads(
    choice: Choice, product: Product, plan: Plan, longest: int | None, threads: int
) -> Choice:
    """PBA in place of SBA where a second core is free and would have nothing to do.

    A long key is cut into stretches of at least eight windows, one for each core; where
    windows are too long for that, two threads share the work of one stretch.  They
    combine in another order, so that only aggregates for which that makes no difference
    may depend on how many cores there are.
    """
    even = plan.rules[0].even
    slices, rows = even.range // even.slide, longest or 0
    too_long = rows < 2 * HALOS * even.range
    enough = slices >= LEAST_WINDOW and rows // even.slide >= LEAST_STREAM
    is_free = threads > 1 and choice.algorithm.name == "sba" and product.is_lattice
    if not (plan.counts_rows and is_free and enough and too_long):
        return choice
    reason = "a second core is free, and windows are too long to cut rows into parts"
    return Choice(find_algorithm("pba"), reason)


def check_chunk(plan: Plan, *, even: bool) -> None:
    """Refuse chunks of a length that could not be kept."""
    fact = f"cannot use chunks of {plan.chunk} slices"
    if not even or len(plan.rules) > 1:
        raise BadInput.because(
            fact,
            "windows differ in their slices here, and chunks follow from their bounds",
            "leave chunk out",
        )
    range_, slide, _ = plan.rules[0].even
    if plan.chunk > range_ // slide:
        raise BadInput.because(
            fact,
            f"a window has {range_ // slide}, and a chunk is at most a window",
            f"use chunk={range_ // slide} or less, or leave it out",
        )


def theorem_1(choice: Choice | None, rule: Rule) -> int:
    """Slices in a chunk of PBA over windows of rows, by Theorem 1; 0 elsewhere.

    Folding `slide` rows into each slice gives suffixes time to come, so that chunks are
    longer than half a window.
    """
    is_pba = choice is not None and choice.algorithm.threads > 1
    return int(best_chunk(*rule.even[:2])) if is_pba and rule.counts_rows else 0


def check_product(
    forced: Algorithm, product: Product, label: str, able: Iterable[str]
) -> None:
    """Refuse an algorithm for a product, unless it serves parts by themselves."""
    if not forced.by_parts(product):
        check_laws(forced, product.laws, label, able)


def check_laws(
    forced: Algorithm | techniques.Technique, laws: Law, label: str, able: Iterable[str]
) -> None:
    """Refuse what needs a law that the aggregates lack; others in `able` suit."""
    if not forced.suits(laws):
        missing = (forced.needs & ~laws).names()[0]
        raise UnsuitableAlgorithm.lacking(
            missing, algorithm=forced.name, aggregate=label, able=able
        )


def choose_slicer(
    name: str, rules: Sequence[Rule], *, rows: bool, span_times: bool
) -> tuple[Slicer, str]:
    """The slicer for windows of those rules, and why.

    With `span_times`, events have a duration and reach back into earlier windows, which
    are combined from slices again: these must end where windows do, and be few.
    """
    is_even = all(rule.is_even for rule in rules)
    if not is_even and name not in ("auto", "pairs"):
        raise UnsuitableAlgorithm.because(
            f"cannot cut windows ({rules[0].text}) with {name}",
            "they are not equally long, and only pairs follows their edges",
            "leave the slicer to the planner",
        )
    if is_even and name != "auto":
        slicer = find_slicer(name)
        if span_times and not slicer.whole_windows:
            raise WindowError.because(
                f"cannot slice events with a duration with {slicer.name}",
                "their windows must end where a slice ends, so that the past can be "
                "made up again",
                "use pairs, or leave the slicer to the planner",
            )
        return slicer, FORCED
    slicer = find_slicer("pairs")
    if not is_even:
        return slicer, "windows are not equally long: cut wherever one starts or ends"
    if span_times:
        return slicer, "events last: cut where windows start and end, and nowhere else"
    if len(rules) > 1:
        return slicer, "several windows: cut only where one of them starts or ends"
    if rules[0].even.range % rules[0].even.slide == 0:
        return find_slicer("panes"), "the slide divides the range: one slice a slide"
    if rows:
        return find_slicer("cutty"), (
            "the slide does not divide the range and rows stand in order: "
            "one slice a slide and a tail"
        )
    return slicer, "the slide does not divide the range: two slices a slide"
