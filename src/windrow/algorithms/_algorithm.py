"""Defines an algorithm: a card, and the functions that its kernel is made of.

    prepare(widest, chunk)                        scratch memory, made once
    slide(source, bounds, count, at, scratch, out)
        computes `count` windows with the bounds `start_of`, `stop_of`; the partial of
        window i goes to `emit(out, at + i, partial)`
    stride(source, first, count, width, at, scratch, out)
        the fast path, if there is one, for windows that move by one slice: window i
        covers slices [first + i, first + i + width); `stage` is its `prepare`
    conduct(kernel, source, ...)
        Python, called with the kernel's module in place of its `run`, if there is
        one: for more than one thread; it calls the functions listed as entries,
        each under its name

The first are plain functions over the names in `windrow.kernels.vocabulary`, and are
compiled together with the aggregates.  Windows come with stops that never fall.
A window may start at or past the stop of the one before (a gap in time, the next
key): an algorithm then starts from empty, so that keys need no extra code.  A window
may be empty.  With `many`, starts may also move back and forth between `keep_of` and
the stop: windows of several ranges in one pass.

`uneven` names the algorithm whose `slide` it has, if `slide` is not its own.

The card has the costs of each form, as tests count them: `time`, `worst` and `space`
over windows given as arrays, `strided` those of the fast path, `threaded` those of the
thread that answers where there are two, `online` one event at a time, `fed` those of
batches in stretches (`_stretches.py`).  `several` and `listed` are those of a slide of
windows of k ranges, all of them, over arrays and one event at a time.

`steps` is the same algorithm one event at a time, for operators.  With `ways` the parts
of a product may go their own way, if one of them has the law that is needed: its
kernels are then made of steps (`_parts.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from windrow._later import dataclass
from windrow.aggregates import Law

from ._parts import Ways, steps_by_parts
from ._stepwise import Stepwise

if TYPE_CHECKING:
    from windrow.kernels import Product


@dataclass(frozen=True)
class FormCosts:
    """What a form of an algorithm costs, and whose steps it runs `by` if not its own.

    Combines and inverses of a slide, on average and before one result at most, and
    partials kept.  Rings of whole numbers are not counted.

    n  slices of a window, of the longest one      k  ranges that are answered
    p  n rounded up to a power of two
    """

    time: str
    worst: str
    space: str
    by: str = ""


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """The card of an algorithm, and its kernel functions."""

    name: str
    title: str
    needs: Law
    time: str
    worst: str
    space: str
    source: str
    prepare: Callable[..., Any]
    slide: Callable[..., Any]
    stage: Callable[..., Any] | None = None
    stride: Callable[..., Any] | None = None
    conduct: Callable[..., None] | None = None
    slide_entries: tuple[Callable[..., Any], ...] = ()
    stride_entries: tuple[Callable[..., Any], ...] = ()
    uneven: str = ""
    many: bool = False
    threads: int = 1
    steps: Stepwise | None = None
    ways: Ways | None = None
    strided: FormCosts | None = None
    threaded: FormCosts | None = None
    online: FormCosts | None = None
    fed: FormCosts | None = None
    several: FormCosts | None = None
    listed: FormCosts | None = None

    @property
    def forms(self) -> dict[str, FormCosts]:
        """The costs of each form that the algorithm has."""
        forms = {
            "arrays": FormCosts(self.time, self.worst, self.space, self.uneven),
            "even arrays": self.strided,
            "two threads": self.threaded,
            "operator": self.online,
            "operator, batches": self.fed,
            "arrays, k ranges": self.several,
            "operator, k ranges": self.listed,
        }
        return {form: costs for form, costs in forms.items() if costs is not None}

    @property
    def online_name(self) -> str:
        """What runs one event at a time: its name, and whose steps they are."""
        by = self.online.by if self.online else ""
        return f"{self.name}, by {by}" if by else self.name

    @property
    def uneven_name(self) -> str:
        """What runs in one thread over windows that are not even, likewise."""
        return f"{self.name}, by {self.uneven}" if self.uneven else self.name

    def suits(self, laws: Law) -> bool:
        """Whether an aggregate with those laws can be slid by it."""
        return self.needs in laws

    def by_parts(self, product: Product) -> bool:
        """Whether the parts of a product go their own way."""
        if self.ways is None or len(product.parts) == 1:
            return False
        return any(self.needs in part.request.aggregate.laws for part in product.parts)

    def steps_for(self, product: Product) -> Stepwise | None:
        """The algorithm, one event at a time, for a product."""
        if self.ways is not None and self.by_parts(product):
            return steps_by_parts(product, self.ways)
        return self.steps
