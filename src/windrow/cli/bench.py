"""`windrow bench`: every experiment of the papers, on this machine.

windrow bench list                          what there is
windrow bench run slickdeque-1a ...         measure; goes on where it stopped
windrow bench run --all --quick
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windrow.bench import _runner
from windrow.bench._experiment import SIZES
from windrow.bench._runner import Outcome, Step, lacking
from windrow.bench._store import Store
from windrow.bench.catalogue import CATALOGUE, find
from windrow.errors import BadInput

from ._console import err, out, show_table, table

app = typer.Typer(
    name="bench",
    help="Every experiment of the papers, on this machine.",
    no_args_is_help=True,
)
INTO = Path("windrow-bench")


@app.command(name="list")
def list_() -> None:
    """What there is to run, and what it shows."""
    rows = [
        [one.name, one.paper, one.shows, one.title, ", ".join(lacking(one))]
        for one in CATALOGUE
    ]
    show_table(table(["name", "paper", "figure or table", "what", "needs"], rows))


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
    into: Annotated[Path, typer.Option(help="The folder for results.")] = INTO,
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
    store = Store(into, size)
    outcome = _runner.run(chosen, size, store, _tell, again=again)
    _sum_up(outcome, store)
    return 1 if outcome.failed else 0


def _tell(step: Step) -> None:
    if step.trial is not None:
        err.print(
            f"{step.done + 1:4}/{step.of}  {step.experiment.name}: {step.trial.key}"
            f"   about {_minutes(step.left)} left"
        )


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def _sum_up(outcome: Outcome, store: Store) -> None:
    out.print(
        f"{outcome.measured} trials measured, {outcome.found} were there: {store.path}"
    )
    for name, libraries in outcome.missing.items():
        out.print(f"{name}: left out, there is no {', '.join(libraries)} here")
    for one in outcome.failed:
        out.print(f"{one.experiment}, {one.trial}: FAILED, {one.failed}")


__all__ = ["app"]
