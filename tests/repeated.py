"""The windows that a step of a stream gives, where one row may stand for several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from windrow.windows.repeats import each_window


def as_windows(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Tables with a row for each window."""
    for table in tables:
        parts = [
            part
            for batch in table.combine_chunks().to_batches()
            for part in each_window(batch)
        ]
        yield pa.Table.from_batches(parts)
