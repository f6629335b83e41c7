"""A source written in Python whose offsets are plain numbers: no path is in them.

offset {"batch": n}      tables 0 .. n - 1 have been read
option("until", n)       how many there are by now
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema


def register(spark: Any, tables: Sequence[pa.Table]) -> str:
    """Make those tables a source of the session; its format."""

    # nested, so that they are sent to the workers by value
    class Reader(DataSourceStreamReader):
        def __init__(self, until: int) -> None:
            self.until = until

        def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark's names
            return {"batch": 0}

        def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, int]:  # noqa: N802
            return {"batch": self.until}

        def partitions(
            self, start: dict[str, int], end: dict[str, int]
        ) -> list[InputPartition]:
            return [InputPartition(n) for n in range(start["batch"], end["batch"])]

        def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
            yield from tables[partition.value].to_batches()

    class Numbered(DataSource):
        @classmethod
        def name(cls) -> str:
            return "numbered"

        def schema(self) -> Any:
            return from_arrow_schema(tables[0].schema)

        def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: N802
            return Reader(int(self.options["until"]))

    spark.dataSource.register(Numbered)
    return "numbered"
