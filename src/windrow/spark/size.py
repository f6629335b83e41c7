"""Asks Spark how many bytes a DataFrame is about, without a job."""

from __future__ import annotations

from pyspark.sql import DataFrame


def size_of(frame: DataFrame) -> int | None:
    """What the optimiser knows: the bytes of files, of rows in memory; None on Connect.

    Where it knows nothing, behind a join for one, it says far too much.
    """
    plan = getattr(frame, "_jdf", None)
    if plan is None:
        return None
    stats = plan.queryExecution().optimizedPlan().stats()
    return int(str(stats.sizeInBytes()))
