"""What a stream must have before it can be kept: a watermark, and RocksDB."""

from __future__ import annotations

from pyspark.sql import DataFrame

from windrow.errors import BadInput
from windrow.plan.aggregate import Plan
from windrow.plan.over import OverPlan

from .schema import field_of

DELAY = "spark.watermarkDelayMs"  # in the metadata of a column
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def check_stream(frame: DataFrame, plan: Plan | OverPlan, late: str) -> int:
    """Refuse a stream that cannot be kept; the watermark's delay in ticks."""
    if plan.clock is None:
        return 0
    on = plan.clock.column
    delay = field_of(frame, on).metadata.get(DELAY)
    if delay is None:
        others = [f.name for f in frame.schema if DELAY in f.metadata]
        raise BadInput.because(
            f"cannot tell when a window over column {on!r} of a stream is complete",
            f"the watermark is on {', '.join(others)}"
            if others
            else "the stream has no watermark",
            f"call .withWatermark({on!r}, '10 minutes') on it first",
        )
    if late == "keep":
        taken = [*plan.by, *(bound.name for bound in plan.calls)]
        if isinstance(plan, OverPlan):
            taken += frame.columns
        if "late" in taken:
            raise BadInput.because(
                "cannot give late rows back in column 'late'",
                "the result has a column of that name already",
                'rename that one, or use late="drop"',
            )
    if frame.sparkSession.conf.get(PROVIDER) != ROCKSDB:
        raise BadInput.because(
            "cannot keep the state of a stream",
            "the session's state store is not RocksDB, which stateful Python needs",
            f'call spark.conf.set("{PROVIDER}", "{ROCKSDB}") first',
        )
    return int(delay) * 10**6 // plan.clock.tick


__all__ = ["PROVIDER", "ROCKSDB", "check_stream"]
