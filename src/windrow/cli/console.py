"""Prints results to `out`, and all else to `err`.

Other distributions that add a command, as `pywindrow-bench` does, print with it too.
Both follow `sys.stdout` and `sys.stderr` as they are at the time of printing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

out = Console(highlight=False)
err = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)

_ENDLESS = 1000  # columns: what is piped into a file is not cut to a screen


def say(line: object) -> None:
    """Print a line of the result as it is, however long."""
    out.print(str(line), soft_wrap=True, markup=False)


def show_error(error: Exception) -> None:
    """The sentence and its hint, in red, each on a line of its own."""
    fact, _, rest = str(error).partition("\n")
    err.print(fact, style="bold red")
    if rest:
        err.print(rest, style="red")


def show_table(headings: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """Print a table: cut to the screen, or whole where there is none.

    A heading that begins with > is over numbers.
    """
    lines = Table(box=None, header_style="dim", padding=(0, 1, 0, 2))
    for heading in headings:
        justify: JustifyMethod = "right" if heading.startswith(">") else "left"
        lines.add_column(Text(heading.removeprefix(">")), justify=justify, no_wrap=True)
    for row in rows:
        lines.add_row(*row)
    if out.is_terminal:
        out.print(lines)
    else:  # a console cuts to its own width, whatever width a print asks for
        Console(file=out.file, width=_ENDLESS, highlight=False).print(lines)
