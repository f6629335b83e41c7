"""Finishes a plan with what only data can tell, once, before anything is computed.

    plan     windows, aggregates, schema      wr.aggregate(...) as it was written
    facts    nulls, magnitudes, longest key   a scan of the rows; unknown on Spark
    resolve  --------------------------->     product, way, algorithm for each window

Three ways lead to windows, tried in this order:

    graph    several count windows share the scans of one graph
    even     one window over even slices: rows are counted, or no slide is without one
    slices   windows over slices, their bounds from the rule

Slices are cut from rows that are sorted by key, or are cells into which rows are folded
where they stand (`cells.py`).  Executors follow what stands here and choose nothing;
`explain` prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import overload

from windrow._later import dataclass
from windrow.algorithms import Algorithm
from windrow.kernels import Product

from .aggregate import Plan
from .bind import BoundCall
from .by_policy import PolicyPlan
from .cells import CellFacts, why_sorted
from .choose import Choice, check_chunk, choose_threads, theorem_1
from .frame import Frame
from .over import OverPlan
from .requests import KernelRequest, Slots, may_overflow, request_kernel, slots_of
from .selection import EvenWindows, choose_selections
from .sharing import Sharing, choice_alone, sharing_of
from .spans import Lengths, TechniqueGroup, choose_groups, places_of_ring

FOLD_BELOW = 0.7  # slices for each row: above that rows are their own slices


@dataclass(frozen=True)
class Facts:
    """What a scan of the rows has found out; the defaults stand for nothing.

    `nulls` are the columns that may hold one (None: all of them), `magnitudes` the
    largest absolute values of columns of whole numbers, `longest` is the number of
    rows of the longest key, `spans` says how long events with a duration last, and
    `gapless` that each slide of a time window holds a row of each key that is there.
    `ranges` are the numbers of values that columns of whole numbers lie among, and
    `run` is the number of rows of a key on average; `threads` may work at once.
    `cells` says how many cells rows could be folded into; what a sort would tell beyond
    that is found out by `after_sort`, if rows are sorted.
    """

    nulls: frozenset[str] | None = None
    magnitudes: Mapping[str, int] = field(default_factory=dict)
    longest: int | None = None
    spans: Lengths | None = None
    gapless: bool = False
    threads: int = 1
    ranges: Mapping[str, int] = field(default_factory=dict)
    run: float = 0.0
    cells: CellFacts | None = None
    after_sort: Callable[[], Facts] | None = field(default=None, compare=False)

    def select(
        self, request: KernelRequest, calls: Sequence[BoundCall], width: int | None
    ) -> KernelRequest:
        """The request with methods for windows of so many rows that move on by one."""
        if not request.selections:
            return request
        even = None if width is None else EvenWindows(width, self.run)
        known = choose_selections(calls, self.ranges, self.nulls, even)
        return replace(request, selections=known)

    def has_nulls(self, column: str) -> bool:
        """Whether a column may hold a null."""
        return self.nulls is None or column in self.nulls

    def two_words(self, rows: int | None) -> Callable[[BoundCall], bool]:
        """A test whether the sum of a call over `rows` rows could pass 64 bits."""
        counts = [count for count in (rows, self.longest) if count is not None]

        def needs_two_words(bound: BoundCall) -> bool:
            if not may_overflow(bound):
                return False
            most = self.magnitudes.get(bound.columns[0])
            return most is None or not counts or most * (min(counts) + 1) >= 2**63

        return needs_two_words


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


@overload
def resolve(
    plan: Plan, facts: Facts, *, inputs: str = "rows", sketches: bool | None = None
) -> Resolved: ...
@overload
def resolve(plan: OverPlan, facts: Facts) -> ResolvedOver: ...
@overload
def resolve(plan: PolicyPlan, facts: Facts) -> ResolvedPolicy: ...
def resolve(
    plan: Plan | OverPlan | PolicyPlan,
    facts: Facts,
    *,
    inputs: str = "rows",
    sketches: bool | None = None,
) -> Resolved | ResolvedOver | ResolvedPolicy:
    """Make every choice that is left, with what is known of the rows.

    Windows slide over `inputs`: "rows"; "slices", into which rows have been folded; or
    "ranges" of rows, of which each window has its own and shares none.  Partials have
    `sketches` over slices, and where rows are folded into those.
    """
    if isinstance(plan, OverPlan):
        return _resolve_over(plan, facts, slots_of(plan.framed, facts.has_nulls))
    slots = slots_of(plan.calls, facts.has_nulls)
    if isinstance(plan, PolicyPlan):
        request = request_kernel(plan.calls, slots, facts.two_words(None))
        request = facts.select(request, plan.calls, None)
        choice = plan.choice(request.product) if request.calls else None
        return ResolvedPolicy(plan, request, slots, choice)
    if facts.cells is not None:
        return _resolve_keyed(plan, facts, slots)
    wide = facts.two_words(plan.longest if plan.counts_rows else None)
    of_slices = sketches if sketches is not None else inputs == "slices"
    request = request_kernel(plan.calls, slots, wide, of_slices=of_slices)
    width = plan.rows_by_one if inputs == "rows" else None
    request = facts.select(request, plan.calls, width)
    none = (None,) * len(plan.rules)
    if plan.span is not None:
        groups = _technique_groups(plan, facts, slots, wide)
        return Resolved(plan, request, slots, "spans", none, groups=groups)
    gapless = facts.gapless and len(request.calls) == len(plan.calls)
    is_even = plan.is_regular or gapless
    way = "even" if is_even and inputs == "rows" else "slices"
    if not request.calls:
        return Resolved(plan, request, slots, way, none)
    product, sharing = request.product, None
    if inputs != "ranges":
        sharing = sharing_of(plan, product, sliced=inputs == "slices")
    if sharing is not None and sharing.unit:
        choices = tuple(
            choice_alone(product, rule, sharing.unit)
            if number in sharing.alone
            else None
            for number, rule in enumerate(plan.rules)
        )
        return Resolved(plan, request, slots, "graph", choices, sharing)
    if sharing is not None:
        return Resolved(plan, request, slots, "slices", none, sharing, by_graph=True)
    own = tuple(plan.choice(rule, product, even=way == "even") for rule in plan.rules)
    if plan.chunk:
        check_chunk(plan, even=way == "even")
    if way == "even" and plan.chooses:
        own = (choose_threads(own[0], product, plan, facts.longest, facts.threads),)
    forced = None if plan.chooses or len(plan.rules) == 1 else own[0].algorithm
    if forced is None or not forced.many or inputs == "ranges":
        return Resolved(plan, request, slots, way, own)
    return Resolved(plan, request, slots, way, own, together=forced)


def _resolve_keyed(plan: Plan, facts: Facts, slots: Slots) -> Resolved:
    """Resolve a plan whose rows may be folded into cells."""
    cells = facts.cells
    assert cells is not None
    product = request_kernel(plan.calls, slots, facts.two_words(None)).product
    reason = why_sorted(plan, product, cells)
    if reason is None:
        folded = resolve(plan, replace(facts, cells=None), inputs="slices")
        return replace(folded, cells=cells)
    known = facts if facts.after_sort is None else facts.after_sort()
    return replace(resolve(plan, known), sorted_because=reason)


def _technique_groups(
    plan: Plan, facts: Facts, slots: Slots, wide: Callable[[BoundCall], bool]
) -> tuple[TechniqueGroup, ...]:
    """The techniques for events with a duration, by how long these are."""
    if facts.spans is None:
        return ()
    groups = choose_groups(
        plan.calls,
        lambda calls: request_kernel(calls, slots, wide),
        facts.spans,
        plan.algorithm,
        plan.chunk,
    )
    return tuple(
        replace(
            group,
            algorithms=slide_algorithms(plan, group.request.product),
            ring=places_of_ring(group.technique, plan.cuts, plan.rules, facts.spans),
            reach=facts.spans.reach,
        )
        for group in groups
    )


def slide_algorithms(plan: Plan, product: Product) -> tuple[Algorithm, ...]:
    """The algorithms that slide over slices of events with a duration."""
    return tuple(plan.choice(rule, product).algorithm for rule in plan.rules)


def _resolve_over(plan: OverPlan, facts: Facts, slots: Slots) -> ResolvedOver:
    frames = []
    for frame, calls in plan.frames.items():
        wide = facts.two_words(
            None if frame.rows is None else frame.before + frame.after + 1
        )
        request = request_kernel(calls, slots, wide, may_be_empty=frame.may_be_empty)
        request = facts.select(request, calls, frame.rows if frame.is_even else None)
        choice = None
        if request.calls:
            choice = frame.choice(plan.algorithm, request.product, calls)
        frames.append(ResolvedFrame(frame, calls, request, choice))
    return ResolvedOver(plan, slots, tuple(frames))
