"""What `windrow bench` prints as tables: the experiments there are, and verdicts.

on a screen    grouped by paper, words wrapped to its width
in a pipe      a line each, whole, with the paper on each
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.table import Table
from rich.text import Text

from windrow.bench._experiment import Experiment
from windrow.bench._findings import Finding, Judged, Standing
from windrow.bench._runner import lacking

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
        show_table(table(heads, [_line(one) for one in experiments]))
        return
    for paper, ones in groupby(experiments, key=lambda one: one.paper):
        out.print(Text(f"\n{paper}", style="bold"))
        made = _wrapping(3)
        for one in ones:
            what = Text(one.title)
            if missing := lacking(one):
                what.append(f"  (there is no {', '.join(missing)} here)", "yellow")
            made.add_row(Text(one.name), Text(one.shows, style="dim"), what)
        out.print(made)


def show_verdicts(findings: Sequence[Finding]) -> None:
    """Where each claim stands, with the number that decided."""
    judged = [(one.experiment.name, each) for one in findings for each in one.judged]
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
    made = _wrapping(3)
    for name, each in judged:
        words = Text(each.claim.text)
        words.append(f"\ntheirs: {each.claim.theirs}; ours: {_ours(each)}", "dim")
        verdict = Text(each.words, style=_COLOURS[each.standing])
        made.add_row(Text(name), verdict, words)
    out.print(made)


def _line(one: Experiment) -> list[str]:
    return [one.name, one.paper, one.shows, one.title, ", ".join(lacking(one))]


def _ours(judged: Judged) -> str:
    return judged.verdict.ours or judged.verdict.why or "none"


def _wrapping(columns: int) -> Table:
    """Without lines; the last column takes what room is left."""
    made = Table(box=None, show_header=False, padding=(0, 2, 0, 0), expand=True)
    for number in range(columns):
        last = number == columns - 1
        made.add_column(ratio=1 if last else None, max_width=None if last else 24)
    return made


__all__ = ["show_experiments", "show_verdicts"]
