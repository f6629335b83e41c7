"""Runs `windrow bench`: every experiment of the papers, and every bar, on this machine.

windrow bench list                          what there is
windrow bench run slickdeque-1a peers ...   measure; goes on where it stopped
windrow bench run bars ses                  whole groups: the bars, a paper
windrow bench run --all --quick
windrow bench report                        a page with figures and claims
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windrow.cli.console import err, out, say
from windrow.errors import BadInput, UnknownName
from windrow_bench import runner
from windrow_bench.catalogue import CATALOGUE, find, group_of
from windrow_bench.experiment import SIZES, Size
from windrow_bench.findings import gather
from windrow_bench.libraries import load
from windrow_bench.numbers import many
from windrow_bench.runner import Outcome
from windrow_bench.store import ResultStore

from ._output import show_experiments, show_progress, show_verdicts

app = typer.Typer(
    name="bench",
    help="Every experiment of the papers, and every bar, on this machine.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
INTO = Path("windrow-bench")

Into = Annotated[Path, typer.Option(help="The folder for results.")]


@app.command(name="list")
def list_() -> None:
    """What there is to run, and what it shows."""
    show_experiments(CATALOGUE)
    groups = ", ".join(dict.fromkeys(map(group_of, CATALOGUE)))
    err.print(f"windrow bench run NAME runs one; groups are {groups}")


@app.command(no_args_is_help=True)
def run(
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments, or groups of them.")
    ] = None,
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
    except KeyboardInterrupt:  # nothing is lost but the trial that was running
        ran = {experiment.name for experiment in chosen}
        saved = sum(name in ran for name, _ in store.measured())
        words = "without --again" if again else "the same command"
        err.print(f"stopped: {many(saved, 'trial')} kept in {store.path}")
        err.print(f"Hint: {words} goes on from there")
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
    page: Annotated[
        Path | None,
        typer.Option(help="Where the bars are written; if not given, results.md."),
    ] = None,
    readme: Annotated[
        Path | None,
        typer.Option(help="A README.md whose tables of benchmarks are written anew."),
    ] = None,
) -> None:
    """Write report.html, results.md, and beside them figures and numbers as CSV."""
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
        words = "results of another machine or other versions"
        err.print(f"left out: {words}, {other.date}")
    pages = load("windrow_bench.report")
    path = pages.write(findings, into, page)
    if readme is not None and not pages.write_readme(findings, readme):
        err.print(f"{readme} stays as it is: nothing of its tables was measured")
    say(path)


def _size(into: Path, name: str | None) -> Size:
    """The one that was named, or the one whose results are the newest."""
    if name is None:
        paths = [into / f"{name}.jsonl" for name in SIZES]
        written = {path.stat().st_mtime: path.stem for path in paths if path.exists()}
        name = written[max(written)] if written else "quick"
    if name not in SIZES:
        raise UnknownName.among("size", name, SIZES)
    return SIZES[name]


def _sum_up(outcome: Outcome, store: ResultStore) -> None:
    trials = f"{many(outcome.measured, 'trial')} measured, {outcome.found} there before"
    say(f"{trials}: {store.path}")
    for name, libraries in outcome.missing.items():
        say(f"{name}: left out, there is no {', '.join(libraries)} here")
    for trial in outcome.failed:
        say(f"{trial.experiment}, {trial.trial}: FAILED, {trial.failed}")
    if outcome.measured or outcome.found:
        out.print("windrow bench report draws the figures", style="dim")
