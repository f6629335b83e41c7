"""Runs one task of a distributed engine: Arrow batches in, Arrow batches out.

    task.py          the steps of a plan over tables: `Task`, which can be pickled
    sweep.py         sorted batches, read once: windows are results when complete
    sashes.py        windows over slices, also those longer than a chunk
    blocks.py        count windows without a key    over.py      each row over its past
    as_of.py         labels over the events before them
    as_of_chunks.py  the same where a key has very many events
    policies.py      windows by policy
    spans.py         events with a duration         span_pieces.py   folded
    stream.py        the two ends of a stream's state

The plan of a task was resolved when the query was built; only the technique for events
with a duration is chosen here, by their lengths (`plan.spans`).  A task may use all
that runs in one process, and a stream's state; it does not know Spark.
"""
