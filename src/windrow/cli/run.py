"""Runs `windrow run`: a file in, a row out for each key and window."""

from __future__ import annotations

import time
from typing import Annotated

import typer

import windrow as wr

from ._cql_text import is_text, run_text
from ._files import Mode, check_sink, read
from ._options import QueryOptions, with_option_groups
from ._progress import progress
from ._query import make_query
from ._rows import show_rows, write_rows
from ._stream import run_stream
from ._stream_options import StreamOptions

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
        stream.refuse(
            " with a text of queries",
            "it is for streams, and the text is run over files",
            "give wr.cql a streaming DataFrame",
        )
        run_text(options, to, mode, SHOWN)
        return
    if stream.stream:
        run_stream(options, stream, to, mode)
        return
    stream.refuse("", "it is for streams", "add --stream")
    query, source = make_query(options), options.source
    kind = "" if to == "-" else check_sink(to, options.format_, mode)
    with options.session(f"cannot run the query on {source}") as spark:
        begun = time.perf_counter()
        with progress(spark, f"reading {source}"):
            frame = read(spark, source, options.format_)
        result = wr.aggregate(query.rows_of(frame), **query.arguments)
        if to == "-":
            show_rows(result, query.arguments["by"], SHOWN, "sliding")
        else:
            write_rows(result, to, kind, mode, f"sliding into {to}", begun)
