"""What has become of each experiment: its rows, and where each claim stands.

    ResultStore --newest machine--> StoredTrials --judge-->  Finding for each experiment

    holds        does not hold        open: cannot be judged here        unmeasured
    partly       holds where it was measured, which is not everywhere it speaks of

Results of another machine, or of other versions, are never mixed in.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from .experiment import Claim, Experiment, NotMeasured, Place, RowSet, Size, Verdict
from .runner import lacking
from .store import ResultStore, StoredTrial

FINE = "some of its times lie under the clock's grain"
ZERO = "it divides by 0, as times come out that lie under the clock's grain"
NOT_FOUND = "not found out"
Standing = Literal["holds", "partly", "fails", "open", "unmeasured"]
WORDS: dict[Standing, str] = {
    "holds": "holds",
    "partly": "held where measured",
    "fails": "does not hold",
    "open": "cannot be judged here",
    "unmeasured": "not measured yet",
}


@dataclass(frozen=True)
class JudgedClaim:
    """A claim, and where it stands."""

    claim: Claim
    verdict: Verdict
    standing: Standing
    measured: int = 0
    of: int = 0

    @property
    def words(self) -> str:
        """Its standing as people say it."""
        if self.standing == "partly":
            return f"{WORDS['partly']} ({self.measured} of {self.of})"
        return WORDS[self.standing]

    @property
    def why(self) -> str:
        """Why it stands there; of one that fails, the cause, if it was found out."""
        if self.standing != "fails":
            return self.verdict.why
        supposed = self.verdict.why or self.claim.why
        if self.claim.tried:
            known = [supposed] if supposed else []
            return "; ".join([*known, f"tried: {self.claim.tried}"])
        return f"{NOT_FOUND}; supposed: {supposed}" if supposed else NOT_FOUND


@dataclass(frozen=True)
class Finding:
    """An experiment with the trials that were kept, `of` so many that it has."""

    experiment: Experiment
    kept: tuple[StoredTrial, ...] = ()
    of: int = 0
    missing: tuple[str, ...] = ()
    planned: tuple[tuple[str, Place, str], ...] = ()  # panel, place, key of each trial

    @cached_property
    def rows(self) -> RowSet:
        """All that was measured."""
        return RowSet(row for one in self.kept for row in one.rows)

    @property
    def measured(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.rows.all)

    @property
    def failed(self) -> list[StoredTrial]:
        """Trials that have no rows, with the reason."""
        return [one for one in self.kept if one.failed]

    @property
    def busy(self) -> list[StoredTrial]:
        """Trials during which others were in the way."""
        return [one for one in self.kept if one.busy]

    @cached_property
    def judged(self) -> list[JudgedClaim]:
        """Every claim, judged by what there is."""
        return [self._judge(claim) for claim in self.experiment.claims]

    def _judge(self, claim: Claim) -> JudgedClaim:
        if not self.measured and self.missing:
            why = f"there is no {' and no '.join(self.missing)} here"
            return JudgedClaim(claim, Verdict("", None, why), "open")
        if not self.measured:
            why = "every trial failed" if self.failed else ""
            standing: Standing = "open" if self.failed else "unmeasured"
            return JudgedClaim(claim, Verdict("", None, why), standing)
        rows = RowSet(self.rows.all)
        try:
            verdict = claim.judge(rows)
        except NotMeasured as error:
            verdict = Verdict("", None, str(error))
        except ZeroDivisionError:
            verdict = Verdict("", None, ZERO)
        except (ArithmeticError, ValueError) as error:
            verdict = Verdict("", None, f"its numbers cannot be compared: {error}")
        if verdict.holds is not None and rows.under_grain:
            verdict = Verdict(verdict.ours, None, FINE)
        if verdict.holds is None:
            return JudgedClaim(claim, verdict, "open")
        if not verdict.holds:
            return JudgedClaim(claim, verdict, "fails")
        return self._held(claim, verdict, rows)

    def _held(self, claim: Claim, verdict: Verdict, rows: RowSet) -> JudgedClaim:
        """A claim that held, which counts as such if every place was measured."""
        done = {one.trial for one in self.kept if not one.failed}
        places = self._places(rows)
        absent = {key: key for key in places if key not in done}
        absent |= {key: key for key in rows.never_measured()}
        for (panel, x), names in rows.absent.items():
            key = f"{panel} | {x}"
            absent.setdefault(key, f"{', '.join(names)} at {key}")
        if not absent:
            return JudgedClaim(claim, verdict, "holds")
        why = f"not measured: {', '.join(absent.values())}"
        verdict = replace(verdict, why=f"{verdict.why}; {why}" if verdict.why else why)
        of = len({*places, *absent})
        return JudgedClaim(claim, verdict, "partly", of - len(absent), of)

    def _places(self, rows: RowSet) -> list[str]:
        """Keys of the trials that a claim speaks of, by what it read.

        Rows of a trial may stand elsewhere than the trial (quantiles of one run): then
        all trials of the panel count, or all there are, as they do for a claim that
        read nothing place by place.
        """
        found: list[str] = []
        for panel in rows.panels_read:
            there = [(x, key) for one, x, key in self.planned if one == panel]
            exact = [key for x, key in there if rows.spoke_of(panel, x)]
            found += exact or [key for _, key in there] or self._keys
        return list(dict.fromkeys(found)) if rows.panels_read else self._keys

    @property
    def _keys(self) -> list[str]:
        return [key for *_, key in self.planned]


@dataclass(frozen=True)
class Findings:
    """All experiments under one machine and its versions.

    `left_out` are the newest trials of other machines or versions in the same folder.
    """

    size: Size
    newest: StoredTrial | None
    all: tuple[Finding, ...]
    left_out: tuple[StoredTrial, ...] = ()

    @property
    def kept(self) -> list[StoredTrial]:
        """Every trial that counts."""
        return [one for finding in self.all for one in finding.kept]


def gather(
    experiments: Sequence[Experiment],
    size: Size,
    store: ResultStore,
    *,
    only_here: bool = False,
) -> Findings:
    """What the newest machine and versions in a folder have found, or these here."""
    machines = list(store.machines().values())
    newest = machines[-1] if machines and not only_here else None
    under = newest.under if newest else store.under
    kept: dict[str, list[StoredTrial]] = {one.name: [] for one in experiments}
    for one in store.trials(under).values():
        kept.setdefault(one.experiment, []).append(one)
    plans = store.plans(under)
    found = tuple(
        _planned(one, size, kept[one.name])
        if under == store.under
        else _as_kept(one, size, kept[one.name], plans.get(one.name))
        for one in experiments
    )
    return Findings(size, newest, found, tuple(machines[:-1]))


def _planned(experiment: Experiment, size: Size, kept: list[StoredTrial]) -> Finding:
    """In the order of the trials; those that an older card had do not count."""
    missing = tuple(lacking(experiment))
    if missing and not kept:
        return Finding(experiment, (), 0, missing)
    by_key = {one.trial: one for one in kept}
    trials = experiment.trials(size)
    mine = tuple(by_key[one.key] for one in trials if one.key in by_key)
    planned = tuple((one.panel, one.x, one.key) for one in trials)
    return Finding(experiment, mine, len(trials), missing, planned)


def _as_kept(
    experiment: Experiment,
    size: Size,
    kept: list[StoredTrial],
    plan: tuple[str, ...] | None,
) -> Finding:
    """Of another machine: its trials are those that were planned there.

    Where its plan was not written down, they are those that a run would have here and
    all that ran there: a machine may have places of its own, and none passes for all.
    """
    if plan is None:
        trials = [one.key for one in experiment.trials(size)]
        plan = tuple(dict.fromkeys([*trials, *(one.trial for one in kept)]))
    mine = tuple(one for one in kept if one.trial in plan)
    planned = tuple((*_place(key), key) for key in plan)
    return Finding(experiment, mine, len(plan), planned=planned)


def _place(key: str) -> tuple[str, Place]:
    """The panel and place of a trial, read off its key: `speed | 256`."""
    panel, _, x = key.partition(" | ")
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return panel, number(x)
    return panel, x
