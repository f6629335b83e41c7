"""`windrow run`: a file in, a row out for each key and window."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

import windrow as wr

from ._console import err, show_table
from ._failure import told
from ._files import Mode, check_columns, check_sink, read, write
from ._groups import in_groups
from ._options import Asked
from ._progress import progress
from ._query import Query, check_names
from ._rows import first_rows, flat
from ._session import session
from ._stream import run_stream
from ._stream_options import Streaming
from ._text import is_text, run_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHOWN = 20


@in_groups
def run(
    asked: Asked,
    streaming: Streaming,
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
    if is_text(asked.source):
        streaming.refuse_with_text()
        run_text(asked, to, mode, SHOWN)
        return
    if streaming.stream:
        run_stream(asked, streaming, to, mode)
        return
    streaming.refuse_without_stream()
    query, source = asked.query(), asked.source
    settings = asked.settings()
    kind = "" if to == "-" else check_sink(to, asked.format_, mode)
    with session(asked.master, verbose=asked.verbose, settings=settings) as spark:
        begun = time.perf_counter()
        with told(f"cannot run the query on {source}", verbose=asked.verbose):
            with progress(spark, f"reading {source}"):
                frame = read(spark, source, asked.format_)
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
