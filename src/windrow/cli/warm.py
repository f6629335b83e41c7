"""Runs `windrow warm`: compiles the kernels of a query ahead of time, into a folder."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import windrow as wr
from windrow.errors import BadInput

from ._cql_text import is_text, warm_text
from ._files import read, read_stream
from ._options import QueryOptions, with_option_groups
from ._progress import progress
from ._query import make_query, time_column
from ._stream import STATE_STORE, streaming_frame
from ._stream_options import StreamOptions
from .console import err


@with_option_groups
def warm(
    options: QueryOptions,
    into: Annotated[
        Path,
        typer.Option(
            "--into",
            metavar="FOLDER",
            help="Where machine code goes: a folder of your own, new or warmed before.",
            show_default=False,
        ),
    ],
    watermark: Annotated[
        str | None,
        typer.Option(
            "--watermark",
            metavar="DURATION",
            help="Compile for windrow run --stream with this watermark.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compile the kernels of a query ahead of time, into a folder.

    Takes the options of windrow run, and looks at the columns of SOURCE only. Put the
    folder on the machine that starts queries, or into its image, and name it there in
    WINDROW_CACHE_DIR: what it holds travels with every job.

    windrow warm calls.parquet --window "24 hours" --every "1 minute" --on ts
    --by caller --agg "usual=mean(len)" --into kernels
    """
    if is_text(options.source):
        if watermark is not None:
            raise BadInput.because(
                "cannot use --watermark with a text of queries",
                "it is for streams, and the text is run over files",
                "leave it out",
            )
        warm_text(options, lambda build: _compile(build, into))
        return
    query, source = make_query(options), options.source
    settings = {} if watermark is None else STATE_STORE
    with options.session(f"cannot compile for {source}", settings) as spark:
        with progress(spark, f"reading {source}"):
            if watermark is None:
                frame = query.rows_of(read(spark, source, options.format_))
            else:
                frame = read_stream(spark, source, options.format_, None)
        if watermark is None:
            _compile(lambda: wr.aggregate(frame, **query.arguments), into)
        else:
            stream = StreamOptions(stream=True, watermark=watermark)
            on = time_column(options)
            _compile(lambda: streaming_frame(query, frame, on, stream), into)


def _compile(build: Callable[[], Any], into: Path) -> None:
    """Compile what `build` needs into the folder, and say how much that was."""
    lanes = importlib.import_module("windrow.spark.lanes")
    try:
        into.mkdir(mode=0o755, parents=True, exist_ok=True)
        before = {path.name for path in into.iterdir()}
    except OSError as error:
        raise BadInput.because(
            f"cannot compile into {into}",
            error.strerror or str(error),
            "name a folder of your own with --into",
        ) from error
    os.environ["WINDROW_CACHE_DIR"] = str(into)
    begun = time.perf_counter()
    names = lanes.compile_ahead(build)
    seconds = time.perf_counter() - begun
    if names is None:
        err.print("nothing to compile: Spark computes these windows by itself")
        return
    if not names:
        raise BadInput.because(
            f"cannot compile into {into}",
            "no machine code could be written there",
            "name a folder of your own with --into; windrow doctor looks at it",
        )
    new = len(names - before)
    err.print(
        f"{into}: {len(names)} kernels, {new} of them compiled in {seconds:.1f} s\n"
        f"use them with WINDROW_CACHE_DIR={into.resolve()}"
    )
