"""The questions, as Spark's own windows put them and as Windrow does.

Both sides name their results alike, so that one checksum serves both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, functions
from pyspark.sql.types import DoubleType, LongType, StructField, StructType
from pyspark.sql.window import Window

import windrow as wr

RESULTS = ("total", "highest", "n")


def spark_windows(frame: DataFrame, range: int, slide: int) -> DataFrame:
    """Sum, max and count of each key's windows, by Spark's `window()`."""
    window = functions.window("at", f"{range} seconds", f"{slide} seconds")
    return frame.groupBy("key", window).agg(
        functions.sum("x").alias("total"),
        functions.max("x").alias("highest"),
        functions.count("x").alias("n"),
    )


def our_windows(
    frame: DataFrame, ranges: int | Sequence[int], slide: int, *, hot: bool = False
) -> DataFrame:
    """The same by Windrow; several ranges are one call, named by their seconds."""
    some = (ranges,) if isinstance(ranges, int) else ranges
    windows = [
        wr.sliding(f"{r} seconds", every=f"{slide} seconds", on="at", name=str(r))
        for r in some
    ]
    found: DataFrame = wr.aggregate(
        frame,
        windows[0] if isinstance(ranges, int) else windows,
        by="key",
        hot=hot,
        total=wr.sum("x"),
        highest=wr.max("x"),
        n=wr.count("x"),
    )
    return found


def over_names(aggregates: Sequence[str], frames: Sequence[int]) -> list[str]:
    """The new columns, in order."""
    return [f"{one}_{last}" for last in frames for one in aggregates]


def spark_over(
    frame: DataFrame, aggregates: Sequence[str], frames: Sequence[int]
) -> DataFrame:
    """Each row with aggregates of its key's last rows, by `rowsBetween`."""
    ordered = Window.partitionBy("key").orderBy("at")
    new = [
        getattr(functions, one)("x")
        .over(ordered.rowsBetween(1 - last, 0))
        .alias(f"{one}_{last}")
        for last in frames
        for one in aggregates
    ]
    return frame.select("*", *new)


def our_over(
    frame: DataFrame, aggregates: Sequence[str], frames: Sequence[int]
) -> DataFrame:
    """The same by Windrow."""
    named = {
        f"{one}_{last}": getattr(wr, one)("x", last=last)
        for last in frames
        for one in aggregates
    }
    found: DataFrame = wr.over(frame, on="at", by="key", aggregates=named)
    return found


def floor(
    frame: DataFrame, aggregates: Sequence[str], frames: Sequence[int]
) -> DataFrame:
    """As `our_over`, shuffled, sorted and sent through Python, but nothing computed.

    Each new column is one that is there already: `x`, or the time as a number where
    a count would stand.
    """
    names = over_names(aggregates, frames)
    counts = [name.startswith("count") for name in names]
    added = [
        StructField(name, LongType() if is_count else DoubleType())
        for name, is_count in zip(names, counts, strict=True)
    ]
    schema = StructType([*frame.schema.fields, *added])
    ordered = frame.repartition("key").sortWithinPartitions("key", "at")
    return ordered.mapInArrow(_repeating(names, counts), schema)


def _repeating(
    names: Sequence[str], counts: Sequence[bool]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    # Defined in here, so that it travels to the workers by value.
    def repeat(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            x, at = batch.column("x"), batch.column("at").view(pa.int64())
            yield pa.RecordBatch.from_arrays(
                [*batch.columns, *(at if is_count else x for is_count in counts)],
                names=[*batch.schema.names, *names],
            )

    return repeat
