"""LightSaber's Figure 12: end-to-end latency of the application queries, on a stream.

    file  -->  micro-batch: read, panes, windows, state, sink  -->  results
               |<-------------- latency --------------------->|

A row enters with its micro-batch and its results are out when the batch is committed.
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import ahead, among, places
from windrow_bench.experiment import (
    Claim,
    Experiment,
    Panel,
    Place,
    Row,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.libraries import load

from .applications import NEEDS

MODULE = "windrow_bench.measure.spark.stream_turns"
OURS, SPARK = "Windrow on a Spark stream", "Spark's own streaming windows"
PANEL = "latency"
QUICK = ("SG2", "YSB")
# Rows in quick runs: as many as let windows come to their end.
ROWS = {
    "CM1": 8_000,
    "CM2": 8_000,
    "SG1": 8_000,
    "SG2": 8_000,
    "LRB1": 8_000,
    "LRB2": 8_000,
    "YSB": 400_000,
}
ALONE = ("SG1",)  # of 3,600 windows a row: Spark does not come to an end
LEAST = 50.0  # milliseconds


def trials(size: Size) -> list[Trial]:
    """A trial for each query."""
    times, files = size.pick((1, 5), (10, 12))
    return [
        Trial(PANEL, name, partial(_run, name, times * ROWS[name], files))
        for name in size.pick(QUICK, tuple(ROWS))
    ]


def _run(name: str, rows: int, files: int, _: float) -> list[Row]:
    who = (OURS,) if name in ALONE else (OURS, SPARK)
    found: list[Row] = load(MODULE).latencies(PANEL, name, rows, files, who)
    return found


def _low(rows: RowSet) -> Verdict:
    """Whether every query of those named stays below the paper's milliseconds."""
    where = among("SG1", "SG2", "LRB1", "LRB2")
    found: dict[Place, float] = {
        x: rows.value(PANEL, x, OURS) for x in places(rows, PANEL, where)
    }
    worst = max(found, key=lambda x: found[x])
    return Verdict(
        f"{found[worst]:,.0f} ms at the most ({worst})", found[worst] < LEAST
    )


MICRO_BATCHES = (
    "a micro-batch engine plans a job, and commits offsets and state, at every "
    "trigger, which takes hundreds of milliseconds whatever the query; LightSaber "
    "keeps all of it in the memory of one process"
)
LATENCY = Experiment(
    name="lightsaber-figure-12",
    paper="LightSaber",
    shows="Figure 12",
    title="Application queries on a stream: latency of a micro-batch",
    workload=(
        "a file a trigger, as fast as they can be taken, RocksDB for state; from the "
        "start of a micro-batch to its end, without the first two; SG1 by Windrow "
        "alone; two of the queries in quick runs"
    ),
    panels=(
        Panel(
            name=PANEL,
            x="query",
            y="a micro-batch (ms)",
            kind="bars",
            log_y=True,
            more_is_better=False,
        ),
    ),
    claims=(
        Claim(
            "The mean latency stays below 50 ms in SG1-2 and LRB1-2.",
            "below 50 ms",
            _low,
            MICRO_BATCHES,
        ),
        Claim(
            "On YSB latency is an order of magnitude below that of other engines.",
            "132 µs, 10x below",
            ahead(PANEL, OURS, (SPARK,), times=10, where=among("YSB"), less=True),
            MICRO_BATCHES,
        ),
    ),
    trials=trials,
    needs=NEEDS,
    threads=0,
    share=2.0,
)
