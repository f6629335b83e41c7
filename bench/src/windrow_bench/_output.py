"""Prints what `windrow bench` shows: experiments, their progress, verdicts on claims.

    on a screen    tables with words wrapped to its width; progress as a bar:
                   slickdeque-1a: speed | 256  ━━━━━╺━━━━━━  5/12  about 17 s left
    in a pipe      a whole line each

Between two trials the time left counts down.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
)
from rich.table import Table
from rich.text import Text

from windrow.cli.console import err, out, show_table
from windrow_bench.experiment import Experiment
from windrow_bench.findings import Finding, JudgedClaim, Standing
from windrow_bench.runner import Step, Tell, lacking

_COLOURS: dict[Standing, str] = {
    "holds": "green",
    "partly": "cyan",
    "fails": "red",
    "open": "yellow",
    "unmeasured": "dim",
}


@contextlib.contextmanager
def show_progress() -> Iterator[Tell]:
    """A function that shows each step."""
    if not err.is_terminal:
        yield _plain
        return
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _LeftColumn(),
        console=err,
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None, ends=time.monotonic())

        def show(step: Step) -> None:
            bar.update(
                task,
                description=_words(step),
                completed=step.done,
                total=step.of,
                ends=time.monotonic() + step.left,
            )

        yield show


class _LeftColumn(ProgressColumn):
    """Until the run ends, as the last step guessed."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """In words."""
        left = max(float(task.fields["ends"]) - time.monotonic(), 0.0)
        return Text(_left(left), style="cyan")


def _plain(step: Step) -> None:
    if step.trial is not None:
        number = f"{step.done + 1:4}/{step.of}"
        err.print(f"{number}  {_words(step)}   {_left(step.left)}")


def _words(step: Step) -> str:
    return f"{step.experiment.name}: {step.trial.key}" if step.trial else "done"


def _left(seconds: float) -> str:
    """In seconds, or in minutes where they are many.

    >>> _left(17.2), _left(200)
    ('about 17 s left', 'about 3 min left')
    """
    time_ = f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
    return f"about {time_} left"


def show_experiments(experiments: Sequence[Experiment]) -> None:
    """Name, paper, figure and title of each, and what it lacks here."""
    if not out.is_terminal:
        heads = ["name", "paper", "figure or table", "what", "missing here"]
        rows = ([e.name, e.paper, e.shows, e.title, _missing(e)] for e in experiments)
        show_table(heads, rows)
        return
    for paper, group in groupby(experiments, key=lambda e: e.paper):
        out.print(Text(f"\n{paper}", style="bold"))
        lines = _wrapping_table()
        for experiment in group:
            what = Text(experiment.title)
            if missing := _missing(experiment):
                what.append(f"  (there is no {missing} here)", "yellow")
            shows = Text(experiment.shows, style="dim")
            lines.add_row(Text(experiment.name), shows, what)
        out.print(lines)


def show_verdicts(findings: Sequence[Finding]) -> None:
    """Where each claim stands, with the number that decided."""
    judged = [(f.experiment.name, each) for f in findings for each in f.judged]
    if not judged:
        return
    if not out.is_terminal:
        heads = ["experiment", "verdict", "claim", "theirs", "ours"]
        rows = (
            [name, each.words, each.claim.text, each.claim.theirs, _ours(each)]
            for name, each in judged
        )
        show_table(heads, rows)
        return
    lines = _wrapping_table()
    for name, each in judged:
        words = Text(each.claim.text)
        words.append(f"\ntheirs: {each.claim.theirs}; ours: {_ours(each)}", "dim")
        verdict = Text(each.words, style=_COLOURS[each.standing])
        lines.add_row(Text(name), verdict, words)
    out.print(lines)


def _missing(experiment: Experiment) -> str:
    return ", ".join(lacking(experiment))


def _ours(judged: JudgedClaim) -> str:
    return judged.verdict.ours or judged.verdict.why or "none"


def _wrapping_table() -> Table:
    """Three columns without lines; the last one takes what room is left."""
    lines = Table(box=None, show_header=False, padding=(0, 2, 0, 0), expand=True)
    lines.add_column(max_width=24)
    lines.add_column(max_width=24)
    lines.add_column(ratio=1)
    return lines
