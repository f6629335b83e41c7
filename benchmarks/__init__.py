"""Windrow measured: beside one pass over memory, other libraries, and loops by hand.

    python -m benchmarks.run                 measure all but Spark, write RESULTS.md
    python -m benchmarks.run --only peers    one experiment, the others as they were
    python -m benchmarks.run --only spark    the same on Spark: make bench-spark
    python -m benchmarks.run --only stream   on a stream: make bench-stream
    python -m benchmarks.run --quick         smaller, and nothing is written

Every number is a ratio or a rate from one run in which the contenders took turns,
and an answer that is wrong has no number at all.
"""

import os

# One core each: set before polars or numba are imported, read only then.
ONE_CORE = dict.fromkeys(
    ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "WINDROW_THREADS"),
    "1",
)
os.environ.update(ONE_CORE)
