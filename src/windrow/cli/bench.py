"""Hands `windrow bench` to the distribution that brings it, `pywindrow-bench`.

The library and its experiments are two distributions, so that what runs on executors
carries no experiments.  A distribution that brings a command names it in the entry
points of the group `windrow.commands`, as a typer application:

    [project.entry-points."windrow.commands"]
    bench = "windrow_bench.command:app"
"""

from __future__ import annotations

import sys
from importlib.metadata import entry_points

import typer

from windrow.errors import WindrowError

GROUP = "windrow.commands"

# Every argument, --help too, is the business of the command that is found.
AS_THEY_ARE = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "help_option_names": [],
}


def bench(context: typer.Context) -> object:
    """Every experiment of the papers, on this machine (pip install pywindrow-bench)."""
    found = tuple(entry_points(group=GROUP, name="bench"))
    if not found:
        raise WindrowError.because(
            "cannot run windrow bench",
            "the experiments are a distribution of their own, which is not installed",
            f"run {sys.executable} -m pip install pywindrow-bench",
        )
    app = found[0].load()
    return app(context.args, prog_name="windrow bench", standalone_mode=False)
