"""What has become of each experiment: its rows, and where each claim stands.

    ResultStore --newest machine--> StoredTrials --judge-->  Finding for each experiment

    holds        does not hold        open: cannot be judged here        unmeasured

Results of another machine, or of other versions, are never mixed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from .experiment import Claim, Experiment, NotMeasured, RowSet, Size, Verdict
from .runner import lacking
from .store import ResultStore, StoredTrial

Standing = Literal["holds", "fails", "open", "unmeasured"]
WORDS: dict[Standing, str] = {
    "holds": "holds",
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

    @property
    def words(self) -> str:
        """Its standing as people say it."""
        return WORDS[self.standing]


@dataclass(frozen=True)
class Finding:
    """An experiment with the trials that were kept, `of` so many that it has."""

    experiment: Experiment
    kept: tuple[StoredTrial, ...] = ()
    of: int = 0
    missing: tuple[str, ...] = ()

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
        try:
            verdict = claim.judge(self.rows)
        except NotMeasured as error:
            verdict = Verdict("", None, str(error))
        except (ArithmeticError, ValueError) as error:
            verdict = Verdict("", None, f"its numbers cannot be compared: {error}")
        if verdict.holds is None:
            return JudgedClaim(claim, verdict, "open")
        return JudgedClaim(claim, verdict, "holds" if verdict.holds else "fails")


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
    make = _planned if under == store.under else _as_kept
    found = tuple(make(one, size, kept[one.name]) for one in experiments)
    return Findings(size, newest, found, tuple(machines[:-1]))


def _planned(experiment: Experiment, size: Size, kept: list[StoredTrial]) -> Finding:
    """In the order of the trials; those that an older card had do not count."""
    missing = tuple(lacking(experiment))
    if missing:
        return Finding(experiment, tuple(kept), len(kept), missing)
    by_key = {one.trial: one for one in kept}
    keys = [trial.key for trial in experiment.trials(size)]
    mine = tuple(by_key[key] for key in keys if key in by_key)
    return Finding(experiment, mine, len(keys))


def _as_kept(experiment: Experiment, _: Size, kept: list[StoredTrial]) -> Finding:
    """Of another machine: what its trials were is not known here."""
    return Finding(experiment, tuple(kept), len(kept))


__all__ = ["WORDS", "Finding", "Findings", "JudgedClaim", "Standing", "gather"]
