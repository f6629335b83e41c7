"""What a dataset is: a card with its columns, a generator, and maybe a reader of files.

    generate(rows, seed)    a table of that many rows, the same for the same seed
    load(path, limit)       the rows of a real file, the first `limit` of them

Both give the columns of the card, by name and type.  More rows of a seed are the same
stream for longer: generate(n, seed) begins with generate(m, seed) where m <= n.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

Array = np.ndarray[Any, Any]

INSTANT = pa.timestamp("us", "UTC")
SECOND = 1_000_000  # microseconds


class Generator(Protocol):
    """Makes rows."""

    def __call__(self, rows: int, seed: int) -> pa.Table:
        """`rows` rows in the order of the dataset's time."""


class Loader(Protocol):
    """Reads rows."""

    def __call__(self, path: Path, limit: int | None = None) -> pa.Table:
        """The first `limit` rows of a file, or all of them."""


@dataclass(frozen=True)
class DataColumn:
    """One column: `unit` is empty where a number counts or names nothing."""

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""


@dataclass(frozen=True)
class Dataset:
    """The card of a dataset.

    Rows stand in the order of the column `time`; `keys` are those that the papers group
    by.  `file` is the name under which a real file is looked for; it and `load` are
    None where rows are always generated.
    """

    name: str
    title: str
    papers: tuple[str, ...]
    columns: tuple[DataColumn, ...]
    time: str
    keys: tuple[str, ...]
    generate: Generator
    file: str | None = None
    load: Loader | None = None

    @property
    def schema(self) -> pa.Schema:
        """Names and types, as every table of this dataset has them."""
        return schema_of(self.columns)


def schema_of(columns: tuple[DataColumn, ...]) -> pa.Schema:
    """Names and types of columns."""
    return pa.schema([(column.name, column.type) for column in columns])


def table_of(columns: tuple[DataColumn, ...], arrays: dict[str, Array]) -> pa.Table:
    """Arrays as columns of a table; instants are given in microseconds since 1970."""
    made = [
        pa.array(arrays[column.name].astype(np.int64, copy=False)).cast(column.type)
        if column.type == INSTANT
        else pa.array(arrays[column.name], column.type)
        for column in columns
    ]
    return pa.table(made, schema=schema_of(columns))


def draws(dataset: str, column: str, seed: int) -> np.random.Generator:
    """The random numbers of one column, which no other column draws from.

    That is what makes a longer stream begin with the shorter one.
    """
    words = [zlib.crc32(word.encode()) for word in (dataset, column)]
    return np.random.default_rng([seed, *words])
