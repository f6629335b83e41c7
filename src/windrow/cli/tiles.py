"""Runs `windrow tiles`: rows into tiles, tiles into longer ones, or into windows."""

# ruff: noqa: RUF009 - options are fields, whose defaults are made once

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any

import typer

import windrow as wr
from windrow.query.calls import parse_calls

from ._files import Format, Mode, check_is_there, check_sink, read
from ._options import option, with_option_groups
from ._progress import progress
from ._rows import show_rows, write_rows
from ._session import parse_settings, session

SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class TileOptions:
    """What is cut or merged, and how."""

    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="Rows, or tiles of rows.")
    ]
    every: str = option("How long a tile is, or the slide of windows.", "DURATION")
    on: str | None = option("The time of a row.", "COLUMN")
    by: list[str] | None = option("A key; repeat.", "COLUMN")
    agg: list[str] | None = option(
        'What tiles hold: "spend=sum(amount)"; repeat. Left out, SOURCE has tiles.',
        "NAME=AGGREGATE",
    )
    window: str | None = option("Merge tiles into windows of that range.", "DURATION")
    only: list[str] | None = option("Merge only this aggregate; repeat.", "NAME")
    format_: Format | None = option("What a file is where its name does not say.")
    master: str = option("Where Spark runs.", default="local[*]", show_default=True)
    conf: list[str] | None = option("A setting of Spark's.", "NAME=VALUE")
    verbose: bool = option("Show all that Spark says.", default=False)


@with_option_groups
def tiles(
    options: TileOptions,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="OUT", help=f"Where rows go; - prints {SHOWN} of them."
        ),
    ] = "-",
    mode: Annotated[
        Mode, typer.Option("--mode", help="Where OUT is there already.")
    ] = Mode.ERROR,
) -> None:
    """Fold rows into tiles that can be stored and appended to, or merge these.

    windrow tiles paid.parquet --every "5 minutes" --on ts --by card
    --agg "spend=sum(amount)" --to tiles --mode append

    windrow tiles tiles --window "30 days" --every "1 day" --to monthly.parquet
    """
    calls = parse_calls(options.agg) if options.agg else {}
    _check(options, bool(calls))
    kind = "" if to == "-" else check_sink(to, options.format_, mode)
    check_is_there(options.source)
    settings = parse_settings(options.conf)
    fact = f"cannot make tiles of {options.source}"
    verbose = options.verbose
    with session(options.master, fact, verbose=verbose, settings=settings) as spark:
        begun = time.perf_counter()
        with progress(spark, f"reading {options.source}"):
            rows = read(spark, options.source, options.format_)
        result = _result(rows, options, calls)
        doing = "merging tiles" if options.window else "folding into tiles"
        if to == "-":
            show_rows(result, options.by or [], SHOWN, doing)
        else:
            write_rows(result, to, kind, mode, f"{doing} into {to}", begun)


def _result(rows: Any, options: TileOptions, calls: dict[str, Any]) -> Any:
    if options.window is None:
        order: dict[str, Any] = {"every": options.every, "by": options.by or None}
        return wr.tiles(rows, **order, on=options.on, aggregates=calls or None)
    window = wr.sliding(options.window, every=options.every or None, on="tile")
    return wr.merge_tiles(rows, window, by=options.by or None, only=options.only)


def _check(options: TileOptions, makes: bool) -> None:
    """Refuse options that say nothing together."""
    if not options.every and not options.window:
        raise wr.BadInput.because(
            "cannot make tiles", "no length is given", 'write --every "5 minutes"'
        )
    if makes and options.window:
        raise wr.BadInput.because(
            "cannot make tiles and merge them at once",
            "--agg says what tiles hold, and --window merges those that are there",
            "make tiles first: leave out --window",
        )
    if options.only and not options.window:
        raise wr.BadInput.because(
            "cannot take --only",
            "it names what is merged into windows",
            'add --window "30 days"',
        )
