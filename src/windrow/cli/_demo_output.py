"""Prints the demo's headings, notes, and the source of its queries."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from rich.padding import Padding
from rich.syntax import Syntax

from .console import out


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


def code(
    query: Callable[..., Any], label: str = "", values: Mapping[str, str] | None = None
) -> None:
    """The body of a query as it runs, with values in place of its names."""
    body = inspect.getsource(query).split('"""', 2)[2].strip("\n")
    text = textwrap.dedent(body).replace("return ", "", 1)
    for name, value in (values or {}).items():
        text = re.sub(rf"\b{name}\b", f'"{value}"', text)
    if label:
        text = f"# {label}\n{text}"
    out.print(Padding(Syntax(text, "python", theme="ansi_dark"), (0, 0, 1, 2)))
