"""Which algorithm an operator keeps its window with, and why."""

from __future__ import annotations

from windrow.aggregates import Law
from windrow.algorithms import CATALOGUE, find
from windrow.errors import BadInput, UnsuitableAlgorithm
from windrow.kernels import Product
from windrow.windows.policy import COUNT, TIME

from .choose import Choice
from .policies import Rules

LATENCIES = (None, "worst-case")


def check_asked(name: str, rules: Rules, *, late: bool, latency: str | None) -> None:
    """Refuse what no aggregate could have, before the first event."""
    if latency not in LATENCIES:
        raise BadInput.because(
            f"cannot promise a latency of {latency!r}",
            "there is no such promise",
            "leave it out, or ask for latency='worst-case'",
        )
    if name != "auto":
        _check_form(name, rules, late=late)


def choose_steps(
    name: str, product: Product, *, late: bool, latency: str | None
) -> Choice:
    """The algorithm for a product.

    Any name but "auto" is forced, and refused if the product lacks a law.
    """
    if name != "auto":
        _check_laws(name, product)
        return Choice(find(name), "asked for by name")
    if late:
        why = "events may come late: places in the middle can change"
        return Choice(find("flat_fat"), why)
    if product.undoable:
        why = "invertible and exact (whole numbers): the oldest can be taken off"
        return Choice(find("subtract_on_evict"), why)
    if latency == "worst-case":
        why = "no event waits for many others: at most 6 combines each"
        return Choice(find("daba_lite"), why)
    if Law.SELECTIVE in product.laws:
        why = "selective: only events that can still be an answer are kept"
        return Choice(find("slick_deque"), why)
    why = "3 combines an event, one ring"
    return Choice(find("two_stacks_lite"), why)


def _check_laws(name: str, product: Product) -> None:
    algorithm = find(name)
    if not algorithm.suits(product.laws):
        missing = (algorithm.needs & ~product.laws).names()[0]
        label = ", ".join(o.request.aggregate.name for o in product.outputs)
        raise UnsuitableAlgorithm.lacking(
            missing,
            algorithm=name,
            aggregate=label,
            able=["two_stacks_lite", "daba_lite"],
        )


def _check_form(name: str, rules: Rules, *, late: bool) -> None:
    steps = find(name).steps
    if steps is None:
        able = [one.name for one in CATALOGUE if one.steps is not None]
        raise UnsuitableAlgorithm.because(
            f"cannot keep an operator's window with {name}",
            "it slides over whole arrays only",
            f"use one of {', '.join(able)}",
        )
    if late and steps.fifo:
        raise UnsuitableAlgorithm.because(
            f"{name} cannot let events come late",
            "it is first in, first out",
            "use flat_fat, or leave lateness out",
        )
    if steps.chunk and rules.evict not in (COUNT, TIME):
        raise UnsuitableAlgorithm.because(
            f"{name} cannot keep this window",
            "it has to know how long a window is, and events leave by another rule",
            "use daba_lite, or evict by a number of rows or a duration",
        )


__all__ = ["check_asked", "choose_steps"]
