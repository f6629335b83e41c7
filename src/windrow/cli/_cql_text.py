"""Runs and explains a text of CQL queries for `windrow run` and `windrow explain`.

windrow run both.cql --from Calls=calls.parquet --to out.parquet

one query       out.parquet
several         out-1.parquet, out-2.parquet, in the order of the text
no --to         the first rows of each are printed
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import windrow as wr
from windrow._cql import queries_of
from windrow.errors import BadInput

from ._console import err, out, show_table
from ._files import Mode, check_columns, check_is_there, check_sink, read, write
from ._options import QueryOptions
from ._progress import progress
from ._rows import flat, in_order
from ._spark_errors import plain_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PART_OF_THE_TEXT = (
    "agg",
    "window",
    "rows",
    "every",
    "ties",
    "by",
    "where",
    "hot",
    "keys",
)
_NO_ORDER = ("array", "map", "struct")


def is_text(source: str) -> bool:
    """Whether the source is a text of queries rather than data."""
    return Path(source).suffix.lower() == ".cql"


def run_text(options: QueryOptions, to: str, mode: Mode, shown: int) -> None:
    """Run every query of the text, and print or write each result."""
    text, files, count = _checked(options)
    sinks = _sinks(to, count)
    kinds = [check_sink(sink, options.format_, mode) for sink in sinks]
    with (
        options.session() as spark,
        plain_errors(f"cannot run {options.source}", verbose=options.verbose),
    ):
        begun = time.perf_counter()
        results = _results(
            wr.cql(text, time=options.on, **_read(spark, options, files))
        )
        if to == "-":
            for number, result in enumerate(results, 1):
                if len(results) > 1:
                    out.print(f"query {number}")
                rows = _flat(result)
                with progress(spark, f"query {number}"):
                    table = in_order(rows, _orderable(rows), shown)
                show_table(table)
            return
        for result, sink, kind in zip(results, sinks, kinds, strict=True):
            rows = _flat(result) if kind == "csv" else result
            check_columns(rows, kind)
            with progress(spark, f"writing {sink}"):
                write(rows, sink, kind, mode)
            seconds = time.perf_counter() - begun
            line = f"wrote {sink} ({kind}) in {seconds:.1f} s"
            err.print(line, soft_wrap=True, markup=False)


def explain_text(options: QueryOptions) -> None:
    """Print the trees and the plan of a text."""
    text, files, _ = _checked(options)
    with (
        options.session() as spark,
        plain_errors(f"cannot explain {options.source}", verbose=options.verbose),
    ):
        inputs = _read(spark, options, files)
        explanation = wr.explain_cql(text, time=options.on, **inputs)
    out.print(str(explanation), markup=False, soft_wrap=True)


def _checked(options: QueryOptions) -> tuple[str, dict[str, str], int]:
    """The text, its files and its number of queries, before Spark starts."""
    check_is_there(options.source)
    for name in _PART_OF_THE_TEXT:
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
) -> dict[str, Any]:
    with progress(spark, f"reading {', '.join(files.values())}"):
        frames = {
            name: read(spark, file, options.format_) for name, file in files.items()
        }
    return {"streams": frames}


def _results(results: Any) -> list[DataFrame]:
    return results if isinstance(results, list) else [results]


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


def _flat(result: DataFrame) -> DataFrame:
    """The bounds of a window that was selected as two columns."""
    kinds = {field.name: field.dataType.simpleString() for field in result.schema}
    return flat(result) if kinds.get("window", "").startswith("struct") else result


def _orderable(rows: DataFrame) -> list[str]:
    return [
        field.name
        for field in rows.schema
        if not field.dataType.simpleString().startswith(_NO_ORDER)
    ]
