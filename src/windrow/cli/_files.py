"""Reads and writes Parquet, CSV and JSON, recognised by name.

    calls.parquet  calls.csv.gz  calls.jsonl     by the suffix
    calls/                                       by the suffix of a file in the folder
    calls                                        by --format

CSV has a header line and inferred types; JSON has an object a line.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.errors import BadInput

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
_PACKED = {".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate"}
_CORRUPT = "_corrupt_record"


class Format(enum.StrEnum):
    """What a file is."""

    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"


class Mode(enum.StrEnum):
    """What to do where there is a result already."""

    ERROR = "error"
    OVERWRITE = "overwrite"
    APPEND = "append"


def read(spark: SparkSession, source: str, format_: Format | None) -> DataFrame:
    """The source as a DataFrame; CSV and JSON are looked through for their types."""
    kind = _kind(source, format_, "read")
    check_is_there(source)
    if kind == "csv":
        return spark.read.csv(source, header=True, inferSchema=True)
    frame = spark.read.format(kind).load(source)
    if _CORRUPT in frame.columns:
        raise BadInput.because(
            f"cannot read {source}",
            "it has lines that are not JSON objects",
            "write one object a line, without brackets and commas around them",
        )
    return frame


def read_stream(
    spark: SparkSession, source: str, format_: Format | None, files: int | None
) -> DataFrame:
    """The source as a stream of files, with the columns of those already there."""
    reader = spark.readStream.schema(read(spark, source, format_).schema)
    if files is not None:
        reader = reader.option("maxFilesPerTrigger", files)
    kind = _kind(source, format_, "read")
    if kind == "csv":
        reader = reader.option("header", True)
    return reader.format(kind).load(source)


def check_sink(sink: str, format_: Format | None, mode: Mode) -> str:
    """The format of the sink, before any work is done for it."""
    kind = _kind(sink, format_, "write")
    if mode is Mode.ERROR and "://" not in sink and Path(sink).exists():
        raise BadInput.because(
            f"cannot write {sink}",
            "there is such a file or folder already",
            "choose another name, or add --mode overwrite or --mode append",
        )
    return kind


def check_columns(result: DataFrame, kind: str) -> None:
    """Refuse what a CSV file cannot hold."""
    if kind != "csv":
        return
    for field in result.schema.fields:
        text = field.dataType.simpleString()
        if text.startswith(("array", "map", "struct", "binary")):
            raise BadInput.because(
                f"cannot write column {field.name!r} to CSV",
                f"it is of type {text}",
                "write Parquet or JSON",
            )


def write(result: DataFrame, sink: str, kind: str, mode: Mode) -> None:
    """Run the query, into a folder of files, as Spark does."""
    writer = result.write.mode(str(mode)).format(kind)
    if kind == "csv":
        writer = writer.option("header", True)
    writer.save(sink)


def _kind(path: str, format_: Format | None, what: str) -> str:
    kind = suffix_of(path) or (str(format_) if format_ else "")
    if not kind and Path(path).is_dir():
        inside = map(suffix_of, sorted(Path(path).iterdir()))
        kind = next(filter(None, inside), "")
    if not kind:
        raise BadInput.because(
            f"cannot {what} {path}",
            "its name does not end in .parquet, .csv or .json",
            "say what it is with --format parquet, csv or json",
        )
    return kind


def suffix_of(path: str | Path) -> str:
    """The format that a name tells, if any."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return _SUFFIXES.get(suffixes[-1], "") if suffixes else ""


def check_is_there(source: str) -> None:
    """Refuse a path of this machine that leads nowhere."""
    if is_local(source) and not Path(source).exists():
        raise BadInput.because(
            f"cannot read {source}",
            f"there is no such file or folder in {Path(source).parent.resolve()}",
            "check the name; paths begin where the command is run",
        )


def is_local(path: str) -> bool:
    """Whether it names one place on this machine; Spark finds all others itself."""
    return "://" not in path and not any(sign in path for sign in "*?[{")
