"""Sets the watermark of a stream, so that no row can move it too far ahead.

Spark moves a watermark by the newest time that comes, before anybody can look at the
row, and never moves it back: one row from the year 9999 would close all windows for
ever.  So the watermark is set on a copy of the time that is null where a row is too far
ahead of the micro-batch's clock, which Spark keeps in its log: a restart sees the same
copy.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from windrow.plan.stream_clock import StreamClock

from .schema import quoted

CLOCK = "windrow clock"


def with_watermark(frame: DataFrame, on: str, clock: StreamClock) -> DataFrame:
    """The stream with the watermark asked for; with `ahead` in one more column."""
    if clock.watermark is None:
        return frame
    delay = f"{clock.watermark.amount // 10**6} milliseconds"
    if clock.ahead is None:
        return frame.withWatermark(quoted(on), delay)
    time, ahead = F.col(quoted(on)), clock.ahead.amount // 1000
    most = F.expr(f"unix_micros(current_timestamp()) + {ahead}L")
    near = F.unix_micros(time.cast("timestamp")) <= most
    return frame.withColumn(CLOCK, F.when(near, time)).withWatermark(
        quoted(CLOCK), delay
    )
