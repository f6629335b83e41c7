"""`windrow run`: a file in, a row out for each key and window."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

import windrow as wr

from . import _options as o
from ._console import err, show_table
from ._failure import told
from ._files import Mode, check_columns, check_sink, read, write
from ._progress import progress
from ._query import Query, check_names, make_query
from ._rows import first_rows, flat
from ._session import parse_settings, session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHOWN = 20


def run(
    source: o.Source,
    agg: o.Agg,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="OUT",
            help="Where the result goes, a folder as Spark writes it: .parquet, .csv "
            f"or .json; - prints the first {SHOWN} rows. CSV cannot hold structs: "
            "there the window is two columns, window_start and window_end.",
        ),
    ] = "-",
    format_: o.GivenFormat = None,
    mode: Annotated[
        Mode, typer.Option("--mode", help="Where OUT is there already.")
    ] = Mode.ERROR,
    window: o.Windows = None,
    rows: o.Counts = None,
    every: o.Every = None,
    on: o.On = None,
    ties: o.Ties = None,
    by: o.By = None,
    where: o.Where = None,
    hot: o.Hot = False,
    keys: o.Keys = None,
    master: o.Master = "local[*]",
    conf: o.Conf = None,
    verbose: o.Verbose = False,
) -> None:
    """Slide windows over a file with Spark, and write a row per key and window.

    windrow run calls.parquet --window "24 hours" --every "1 minute" --on ts
    --by caller --agg "longest=max(len)" --agg "n=count()" --to longest.parquet
    """
    query = make_query(
        window=window,
        rows_=rows,
        every=every,
        on=on,
        ties=ties,
        by=by,
        agg=agg,
        hot=hot,
        keys=keys,
        where=where,
    )
    settings = parse_settings(conf)
    kind = "" if to == "-" else check_sink(to, format_, mode)
    with session(master, verbose=verbose, settings=settings) as spark:
        begun = time.perf_counter()
        with told(f"cannot run the query on {source}", verbose=verbose):
            with progress(spark, f"reading {source}"):
                frame = read(spark, source, format_)
            result = ask(query, frame)
            if to == "-":
                with progress(spark, "sliding"):
                    shown = first_rows(result, query.by, SHOWN)
                show_table(shown)
                return
            result = flat(result) if kind == "csv" else result
            check_columns(result, kind)
            with progress(spark, f"sliding into {to}"):
                write(result, to, kind, mode)
        seconds = time.perf_counter() - begun
    err.print(f"wrote {to} ({kind}) in {seconds:.1f} s", soft_wrap=True, markup=False)


def ask(query: Query, frame: DataFrame) -> DataFrame:
    """The query as a DataFrame that has not run yet."""
    frame = query.filtered(frame)
    check_names(query, frame)
    result: DataFrame = wr.aggregate(frame, **query.arguments)
    return result
