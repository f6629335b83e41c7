"""Runs experiments trial by trial, and keeps each as soon as it is done.

    experiment   trials   done before?  --yes-->  left as it is
                               | no
                 watched:  run on its cores, with its share of the seconds
                               |
                             store             then the next; stop and go on any time

Which trials an experiment has here is written down before the first of them.

Seconds are shared out evenly among the trials of an experiment; what one leaves over,
or takes too much, the others get or miss, down to half of an even share: compiling
comes first, and those after it must not be measured in haste.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec

from windrow.loops import Lane, pinned

from ._pace import Pace
from .experiment import Experiment, Row, Size, Trial
from .measure.others import watched
from .measure.pinning import on_cores
from .store import ResultStore, StoredTrial


@dataclass(frozen=True)
class Step:
    """How far a run is: told before each trial, and once when all is done.

    `left` is a guess in seconds; `trial` the one that begins, None when it is over.
    """

    experiment: Experiment
    trial: Trial | None
    done: int
    of: int
    left: float


Tell = Callable[[Step], None]


@dataclass(frozen=True)
class Outcome:
    """What a run did: trials measured, found, failed; libraries that were missing."""

    measured: int
    found: int
    failed: list[StoredTrial]
    missing: dict[str, list[str]]


@dataclass(frozen=True)
class RunPlan:
    """What is left to do of an experiment, and the seconds that each trial has."""

    experiment: Experiment
    todo: list[Trial]
    each: float


def lacking(experiment: Experiment) -> list[str]:
    """The libraries that an experiment needs and this machine has not."""
    return [name for name in experiment.needs if find_spec(name) is None]


def run(
    experiments: Sequence[Experiment],
    size: Size,
    store: ResultStore,
    tell: Tell,
    *,
    again: bool = False,
) -> Outcome:
    """Measure what is not measured yet, or all of it `again`."""
    missing = {one.name: lacking(one) for one in experiments if lacking(one)}
    able = [one for one in experiments if one.name not in missing]
    there = set() if again else store.measured()
    plans, found = [], 0
    for one in able:
        trials = one.trials(size)
        store.plan(one.name, [trial.key for trial in trials])
        todo = [trial for trial in trials if (one.name, trial.key) not in there]
        each = one.share * size.seconds / max(len(trials), 1)
        plans.append(RunPlan(one, todo, each))
        found += len(trials) - len(todo)
    pace = Pace(sum(plan.each * len(plan.todo) for plan in plans))
    of = sum(len(plan.todo) for plan in plans)
    done, failed = 0, []
    for plan in plans:
        budget = plan.each * len(plan.todo)
        for number, trial in enumerate(plan.todo):
            tell(Step(plan.experiment, trial, done, of, pace.left))
            seconds = max(budget / (len(plan.todo) - number), plan.each / 2)
            kept = _measure(plan.experiment, trial, size, store, seconds)
            store.add(kept)
            failed += [kept] if kept.failed else []
            done += 1
            budget -= kept.seconds
            pace.spend(plan.each, kept.seconds)
    if able:
        tell(Step(able[-1], None, done, of, 0.0))
    return Outcome(done, found, failed, missing)


def _measure(
    experiment: Experiment, trial: Trial, size: Size, store: ResultStore, seconds: float
) -> StoredTrial:
    rows: list[Row] = []
    failed = ""
    with on_cores(experiment.threads), watched() as watch:
        start = time.perf_counter()
        try:
            with pinned(Lane.COMPILED):
                rows = trial.run(seconds)
        except Exception as error:  # noqa: BLE001 - one trial must not end a long run
            failed = f"{type(error).__name__}: {error}"
        took = time.perf_counter() - start
    return StoredTrial(
        experiment.name,
        trial.key,
        size.name,
        store.under,
        datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        took,
        watch.load,
        watch.others,
        watch.busy,
        tuple(rows),
        failed,
        store.machine,
        store.versions,
    )
