"""Windrow on Spark streams, beside Spark's own streaming window() and beside itself.

    stream            sum, max and count by key and window, both sides
    stream-flat       many small micro-batches: a minute or an hour, early or late
    stream-keyless    a stream without keys, on two cores and on one
    stream-late       5 % of the rows late, and none
    stream-sketches   distinct values over 10 minutes to a day

Parquet files in, RocksDB between, a sink that adds up every column of every row.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

from windrow_bench._claims import among
from windrow_bench.experiment import Row, Size, Trial
from windrow_bench.libraries import load

from ._bar import (
    ON_STREAMS,
    OURS,
    SPARK,
    bar,
    cost,
    growth,
    number_row,
    panel,
    rates,
    speed,
)

FOLDER = "windrow_bench.measure.spark."
ROWS = 2_000_000
OWN_FILES = 4  # of ten, that Spark's own windows get: 45 s each at 2,000 keys
RESULTS = ["total", "highest", "n"]
# keys, range, seconds of a whole load, rows of a quick run, the bar
CASES: dict[str, tuple[int, int, int, int, float]] = {
    "8 keys, 60 s / 1 s": (8, 60, 19_000, 16_000, 1.5),
    "8 keys, 300 s / 1 s": (8, 300, 19_000, 16_000, 4.0),
    "2,000 keys, 60 s / 1 s": (2_000, 60, 19_000, 16_000, 20.0),
}
on_streams = partial(bar, group=ON_STREAMS, share=4.0)


def _load(rows: int, files: int, keys: int, whole: int, late: float = 0.0) -> Any:
    """Fewer rows are the same rate for less long."""
    seconds = max(whole * rows // ROWS, 1)
    return load(FOLDER + "stream_load").StreamLoad(rows, files, keys, seconds, late)


def _course(stream: Any, form: str, asked: tuple[int, ...], **more: Any) -> Any:
    turns = load(FOLDER + "stream_turns")
    values = ["n"] if form == "distinct" else RESULTS
    return turns.course(stream, getattr(turns, form)(*asked), values, **more)


def _beside(name: str, size: Size, _: float) -> list[Row]:
    keys, range_, whole, quick, _bar = CASES[name]
    stream = _load(size.pick(quick, ROWS), size.pick(5, 10), keys, whole)
    turns = load(FOLDER + "stream_turns")
    files = min(OWN_FILES, stream.files)
    sides = OURS, SPARK, files
    rows: list[Row] = turns.throughputs("both", name, stream, (range_, 1), *sides)
    return [replace(r, facts={**r.facts, "shrunk": size.quick}) for r in rows]


STREAM = on_streams(
    "stream",
    "Sliding windows on a stream, beside Spark's own",
    "2 million rows (16,000 in a quick run) up to 5 s astray, a watermark of 10 s; a "
    "file a trigger; Spark's own gets the first 4 of 10 files, in micro-batches of as "
    "many rows; the first two micro-batches, which warm up, are left out",
    [rates("both", "keys, range / slide", "rows a second (thousands)", kind="bars",
           log_x=False)],
    [
        speed(f"{name}: at least {least:g} times as fast as Spark's own.",
              "both", OURS, (SPARK,), least, rate=True, where=among(name))
        for name, (*_, least) in CASES.items()
    ],
    lambda size: [Trial("both", name, partial(_beside, name, size)) for name in CASES],
)  # fmt: skip

MINUTE, HOUR = 60, 3_600
FLAT_ROWS = 1_300_000  # within 19,500 s: an hour is full before the second fifth
EARLY, LATE, LONGEST, MEDIAN = "early", "late", "longest", "median"


def _flat(range_: int, size: Size, _: float) -> list[Row]:
    """The second fifth of the micro-batches, when state is full, beside the last."""
    files = size.pick(20, 100)
    stream = _load(size.pick(40_000, FLAT_ROWS), files, 200, 30_000)
    fifth = files // 5
    places = [start + i for start in (fifth, files - fifth) for i in (0, fifth // 2)]
    found = _course(stream, "windows", (range_,), look_at=places)
    took = [one.seconds for one in found.busy]
    fifth = len(took) // 5
    seconds = {
        MEDIAN: median(took[fifth:]),
        EARLY: median(took[fifth : 2 * fifth]),
        LATE: median(took[-fifth:]),
        LONGEST: max(took[1:]),
    }
    live = [found.kept[place] / 2**20 for place in places]
    state = {EARLY: median(live[:2]), LATE: median(live[2:])}
    return [
        *(number_row("time", range_, n, [v], size) for n, v in seconds.items()),
        *(number_row("state", range_, n, [v], size) for n, v in state.items()),
    ]


FLAT = on_streams(
    "stream-flat",
    "A long run of small micro-batches: the window may be short or an hour",
    "100 micro-batches (20 in a quick run) of a file each, 1.3 million rows of 200 "
    "keys in every window; state is the live bytes, read back from the checkpoint",
    [panel("time", "range (s)", "seconds of a micro-batch"),
     panel("state", "range (s)", "MiB")],
    [
        growth("A micro-batch at an hour takes at most 1.3 times one at a minute.",
               "time", MEDIAN, 1.3),
        cost("Micro-batches creep up by at most a fifth.", "time", LATE, (EARLY,), 1.2),
        cost("State creeps up by at most a fifth.", "state", LATE, (EARLY,), 1.2),
        cost("The longest micro-batch is at most three times the median.",
             "time", LONGEST, (MEDIAN,), 3.0),
    ],
    lambda size: [
        Trial("time", range_, partial(_flat, range_, size)) for range_ in (MINUTE, HOUR)
    ],
)  # fmt: skip


def _alone(
    panel: str,
    x: int | str,
    sides: dict[str, dict[str, Any]],
    size: Size,
    _: float,
) -> list[Row]:
    """Seconds of a micro-batch, side by side; several sides run first to warm up."""
    took: dict[str, list[float]] = {}
    for _turn in range(min(len(sides), 2)):
        for name, given in sides.items():
            took[name] = [one.seconds for one in _course(**given).busy]
    return [number_row(panel, x, name, times, size) for name, times in took.items()]


KEYLESS_ROWS = 24_000_000  # a micro-batch of 3 million: what is folded by tasks
SECONDS = 19_000
AT_ONCE = 2  # files, of which a task reads one


def _keyless(size: Size) -> list[Trial]:
    rows, files = size.pick((40_000, 12), (KEYLESS_ROWS, 16))
    whole = size.pick(400, SECONDS) * ROWS // rows
    stream = partial(_load, rows, files, 8, whole)
    return [
        Trial("cores", "60 s / 1 s", lambda seconds: _alone("cores", "60 s / 1 s", {
            f"{cores} cores": {"stream": stream(), "form": "keyless", "asked": (60,),
                               "cores": cores, "at_once": AT_ONCE}
            for cores in (2, 1)
        }, size, seconds))
    ]  # fmt: skip


KEYLESS = on_streams(
    "stream-keyless",
    "A stream without keys, on two cores and on one",
    "24 million rows (40,000 in a quick run) in 8 micro-batches of two files, sum, max "
    "and count of 60 s / 1 s; Spark and its Python workers stay on so many cores",
    [panel("cores", "window", "seconds of a micro-batch")],
    [speed("On two cores it is 1.5 times as fast as on one.",
           "cores", "2 cores", ("1 cores",), 1.5)],
    _keyless,
)  # fmt: skip


def _late(size: Size) -> list[Trial]:
    stream = partial(_load, size.pick(40_000, ROWS), size.pick(6, 20), 2_000, 19_000)
    return [
        Trial("late", "60 s / 1 s", lambda seconds: _alone("late", "60 s / 1 s", {
            name: {"stream": stream(share), "form": "windows", "asked": (60,)}
            for name, share in (("none late", 0.0), ("5 % late", 0.05))
        }, size, seconds))
    ]  # fmt: skip


LATE_ROWS = on_streams(
    "stream-late",
    "A stream with 5 % late rows, and with none",
    "2 million rows (40,000 in a quick run) of 2,000 keys, 60 s / 1 s; late rows are "
    "up to a minute behind the watermark",
    [panel("late", "window", "seconds of a micro-batch")],
    [cost("5 % late rows cost at most 30 % more time.",
          "late", "5 % late", ("none late",), 1.3)],
    _late,
)  # fmt: skip


def _sketches(size: Size) -> list[Trial]:
    stream = partial(_load, size.pick(20_000, ROWS), size.pick(6, 60),
                     size.pick(20, 2_000), 110_000)  # fmt: skip
    return [
        Trial("range", range_, lambda seconds, r=range_: _alone("range", r, {  # type: ignore[misc]
            OURS: {"stream": stream(), "form": "distinct", "asked": (r, 10)}
        }, size, seconds))
        for range_ in size.pick((60, 600), (600, 3_600, 86_400))
    ]  # fmt: skip


SKETCHED = on_streams(
    "stream-sketches",
    "Distinct values on a stream, by the length of the window",
    "2,000 keys, 2 million rows within 30 hours (fewer in a quick run), "
    "approx_distinct every 10 s",
    [panel("range", "range (s)", "seconds of a micro-batch")],
    [growth("From 10 minutes to a day a micro-batch takes at most 1.3 times as long.",
            "range", OURS, 1.3, spread=True)],
    _sketches,
)  # fmt: skip

EXPERIMENTS = (STREAM, FLAT, KEYLESS, LATE_ROWS, SKETCHED)
