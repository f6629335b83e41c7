"""How the flights demo talks: headings, code, timings and small tables."""

from __future__ import annotations

import inspect
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence

import polars as pl
from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table

ZONE = "America/New_York"

console = Console(highlight=False)


def run(
    query: Callable[[pl.DataFrame], pl.DataFrame], flights: pl.DataFrame
) -> pl.DataFrame:
    """Show a query's own source, run it, and say how long that took.

    The first run compiles the kernels, or loads what an earlier process compiled;
    the runs after it are the real cost.
    """
    heading, code = _source(query)
    rule(heading)
    console.print(Padding(Syntax(code, "python", theme="ansi_dark"), (0, 0, 1, 2)))
    with console.status("compiling and running"):
        begun = time.perf_counter()
        result = query(flights)
        first = time.perf_counter() - begun
    with console.status("running again"):
        _, again = best(query, flights)
    console.print(
        f"  [bold green]{result.height:,} rows out in {again * 1000:.0f} ms[/]"
        f"[dim], after {max(first - again, 0):.1f} s to compile or load kernels[/dim]\n"
    )
    return result


def best(
    query: Callable[..., pl.DataFrame], *arguments: object
) -> tuple[pl.DataFrame, float]:
    """The result, and the shortest of three runs in seconds."""
    seconds = []
    for _ in range(3):
        begun = time.perf_counter()
        result = query(*arguments)
        seconds.append(time.perf_counter() - begun)
    return result, min(seconds)


def rule(heading: str) -> None:
    """A line across the screen with a heading."""
    console.print()
    console.rule(f"[bold cyan]{heading}[/bold cyan]", align="left", style="dim")
    console.print()


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A small table; a heading that begins with > stands over numbers."""
    made = Table(box=None, header_style="dim", padding=(0, 1, 0, 2))
    for heading in headings:
        right = heading.startswith(">")
        made.add_column(
            heading.lstrip(">"), justify="right" if right else "left", no_wrap=True
        )
    for row in rows:
        made.add_row(*row)
    console.print(made)


def clock(instant: object) -> str:
    """An instant as New York's clocks showed it."""
    there = pl.Series([instant]).dt.convert_time_zone(ZONE)
    return str(there.dt.strftime("%a %e %b, %H:%M")[0])


def short(name: str) -> str:
    """A carrier's name without what every carrier's name has."""
    return name.partition(" Air")[0]


def _source(query: Callable[..., object]) -> tuple[str, str]:
    """The docstring's first line, and the body without it."""
    lines = inspect.getsource(query).splitlines()
    body = next(i for i, line in enumerate(lines) if line.strip().startswith('"""')) + 1
    heading = (query.__doc__ or "").partition("\n")[0].rstrip(".")
    return heading, textwrap.dedent("\n".join(lines[body:])).replace("return ", "", 1)
