"""Adds up what a stream has done, from Spark's reports of its micro-batches.

    rows in, out, late     sums over micro-batches
    watermark, state       of the last micro-batch
    rows/s                 of the last micro-batch that had rows

Spark also reports when it has nothing to do: such a report has the number of the next
micro-batch and no `addBatch`, and is not counted.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from rich import filesize

_NONE_YET = "1970-01-01T00:00:00.000Z"  # where watermarks begin


class StreamTotals:
    """Totals of a stream; each report is added once."""

    def __init__(self) -> None:
        self.batches = self.rows_in = self.rows_out = self.late = 0
        self._seen = -1  # the last micro-batch that was added
        self._speed = 0.0
        self._watermark = _NONE_YET
        self._state = 0

    def missed(self, last: Mapping[str, Any] | None) -> bool:
        """Whether reports between the last one added and this are missing."""
        return last is not None and last["batchId"] > self._seen + 1

    def add(self, reports: Iterable[Mapping[str, Any]]) -> bool:
        """Add reports, oldest first; whether there was anything new."""
        before = self._seen
        for report in reports:
            is_batch = "addBatch" in report.get("durationMs", {})
            if is_batch and report["batchId"] > self._seen:
                self._add(report)
        return self._seen > before

    def _add(self, report: Mapping[str, Any]) -> None:
        self._seen = report["batchId"]
        self.batches += 1
        rows = report.get("numInputRows") or 0
        self.rows_in += rows
        if rows:
            self._speed = report.get("processedRowsPerSecond") or 0.0
        observed = report.get("observedMetrics", {}).get("windrow")
        if observed is not None:
            self.rows_out += observed["rows_out"] or 0
            self.late += observed["late_rows"] or 0
        self._watermark = report.get("eventTime", {}).get("watermark", self._watermark)
        operators = report["stateOperators"]
        self._state = sum(operator["memoryUsedBytes"] for operator in operators)

    def line(self) -> str:
        """One line for the terminal while the stream runs."""
        if self.batches == 0:
            return "waiting for the first micro-batch"
        return (
            f"{self._speed:,.0f} rows/s, watermark {_clock(self._watermark)}, "
            f"state {filesize.decimal(self._state)}, {self.late:,} late, "
            f"{self.rows_out:,} windows out"
        )

    def summary(self, seconds: float) -> str:
        """One line for the end of the stream."""
        return (
            f"{self.rows_in:,} rows in, {self.rows_out:,} rows out, "
            f"{self.late:,} late rows, {self.batches:,} micro-batches, {seconds:.1f} s"
        )


def _clock(instant: str) -> str:
    if instant == _NONE_YET:
        return "none yet"
    return f"{dt.datetime.fromisoformat(instant):%Y-%m-%d %H:%M:%S}Z"
