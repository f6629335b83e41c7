"""Lays a plan out over a stream: what is sent, what is kept, in how many buckets.

fed       slices, folded before they are shuffled    every aggregate commutes
          pieces, the same of events that last
          rows, as they are                          order or the rows are needed
kept      slices     chunks of half a window         time windows, whatever the range
          levels     pages of suffixes by position   count windows, wr.over
          rows       the rows of the last windows    holistic aggregates
          past       the rows that a frame reaches   ... of wr.over
          window     the rows of a key's window      windows by policy
late      rows behind the watermark count in windows that are not out, or nowhere
buckets   keys whose state is kept together: one call of a kernel serves them all

Every column is planned as one that may hold nulls, also where the stream says that it
holds none: state outlives what is known of a column.
"""

from __future__ import annotations

import math
from dataclasses import replace

from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates import Law
from windrow.errors import BadInput, UnsupportedType, WindowError
from windrow.windows.policy_numbers import COUNT

from .aggregate import Plan
from .as_of import AsOfPlan
from .by_policy import PolicyPlan
from .choose import Choice, choose_algorithm
from .over import OverPlan
from .requests import KernelRequest, Slots, may_overflow, request_kernel, slots_of
from .spread import check_bounded
from .stream_clock import StreamClock
from .table import TablePlan, label_of
from .tree import needs_all_rows, needs_order, needs_rows, not_folded

# A bucket costs a few calls of the state store in each micro-batch (about 5 ms), and
# buckets are what tasks share out: a few for each core, and hundreds of keys in each.
BUCKETS = 16
CELLS = 4  # in the watermark's delay: what waits is written and read by the cell
_KEPT = "rows are kept"
_COST = "a step that gives results reads them, and costs more the more there are"


@dataclass(frozen=True)
class Flow:
    """What happens to a stream, and why; `cell` is in ticks.

    Levels have slices of `unit` rows; `choice` slides over those that a step brings.
    `late_for_all` is why a row behind the watermark is late for the whole query; None:
    it counts in the windows that are not out.  With `deals` rows are dealt out to all
    tasks before they are folded; `shared` says what tasks share.  `former` are product
    and slots of version 0.1, which kept smaller partials where columns could not be
    null; None: the same.
    """

    plan: Plan | OverPlan | PolicyPlan
    request: KernelRequest
    slots: Slots
    former: tuple[KernelRequest, Slots] | None
    fed: str
    fed_reason: str
    kept: str
    kept_reason: str
    buckets: int
    late: str
    late_for_all: str | None
    cell: int
    clock: StreamClock
    deals: bool
    shared: str
    unit: int = 1
    choice: Choice | None = None
    mode: str = "append"

    @property
    def counts_late(self) -> bool:
        """Whether rows behind the watermark count where they can."""
        return self.late_for_all is None


def flow_of(
    plan: Plan | OverPlan | PolicyPlan,
    nullable: frozenset[str],
    *,
    delay: int,
    late: str = "count",
    buckets: int | None = None,
    mode: str = "append",
    clock: StreamClock = StreamClock(),  # noqa: B008 - it is frozen
    hot: bool = False,
) -> Flow:
    """Lay a plan out; `delay` is that of the watermark, in ticks.

    `nullable` are the columns that may hold nulls, as far as the stream knows.
    """
    _check(late, buckets)
    _check_mode(plan, mode)
    if plan.clock is None:
        window = "window" if isinstance(plan, PolicyPlan) else "rows"
        raise WindowError.because(
            "cannot slide over a stream",
            "its rows have no order, and no time column is named",
            f"say which, as in wr.{window}(..., on='ts')",
        )
    if isinstance(plan, OverPlan):
        check_bounded(plan)
    for name in plan.by:
        if pat.is_nested(plan.schema.field(name).type):
            raise UnsupportedType.because(
                f"cannot group a stream by column {name!r}",
                f"it is of type {plan.schema.field(name).type}",
                "group by its fields, or by a string made of it",
            )
    slots = slots_of(plan.calls, lambda _: True)
    of_slices = isinstance(plan, Plan) and plan.span is None and not needs_rows(plan)
    request = request_kernel(plan.calls, slots, may_overflow, of_slices=of_slices)
    former_slots = slots_of(plan.calls, lambda name: name in nullable)
    former = request_kernel(plan.calls, former_slots, may_overflow, of_slices=of_slices)
    same = former.product.dtypes == request.product.dtypes
    before = None if same else (former, former_slots)
    state = _state(plan, request)
    sent = _sent(plan, request, state[0], late)
    cell = 1
    if isinstance(plan, Plan):
        if state[0] == "slices":
            _check_algorithm(plan)
        cell = max(delay // CELLS, min(rule.step for rule in plan.rules))
    many = (buckets or BUCKETS) if plan.by else 1
    lates = late, _late_for_all(plan, request, state[0], late)
    shared = _all_tasks(sent, state, keyed=bool(plan.by), hot=hot)
    shares = hot and sent[0] != "rows", shared
    what = *sent, *state, many, *lates, cell, clock, *shares
    flow = Flow(plan, request, slots, before, *what, mode=mode)
    if state[0] != "levels":
        return flow
    choice = choose_algorithm(
        plan.algorithm, request.product, label_of(plan.calls), width=None, regular=False
    )
    return replace(flow, unit=_unit(plan), choice=choice)


def _all_tasks(
    sent: tuple[str, str], state: tuple[str, str], *, keyed: bool, hot: bool
) -> str:
    """What of the work all tasks share, where one key or none has most rows."""
    fed, reason = sent
    if fed == "rows":
        changes = "; hot=True changes nothing" if hot else ""
        if keyed:
            return f"rows travel whole, and those of a key meet in one bucket{changes}"
        why = (state[1] if reason == _KEPT else reason).partition(":")[0]
        one = "all meet in one bucket, the work of one task"
        return f"rows travel whole, and {one}, since {why}{changes}"
    rows, meet = "rows" if fed == "slices" else "events", "their slices"
    if keyed:
        meet = "a key's slices"
    if hot:
        return f"hot=True: {rows} are dealt out and folded by all tasks, {meet} meet"
    where = f"{rows} are folded by the tasks that read them"
    return f"{where}, {meet} meet; hot=True deals {rows} out first"


def _unit(plan: Plan | OverPlan | PolicyPlan) -> int:
    """The most rows that divide every range and slide."""
    if not isinstance(plan, Plan):
        return 1
    return math.gcd(*(number for r in plan.rules for number in r.even[:2]))


def _check(late: str, buckets: object) -> None:
    if late not in ("count", "keep", "drop"):
        raise BadInput.because(
            f"cannot treat late rows as {late!r}",
            "late= is count (they count in the windows that are not out), keep (the "
            "same, and those that missed one come back as rows) or drop",
            'write late="count", late="keep" or late="drop"',
        )
    if buckets is not None and not (isinstance(buckets, int) and buckets > 0):
        raise BadInput.because(
            f"cannot keep state in {buckets!r} buckets",
            "buckets= says into how many parts the keys are divided",
            f"give a positive whole number, or leave it out for {BUCKETS}",
        )


def _check_mode(plan: TablePlan, mode: str) -> None:
    """Only results that cannot vanish may be told before they are final."""
    cause = "a window comes out once, when the watermark passes its end"
    if isinstance(plan, PolicyPlan):
        if mode == "append" or (mode == "update" and plan.policies.trigger == COUNT):
            return
        cause = (
            f"a row that comes before others may undo results of {plan.window}, and "
            "a stream of Spark cannot take a result back"
        )
    if mode != "append":
        raise BadInput.because(
            f"cannot give results in {mode} mode",
            cause,
            "use append mode; a shorter delay of the watermark gives results sooner",
        )


def _check_algorithm(plan: Plan) -> None:
    """Slices on a stream have one algorithm, whose chunks are half a window."""
    forced = plan.algorithm not in ("auto", "pba")
    if forced or plan.chunk:
        what = plan.algorithm if forced else f"chunks of {plan.chunk} slices"
        raise BadInput.because(
            f"cannot slide over a stream with {what}",
            "its state is kept as pba's, in chunks of half a window",
            "leave algorithm= and chunk= to the planner",
        )


def _state(
    plan: Plan | OverPlan | PolicyPlan, request: KernelRequest
) -> tuple[str, str]:
    """What the state of a bucket consists of, and why."""
    if isinstance(plan, PolicyPlan):
        return "window", f"policies go row by row: rows of a window are kept; {_COST}"
    why = _needs_rows(plan, request)
    if isinstance(plan, OverPlan):
        if why is not None:
            return "past", f"{why}: the rows within reach are kept; {_COST}"
        return "levels", "a row costs at most three merges, whatever it looks back over"
    if plan.span is not None:
        why = why or needs_order(plan)
        if plan.algorithm != "auto":
            why = f"{plan.algorithm} was asked for by name"
        if why is not None:
            reach = "events that windows to come overlap are kept"
            return "rows", f"{why}: {reach}; {_COST}"
        return "slices", "of two parts: events that end in a slice, and that go on"
    if why is not None:
        return "rows", f"{why}: the rows that windows can reach are kept; {_COST}"
    if plan.counts_rows:
        return "levels", "a window costs at most three merges, however many rows it has"
    return "slices", "a slide costs at most three merges a key, whatever the range"


def _needs_rows(plan: Plan | OverPlan, request: KernelRequest) -> str | None:
    """The reason why a bucket must keep rows; None if partials will do."""
    why = None
    if isinstance(plan, OverPlan) or plan.counts_rows:
        why = needs_all_rows(plan.calls)
        if plan.span is not None:
            why = "an event that is under way may have begun at any time"
        if isinstance(plan, AsOfPlan):
            why = "features are as of an instant that no row marks"
        elif isinstance(plan, OverPlan) and len(plan.framed) > len(plan.calls):
            why = "min_periods= counts the values of a frame"
    else:
        why = needs_rows(plan)
    if why is None and request.product.interpreted:
        why = "a function could not be compiled, and plain Python has no columns"
    return why


def _late_for_all(
    plan: Plan | OverPlan | PolicyPlan, request: KernelRequest, state: str, late: str
) -> str | None:
    """Why a row behind the watermark counts nowhere; None: it counts where it can."""
    if late == "drop":
        return 'late="drop"'
    if isinstance(plan, OverPlan):
        return "rows come out in order of time, and rows after it are out"
    if isinstance(plan, PolicyPlan):
        return "policies go by the order of time, and have seen rows after it"
    if plan.counts_rows:
        return "rows are numbered in order of time, and its number is taken"
    if state == "slices":
        for part in request.product.parts:
            if Law.COMMUTATIVE not in part.request.aggregate.laws:
                name = part.request.aggregate.name
                return f"{name} depends on the order of rows, and slices are closed"
    return None


def _sent(
    plan: Plan | OverPlan | PolicyPlan, request: KernelRequest, state: str, late: str
) -> tuple[str, str]:
    """What is sent to the buckets, and why."""
    if state == "levels":
        return "rows", "rows are numbered in order of time, where those of a key meet"
    if not isinstance(plan, Plan) or state == "rows":
        return "rows", _KEPT
    if late == "keep":
        return "rows", 'late="keep" gives rows back, so that they travel whole'
    if plan.span is not None:
        return "pieces", "events that cross the same slices are one before the shuffle"
    why = not_folded(plan, request)
    if why is not None:
        return "rows", f"{why}: rows wait for the watermark, then they are folded"
    return "slices", "our kernel folds rows before they are shuffled"
