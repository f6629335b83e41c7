"""Every row as CSV, a file for each experiment, and the claims in one of their own.

Facts of rows become columns after the numbers; what belongs to a trial (when, how
busy) stands on each of its rows.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from windrow_bench.findings import Finding

ROW = ("panel", "x", "series", "value", "low", "high", "repeats")
TRIAL = ("date", "seconds", "load", "others", "busy")
CLAIMS = ("experiment", "paper", "shows", "claim", "theirs", "ours", "verdict", "why")


def write_rows(finding: Finding, folder: Path) -> Path:
    """The rows of an experiment."""
    facts = dict.fromkeys(key for row in finding.rows.all for key in row.facts)
    lines = (
        [getattr(row, name) for name in ROW]
        + [row.facts.get(key, "") for key in facts]
        + [getattr(kept, name) for name in TRIAL]
        for kept in finding.kept
        for row in kept.rows
    )
    path = folder / f"{finding.experiment.name}.csv"
    return _write(path, [*ROW, *facts, *(f"trial_{name}" for name in TRIAL)], lines)


def write_claims(findings: Sequence[Finding], folder: Path) -> Path:
    """Every claim and its verdict."""
    lines = (
        [
            one.experiment.name,
            one.experiment.paper,
            one.experiment.shows,
            judged.claim.text,
            judged.claim.theirs,
            judged.verdict.ours,
            judged.words,
            judged.why,
        ]
        for one in findings
        for judged in one.judged
    )
    return _write(folder / "claims.csv", CLAIMS, lines)


def _write(path: Path, head: Sequence[str], lines: Iterable[Sequence[Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(lines)
    return path
