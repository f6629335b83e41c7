"""Describes a technique: its card, and how it answers windows over spanning events.

    prepare(work)                          what all windows share, made once: slices
    answer(work, shared, windows)          the results, one array for each that a
                                           kernel writes
    walk(work, windows)                    the same from events in the order of their
                                           ends, with a ring of slices

A technique that shares nothing has no `prepare`.  Its loops are plain functions over
the names in `windrow.kernels.vocabulary`, as an algorithm's are; they read events with
`leaf(source, i)`, and `Work.run` compiles them together with the product, or runs what
does the same over whole columns (`_columns.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windrow._later import dataclass
from windrow.aggregates import Law
from windrow.algorithms import Algorithm
from windrow.kernels import Assembly, Product
from windrow.loops import Lane, pinned
from windrow.windows.frames import Frames

from .events import LaidEvents

Array = np.ndarray[Any, Any]
Fields = tuple[Array, ...]
ANY_ORDER = "table, any order or several windows"


@dataclass(frozen=True)
class Work:
    """The work of a technique: events over slices, their values, and a product.

    `height` is the number of levels of those slices that have several.  `ring` is the
    number of slices that are there at once, a power of two, where no event reaches back
    over more than `reach` (0: there is an array of all slices).  `leaf` is "rows", or
    "slices" where the source is partials.  `lane` is how loops run; None: as it pays.
    """

    laid: LaidEvents
    product: Product
    source: Fields
    height: int = 1
    leaf: str = "rows"
    lane: Lane | None = Lane.COMPILED
    ring: int = 0
    reach: int = 0

    @property
    def one_part(self) -> bool:
        """Whether slices need only one part, since counting twice does no harm."""
        return Law.IDEMPOTENT | Law.COMMUTATIVE in self.product.laws

    def run(
        self,
        loop: Callable[..., None],
        *arguments: Any,
        columns: Callable[..., None] | None = None,
        **how: Any,
    ) -> None:
        """Run a loop of a technique over the work's events.

        `columns` does the same over whole columns; a loop that the planner never
        chooses has none; `how` is more of the assembly.
        """
        kernel = Assembly(
            what=f"{loop.__name__}, spanning {self.leaf}",
            product=self.product,
            leaf=self.leaf,
            entries=(("run", loop),),
            columns=columns,
            allocates=False,
            **how,
        )
        with pinned(self.lane):
            kernel.run(*arguments)


@dataclass(frozen=True)
class Windows:
    """The windows of one rule as runs of slices, and the algorithm over these."""

    frames: Frames
    range: int
    algorithm: Algorithm

    def __len__(self) -> int:
        return len(self.frames.begins)


@dataclass(frozen=True)
class Costs:
    """The costs of a technique, counted in calls of `combine` and `inverse`.

    `insert` is the cost of an event, `release` that of a window on average and `worst`
    that of the dearest one, `space` the number of partials (or of positions of events)
    that are kept.

    N  events in a window          w  range of the window
    E  events of the table         b  its step; it divides the range
    m  mean length of an event     T  time from the first event to the last
    p  the longest event           d  levels
    """

    insert: str
    release: str
    worst: str
    space: str


@dataclass(frozen=True, kw_only=True)
class Technique:
    """The card of a technique: its needs, its costs, and its functions.

    `costs` are those over a table, `any_order` those where its events are not in the
    order of their ends, or several windows share slices, and that makes a difference,
    `online` those of the form that
    takes one event at a time.  `paper` says what the paper's form costs.
    """

    name: str
    title: str
    needs: Law
    costs: Costs
    any_order: Costs | None = None
    online: Costs | None = None
    paper: str
    source: str
    answer: Callable[[Work, Any, Windows], Fields]
    prepare: Callable[[Work], Any] | None = None
    walk: Callable[[Work, Windows], Fields] | None = None

    @property
    def forms(self) -> dict[str, Costs]:
        """The costs of each form that the technique has."""
        forms = {"table": self.costs, ANY_ORDER: self.any_order}
        forms |= {"operator": self.online}
        return {form: costs for form, costs in forms.items() if costs is not None}

    def suits(self, laws: Law) -> bool:
        """Whether the technique can compute an aggregate with those laws."""
        return self.needs in laws

    def run(self, work: Work, windows: list[Windows]) -> list[Fields]:
        """Compute the results of the windows of each rule."""
        if work.ring and self.walk is not None:
            return [self.walk(work, group) for group in windows]
        shared = None if self.prepare is None else self.prepare(work)
        return [self.answer(work, shared, group) for group in windows]
