"""Decides how an operator keeps its window: algorithm, order, and what it refuses.

`wr.Operator` asks twice: `check_asked` before the first event, and `plan_operator` when
the types, and with them the product and its laws, are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from windrow.aggregates import Call, Law
from windrow.aggregates.types import reading
from windrow.algorithms import CATALOGUE, find
from windrow.errors import BadInput, UnsuitableAlgorithm, UnsupportedType
from windrow.kernels import Product
from windrow.windows import Window
from windrow.windows.policy_numbers import BY_HAND, COUNT, TIME, PolicyNumbers

from .bind import BoundCall
from .choose import FORCED, UNDOABLE, Choice, check_laws


def operator_policies(window: object) -> PolicyNumbers:
    """The policies of an operator's window; None is all by hand."""
    if window is None:
        return PolicyNumbers(BY_HAND, BY_HAND)
    if isinstance(window, Window):
        return window.policies()
    raise BadInput.because(
        f"cannot keep {window!r} as a window",
        f"it is of type {type(window).__name__}",
        "make one with wr.rows(...), wr.sliding(...) or wr.window(...), or give None",
    )


@dataclass(frozen=True)
class OperatorPlan:
    """How an operator keeps its window.

    `trigger` is what makes results fall due in the kernel, `ordered` says that it keeps
    instants, `chunk` is the window's range and a chunk of it, for PBA.
    """

    choice: Choice
    trigger: int
    ordered: bool
    chunk: tuple[int, int]


def check_asked(
    name: str, policies: PolicyNumbers, *, late: bool, latency: str | None
) -> None:
    """Refuse what no aggregate could have, before the first event."""
    if latency not in (None, "worst-case"):
        raise BadInput.because(
            f"cannot promise a latency of {latency!r}",
            "there is no such promise",
            "leave it out, or ask for latency='worst-case'",
        )
    if name == "auto":
        return
    steps = find(name).steps
    if steps is None:
        able = [other.name for other in CATALOGUE if other.steps is not None]
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
    if steps.chunk and policies.evict not in (COUNT, TIME):
        raise UnsuitableAlgorithm.because(
            f"{name} cannot keep this window",
            "it has to know how long a window is, and events leave by another rule",
            "use daba_lite, or evict by a number of rows or a duration",
        )


def check_options(calls: Iterable[Call]) -> None:
    """Refuse what only has a meaning for the rows of a table."""
    for call in calls:
        if call.last is not None:
            raise BadInput.because(
                f"cannot keep {call.label} over the last "
                f"{getattr(call.last, 'text', call.last)}",
                "last= is a frame of wr.over, and an operator goes by its window",
                "make the window that long: wr.rows(9), or wr.window(evict='1 hour')",
            )


def check_keepable(calls: Iterable[BoundCall]) -> None:
    """Refuse aggregates that need all values at once."""
    for bound in calls:
        fact = f"cannot keep {bound.call.label} in an operator"
        if Law.HOLISTIC in bound.aggregate.laws:
            raise UnsupportedType.because(
                fact,
                "it is holistic: no partial of bounded size exists",
                "use wr.aggregate over a table, or keep the events themselves",
            )
        for name, kind in zip(bound.columns, bound.types, strict=True):
            if bound.aggregate.takes != ("position",) and reading(kind) == "rank":
                raise UnsupportedType.because(
                    fact,
                    f"column {name!r} is of type {kind}, whose order is only known "
                    "when all values are",
                    "use wr.aggregate over a table, or map the values to numbers",
                )


def plan_operator(
    name: str,
    product: Product,
    policies: PolicyNumbers,
    *,
    late: bool,
    latency: str | None,
) -> OperatorPlan:
    """How a product is kept in a window of those policies.

    Windows of time that may be revised are answered by hand: the kernel's trigger
    would answer each of them once.
    """
    range_ = max(policies.range, 1)
    return OperatorPlan(
        choice=_choose_steps(name, product, late=late, latency=latency),
        trigger=BY_HAND if late and policies.aligned else policies.trigger,
        ordered=late or policies.evict == TIME,
        chunk=(range_, max(range_ // 2, 1)),
    )


def _choose_steps(
    name: str, product: Product, *, late: bool, latency: str | None
) -> Choice:
    """The algorithm; one that is asked for is refused if the product lacks a law."""
    if name != "auto":
        label = ", ".join(output.request.aggregate.name for output in product.outputs)
        check_laws(find(name), product.laws, label, ("two_stacks_lite", "daba_lite"))
        return Choice(find(name), FORCED)
    rules = (
        (late, "flat_fat", "events may come late: places in the middle can change"),
        (product.undoable, "subtract_on_evict", UNDOABLE),
        (
            latency == "worst-case",
            "daba_lite",
            "no event waits for many others: at most 6 combines each",
        ),
        (
            Law.SELECTIVE in product.laws,
            "slick_deque",
            "selective: only events that can still be an answer are kept",
        ),
        (True, "two_stacks_lite", "3 combines an event, one ring"),
    )
    return next(Choice(find(best), why) for holds, best, why in rules if holds)
