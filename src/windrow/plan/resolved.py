"""Plans with every choice made: what back ends follow, and `explain` prints."""

from __future__ import annotations

from windrow._later import dataclass
from windrow.algorithms import Algorithm
from windrow.kernels import Product

from .aggregate import Plan
from .bind import BoundCall
from .by_policy import PolicyPlan
from .cells import CellFacts
from .choose import Choice, theorem_1
from .frame import Frame
from .over import OverPlan
from .requests import KernelRequest, Slots
from .sharing import Sharing
from .spans import TechniqueGroup

FOLD_BELOW = 0.7  # slices for each row: above that rows are their own slices


@dataclass(frozen=True)
class Resolved:
    """A plan of `wr.aggregate` with every choice made.

    `way` is graph, even, slices or spans; `choices` has an entry for each window: None
    if it does not slide by itself.  Windows over slices may all be answered `by_graph`,
    or `together` by one algorithm that knows several ranges.  `groups` are the
    techniques for events with a duration.  With `cells` rows are folded where they
    stand; where they could have been, `sorted_because` says why they are not.
    """

    plan: Plan
    request: KernelRequest
    slots: Slots
    way: str
    choices: tuple[Choice | None, ...]
    sharing: Sharing | None = None
    by_graph: bool = False
    together: Algorithm | None = None
    groups: tuple[TechniqueGroup, ...] = ()
    fold_below: float = FOLD_BELOW
    cells: CellFacts | None = None
    sorted_because: str | None = None

    @property
    def product(self) -> Product:
        """The product of the partials of all aggregates that have one."""
        return self.request.product

    @property
    def is_holistic(self) -> bool:
        """Whether some aggregate needs the rows of each window, not a partial."""
        return self.request.count < len(self.plan.calls)

    @property
    def needs_bounds(self) -> bool:
        """Whether the bounds of each window are looked at, beside the kernel."""
        return self.is_holistic or bool(self.request.sketches)

    @property
    def divides(self) -> bool:
        """Whether rows are solved in parts: not by functions in plain Python."""
        return not self.product.interpreted

    @property
    def cuts_runs(self) -> bool:
        """Whether a long key is cut too: not if its algorithm has two threads."""
        own = [choice.algorithm for choice in self.choices if choice is not None]
        return all(algorithm.threads == 1 for algorithm in own)

    @property
    def moves_by_row(self) -> bool:
        """Whether one window of rows moves on by one, and all its calls slide."""
        alone = self.way == "even" and self.plan.is_regular and not self.is_holistic
        return alone and self.plan.rules[0].step == 1

    @property
    def moves_quantiles(self) -> bool:
        """Whether one window of rows moves on by one, and all its calls are quantiles.

        That is, single numbers, each by sorted blocks.
        """
        chosen = self.request.selections
        return self.plan.rows_by_one is not None and all(
            bound.name in chosen and chosen[bound.name].gives_numbers(bound)
            for bound in self.plan.calls
        )

    @property
    def walks_instants(self) -> bool:
        """Whether a graph finds the bounds of windows over slices by their instants."""
        even = all(rule.is_even and not rule.is_complete for rule in self.plan.rules)
        return self.by_graph and even and not self.needs_bounds

    def threads(self, most: int) -> int:
        """How many threads run at once: plain Python holds the interpreter's lock."""
        return most if self.divides else 1

    def bounds(self, number: int) -> str:
        """How loops learn the bounds of a window that slides by itself.

        "regular": by arithmetic; "numbers": by cursors over the windows of each slice;
        "arrays", or "many" for several ranges in one pass: from memory.
        """
        if self.way == "even":
            return "regular"
        if self.together is not None:
            return "many"
        rule, choice = self.plan.rules[number], self.choices[number]
        alone = choice is not None and choice.algorithm.threads == 1
        if rule.is_complete or not self.plan.slicer.whole_windows:
            return "arrays"
        return "numbers" if alone and not self.needs_bounds else "arrays"

    @property
    def chunk(self) -> int:
        """Slices in a chunk of PBA; 0 where the algorithm chooses."""
        return self.plan.chunk or theorem_1(self.choices[0], self.plan.rules[0])

    def choice(self, number: int) -> Choice:
        """The algorithm of a window that slides by itself, and how it runs.

        Also of one that shares a graph: sashes are parts of windows, and share nothing.
        """
        own = self.choices[number]
        return own or self.plan.choice(self.plan.rules[number], self.product)


@dataclass(frozen=True)
class ResolvedFrame:
    """Calls of `wr.over` with the same frame; `choice` is None if all are holistic."""

    frame: Frame
    calls: tuple[BoundCall, ...]
    request: KernelRequest
    choice: Choice | None

    @property
    def by_cursors(self) -> bool:
        """Whether cursors walk the times: not for PBA, whose two threads both would."""
        alone = self.choice is not None and self.choice.algorithm.threads == 1
        return alone and not self.frame.is_even and self.frame.walks_times


@dataclass(frozen=True)
class ResolvedOver:
    """A plan of `wr.over` with every choice made."""

    plan: OverPlan
    slots: Slots
    frames: tuple[ResolvedFrame, ...]

    @property
    def divides(self) -> bool:
        """Whether rows are solved in parts: not by functions in plain Python."""
        return not any(frame.request.product.interpreted for frame in self.frames)

    @property
    def cuts_runs(self) -> bool:
        """Whether a long key is cut too: not if its algorithm has two threads."""
        own = [frame.choice.algorithm for frame in self.frames if frame.choice]
        return all(algorithm.threads == 1 for algorithm in own)

    def threads(self, most: int) -> int:
        """How many threads run at once: plain Python holds the interpreter's lock."""
        return most if self.divides else 1


@dataclass(frozen=True)
class ResolvedPolicy:
    """A plan by policy with every choice made; no `choice` if all are holistic."""

    plan: PolicyPlan
    request: KernelRequest
    slots: Slots
    choice: Choice | None
