"""WHERE a query runs on Spark: DataFrames in, lazy DataFrames out, no job started.

    entry         plans a call for a DataFrame, and hands it on
    aggregate     windows of a DataFrame       spans      ... of events with a duration
    over          rolling columns              stream     both, of a streaming DataFrame
    relation      what a CQL text asks for around them; its scalars are in `expressions`

    what a DataFrame passes
    1. columns are selected, keys are normalised        shuffle, keys
    2. rows are folded into slices                      partials, sql
    3. slices or rows are shuffled and sorted           shuffle, layout
    4. tasks run in Python workers                      ship, worker
    5. windows become the table that a user sees        result, schema
    and a stream, in place of 3 and 4                   buckets, processor, watermark

What the tasks do is in `tasks` and `state`, which know nothing of Spark.  This is the
only package that imports pyspark, and it uses what classic and Connect sessions have in
common.
"""

from . import relation
from .entry import aggregate, explain, explain_over, over

__all__ = ["aggregate", "explain", "explain_over", "over", "relation"]
