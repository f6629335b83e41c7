"""Runs experiments trial by trial, and keeps each as soon as it is done.

    experiment   trials   done before?  --yes-->  left as it is
                               | no
                 watched:  run on its threads, with its share of the seconds
                               |
                             store             then the next; stop and go on any time

Seconds are shared out evenly among the trials of an experiment; what one leaves over,
or takes too much, the others get or miss.  Compiling is on top.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec

from ._experiment import Experiment, Row, Size, Trial
from ._store import Kept, Store
from .measure.answers import WrongAnswer
from .measure.others import watched


@dataclass(frozen=True)
class Step:
    """How far a run is: told before each trial, and once when all is done.

    `left` is a guess in seconds; `now` the trial that begins, None when it is over.
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
    failed: list[Kept]
    missing: dict[str, list[str]]


def lacking(experiment: Experiment) -> list[str]:
    """The libraries that an experiment needs and this machine has not."""
    return [name for name in experiment.needs if find_spec(name) is None]


def run(
    experiments: Sequence[Experiment],
    size: Size,
    store: Store,
    tell: Tell,
    *,
    again: bool = False,
) -> Outcome:
    """Measure what is not measured yet, or all of it `again`."""
    missing = {one.name: lacking(one) for one in experiments if lacking(one)}
    able = [one for one in experiments if one.name not in missing]
    there = set() if again else store.measured()
    plans = [(one, one.trials(size)) for one in able]
    open_ = {
        one.name: [t for t in trials if (one.name, t.key) not in there]
        for one, trials in plans
    }
    left = sum(one.share * size.seconds for one in able if open_[one.name])
    of = sum(len(trials) for trials in open_.values())
    done, failed = 0, []
    for experiment, trials in plans:
        todo = open_[experiment.name]
        budget = experiment.share * size.seconds * len(todo) / max(len(trials), 1)
        for number, trial in enumerate(todo):
            tell(Step(experiment, trial, done, of, left))
            seconds = max(budget, 0.0) / (len(todo) - number)
            kept = _measure(experiment, trial, size, store, seconds)
            store.add(kept)
            failed += [kept] if kept.failed else []
            done += 1
            budget -= kept.seconds
            left = max(left - seconds, 0.0)
    if able:
        tell(Step(able[-1], None, done, of, 0.0))
    found = sum(len(trials) for _, trials in plans) - of
    return Outcome(done, found, failed, missing)


def _measure(
    experiment: Experiment, trial: Trial, size: Size, store: Store, seconds: float
) -> Kept:
    rows: list[Row] = []
    failed = ""
    with watched() as watch, on_threads(experiment.threads):
        start = time.perf_counter()
        try:
            rows = trial.run(seconds)
        except (WrongAnswer, MemoryError) as error:
            failed = f"{type(error).__name__}: {error}"
        took = time.perf_counter() - start
    return Kept(
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


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Keep this thread, and those that it starts, on so many cores; 0: on all."""
    if not count or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[-count:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


__all__ = ["Outcome", "Step", "lacking", "on_threads", "run"]
