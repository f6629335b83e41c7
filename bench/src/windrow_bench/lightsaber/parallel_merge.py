"""LightSaber's Figure 13: sashes merged by one worker, or by all of them.

speed-up    ^         * all merge
            |      *
            |   *  o  o   one merges: what it does is not shared out
            | o
            +-------------> workers
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial

import pyarrow as pa

import windrow as wr
from windrow_bench._claims import ahead
from windrow_bench.experiment import (
    Claim,
    Experiment,
    Panel,
    Row,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.applications import APPLICATIONS, SECOND, Application
from windrow_bench.measure.machine import usable_cores
from windrow_bench.measure.race import Contender
from windrow_bench.measure.sash_merge import SashTree, pool_of
from windrow_bench.measure.turns import in_turns

QUERIES = ("SG2", "LRB1")
ALL, ONE, ALONE = "all merge", "one merges", "one worker"
LAZY = "lazy slicing, by key"
PAPER = 16  # cores
RANGES = 4, 20  # of stream: quick, and full, which takes 5 GB (60: more than 16)


def trials(size: Size) -> list[Trial]:
    """A trial for each query and number of workers."""
    cores = usable_cores()
    counts = sorted({min(count, cores) for count in (1, 2, 4, 8, PAPER)} | {cores})
    return [
        Trial(name, workers, partial(_run, APPLICATIONS[name], workers, size))
        for name in QUERIES
        for workers in counts
    ]


def _run(one: Application, workers: int, size: Size, seconds: float) -> list[Row]:
    stream = one.stream(size.pick(*RANGES) * one.range)
    chunk = one.range * SECOND // 2
    tree = SashTree.of(stream, one.window, one.by, one.call, chunk)
    expected = wr.aggregate(stream, one.window, by=list(one.by), result=one.call)
    with pool_of(tree, workers) as pool:
        calls: dict[str, Callable[[], pa.Table]] = {
            ALONE: tree.by_one,
            ONE: partial(tree.by_all, pool, workers, all_merge=False),
            ALL: partial(tree.by_all, pool, workers, all_merge=True),
            LAZY: partial(tree.lazily, pool, workers),
        }
        check = partial(_check, tree, expected)
        contenders = [Contender(n, c, partial(check, n)) for n, c in calls.items()]
        times, _ = in_turns(contenders, size.rounds, seconds)
    alone = statistics.median(times[ALONE])
    rows = []
    for name in (ALL, ONE, LAZY):
        ups = sorted(alone / took for took in times[name])
        rate = len(stream) / statistics.median(times[name])
        facts = {"rows_a_second": rate, "rows": len(stream)}
        middle = statistics.median(ups)
        rows.append(
            Row(one.name, workers, name, middle, ups[0], ups[-1], len(ups), facts)
        )
    return rows


def _check(tree: SashTree, expected: pa.Table, name: str, found: pa.Table) -> None:
    """The windows that `wr.aggregate` gives, which come by key and window."""
    actual = found.sort_by([(name, "ascending") for name in (*tree.keys, "start")])
    same = len(actual) == len(expected)
    if same:
        pairs = zip(tree.keys, tree.tree.plan.by, strict=True)
        same = all(actual[key].equals(expected[by]) for key, by in pairs)
        mine, theirs = (t.to_numpy() for t in (actual["r0"], expected["result"]))
        same = same and bool((abs(mine - theirs) <= 1e-9 * abs(theirs)).all())
    if not same:
        raise WrongAnswer(f"{name}: these are not the windows of wr.aggregate")


def _gains(query: str) -> Callable[[RowSet], Verdict]:
    def judge(rows: RowSet) -> Verdict:
        most = max((x for x in rows.xs(query) if not isinstance(x, str)), default=0)
        ratio = rows.ratio(query, most, ALL, ONE)
        text = f"{ratio:.2f}x with {most:g} workers"
        if most < 2:
            return Verdict(text, None, "there is one core: nothing runs in parallel")
        return Verdict(text, ratio > 1.0)

    return judge


PARALLEL_MERGE = Experiment(
    name="lightsaber-figure-13",
    paper="LightSaber",
    shows="Figure 13",
    title="Parallel merge, on and off",
    workload="mean load by plug over 128 seconds (SG2) and mean speed by road segment "
    "over 300 seconds (LRB1), slides of one second. Keys are split into chunks of half "
    "a window; workers are processes, which make panes and sashes of their chunks, and "
    "then either the first process merges all sashes into windows, or each worker "
    "those of its share of the keys. What goes from process to process is copied. "
    "Lazy slicing stands for Scotty: each worker has its share of the keys from the "
    "start, and recomputes every window from its slices. SABER has no counterpart.",
    panels=tuple(
        Panel(name=one, x="workers", y="speed-up over one worker") for one in QUERIES
    ),
    claims=(
        Claim(
            "SG2 gains where all workers merge.",
            "3x the speed-up, on 16 cores",
            _gains("SG2"),
        ),
        Claim(
            "LRB1 gains where all workers merge.",
            "2x the speed-up, on 16 cores",
            _gains("LRB1"),
        ),
        *(
            Claim(
                f"{one}: lazy slicing scales, and stays six times behind.",
                "more than 6x behind",
                ahead(one, ALL, (LAZY,), times=6.0),
                "lazy slicing is one loop over a worker's own rows here, while "
                "panes and sashes are sorted, and travel from process to process",
            )
            for one in QUERIES
        ),
    ),
    trials=trials,
    threads=0,
)
