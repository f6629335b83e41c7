"""Lays a plan out over many tasks: the parallel aggregation tree.

LightSaber's three levels, in its notation (P parallel, I incremental, S sequential):

    P→Window                              Catalyst alone: `catalyst.py` says when
    P→Pane, I→Window                      panes of a key meet in one task
    P→Pane, I→Window                      ... in one task per key and chunk of time
    P→Pane, I→Sash, P→Window              sashes of a window meet in one task
    S→Pane, I→Window                      rows of a key meet in one task

Level 1 is `native` where the engine's own aggregates give every field of the
partial, `kernel` where ours fold rows before they are shuffled (events with a duration
always), `rows` where order or the rows themselves are needed.  Keys that are hot, or no
key at all, are split into chunks of time aligned to the epoch: nothing has to be known
of the data.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates import Aggregate, Law
from windrow.errors import BadInput, WindowError

from .aggregate import Plan
from .bind import BoundCall
from .catalyst import catalyst_reason
from .facts import Facts
from .requests import KernelRequest, Slots
from .resolve import resolve
from .resolved import Resolved
from .sketch_sql import NO_VERSION, SINCE, Version, sketch_sql
from .strategy import (
    ALONE,
    FORCED,
    PANES,
    ROWS,
    SASHES,
    check_strategy,
    find_strategy,
)

FEW_KEYS = 64  # below that, tasks are too few and too long

# Chunks that overlap copy the slices within a range of their borders: at most a
# quarter more.  Past MOST_OVERLAP slides sashes are cheaper: two for each window.
OVERLAP = 4
LEAST_OVERLAP, MOST_OVERLAP = 256, 4096
LEAST_SASH, MOST_TOTALS = 1024, 16

# Windows that hold the same slices are one row from there on.  Where no two are alike,
# windows are no more than rows were, and repeating each once is little beside them.
LEAST_ALIKE = 8


@dataclass(frozen=True)
class Tree:
    """What happens on each level of the tree, and why.

    `split` is window (Catalyst groups by windows, and nothing slides), none, overlap (a
    task per key and chunk, which also gets the slices that its windows reach beyond its
    end), sash, or blocks (of rows, for count windows without a key).  `chunk` is in
    ticks, or 0; `version` is that of Spark.
    """

    resolved: Resolved
    level1: str
    level1_reason: str
    split: str
    split_reason: str
    chunk: int
    version: Version = NO_VERSION

    @property
    def plan(self) -> Plan:
        """The plan that is laid out."""
        return self.resolved.plan

    @property
    def request(self) -> KernelRequest:
        """The request to kernels, which is the same in every task."""
        return self.resolved.request

    @property
    def slots(self) -> Slots:
        """The places of columns in a kernel's source."""
        return self.resolved.slots

    @property
    def sends_stretches(self) -> bool:
        """Whether windows in a row that hold the same slices are sent as one row."""
        plan, (rule, *more) = self.plan, self.plan.rules
        by_slices = self.split in ("none", "overlap") and self.level1 != "rows"
        if not by_slices or plan.span is not None or plan.listed or more:
            return False
        has_bounds = rule.is_even and self.resolved.bounds(0) == "numbers"
        return has_bounds and rule.overlap >= LEAST_ALIKE

    @property
    def word(self) -> str:
        """The strategy in LightSaber's notation."""
        if self.split == "window":
            return "P→Window"
        first = "S→Pane" if self.level1 == "rows" else "P→Pane"
        later = "I→Sash, P→Window" if self.split == "sash" else "I→Window"
        return f"{first}, {later}"


def grow_tree(
    plan: Plan,
    nullable: frozenset[str],
    *,
    hot: bool = False,
    keys: int | None = None,
    lasting: object = None,
    strategy: str | None = None,
    version: Version = NO_VERSION,
) -> Tree:
    """Lay a plan out over many tasks; `nullable` columns may hold nulls."""
    if keys is not None and keys < 1:
        raise BadInput.because(
            f"cannot plan for {keys} keys",
            "keys= says about how many distinct keys there are",
            "give a positive number, or leave it out",
        )
    if plan.clock is None:
        raise WindowError.because(
            f"cannot slide {plan.rules[0].text} over a distributed table",
            "its rows have no order, and no time column is named",
            "say which, as in wr.rows(..., on='ts')",
        )
    facts = Facts(nulls=nullable)
    alone = catalyst_reason(plan, lasting)
    forced = None if strategy is None else find_strategy(strategy)
    level = choose_level1(plan, resolve(plan, facts).request, version)
    if forced is not None:
        check_strategy(plan, forced, level[0])
        alone = FORCED if forced == ALONE else None
        level = ("rows", FORCED) if forced == ROWS else level
    if alone is not None:
        return Tree(resolve(plan, facts), "native", alone, "window", alone, 0)
    level1 = level[0]
    resolved = resolve(plan, facts, inputs="rows" if level1 == "rows" else "slices")
    split, chunk, split_reason = choose_split(plan, level1, hot=hot, keys=keys)
    if forced == SASHES and split != "sash":
        split, chunk, split_reason = "sash", _sash(plan), FORCED
    elif forced == PANES and split == "sash":
        split, chunk, split_reason = "overlap", _overlap(plan, level1), FORCED
    return Tree(resolved, *level, split, split_reason, chunk, version)


def level1_of(aggregate: Aggregate) -> str:
    """How level 1 folds rows for one aggregate: "native", "kernel" or "rows"."""
    if aggregate.sketch in SINCE:
        return "native or kernel"
    if aggregate.native:
        return "native"
    folds = Law.COMMUTATIVE in aggregate.laws and Law.HOLISTIC not in aggregate.laws
    return "kernel" if folds else "rows"


def choose_level1(
    plan: Plan, request: KernelRequest, version: Version = NO_VERSION
) -> tuple[str, str]:
    """How level 1 turns rows into slices, and why."""
    rows = needs_rows(plan) or needs_order(plan)
    kernel = rows or not_folded(plan, request)
    if plan.span is not None and kernel is None:
        return "kernel", _folded_spans(plan, request)
    native = rows or _not_native(plan, request, version)
    if plan.span is None and native is None:
        reason = "every field of the partial is one of Catalyst's own aggregates"
        return "native", reason
    if kernel is None:
        return "kernel", f"{native}: our kernel folds rows before they are shuffled"
    return "rows", f"{kernel}: rows are shuffled, and folded where their key is"


def _folded_spans(plan: Plan, request: KernelRequest) -> str:
    """How tasks fold events with a duration before the shuffle.

    Catalyst could only group them by the slices in which they start and end, which few
    events have in common (2M events of 20 slices, 100 keys: 8 s, and 4 s as rows).
    """
    pieces = "pieces that cross the same slices"
    if plan.algorithm != "auto":
        return f"each task folds its events into {pieces}, which any technique takes"
    both = Law.IDEMPOTENT | Law.COMMUTATIVE
    slices = "slices" if both in request.product.laws else "slices of two parts"
    return f"each task folds its events into {slices}, or {pieces}: the fewer are sent"


def needs_rows(plan: Plan) -> str | None:
    """The reason why windows need the rows themselves; None if they do not."""
    if plan.rules[0].counts_rows:
        return "count windows number the rows of a key"
    for bound in plan.calls:
        if Law.HOLISTIC in bound.aggregate.laws:
            return f"{bound.call.label} has no partial of bounded size"
    if not plan.slicer.whole_windows:
        return f"{plan.slicer.name} needs rows in order"
    return None


def needs_all_rows(calls: Iterable[BoundCall]) -> str | None:
    """The reason why aggregates need all rows of a window; None if they do not."""
    for bound in calls:
        if not bound.aggregate.in_kernels:
            return f"{bound.call.label} has no partial of bounded size"
    return None


def needs_order(plan: Plan) -> str | None:
    """The reason why events with a duration must be shuffled unfolded; None: no reason.

    Events that cross the same slices end in any order among others.
    """
    for bound in plan.calls:
        if plan.span is not None and bound.aggregate.sketch:
            return f"{bound.call.label} is made of the events of each window"
        if plan.span is not None and Law.COMMUTATIVE not in bound.aggregate.laws:
            return f"{bound.call.label} sees events in the order of their ends"
    return None


def _not_native(plan: Plan, request: KernelRequest, version: Version) -> str | None:
    """The reason why Catalyst cannot compute the partial; None if it can."""
    for part in request.product.parts:
        aggregate = part.request.aggregate
        if not aggregate.native:
            return f"{aggregate.name} has no native partial"
        if plan.ties and aggregate.name in ("arg_min", "arg_max"):
            return f"{aggregate.name} has no native partial where ties= breaks ties"
    for bound in plan.calls:
        if bound.aggregate.sketch and sketch_sql(bound, version) is None:
            since = SINCE.get(bound.sketch.name)
            if since is None:
                return f"{bound.call.label} is folded over whole columns"
            there = f" before Spark {since[0]}.{since[1]}" if version < since else ""
            return f"Spark has no such sketch for {bound.call.label}{there}"
    return None


def not_folded(plan: Plan, request: KernelRequest) -> str | None:
    """The reason why rows cannot be folded before the shuffle; None if they can."""
    for name in plan.by:
        if pat.is_nested(plan.schema.field(name).type):
            return f"key {name} is nested, and only Spark can group by it"
    if request.product.interpreted:
        return "a function could not be compiled, and plain Python has no columns"
    for part in request.product.parts:
        if Law.COMMUTATIVE not in part.request.aggregate.laws:
            return f"{part.request.aggregate.name} depends on the order of rows"
    return None


def choose_split(
    plan: Plan, level1: str, *, hot: bool, keys: int | None
) -> tuple[str, int, str]:
    """Whether keys are split into chunks of time, how long these are, and why."""
    if plan.rules[0].counts_rows:
        if plan.by:
            return "none", 0, "a count window numbers the rows of a key: one task a key"
        return "blocks", 0, "no key: blocks of rows, numbered by a first pass"
    few = keys is not None and keys < FEW_KEYS
    if plan.by and not hot and not few:
        reason = (
            "a key's panes meet in one task; hot=True, or keys=N for fewer than "
            f"{FEW_KEYS} keys, would split each key into chunks of time"
        )
        return "none", 0, reason
    why = "hot=True" if hot else f"keys={keys}, fewer than {FEW_KEYS}"
    why = why if plan.by else "no key"
    range_, slide = plan.longest, min(rule.step for rule in plan.rules)
    if plan.span is not None:
        chunk = max(OVERLAP * range_, LEAST_OVERLAP * slide)
        return "overlap", chunk, f"{why}; an event goes to each chunk that it reaches"
    sketched = any(bound.aggregate.sketch for bound in plan.calls)
    by_chunks = level1 == "rows" or sketched or not plan.is_even
    if by_chunks or OVERLAP * range_ <= MOST_OVERLAP * slide:
        chunk = _overlap(plan, level1)
        reason = f"{why}; a task also reads on to the end of its windows"
        return "overlap", chunk, reason
    chunk = _sash(plan)
    reason = f"{why}; the range spans chunks: opening, totals and closing are merged"
    return "sash", chunk, reason


def _overlap(plan: Plan, level1: str) -> int:
    """How long chunks are that overlap, in ticks."""
    slide = min(rule.step for rule in plan.rules)
    return max(OVERLAP * plan.longest, (level1 != "rows") * LEAST_OVERLAP * slide)


def _sash(plan: Plan) -> int:
    """How long chunks are whose sashes are merged, in ticks."""
    slide = min(rule.step for rule in plan.rules)
    return max(LEAST_SASH * slide, -(-plan.longest // MOST_TOTALS))
