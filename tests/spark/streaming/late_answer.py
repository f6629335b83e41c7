"""The answer with late rows given back, by the watermarks that a query has had.

    micro-batch      0       1       2          a file each
    watermark        0      w1      w2          in the checkpoint's log of offsets
    rows that came   [..]   [..]    [..]
    windows out              0      w1          when they came: those that end by then

A row counts in its windows that are not out when it comes, and comes back if it missed
one.  Watermarks are read and not worked out: Spark's sink of files passes over a
micro-batch that was killed between the sink's commit and the query's, and then the rows
of that micro-batch do not move the watermark.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

import windrow as wr
from windrow.loops import interpreting

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_OPENS = "window opens"
Row = dict[str, Any]


def watermarks_of(checkpoint: Path) -> list[dt.datetime]:
    """The watermark of each micro-batch of a query with one stream."""
    numbers = sorted(
        int(path.name)
        for path in (checkpoint / "offsets").iterdir()
        if path.name.isdigit()
    )
    assert numbers == list(range(len(numbers)))
    logs = [(checkpoint / "offsets" / str(n)).read_text() for n in numbers]
    facts = [json.loads(log.splitlines()[1]) for log in logs]
    return [
        _EPOCH + dt.timedelta(milliseconds=fact["batchWatermarkMs"]) for fact in facts
    ]


def answer_with_late_rows(
    batches: Sequence[pa.Table],
    watermarks: Sequence[dt.datetime],
    windows: Sequence[Any],
    keys: list[str],
    calls: dict[str, Any],
) -> list[Row]:
    """The rows of a list of windows, and those that missed one in column `late`."""
    found: list[Row] = []
    counted: list[list[Row]] = [[] for _ in windows]
    for number, batch in enumerate(batches):
        out = watermarks[max(number - 1, 0)]
        for row in batch.to_pylist():
            if row["at"] is None:
                continue
            missed = False
            for window, rows in zip(windows, counted, strict=True):
                for opens in _opens(window, row["at"]):
                    ends = opens + _length(window.range)
                    missed |= ends <= out
                    if out < ends <= watermarks[-1]:
                        rows.append(row | {_OPENS: opens})
            if missed:
                own = {name: row[name] for name in keys}
                own |= {"query": None, "window": None, **dict.fromkeys(calls)}
                found.append(own | {"late": row})
    for number, (window, rows) in enumerate(zip(windows, counted, strict=True)):
        found += _aggregated(rows, batches[0].schema, window, number, keys, calls)
    return found


def named(rows: Sequence[Row]) -> list[Row]:
    """The rows with one more column, `id`, which tells late rows of a key apart."""
    return [{"id": row["late"] and row["late"]["id"], **row} for row in rows]


def _opens(window: Any, at: dt.datetime) -> list[dt.datetime]:
    """Where the windows open that hold an instant."""
    slide, offset = _length(window.slide), _length(window.offset)
    last = _EPOCH + offset + (at - _EPOCH - offset) // slide * slide
    count = -(-_length(window.range) // slide)
    opens = [last - number * slide for number in range(count)]
    return [begin for begin in opens if at < begin + _length(window.range)]


def _length(duration: Any) -> dt.timedelta:
    return dt.timedelta(microseconds=duration.amount // 1000)


def _aggregated(
    rows: list[Row],
    schema: pa.Schema,
    window: Any,
    number: int,
    keys: list[str],
    calls: dict[str, Any],
) -> list[Row]:
    """One row for each key and window, of rows that say in which window they are."""
    placed = schema.append(pa.field(_OPENS, pa.timestamp("us", "UTC")))
    instant = wr.sliding("1 microsecond", on=_OPENS)
    with interpreting():
        table = pa.Table.from_pylist(rows, placed)
        results = wr.aggregate(table, instant, by=keys, aggregates=calls).to_pylist()
    for row in results:
        start = row.pop("window")["start"]
        values = {name: row.pop(name) for name in calls}
        ends = start + _length(window.range)
        row |= {"query": number, "window": {"start": start, "end": ends}}
        row |= {**values, "late": None}
    return results
