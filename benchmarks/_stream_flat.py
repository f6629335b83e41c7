"""A long run of many small micro-batches: the window may be short or an hour.

Every key has a row every few seconds, so that each is in each window from the start:
a micro-batch has as many rows out at an hour as at a minute, and what differs between
the two is what the window itself costs.
"""

from __future__ import annotations

from pathlib import Path

from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.spark.stream_load import StreamLoad

from ._report import Bar, Table
from ._settings import FULL, Settings
from ._spark_turns import OURS, Part, Say
from ._stream_answers import by_numpy, check_same
from ._stream_progress import Course, batches, places
from ._stream_turns import ask

KEYS, SECONDS, SLIDE = 200, 30_000, 1
MINUTE, HOUR = 60, 3_600
CHANGED, CREPT, LONGEST = 1.3, 1.2, 3.0
FEW, REHEARSED = 8, 20_000  # files and rows before the run: the JVM is warm then
MIB = 2**20
HEADER = [
    *("window", "median micro-batch (s)", "batches 20-40 (s)", "last 20 (s)"),
    *("longest (s)", "state, batches 20-40 (MiB)", "state, last 20 (MiB)"),
    "RocksDB at the end (MiB)",
]


def run(folder: Path, settings: Settings, say: Say) -> Part:
    """One file a trigger, at a minute and at an hour."""
    seconds = SECONDS * settings.stream_rows // FULL.stream_rows
    load = StreamLoad(settings.stream_rows, settings.stream_batches, KEYS, seconds)
    source = load.write(folder)
    warm = StreamLoad(REHEARSED, FEW, KEYS, seconds * REHEARSED // load.rows)
    before = warm.write(folder)
    courses: dict[int, Course] = {}
    rows_out: dict[int, int] = {}
    for range_ in (MINUTE, HOUR):
        name = f"{range_:,} s / {SLIDE} s"
        look_at = places(settings.stream_batches)
        found = ask(OURS, (range_, SLIDE), source, 1, say, before, look_at)
        check_same(f"{name}, {OURS}", found.sums, by_numpy(load, range_, SLIDE))
        courses[range_] = Course.of(batches(found.progress), found.kept)
        rows_out[range_] = found.sums["rows"]
        say(f"{name}: {found.whole:.1f} s, {courses[range_]}")
    if len(set(rows_out.values())) > 1:
        raise WrongAnswer(f"the load is not dense enough: rows out {rows_out}")
    title = f"{settings.stream_batches} micro-batches of one file, {KEYS} keys, windrow"
    rows = [_row(range_, course) for range_, course in courses.items()]
    return Part(
        [Table(title, HEADER, rows)],
        _bars(courses),
        [
            (
                f"Flat: {load.rows:,} rows of {KEYS} keys within {seconds:,} s, each "
                "key in each window from the start, so that both windows have "
                f"{rows_out[HOUR]:,} rows out; medians leave out the first fifth of "
                "the batches, when state fills; the longest, the first three; the JVM "
                "is warm as elsewhere. State is the bytes of live blobs, read back "
                "from the checkpoint at three batches of the second fifth and three "
                "of the last; RocksDB's own count, memory and files, has overwritten "
                "blobs too until it compacts."
            )
        ],
    )


def _row(range_: int, one: Course) -> list[object]:
    return [
        f"{range_:,} s / {SLIDE} s",
        *(one.median, one.early, one.late, one.longest),
        *(one.early_state / MIB, one.late_state / MIB, one.rocksdb / MIB),
    ]


def _bars(courses: dict[int, Course]) -> list[Bar]:
    changed = courses[HOUR].median / courses[MINUTE].median
    text = f"flat: {HOUR:,} s / {SLIDE} s, micro-batch as a multiple of {MINUTE} s"
    bars = [Bar(text, changed, CHANGED, at_least=False)]
    for range_, one in courses.items():
        name = f"flat: {range_:,} s / {SLIDE} s"
        ratios = {
            "micro-batch time creeps up to": (one.late / one.early, CREPT),
            "state bytes creep up to": (one.late_state / one.early_state, CREPT),
            "longest micro-batch to the median": (one.longest / one.median, LONGEST),
        }
        bars += [
            Bar(f"{name}: {what}", value, limit, at_least=False)
            for what, (value, limit) in ratios.items()
        ]
    return bars
