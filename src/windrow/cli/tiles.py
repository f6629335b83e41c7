"""Runs `windrow tiles`: rows into tiles, tiles into longer ones, or into windows."""

# ruff: noqa: RUF009 - options are fields, whose defaults are made once

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import typer

import windrow as wr
from windrow.query.calls import parse_calls

from ._file_query import FileOptions, IfThere, To, run_files
from ._files import Mode
from ._options import option, with_option_groups


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


@with_option_groups
def tiles(
    options: TileOptions,
    files: FileOptions,
    to: To = "-",
    mode: IfThere = Mode.ERROR,
) -> None:
    """Fold rows into tiles that can be stored and appended to, or merge these.

    windrow tiles paid.parquet --every "5 minutes" --on ts --by card
    --agg "spend=sum(amount)" --to tiles --mode append

    windrow tiles tiles --window "30 days" --every "1 day" --to monthly.parquet
    """
    calls = parse_calls(options.agg) if options.agg else {}
    _check(options, bool(calls))
    run_files(
        partial(_result, options, calls),
        [options.source],
        files,
        to,
        mode,
        fact=f"cannot make tiles of {options.source}",
        doing="merging tiles" if options.window else "folding into tiles",
        order=options.by or [],
    )


def _result(options: TileOptions, calls: dict[str, Any], rows: Any) -> Any:
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
