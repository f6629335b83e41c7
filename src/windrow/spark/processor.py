"""The stateful operator of a stream: a bucket whose blobs are in Spark's state store.

Spark calls it once for each bucket that got rows, then once for each whose timer
fell due.  A bucket that keeps anything has one timer, a millisecond ahead of the
watermark: so all buckets are called in every micro-batch that moves the watermark,
rows or not.  A bucket that got rows has moved on already when its timer fires.

Where time goes on in silence, the timer is a millisecond ahead of the clock of the
micro-batch: Spark then runs micro-batches without rows as often as the trigger says,
and calls all buckets in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from windrow.state.codec import STATS

from .ship import worker_finder

BLOB = "blob"
STATE = "windrow"
OUTPUT = StructType(
    [
        StructField(BLOB, BinaryType()),
        *(StructField(name, LongType(), nullable=False) for name in STATS),
    ]
)
_NUMBER = StructType([StructField("number", LongType(), nullable=False)])
_VALUE = StructType([StructField(BLOB, BinaryType(), nullable=False)])


def processor(body: bytes, version: str, *, by_clock: bool) -> StatefulProcessor:
    """The operator for a task that travels as bytes; timers are `by_clock` or not."""
    find_worker = worker_finder(version)

    # nested, so that it is pickled by value: it must run where windrow is missing
    class WindrowProcessor(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.handle = handle
            self.state = handle.getMapState(STATE, _NUMBER, _VALUE)
            self.moved: dict[Any, bool] = {}

        def handleInputRows(  # noqa: N802 - Spark's names, here and below
            self,
            key: Any,
            rows: Iterable[Any],
            timerValues: Any,  # noqa: N803
        ) -> Iterator[Any]:
            blobs = [blob for frame in rows for blob in frame[BLOB]]
            yield from self.step(key, blobs, timerValues)

        def handleInitialState(  # noqa: N802
            self,
            key: Any,  # noqa: ARG002
            initialState: Any,  # noqa: N803
            timerValues: Any,  # noqa: N803
        ) -> None:
            worker = find_worker()
            blobs = list(initialState[BLOB])
            worker.load(body, version, worker.MapStore(self.state), blobs)
            self.set_timer(timerValues)

        def handleExpiredTimer(  # noqa: N802
            self,
            key: Any,
            timerValues: Any,  # noqa: N803
            expiredTimerInfo: Any,  # noqa: ARG002, N803
        ) -> Iterator[Any]:
            if key not in self.moved:
                yield from self.step(key, [], timerValues)
            if self.moved[key]:
                self.set_timer(timerValues)

        def step(self, key: Any, blobs: list[bytes], times: Any) -> Iterator[Any]:
            worker = find_worker()
            store = worker.MapStore(self.state)
            now, clock = (
                times.getCurrentWatermarkInMs(),
                times.getCurrentProcessingTimeInMs(),
            )
            yield from worker.step(body, version, store, blobs, now, clock)
            self.moved[key] = by_clock or store.has_header
            if self.moved[key] and not store.had_header:
                self.set_timer(times)

        def set_timer(self, times: Any) -> None:
            now = times.getCurrentWatermarkInMs()
            if by_clock:
                now = times.getCurrentProcessingTimeInMs()
            self.handle.registerTimer(now + 1)

        def close(self) -> None:
            pass

    return WindrowProcessor()
