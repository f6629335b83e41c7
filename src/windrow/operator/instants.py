"""Instants as ticks, and back: what comes out is of the kind that went in.

whole numbers          themselves, where ranges are plain numbers
datetime, datetime64   nanoseconds since 1970, where ranges are durations
"""

from __future__ import annotations

import datetime as dt
import numbers
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.columns import plain_array
from windrow.errors import BadInput

Array = np.ndarray[Any, Any]
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


class Instants:
    """How the instants of one operator are read and written."""

    def __init__(self, *, numeric: bool) -> None:
        self.numeric = numeric
        self.zoned = False

    def tick(self, at: Any) -> int:
        """One instant as a tick."""
        if self.numeric:
            if isinstance(at, numbers.Integral) and not isinstance(at, bool):
                return int(at)
            raise self._refuse(at)
        if isinstance(at, dt.datetime):
            self.zoned = at.tzinfo is not None
            zoned = at if self.zoned else at.replace(tzinfo=dt.UTC)
            exact = (zoned - _EPOCH) // _MICROSECOND * 1000
            return exact + int(getattr(at, "nanosecond", 0))
        if isinstance(at, np.datetime64):
            return int(at.astype("datetime64[ns]").astype(np.int64))
        raise self._refuse(at)

    def ticks(self, at: Any) -> Array:
        """Many instants as ticks."""
        array = at if isinstance(at, np.ndarray) else None
        if array is None or array.dtype.kind not in "iuM":
            array = _numpy(at)
        if self.numeric == (array.dtype.kind == "M") or array.dtype.kind not in "iuM":
            raise self._refuse(at)
        if array.dtype.kind == "M":
            array = array.astype("datetime64[ns]")
        return np.ascontiguousarray(array).astype(np.int64, copy=False)

    def back(self, tick: int) -> Any:
        """An instant as the user writes it."""
        if self.numeric:
            return tick
        at = _EPOCH + (tick // 1000) * _MICROSECOND
        return at if self.zoned else at.replace(tzinfo=None)

    def column(self, ticks: Array) -> pa.Array:
        """Instants as an Arrow column."""
        if self.numeric:
            return pa.array(ticks)
        zone = "UTC" if self.zoned else None
        return pa.array(ticks.astype("datetime64[ns]")).cast(pa.timestamp("ns", zone))

    def _refuse(self, at: Any) -> BadInput:
        hint = (
            "its range is a plain number: give whole numbers"
            if self.numeric
            else "its range is a duration: give datetimes"
        )
        return BadInput.because(
            f"cannot place an event at {at!r}",
            f"it is of type {type(at).__name__}",
            hint,
        )


def _numpy(at: Any) -> Array:
    column = at if isinstance(at, (pa.Array, pa.ChunkedArray)) else pa.array(at)
    found: Array = plain_array(column).to_numpy(zero_copy_only=False)
    return found


__all__ = ["Instants"]
