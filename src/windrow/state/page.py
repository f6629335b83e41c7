"""A page of rows, and what the header says of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from windrow.errors import StateError

from .codec import unpack
from .store import Store

Array = np.ndarray[Any, Any]


class Page(NamedTuple):
    """What the header says of a page: times are of its living rows.

    `to_come` is the least of them that is not final yet; `keys` is how many keys they
    have.
    """

    number: int
    rows: int
    dead: int
    least: int
    most: int
    to_come: int | None
    keys: int

    def falls_due(self, now: int) -> bool:
        """Whether a row becomes final when the watermark gets there."""
        return self.to_come is not None and self.to_come < now


def span_of(times: Array, since: int) -> dict[str, Any]:
    """What a page says of its times, where all before `since` are final."""
    ahead = times[times >= since]
    to_come = int(ahead.min()) if len(ahead) else None
    return {"least": int(times.min()), "most": int(times.max()), "to_come": to_come}


def read_page(store: Store, page: Page, schema: pa.Schema) -> pa.Table:
    """The rows of a page, all of them and in those columns, or an error."""
    blob = store.get(page.number)
    if blob is None:
        raise _broken(f"page {page.number} of a bucket is not there")
    rows, _ = unpack(blob, "rows")
    if not rows.schema.equals(schema):
        raise _broken(
            f"its rows have the columns {_said(rows.schema)}, "
            f"and this query keeps {_said(schema)}"
        )
    if len(rows) != page.rows:
        raise _broken(
            f"page {page.number} of a bucket has {len(rows)} rows and not {page.rows}"
        )
    return rows


def _said(schema: pa.Schema) -> str:
    return ", ".join(f"{one.name} {one.type}" for one in schema)


def _broken(cause: str) -> StateError:
    return StateError.because(
        "cannot go on from this checkpoint",
        cause,
        "see 'When a checkpoint cannot be read' in docs/streaming.md",
    )


__all__ = ["Page", "read_page", "span_of"]
