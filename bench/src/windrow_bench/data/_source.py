"""Where the rows of a dataset come from: a real file where there is one, else a seed.

    where=           a file, or a folder that is searched for the dataset's file
    WINDROW_DATASETS a folder, looked into where `where` is not given
    neither has it   rows are generated

A file with fewer rows than asked for is played again with time moved on (`_repeat`).
The schema's metadata says which of all this it was: `origin(table)`.
"""

from __future__ import annotations

import os
from operator import index
from pathlib import Path
from typing import SupportsIndex

import pyarrow as pa

from windrow.errors import BadInput

from ._dataset import Dataset
from ._repeat import repeated

SEED = 20_260_101
VARIABLE = "WINDROW_DATASETS"
_ORIGIN = b"windrow.origin"


def rows_of(
    dataset: Dataset, rows: int, seed: int, where: str | os.PathLike[str] | None
) -> pa.Table:
    """So many rows, with their origin."""
    rows, seed = _checked(dataset, "rows", rows), _checked(dataset, "seed", seed)
    path = _file_of(dataset, where)
    if path is None:
        made, source = dataset.generate(rows, seed), f"generated, seed {seed}"
    else:
        made, source = _played(dataset, path, rows)
    return made.replace_schema_metadata({_ORIGIN: f"{dataset.name}: {source}"})


def origin(table: pa.Table) -> str:
    """Where the rows of a table of this package came from, to be shown with results."""
    return str((table.schema.metadata or {}).get(_ORIGIN, b"unknown").decode())


def _checked(dataset: Dataset, name: str, number: SupportsIndex) -> int:
    try:
        whole = -1 if isinstance(number, bool) else index(number)
    except TypeError:
        whole = -1
    if whole < 0:
        raise BadInput.because(
            f"cannot make {dataset.name}",
            f"{name} is {number!r}",
            f"give {name} as a whole number that is not negative",
        )
    return whole


def _file_of(dataset: Dataset, where: str | os.PathLike[str] | None) -> Path | None:
    """The file to read, if there is one."""
    named = os.environ.get(VARIABLE) if where is None else where
    if not named:
        return None
    path = Path(named)
    if path.is_dir():
        found = path / dataset.file if dataset.file else None
        return found if found and found.is_file() else None
    if where is None or not path.is_file():
        raise BadInput.because(
            f"cannot look for files of {dataset.name}",
            f"{VARIABLE if where is None else 'where'} is {os.fspath(named)!r}, and "
            f"there is no such {'folder' if where is None else 'file or folder'}",
            "correct it, or leave it out for generated rows",
        )
    if dataset.load is None:
        raise BadInput.because(
            f"cannot read {dataset.name} from {path.name}",
            "no form of file is known for this dataset",
            "leave the file out: its rows are always generated",
        )
    return path


def _played(dataset: Dataset, path: Path, rows: int) -> tuple[pa.Table, str]:
    assert dataset.load is not None
    read = dataset.load(path, rows)
    if read.num_rows >= rows:
        return read, f"file {path.name}"
    if not read.num_rows:
        raise BadInput.because(
            f"cannot make {rows:,} rows of {dataset.name} from {path.name}",
            "the file is empty",
            "give a file with rows, or leave it out for generated ones",
        )
    again = repeated(read, dataset.time, rows)
    note = f"its {read.num_rows:,} rows again and again, time moved on"
    return again, f"file {path.name}, {note}"
