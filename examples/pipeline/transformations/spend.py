"""Two tables of a declarative pipeline: payments as they come, and windows over them.

Each run takes the files that are new; a window is added once it is complete.
"""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

import windrow as wr

spark = SparkSession.active()
reader = spark.readStream.schema("at timestamp, card string, amount bigint")
rows = reader.json(str(spark.conf.get("example.payments")))

# Out here: Spark analyses nothing inside of a query function, and windrow plans by the
# schema of its rows.  For the same reason it reads the files, not the table payments.
windows = wr.aggregate(
    rows,
    wr.sliding("10 minutes", every="1 minute", on="at"),
    by="card",
    watermark="0 seconds",
    total=wr.sum("amount"),
    most=wr.max("amount"),
)


@dp.table
def payments() -> DataFrame:
    """Payments as they come."""
    return rows


@dp.table
def spend() -> DataFrame:
    """What each card spent within ten minutes, every minute."""
    return windows
