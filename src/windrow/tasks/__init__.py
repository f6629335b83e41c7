"""One task of a distributed engine: Arrow batches in, Arrow batches out.

    task.py          the steps of a plan over tables: `Task`, a value that travels
    sweep.py         sorted batches, swept once: windows come out when complete
    panes.py         windows over slices            sashes.py    longer than a chunk
    blocks.py        count windows without a key    over.py      each row over its past
    spans.py         events with a duration         span_pieces.py   folded ones
    stream.py        the two ends of a stream's state

A task is data, resolved while the query was built: it executes and chooses nothing but
what a stretch of events with a duration tells (`plan.spans`).  It may know all that
runs in one process, and a stream's state; it does not know Spark.
"""
