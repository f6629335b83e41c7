"""What a workload is: a stream, tables that stand still, and queries in two forms.

Streams are Arrow tables in the order of time, ready for `spark.createDataFrame` or
a Parquet file.  Their time column is `ts`, an instant with microseconds, as Spark
keeps it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame

START = 1_704_067_200  # 2024-01-01 00:00:00 UTC, where generated streams begin


class Generate(Protocol):
    """Makes rows: the same ones for the same seed, the stream first."""

    def __call__(
        self, rows: int, *, seed: int = 0, per_second: int = ...
    ) -> tuple[pa.Table, ...]:
        """`rows` rows of the stream at a mean pace of `per_second`."""


class Load(Protocol):
    """Reads rows from the folder of samples, the stream first."""

    def __call__(self, folder: Path, rows: int | None = None) -> tuple[pa.Table, ...]:
        """The first `rows` rows of the workload's file, or all of them."""


@dataclass(frozen=True)
class Query:
    """One query in two forms that give the same columns and the same rows.

    Both take the workload's tables in order.  `copies` is the number of windows that
    hold one row, that is, how often Spark's own form copies it.
    """

    name: str
    window: str
    copies: int
    rows: int  # how many are generated unless the runner is told otherwise
    windrow: Callable[..., DataFrame]
    spark: Callable[..., DataFrame]
    note: str = ""  # what a reader of the timings must know about Spark's side


@dataclass(frozen=True)
class Workload:
    """A stream, where its rows come from, and the queries over it."""

    title: str
    generate: Generate
    load: Load | None  # none where there is no sample file
    queries: tuple[Query, ...]


def instants(seconds: np.ndarray[Any, Any]) -> pa.Array:
    """Seconds since 1970, whole or not, as instants with microseconds."""
    micros = np.round(np.asarray(seconds) * 1_000_000).astype(np.int64)
    return pa.array(micros, pa.timestamp("us", tz="UTC"))


def arrivals(
    rng: np.random.Generator, rows: int, per_second: int
) -> np.ndarray[Any, Any]:
    """Whole seconds in order: busy ones, quiet ones, and some without a row."""
    span = max(1, rows // per_second)
    return START + np.sort(rng.integers(0, span, rows))


def read_sample(file: Path, names: list[str], rows: int | None) -> pd.DataFrame:
    """A sample's first columns: any run of blanks or tabs stands between two."""
    return pd.read_csv(
        file,
        sep=r"\s+",
        header=None,
        names=names,
        usecols=range(len(names)),
        nrows=rows,
    )
