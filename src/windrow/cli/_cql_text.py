"""Runs, explains and compiles a text of CQL queries for the commands.

windrow run both.cql --from Calls=calls.parquet --to out.parquet

one query       out.parquet
several         out-1.parquet, out-2.parquet, in the order of the text
no --to         the first rows of each are printed
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import windrow as wr
from windrow._cql import queries_of
from windrow.errors import BadInput

from ._files import Mode, check_is_there, check_sink, read
from ._options import QueryOptions
from ._progress import progress
from ._rows import show_rows, write_rows
from .console import say

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_IN_TEXT = (
    "agg",
    "window",
    "rows",
    "every",
    "ties",
    "by",
    "where",
    "hot",
    "keys",
    "span",
)


def is_text(source: str) -> bool:
    """Whether the source is a text of queries rather than data."""
    return Path(source).suffix.lower() == ".cql"


def run_text(options: QueryOptions, to: str, mode: Mode, shown: int) -> None:
    """Run every query of the text, and print or write each result."""
    text, files, count = _checked(options)
    sinks = _sinks(to, count)
    kinds = [check_sink(sink, options.format_, mode) for sink in sinks]
    with options.session(f"cannot run {options.source}") as spark:
        begun = time.perf_counter()
        results = wr.cql(text, time=options.on, streams=_read(spark, options, files))
        results = results if isinstance(results, list) else [results]
        for number, result in enumerate(results, 1):
            if to == "-":
                if len(results) > 1:
                    say(f"query {number}")
                show_rows(result, None, shown, f"query {number}")
            else:
                sink, kind = sinks[number - 1], kinds[number - 1]
                write_rows(result, sink, kind, mode, f"writing {sink}", begun)


def explain_text(options: QueryOptions) -> None:
    """Print the trees and the plan of a text."""
    text, files, _ = _checked(options)
    with options.session(f"cannot explain {options.source}") as spark:
        streams = _read(spark, options, files)
        explanation = wr.explain_cql(text, time=options.on, streams=streams)
    say(explanation)


def warm_text(options: QueryOptions, warm: Callable[[Callable[[], Any]], None]) -> None:
    """Compile the kernels of every query of the text."""
    text, files, _ = _checked(options)
    with options.session(f"cannot compile for {options.source}") as spark:
        streams = _read(spark, options, files)
        warm(lambda: wr.cql(text, time=options.on, streams=streams))


def _checked(options: QueryOptions) -> tuple[str, dict[str, str], int]:
    """The text, its files and its number of queries, before Spark starts."""
    check_is_there(options.source)
    for name in _IN_TEXT:
        if getattr(options, name):
            raise BadInput.because(
                f"cannot use --{name} with {options.source}",
                "the text says what is computed",
                "write it there, or give a file of data instead of the text",
            )
    files = {}
    for argument in options.from_ or ():
        name, sign, file = argument.partition("=")
        if not sign or not name or not file:
            raise BadInput.because(
                f"cannot read --from {argument!r}",
                "it is not a name, an equals sign and a file",
                "write --from Calls=calls.parquet",
            )
        check_is_there(file)
        files[name] = file
    if not files:
        raise BadInput.because(
            f"cannot run {options.source}",
            "no stream is given",
            "name one: --from Calls=calls.parquet",
        )
    text = Path(options.source).read_text("utf-8")
    return text, files, len(queries_of(text))


def _read(
    spark: SparkSession, options: QueryOptions, files: Mapping[str, str]
) -> dict[str, DataFrame]:
    kind = options.format_
    with progress(spark, f"reading {', '.join(files.values())}"):
        return {name: read(spark, file, kind) for name, file in files.items()}


def _sinks(to: str, count: int) -> list[str]:
    if to == "-":
        return []
    if count == 1:
        return [to]
    path = Path(to)
    return [
        str(path.with_name(f"{path.stem}-{number}{path.suffix}"))
        for number in range(1, count + 1)
    ]
