"""Runs a query from files to a file, or to the screen: `windrow tiles` and `as-of`."""

# ruff: noqa: RUF009 - options are fields, whose defaults are made once

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ._files import Format, Mode, check_is_there, check_sink, read
from ._options import option
from ._progress import progress
from ._rows import show_rows, write_rows
from ._session import parse_settings, session

SHOWN = 20

To = Annotated[
    str,
    typer.Option(
        "--to", metavar="OUT", help=f"Where rows go; - prints {SHOWN} of them."
    ),
]
IfThere = Annotated[Mode, typer.Option("--mode", help="Where OUT is there already.")]


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """What the files are, and where Spark runs."""

    format_: Format | None = option("What a file is where its name does not say.")
    master: str = option("Where Spark runs.", default="local[*]", show_default=True)
    conf: list[str] | None = option("A setting of Spark's.", "NAME=VALUE")
    verbose: bool = option("Show all that Spark says.", default=False)


def run_files(
    query: Callable[..., Any],
    sources: Sequence[str],
    files: FileOptions,
    to: str,
    mode: Mode,
    *,
    fact: str,
    doing: str,
    order: Sequence[str],
) -> None:
    """Give the DataFrames of files to a query; write its rows, or print some.

    `fact` says what cannot be done if Spark does not start, `doing` what a user waits
    for, and `order` names the columns by which printed rows stand.
    """
    kind = "" if to == "-" else check_sink(to, files.format_, mode)
    for source in sources:
        check_is_there(source)
    settings = parse_settings(files.conf)
    with session(files.master, fact, verbose=files.verbose, settings=settings) as spark:
        begun = time.perf_counter()
        with progress(spark, f"reading {' and '.join(sources)}"):
            frames = [read(spark, source, files.format_) for source in sources]
        result = query(*frames)
        if to == "-":
            show_rows(result, list(order), SHOWN, doing)
        else:
            write_rows(result, to, kind, mode, f"{doing} into {to}", begun)
