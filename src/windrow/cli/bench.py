"""Runs `windrow bench`: every experiment of the papers, on this machine.

windrow bench list                          what there is
windrow bench run slickdeque-1a ...         measure; goes on where it stopped
windrow bench run --all --quick
windrow bench report                        a page with figures and claims
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from windrow.bench import runner
from windrow.bench.catalogue import CATALOGUE, find
from windrow.bench.experiment import SIZES, Experiment, Size
from windrow.bench.findings import gather
from windrow.bench.libraries import load
from windrow.bench.numbers import many
from windrow.bench.runner import Outcome
from windrow.bench.store import ResultStore
from windrow.errors import BadInput, UnknownName, WindrowError

from ._bench_progress import show_progress
from ._bench_tables import show_experiments, show_verdicts
from ._console import err, out

app = typer.Typer(
    name="bench",
    help="Every experiment of the papers, on this machine.",
    no_args_is_help=True,
)
INTO = Path("windrow-bench")

Into = Annotated[Path, typer.Option(help="The folder for results.")]


@app.command(name="list")
def list_() -> None:
    """What there is to run, and what it shows."""
    show_experiments(CATALOGUE)


@app.command(no_args_is_help=True)
def run(
    names: Annotated[list[str] | None, typer.Argument(help="Experiments.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Run every experiment.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick/--full", help="A first look, or the real thing.")
    ] = True,
    again: Annotated[
        bool, typer.Option("--again", help="Measure what was measured before, too.")
    ] = False,
    into: Into = INTO,
) -> int:
    """Measure; what is done already is left as it is, so that a run can be resumed."""
    if bool(names) == every:
        raise BadInput.because(
            "cannot tell which experiments to run",
            "names and --all were both given" if names else "none was named",
            "name some of windrow bench list, or give --all",
        )
    chosen = list(CATALOGUE) if every else find(names or [])
    size = SIZES["quick" if quick else "full"]
    store = ResultStore(into, size)
    try:
        with show_progress() as tell:
            outcome = runner.run(chosen, size, store, tell, again=again)
    except KeyboardInterrupt:
        _stopped(chosen, store, again=again)
        return 130
    show_verdicts(gather(chosen, size, store, only_here=True).all)
    _sum_up(outcome, store)
    return 1 if outcome.failed else 0


@app.command()
def report(
    into: Into = INTO,
    size: Annotated[
        str | None,
        typer.Option(help="quick or full; if not given, what was measured last."),
    ] = None,
) -> None:
    """Write report.html, and beside it figures as PNG and numbers as CSV."""
    if find_spec("matplotlib") is None:
        raise WindrowError.because(
            "cannot draw the report",
            f"matplotlib cannot be imported by {sys.executable}",
            f"run {sys.executable} -m pip install 'windrow[bench]'",
        )
    chosen = _size(into, size)
    store = ResultStore(into, chosen)
    findings = gather(CATALOGUE, chosen, store)
    if findings.newest is None:
        raise BadInput.because(
            f"cannot write a report of {store.path}",
            "nothing was measured yet",
            f"run windrow bench run --all --{chosen.name} --into {into} first",
        )
    for other in findings.left_out:
        err.print(
            f"left out: results of another machine or other versions, {other.date}",
            soft_wrap=True,
            markup=False,
        )
    path = load("windrow.bench.report").write(findings, into)
    out.print(str(path), soft_wrap=True, markup=False)


def _size(into: Path, name: str | None) -> Size:
    """The one that was named, or the one whose results are the newest."""
    if name is not None and name not in SIZES:
        raise UnknownName.among("size", name, SIZES)
    if name is not None:
        return SIZES[name]
    there = [into / f"{name}.jsonl" for name in SIZES]
    there = sorted((p for p in there if p.exists()), key=lambda p: p.stat().st_mtime)
    return SIZES[there[-1].stem if there else "quick"]


def _stopped(chosen: Sequence[Experiment], store: ResultStore, *, again: bool) -> None:
    """Ctrl-C: nothing is lost but the trial that was running."""
    names = {experiment.name for experiment in chosen}
    saved = sum(name in names for name, _ in store.measured())
    words = "without --again" if again else "the same command"
    fact = f"stopped: {many(saved, 'trial')} kept in {store.path}"
    err.print(fact, soft_wrap=True, markup=False)
    err.print(f"Hint: {words} goes on from there", markup=False)


def _sum_up(outcome: Outcome, store: ResultStore) -> None:
    out.print(
        f"{many(outcome.measured, 'trial')} measured, {outcome.found} there before: "
        f"{store.path}",
        soft_wrap=True,
    )
    for name, libraries in outcome.missing.items():
        out.print(
            f"{name}: left out, there is no {', '.join(libraries)} here", soft_wrap=True
        )
    for trial in outcome.failed:
        out.print(
            f"{trial.experiment}, {trial.trial}: FAILED, {trial.failed}",
            soft_wrap=True,
            markup=False,
        )
    if outcome.measured or outcome.found:
        out.print("windrow bench report draws the figures", style="dim")


__all__ = ["app"]
