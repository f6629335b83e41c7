"""Reads Parquet, CSV and JSON, and checks the places of results before Spark starts.

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

_PACKED = {".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate"}

Format = enum.StrEnum("Format", ["PARQUET", "CSV", "JSON"])
"""What a file is."""

_SUFFIXES = {f".{kind}": str(kind) for kind in Format}
_SUFFIXES |= {".pq": "parquet", ".jsonl": "json", ".ndjson": "json"}

Mode = enum.StrEnum("Mode", ["ERROR", "OVERWRITE", "APPEND"])
"""What to do where there is a result already."""


def read(spark: SparkSession, source: str, format_: Format | None) -> DataFrame:
    """The source as a DataFrame; CSV and JSON are looked through for their types."""
    kind = _kind(source, format_, "read")
    check_is_there(source)
    if kind == "csv":
        return spark.read.csv(source, header=True, inferSchema=True)
    frame = spark.read.format(kind).load(source)
    if "_corrupt_record" in frame.columns:
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


def check_folders(source: str, sink: str, checkpoint: str | None) -> str:
    """The place of a stream's checkpoint, if it can run from source to sink.

    SOURCE              has a file already, from which columns and types are taken
    OUT                 Parquet, written by this stream alone
    OUT.checkpoint      the position of the stream; beside OUT, since files inside OUT
                        would be read as results

    A first start has neither OUT nor checkpoint, a later one both.  One without the
    other is refused: Spark would skip micro-batches that OUT's log has under the same
    numbers, or fail at the missing log some batches later.
    """
    check_is_there(source)
    if _is_local(source) and not Path(source).is_dir():
        raise BadInput.because(
            f"cannot follow {source}",
            "it is a file, and new rows come as new files",
            "name the folder it is in, or leave out --stream",
        )
    if _is_local(source) and not any(map(Path.is_file, Path(source).rglob("[!._]*"))):
        raise BadInput.because(
            f"cannot follow {source}",
            "there is no file in it to take the columns and their types from",
            "put a first file there, then start",
        )
    kind = _suffix(sink)
    if kind not in ("", "parquet"):
        raise BadInput.because(
            f"cannot stream into {sink}",
            f"its name is that of a {kind} file, and streams write Parquet",
            "choose a name that ends in .parquet",
        )
    place = checkpoint or sink.rstrip("/") + ".checkpoint"
    if _is_local(sink) and _is_local(place):
        _check_pair(Path(sink), Path(place))
    return place


def _check_pair(sink: Path, checkpoint: Path) -> None:
    written = sink.exists() and (not sink.is_dir() or any(sink.iterdir()))
    if written and not checkpoint.exists():
        raise BadInput.because(
            f"cannot stream into {sink}",
            f"it is there already, and {checkpoint}, from which its stream would go "
            "on, is not",
            "choose another name, or name that stream's checkpoint with --checkpoint",
        )
    if not sink.exists() and any(checkpoint.glob("commits/[0-9]*")):
        raise BadInput.because(
            f"cannot go on from {checkpoint}",
            f"its results are not in {sink} any more",
            "bring them back, or remove the checkpoint as well to start from the first "
            "file",
        )


def _kind(path: str, format_: Format | None, what: str) -> str:
    kind = _suffix(path) or (str(format_) if format_ else "")
    if not kind and Path(path).is_dir():
        inside = map(_suffix, sorted(Path(path).iterdir()))
        kind = next(filter(None, inside), "")
    if not kind:
        raise BadInput.because(
            f"cannot {what} {path}",
            "its name does not end in .parquet, .csv or .json",
            "say what it is with --format parquet, csv or json",
        )
    return kind


def _suffix(path: str | Path) -> str:
    """The format that a name tells, if any."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return _SUFFIXES.get(suffixes[-1], "") if suffixes else ""


def check_is_there(source: str) -> None:
    """Refuse a path of this machine that leads nowhere."""
    if _is_local(source) and not Path(source).exists():
        raise BadInput.because(
            f"cannot read {source}",
            f"there is no such file or folder in {Path(source).parent.resolve()}",
            "check the name; paths begin where the command is run",
        )


def _is_local(path: str) -> bool:
    """Whether it names one place on this machine; Spark finds all others itself."""
    return "://" not in path and not any(sign in path for sign in "*?[{")
