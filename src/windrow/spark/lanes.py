"""Chooses how the kernels of a query's tasks run, while the query is built.

    driver      kernels that a task needs (rehearsal)  ->  their machine code (cache)
    executor    machine code that came with the task, or whole columns

No kernel that the planner chose waits for a compiler in an executor.  Those that give
the same bits in both lanes are used compiled where there is machine code, from the
driver or in the executor's own folder, and else over columns until compiling has paid.
Those that round in another order run compiled only if the driver has all of them; that
holds for as long as the query runs, so that a task that runs again gives the same rows.

Functions of a user are in no cache, so that a kernel of theirs stays over columns.  Two
kinds are compiled in the task, before their first call: a user's functions that cannot
be given columns, and an algorithm that was asked for by name.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
from pyspark import cloudpickle

from windrow.loops import (
    PRICE,
    Lane,
    Laned,
    TaskLane,
    Unrecorded,
    Way,
    forced_lane,
    has_code,
    recording,
)
from windrow.tasks.as_of import AsOfTask
from windrow.tasks.as_of_chunks import ChunkTask
from windrow.tasks.over import RollTask
from windrow.tasks.policies import PolicyTask
from windrow.tasks.stream import FeedTask, StateTask
from windrow.tasks.task import Task

from .rehearsal import rehearse, rehearse_state

T = TypeVar("T", bound=Task | FeedTask | RollTask | AsOfTask | ChunkTask | PolicyTask)
Asked = dict[str, tuple[Laned, tuple[Any, ...], Lane | None]]


class Rehearsal(NamedTuple):
    """The kernels that a task called: each with arguments and the lane it is bound to.

    `is_cut` tells that it ended at one that runs compiled or not at all.
    """

    asked: Asked
    is_cut: bool = False


MOST = 256  # queries whose kernels are remembered
_rehearsed: dict[tuple[bytes, ...], Rehearsal] = {}
_lanes: list[tuple[str, TaskLane]] | None = None  # by the place of their task
_compiling = False


def with_lane(task: T, schema: Callable[[], pa.Schema]) -> T:
    """The task with how its kernels run; `schema` gives that of its input."""
    lane = _choose(_place(task), lambda: _asked(rehearse, task, schema()))
    return replace(task, lane=lane)


def _place(task: object) -> str:
    """Where a task stands among those of a query that has several."""
    if isinstance(task, FeedTask):
        return "before the shuffle"
    if isinstance(task, Task):
        folds, merges = task.step.startswith("fold"), task.step == "merge"
        return "level 1" if folds else "level 3" if merges else "level 2"
    return "each task"


def with_state_lane(
    task: StateTask, feed: FeedTask, schema: Callable[[], pa.Schema]
) -> StateTask:
    """The stateful task of a stream with how its kernels run.

    It may go on from a checkpoint that says otherwise, and then needs to know of its
    kernels also where the driver has none.
    """
    bare = replace(feed, lane=TaskLane())
    ask = lambda: _asked(rehearse_state, task, bare, schema())  # noqa: E731
    return replace(task, lane=_choose("with the state", ask, always=True))


def reasons_of(build: Callable[[], Any]) -> list[str]:
    """How the kernels of a query run that `build` builds, and why, for `explain`.

    Where those of its tasks run unlike, each says which tasks it speaks of.
    """
    global _lanes
    _lanes = []
    try:
        build()
        reasons = [lane.reason for _, lane in _lanes]
        if len(set(reasons)) == 1:
            return reasons
        return [f"{place}: {lane.reason}" for place, lane in _lanes]
    finally:
        _lanes = None


def compile_ahead(build: Callable[[], Any]) -> set[str] | None:
    """Compile all kernels of the queries that `build` builds; the files they are in.

    None if no task of theirs visits Python.
    """
    global _lanes, _compiling
    _lanes, _compiling = [], True
    try:
        build()
        return {name for _, lane in _lanes for name in lane.code} if _lanes else None
    finally:
        _lanes, _compiling = None, False


def _choose(
    place: str, ask: Callable[[], Rehearsal], *, always: bool = False
) -> TaskLane:
    forced, lane = forced_lane(), TaskLane()
    if forced is Lane.COLUMNS and not _compiling:
        reason = "over whole columns, never compiled: WINDROW_COMPILE=never"
        lane = TaskLane(forced=forced, reason=reason)
    elif always or _compiling or _lanes is not None or has_code():
        lane = _lane_of(ask(), forced)
    else:
        lane = _lane_of(Rehearsal({}), forced)
    if _lanes is not None:
        _lanes.append((place, lane))
    return lane


def _asked(run: Callable[..., None], *facts: Any) -> Rehearsal:
    """The kernels that a rehearsal calls, up to where it fails if it does."""
    key = tuple(cloudpickle.dumps(fact) for fact in facts)  # type: ignore[no-untyped-call]
    if key not in _rehearsed:
        is_cut = False
        with recording() as asked, contextlib.suppress(Exception):
            try:
                run(*facts)
            except Unrecorded:
                is_cut = True
        while len(_rehearsed) >= MOST:
            _rehearsed.pop(next(iter(_rehearsed)))
        _rehearsed[key] = Rehearsal(asked, is_cut)
    return _rehearsed[key]


def _lane_of(rehearsal: Rehearsal, forced: Lane | None) -> TaskLane:
    """How the kernels run that a task asks for, and why."""
    asked = rehearsal.asked
    keepable = [one for one in asked.values() if one[0].entry is not None]
    if _compiling:
        for laned, arguments, _ in keepable:
            laned.compile(arguments)
    code: dict[str, bytes] = {}
    missing = 0
    for laned, arguments, _ in asked.values():
        files = laned.code(arguments)
        code |= files
        missing += not files and not laned.alike
    rounding = frozenset(key for key, (laned, *_) in asked.items() if not laned.alike)
    has_all = bool(rounding) and not missing
    way = Way.SHIPPED if has_all else Way.COLUMNS
    sent = f"; {len(code)} of {len(asked)} kernels travel with the job" if code else ""
    if forced is Lane.COMPILED:
        reason = f"compiled before the first call: WINDROW_COMPILE=always{sent}"
    elif rehearsal.is_cut:
        reason = (
            "compiled before the first call: a part has no form over whole columns, as "
            f"functions of your own that branch or call math{sent}"
        )
    elif has_all:
        reason = f"compiled: this machine's cache has them{sent}"
    elif any(bound is Lane.COMPILED for *_, bound in asked.values()):
        reason = f"compiled before the first call: its algorithm is named{sent}"
    elif len(keepable) < len(asked):
        reason = (
            "over whole columns: functions of your own are in no cache, and floats "
            "must be rounded alike in every task; WINDROW_COMPILE=always compiles them"
        )
    elif rounding:
        reason = (
            "over whole columns: this machine's cache does not have them, and floats "
            f"must be rounded alike in every task; windrow warm compiles them{sent}"
        )
    else:
        reason = f"over whole columns for {PRICE:g} s of work, then compiled{sent}"
    return TaskLane(way, forced, rounding, code, reason)
