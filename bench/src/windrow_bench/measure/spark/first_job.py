"""The first job on a fresh cluster of two executors, and the second, in one process.

    python -m windrow_bench.measure.spark.first_job ROWS

An identity `mapInArrow` over the same rows has started both Python workers before; the
kernel caches of driver and executors are empty.  Prints the seconds of both jobs, and
then of a third and fourth over other rows by Spark's own windows, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from windrow_bench.measure.race import timed
from windrow_bench.measure.session import SETTINGS, consume, read
from windrow_bench.measure.ticks import ticks_file

from .queries import our_windows, spark_windows

MASTER = "local-cluster[2,1,1024]"


def main(rows: int) -> list[float]:
    """Seconds of our first and second job, and of Spark's own two."""
    with tempfile.TemporaryDirectory(prefix="windrow-first-job-") as name:
        folder = Path(name)
        os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
        paths = os.pathsep.join(path for path in sys.path if path)
        executors = {
            "spark.executorEnv.PYTHONPATH": paths,
            "spark.executorEnv.WINDROW_CACHE_DIR": str(folder / "executors"),
            "spark.executor.memory": "1g",
            "spark.driver.memory": "2g",
        }
        os.environ["WINDROW_CACHE_DIR"] = str(folder / "driver")
        builder = SparkSession.builder.master(MASTER).appName("first job")
        spark = builder.config(map=SETTINGS | executors).getOrCreate()
        frame = read(spark, ticks_file(folder, rows, 1_000))
        consume(frame.mapInArrow(lambda batches: batches, frame.schema))
        took = [
            timed(lambda ask=ask: consume(ask(frame, 300, 1)))[0]  # type: ignore[misc]
            for ask in (our_windows, our_windows)
        ]
        took += [
            timed(lambda: consume(spark_windows(frame, 60, 30)))[0] for _ in range(2)
        ]
        spark.stop()
    return took


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(int(sys.argv[1]))) + "\n")
