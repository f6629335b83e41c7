"""Decides how an operator keeps its window: algorithm, order, and what it refuses.

`wr.Operator` asks twice: `check_asked` before the first event, and `plan_operator` when
the types, and with them the product and its laws, are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from windrow._later import dataclass
from windrow.aggregates import Call, Law
from windrow.aggregates.types import reading
from windrow.algorithms import CATALOGUE, find
from windrow.errors import BadInput, UnsuitableAlgorithm, UnsupportedType
from windrow.kernels import Product
from windrow.windows import Window
from windrow.windows.policy_numbers import BY_HAND, COUNT, TIME, PolicyNumbers

from .bind import BoundCall
from .choose import FORCED, UNDOABLE, Choice, check_product

BOUNDED = (
    "daba_lite", "daba", "subtract_on_evict", "slick_deque_inv", "flat_fat", "b_int",
)  # fmt: skip
"""Algorithms in which no event waits for a whole window; pba is one with slides."""


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


def list_policies(windows: Sequence[object]) -> dict[str, PolicyNumbers]:
    """The policies of each window of a list, by its name or its number."""
    if not windows:
        raise BadInput.because(
            "cannot keep a list of windows",
            "it is empty",
            "give at least one, as in [wr.rows(10)]",
        )
    named: dict[str, PolicyNumbers] = {}
    for number, window in enumerate(windows):
        add_policies(named, window, str(number))
    return named


def add_policies(
    named: dict[str, PolicyNumbers], window: object, name: str | None = None
) -> str:
    """Take one more window into a list; gives its name."""
    policies = operator_policies(window)
    free = next(str(k) for k in range(len(named) + 1) if str(k) not in named)
    name = getattr(window, "name", None) or name or free
    if name in named:
        raise BadInput.because(
            f"cannot add a window called {name!r}",
            "the list has one of that name",
            "name them apart, as in wr.rows(10, name='ten')",
        )
    if policies.trigger not in (policies.evict, BY_HAND) or policies.evict not in (
        COUNT,
        TIME,
    ):
        raise BadInput.because(
            f"cannot keep {window} in a list of windows",
            "it is neither a number of rows nor a stretch of time",
            "use wr.rows(...), wr.sliding(...), or an operator of its own",
        )
    for other, theirs in named.items():
        if (theirs.evict, theirs.numeric) != (policies.evict, policies.numeric):
            raise BadInput.because(
                f"cannot keep {name!r} and {other!r} in one list",
                "they go by two clocks: rows, numbers and durations do not mix",
                "make an operator for each clock",
            )
    named[name] = policies
    return name


def shared_policies(named: Mapping[str, PolicyNumbers]) -> PolicyNumbers:
    """What the ring of a list follows: the longest window."""
    first = next(iter(named.values()))
    longest = max(policies.range for policies in named.values())
    return PolicyNumbers(first.evict, BY_HAND, longest, numeric=first.numeric)


@dataclass(frozen=True)
class OperatorPlan:
    """How an operator keeps its window.

    `trigger` is what makes results fall due in the kernel, `ordered` says that it keeps
    instants, `chunk` is the window's range and a chunk of it, for PBA, with the slide
    and anchor of windows that are aligned.
    """

    choice: Choice
    trigger: int
    ordered: bool
    chunk: tuple[int, int, int, int]


def check_list(name: str, *, late: bool, latency: str | None) -> None:
    """Refuse what a list of windows does not have."""
    able = [other.name for other in CATALOGUE if other.steps and other.steps.many]
    if name != "auto" and name not in able:
        raise UnsuitableAlgorithm.because(
            f"{name} cannot keep a list of windows",
            "one event at a time it answers one range",
            f"use one of {', '.join(able)}",
        )
    if late or latency is not None:
        raise BadInput.because(
            f"cannot keep a list of windows with {'lateness' if late else 'latency'}=",
            "the windows of a list share one ring, first in, first out",
            "leave it out, or make an operator for each window",
        )


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
    slides = policies.evict == COUNT or policies.aligned
    if latency is not None and not (name in BOUNDED or (name == "pba" and slides)):
        raise UnsuitableAlgorithm.because(
            f"{name} cannot promise a latency",
            "some of its events wait for a whole window",
            f"leave latency out, or use one of {', '.join(BOUNDED)}",
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


def check_options(calls: Iterable[Call], *, nulls: bool) -> None:
    """Refuse what only has a meaning for the rows of a table, and filters of no nulls.

    What a filter leaves out is null where it stands.
    """
    for call in calls:
        if call.where is not None and not nulls:
            raise BadInput.because(
                f"cannot keep {call.label} with where= and nulls=False",
                "a filter makes nulls of the values that it leaves out",
                "leave out nulls=False",
            )
        if call.last is None and call.closed is not None:
            raise BadInput.because(
                f"cannot keep {call.label} with closed={call.closed!r}",
                "closed= says which ends of a frame of wr.over are in, and an operator "
                "goes by its window",
                "leave out closed=, or use wr.over",
            )
        if call.next is not None or call.min_periods is not None:
            word = "next" if call.min_periods is None else "min_periods"
            raise BadInput.because(
                f"cannot keep {call.label} with {word}=",
                "that belongs to a frame of wr.over, and an operator knows no rows to "
                "come and answers with what is there",
                f"leave out {word}=, or use wr.over",
            )
        if call.last is not None:
            raise BadInput.because(
                f"cannot keep {call.label} over the last "
                f"{getattr(call.last, 'text', call.last)}",
                "last= is a frame of wr.over, and an operator goes by its window",
                "make the window that long: wr.rows(9), or wr.window(evict='1 hour')",
            )


def is_held(bound: BoundCall) -> bool:
    """Whether a result is made of the values of a window's events, and no partial.

    So are holistic aggregates, and the extremes of texts.
    """
    if not bound.aggregate.in_kernels:
        return True
    ranked = any(reading(kind) == "rank" for kind in bound.types)
    return ranked and bound.aggregate.name in ("max", "min")


def check_keepable(calls: Iterable[BoundCall]) -> None:
    """Refuse aggregates that need the order of all values at once."""
    for bound in calls:
        fact = f"cannot keep {bound.call.label} in an operator"
        if Law.HOLISTIC in bound.aggregate.laws and len(bound.columns) > 1:
            raise UnsupportedType.because(
                fact,
                "it is made of two columns of all events, and the values of one are "
                "kept",
                "use wr.aggregate or wr.over",
            )
        if is_held(bound):
            continue
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
    many: bool = False,
) -> OperatorPlan:
    """How a product is kept in a window of those policies.

    Windows of time that may be revised are answered by hand: the kernel's trigger
    would answer each of them once.
    """
    range_ = max(policies.range, 1)
    slide = (policies.every, policies.anchor) if policies.aligned else (0, 0)
    return OperatorPlan(
        choice=_choose(name, product, late=late, latency=latency, many=many),
        trigger=BY_HAND if late and policies.aligned else policies.trigger,
        ordered=late or policies.evict == TIME,
        chunk=(range_, max(range_ // 2, 1), *slide),
    )


def _choose(
    name: str, product: Product, *, late: bool, latency: str | None, many: bool
) -> Choice:
    """The algorithm; one that is asked for is refused if the product lacks a law."""
    if name != "auto":
        label = ", ".join(output.request.aggregate.name for output in product.outputs)
        able = ("slide_side", "flat_fat") if many else ("two_stacks_lite", "daba_lite")
        check_product(find(name), product, label, able)
        return Choice(find(name), FORCED)
    selects = Law.SELECTIVE in product.laws
    by_parts = find("slick_deque").by_parts(product)
    rules = (
        (late, "flat_fat", "events may come late: places in the middle can change"),
        (product.undoable, "subtract_on_evict", UNDOABLE),
        (
            latency == "worst-case",
            "daba_lite",
            "no event waits for many others: at most 6 combines each",
        ),
        (
            selects,
            "slick_deque",
            "selective: only events that can still be an answer are kept",
        ),
        (
            by_parts and _selects_or_undoes(product),
            "slick_deque",
            "a deque for each part that selects, sums beside are taken off",
        ),
        (True, "two_stacks_lite", "3 combines an event, one ring"),
    )
    of_a_list = (
        (product.undoable, "slick_deque_inv", UNDOABLE),
        (selects, "slick_deque", "selective: one deque answers all ranges"),
        (
            by_parts,
            "slick_deque",
            "a deque for each part that selects answers all ranges",
        ),
        (True, "two_stacks_lite", "3 combines for each range, one ring"),
    )
    ladder = of_a_list if many else rules
    return next(Choice(find(best), why) for holds, best, why in ladder if holds)


def _selects_or_undoes(product: Product) -> bool:
    """Whether every part is selective, or can be taken off exactly."""
    return all(
        part.undoable or Law.SELECTIVE in part.request.aggregate.laws
        for part in product.parts
    )
