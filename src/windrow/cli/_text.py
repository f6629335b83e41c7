"""`windrow run` and `windrow explain` with a text of queries.

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
from ._failure import told
from ._files import Mode, check_columns, check_is_there, check_sink, read, write
from ._options import Asked
from ._progress import progress
from ._rows import flat, in_order
from ._session import session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SAID_IN_THE_TEXT = (
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


def run_text(asked: Asked, to: str, mode: Mode, shown: int) -> None:
    """Run every query of the text, and print or write each result."""
    text, files, count = _checked(asked)
    sinks = _sinks(to, count)
    kinds = [check_sink(one, asked.format_, mode) for one in sinks]
    with (
        session(
            asked.master, verbose=asked.verbose, settings=asked.settings()
        ) as spark,
        told(f"cannot run {asked.source}", verbose=asked.verbose),
    ):
        begun = time.perf_counter()
        results = _results(wr.cql(text, time=asked.on, **_read(spark, asked, files)))
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


def explain_text(asked: Asked) -> None:
    """Print the trees and the plan of a text."""
    text, files, _ = _checked(asked)
    with (
        session(
            asked.master, verbose=asked.verbose, settings=asked.settings()
        ) as spark,
        told(f"cannot explain {asked.source}", verbose=asked.verbose),
    ):
        inputs = _read(spark, asked, files)
        explanation = wr.explain_cql(text, time=asked.on, **inputs)
    out.print(str(explanation), markup=False, soft_wrap=True)


def _checked(asked: Asked) -> tuple[str, dict[str, str], int]:
    """The text, its files and how many queries it has, before Spark starts."""
    check_is_there(asked.source)
    for name in _SAID_IN_THE_TEXT:
        if getattr(asked, name):
            raise BadInput.because(
                f"cannot use --{name} with {asked.source}",
                "the text says what is computed",
                "write it there, or give a file of data instead of the text",
            )
    files = {}
    for one in asked.from_ or ():
        name, sign, file = one.partition("=")
        if not sign or not name or not file:
            raise BadInput.because(
                f"cannot read --from {one!r}",
                "it is not a name, an equals sign and a file",
                "write --from Calls=calls.parquet",
            )
        check_is_there(file)
        files[name] = file
    if not files:
        raise BadInput.because(
            f"cannot run {asked.source}",
            "no stream is given",
            "name one: --from Calls=calls.parquet",
        )
    text = Path(asked.source).read_text("utf-8")
    return text, files, len(queries_of(text))


def _read(
    spark: SparkSession, asked: Asked, files: Mapping[str, str]
) -> dict[str, Any]:
    with progress(spark, f"reading {', '.join(files.values())}"):
        frames = {
            name: read(spark, file, asked.format_) for name, file in files.items()
        }
    return {"streams": frames}


def _results(found: Any) -> list[DataFrame]:
    return found if isinstance(found, list) else [found]


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
    kinds = {one.name: one.dataType.simpleString() for one in result.schema}
    return flat(result) if kinds.get("window", "").startswith("struct") else result


def _orderable(rows: DataFrame) -> list[str]:
    return [
        one.name
        for one in rows.schema
        if not one.dataType.simpleString().startswith(_NO_ORDER)
    ]
