"""The data of the papers' workloads: one file per dataset, one line here for each.

>>> from windrow_bench import data
>>> readings = data.table("debs12", 1_000, seed=7)
>>> readings.num_rows, readings.column_names[:4]
(1000, ['ts', 'message', 'mf01', 'mf02'])
"""

import os

import pyarrow as pa

from windrow.errors import UnknownName

from . import debs12, debs14, google_cluster, linear_road, ss7, yahoo
from ._dataset import DataColumn, Dataset
from ._source import SEED, VARIABLE, origin, rows_of

CATALOGUE: tuple[Dataset, ...] = (
    debs12.DEBS12,
    debs14.DEBS14,
    linear_road.LINEAR_ROAD,
    google_cluster.GOOGLE_CLUSTER,
    yahoo.YAHOO,
    ss7.SS7,
)

BY_NAME = {dataset.name: dataset for dataset in CATALOGUE}


def find(name: str) -> Dataset:
    """The dataset of that name, or an error with the nearest names."""
    if name not in BY_NAME:
        raise UnknownName.among("dataset", name, BY_NAME)
    return BY_NAME[name]


def table(
    name: str,
    rows: int,
    seed: int = SEED,
    where: str | os.PathLike[str] | None = None,
) -> pa.Table:
    """So many rows of a dataset, from its real file if there is one, else generated.

    `where` is that file, or a folder that may have it; left out, the folder is what
    the environment variable WINDROW_DATASETS names.  A file with fewer rows is played
    again and again, with time moved on.  `origin(table)` says where rows came from.
    """
    return rows_of(find(name), rows, seed, where)


__all__ = [
    "BY_NAME",
    "CATALOGUE",
    "SEED",
    "VARIABLE",
    "DataColumn",
    "Dataset",
    "debs12",
    "debs14",
    "find",
    "google_cluster",
    "linear_road",
    "origin",
    "ss7",
    "table",
    "yahoo",
]
