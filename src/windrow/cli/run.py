"""Runs `windrow run`: a file in, a row out for each key and window."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

import windrow as wr

from ._console import err, show_table
from ._cql_text import is_text, run_text
from ._files import Mode, check_columns, check_sink, read, write
from ._option_groups import with_option_groups
from ._options import QueryOptions
from ._progress import progress
from ._query import QuerySpec, check_names
from ._rows import first_rows, flat
from ._spark_errors import plain_errors
from ._stream import run_stream
from ._stream_options import StreamOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHOWN = 20


@with_option_groups
def run(
    options: QueryOptions,
    stream: StreamOptions,
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
    mode: Annotated[
        Mode, typer.Option("--mode", help="Where OUT is there already.")
    ] = Mode.ERROR,
) -> None:
    """Slide windows over a file with Spark, and write a row per key and window.

    windrow run calls.parquet --window "24 hours" --every "1 minute" --on ts
    --by caller --agg "longest=max(len)" --agg "n=count()" --to longest.parquet

    With --stream, over a folder for as long as files come: add --watermark "1 hour".

    windrow run longest.cql --from Calls=calls.parquet --to longest.parquet
    """
    if is_text(options.source):
        stream.refuse_with_text()
        run_text(options, to, mode, SHOWN)
        return
    if stream.stream:
        run_stream(options, stream, to, mode)
        return
    stream.refuse_without_stream()
    query, source = options.query(), options.source
    kind = "" if to == "-" else check_sink(to, options.format_, mode)
    with options.session() as spark:
        begun = time.perf_counter()
        with plain_errors(f"cannot run the query on {source}", verbose=options.verbose):
            with progress(spark, f"reading {source}"):
                frame = read(spark, source, options.format_)
            result = aggregated(query, frame)
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


def aggregated(query: QuerySpec, frame: DataFrame) -> DataFrame:
    """The query as a DataFrame that has not run yet."""
    frame = query.filtered(frame)
    check_names(query, frame)
    result: DataFrame = wr.aggregate(frame, **query.arguments)
    return result
