"""Windows that tumble: a slice is a window, and only has to be lowered."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from windrow.algorithms import find as find_algorithm
from windrow.algorithms import slide_arrays
from windrow.batch.fold_rows import PANE
from windrow.batch.partials import PartialField, partial_columns, read_partials
from windrow.plan.plan import Plan
from windrow.plan.requests import Asked

from .sweep import Found


def lower_panes(
    table: pa.Table, plan: Plan, asked: Asked, fields: list[PartialField]
) -> Found:
    """A window for each row of a table of slices, in whatever order they stand."""
    partials = read_partials(asked, fields, table)
    each = np.arange(len(table))
    out = slide_arrays(
        find_algorithm("recompute"),
        asked.product,
        partials.arrays,
        each,
        each + 1,
        leaf="slices",
    )
    columns = partial_columns(plan.calls, asked, partials, out)
    begins = table.column(PANE).combine_chunks().to_numpy()
    (query,) = plan.rules
    keys = table.select(list(plan.by))
    return Found(query, each, keys, begins, begins + query.even.range, columns)
