"""Rows without a key, in blocks that several tasks can work on.

Nothing is known of the data while a query is built, so the layout is part of the
query: two small aggregations that run before the main job reads a row.

    times     . .. ...... .    .  ..... .   .
    buckets   |    |    |    |    |    |    |       equal stretches of time, counted
    blocks    |         |              |           buckets until a block has enough rows
    halo               ==             =             buckets that the next block looks at

A block gets its own buckets, and as halo those before it that its first rows can see.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from windrow.tasks.blocks import AT, BLOCK, HALO, TOTAL

from . import sql
from .schema import field_of, quoted

BUCKETS = 4096
PER_PARTITION = 4  # blocks, so that two in one partition do not matter


def in_blocks(
    frame: DataFrame,
    on: str,
    *,
    rows: tuple[int, int],
    ticks: tuple[int, int] | None = None,
) -> DataFrame:
    """The rows of a frame, some of them several times, with the block that gets them.

    `rows` is how many rows before and after a block are in its halo at least, `ticks`
    how much time (None: by number only).  New columns: `block`; `halo`, whether the
    row is there to be looked at only; `at`, how many rows of the frame stand before
    its bucket; `total`, how many there are.
    """
    blocks = PER_PARTITION * max(
        2, int(str(frame.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    )
    time = sql.ticks(quoted(on), field_of(frame, on).dataType)
    span = frame.select(F.expr(time).alias("t")).agg(
        F.min("t").alias("least"),
        F.expr(f"greatest(1L, (max(t) - min(t)) div {BUCKETS}L + 1L)").alias("width"),
    )
    bucket = "coalesce((t - least) div width, -1L)"
    spread = frame.crossJoin(F.broadcast(span)).withColumn("t", F.expr(time))
    spread = spread.withColumn("bucket", F.expr(bucket)).drop("least", "width")
    counted = spread.groupBy("bucket").agg(
        F.count("*").alias("n"), F.min("t").alias("first"), F.max("t").alias("last")
    )
    layout = _layout(counted, blocks, rows, ticks)
    return spread.drop("t").join(F.broadcast(layout), "bucket").drop("bucket")


def _layout(
    counted: DataFrame,
    blocks: int,
    rows: tuple[int, int],
    ticks: tuple[int, int] | None,
) -> DataFrame:
    """Which bucket goes to which blocks."""
    before = Window.orderBy("bucket").rowsBetween(Window.unboundedPreceding, -1)
    whole = Window.orderBy("bucket").rowsBetween(
        Window.unboundedPreceding, Window.unboundedFollowing
    )
    placed = counted.select(
        "*",
        F.coalesce(F.sum("n").over(before), F.lit(0)).cast("bigint").alias(AT),
        F.sum("n").over(whole).alias(TOTAL),
    )
    size = f"greatest({4 * sum(rows)}L, {TOTAL} div {blocks}L + 1L)"
    placed = placed.withColumn(BLOCK, F.expr(f"{AT} div {size}"))
    starts = placed.groupBy(F.col(BLOCK).alias("to")).agg(
        F.min(AT).alias("start"),
        F.max(F.expr(f"{AT} + n")).alias("stop"),
        F.min("first").alias("since"),
        F.max("last").alias("until"),
    )
    back, ahead = f"{AT} + n > start - {rows[0]}L", f"{AT} < stop + {rows[1]}L"
    if ticks is not None:
        back = f"({back} or last >= since - {ticks[0]}L)"
        ahead = f"({ahead} or first <= until + {ticks[1]}L)"
    seen_by = f"{BLOCK} < to and {back}"
    if rows[1] or (ticks is not None and ticks[1]):
        seen_by = f"({seen_by}) or ({BLOCK} > to and {ahead})"
    halo = placed.join(F.broadcast(starts), F.expr(seen_by))
    own = placed.select("bucket", BLOCK, F.lit(False).alias(HALO), AT, TOTAL)
    seen = halo.select(
        "bucket", F.col("to").alias(BLOCK), F.lit(True).alias(HALO), AT, TOTAL
    )
    return own.unionAll(seen)
