"""Prints the tables of `windrow bench`: the experiments, and the verdicts on claims.

on a screen    grouped by paper, words wrapped to its width
in a pipe      a line each, whole, with the paper on each
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.table import Table
from rich.text import Text

from windrow.bench.experiment import Experiment
from windrow.bench.findings import Finding, JudgedClaim, Standing
from windrow.bench.runner import lacking

from ._console import out, show_table, table

_COLOURS: dict[Standing, str] = {
    "holds": "green",
    "fails": "red",
    "open": "yellow",
    "unmeasured": "dim",
}


def show_experiments(experiments: Sequence[Experiment]) -> None:
    """Name, paper, figure and title of each, and what it lacks here."""
    if not out.is_terminal:
        heads = ["name", "paper", "figure or table", "what", "missing here"]
        show_table(table(heads, [_line(experiment) for experiment in experiments]))
        return
    for paper, group in groupby(experiments, key=lambda e: e.paper):
        out.print(Text(f"\n{paper}", style="bold"))
        rows = _wrapping(3)
        for experiment in group:
            what = Text(experiment.title)
            if missing := lacking(experiment):
                what.append(f"  (there is no {', '.join(missing)} here)", "yellow")
            shows = Text(experiment.shows, style="dim")
            rows.add_row(Text(experiment.name), shows, what)
        out.print(rows)


def show_verdicts(findings: Sequence[Finding]) -> None:
    """Where each claim stands, with the number that decided."""
    judged = [(f.experiment.name, each) for f in findings for each in f.judged]
    if not judged:
        return
    if not out.is_terminal:
        heads = ["experiment", "verdict", "claim", "theirs", "ours"]
        rows = [
            [name, each.words, each.claim.text, each.claim.theirs, _ours(each)]
            for name, each in judged
        ]
        show_table(table(heads, rows))
        return
    lines = _wrapping(3)
    for name, each in judged:
        words = Text(each.claim.text)
        words.append(f"\ntheirs: {each.claim.theirs}; ours: {_ours(each)}", "dim")
        verdict = Text(each.words, style=_COLOURS[each.standing])
        lines.add_row(Text(name), verdict, words)
    out.print(lines)


def _line(of: Experiment) -> list[str]:
    return [of.name, of.paper, of.shows, of.title, ", ".join(lacking(of))]


def _ours(judged: JudgedClaim) -> str:
    return judged.verdict.ours or judged.verdict.why or "none"


def _wrapping(columns: int) -> Table:
    """Without lines; the last column takes what room is left."""
    lines = Table(box=None, show_header=False, padding=(0, 2, 0, 0), expand=True)
    for number in range(columns):
        last = number == columns - 1
        lines.add_column(ratio=1 if last else None, max_width=None if last else 24)
    return lines


__all__ = ["show_experiments", "show_verdicts"]
