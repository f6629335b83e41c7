"""Prints the demo: headings, the source of the queries, small tables and notes."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from ._console import out, show_table
from ._console import table as make_table


def rule(heading: str) -> None:
    """A line across the screen with a heading."""
    out.print()
    out.rule(f"[bold cyan]{heading}[/bold cyan]", align="left", style="dim")
    out.print()


def note(*lines: str) -> None:
    """Small print, below what it is about."""
    out.print()
    for line in lines:
        out.print(f"  [dim]{line}[/dim]", soft_wrap=True)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A small table; cells may have rich's marks."""
    show_table(make_table(headings, ([Text.from_markup(c) for c in r] for r in rows)))


def code(
    query: Callable[..., Any], label: str = "", values: Mapping[str, str] | None = None
) -> None:
    """The body of a query as it runs, with values in place of its names."""
    lines = inspect.getsource(query).splitlines()
    body = next(i for i, line in enumerate(lines) if line.strip().startswith('"""')) + 1
    text = textwrap.dedent("\n".join(lines[body:])).replace("return ", "", 1)
    for name, value in (values or {}).items():
        text = re.sub(rf"\b{name}\b", f'"{value}"', text)
    if label:
        text = f"# {label}\n{text}"
    out.print(Padding(Syntax(text, "python", theme="ansi_dark"), (0, 0, 1, 2)))
