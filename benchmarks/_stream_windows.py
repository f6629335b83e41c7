"""Sliding windows on a stream, beside Spark's own streaming `window()`.

Spark keeps a row of state for each key and window: 60 for each key at 60 s / 1 s, and
touches them all for each row.  Ours is checked on few rows first, against numpy: that
also compiles the kernels, once for the machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.spark.stream_load import StreamLoad

from ._report import Bar, Table
from ._settings import FULL, Settings
from ._spark_turns import OURS, SPARK, Part, Say
from ._stream_answers import Sums, by_numpy, check_same
from ._stream_progress import batches
from ._stream_side import Answer
from ._stream_turns import NoAnswer, ask

FILES, FILES_A_TRIGGER = 8, 2
REHEARSED = 20_000  # rows
MIB = 2**20
SPEED = [
    *("keys", "window", "rows out", "Spark (s)", "windrow (s)", "times as fast"),
    *("without batch 0: Spark (s)", "windrow (s)", "times as fast"),
]
STATE = [
    *("keys", "window", "", "longest micro-batch (s)", "state in memory (MiB)"),
    *("state in files (MiB)", "highest Python worker (MiB)"),
]


@dataclass(frozen=True)
class Asked:
    """A window in seconds, over a load that takes so many seconds when it is full."""

    keys: int
    range: int
    slide: int
    seconds: int
    bar: float | None = None
    rounds: int = 1

    @property
    def window(self) -> str:
        """As the tables have it."""
        return f"{self.range:,} s / {self.slide} s"

    @property
    def name(self) -> str:
        """As the bars have it."""
        return f"{self.keys:,} keys, {self.window}"

    def load(self, rows: int) -> StreamLoad:
        """Fewer rows are the same rate for a shorter time."""
        seconds = max(self.seconds * rows // FULL.stream_rows, 1)
        return StreamLoad(rows, FILES, self.keys, seconds)


CASES = (
    Asked(8, 60, 1, 19_000, bar=1.5, rounds=3),
    Asked(8, 300, 1, 19_000, bar=4.0),
    Asked(100_000, 600, 10, 2_000),
    Asked(2_000, 60, 1, 19_000, bar=20.0),
)


def run(folder: Path, settings: Settings, say: Say) -> Part:
    """Each case; the longest comes last."""
    speed = Table("Sum, max and count by key and window, whole queries", SPEED, [])
    state = Table("Their state and micro-batches", STATE, [])
    part = Part([speed, state])
    for asked in CASES:
        rehearse(asked, folder, settings, say)
    for asked in CASES:
        found = _measure(asked, folder, settings, say)
        speed.rows.append(_speed(asked, found))
        state.rows.extend(_state(asked, who, one) for who, one in found.items())
        if asked.bar:
            ahead = found[SPARK].whole / found[OURS].whole
            text = f"{asked.name}: times Spark's speed"
            part.bars.append(Bar(text, ahead, asked.bar))
            say(str(part.bars[-1]))
    return part


def rehearse(asked: Asked, folder: Path, settings: Settings, say: Say) -> None:
    """Ours alone on few rows, so that a wrong answer is known within minutes."""
    load = asked.load(min(settings.stream_rows, REHEARSED))
    window = asked.range, asked.slide
    say(f"{asked.name}: answers are checked first, on {load.rows:,} rows")
    found = ask(OURS, window, load.write(folder), FILES_A_TRIGGER, say)
    check_same(f"{asked.name}, {OURS}", found.sums, by_numpy(load, *window))


def _measure(
    asked: Asked, folder: Path, settings: Settings, say: Say
) -> dict[str, Answer]:
    load, window = asked.load(settings.stream_rows), (asked.range, asked.slide)
    source, expected = load.write(folder), by_numpy(load, *window)
    warm = asked.load(min(settings.stream_rows, REHEARSED)).write(folder)
    best: dict[str, Answer] = {}
    for _ in range(asked.rounds):
        for who in (OURS, SPARK):
            name = f"{asked.name}, {who}"
            try:
                found = ask(who, window, source, FILES_A_TRIGGER, say, warm)
            except NoAnswer as error:
                if who == OURS or asked.bar:
                    raise
                say(f"{name}: no answer: {error}")
                continue
            say(f"{name}: {found.whole:.1f} s, without batch 0 {found.rest:.1f} s")
            check_same(name, found.sums, expected)
            if who not in best or found.whole < best[who].whole:
                best[who] = found
    _check_alike(asked, best, expected)
    return best


def _check_alike(asked: Asked, best: dict[str, Answer], expected: Sums) -> None:
    if SPARK not in best:
        return
    ours, theirs = best[OURS], best[SPARK]
    check_same(f"{asked.name}, {OURS}", ours.sums, theirs.sums)
    if ours.schema != theirs.schema:
        raise WrongAnswer(f"{asked.name}: {ours.schema}, not {theirs.schema}")
    assert expected["rows"] > 0, "nothing came out, nothing was measured"


def _speed(asked: Asked, found: dict[str, Answer]) -> list[object]:
    ours, theirs = found[OURS], found.get(SPARK)
    cells: list[object] = [f"{asked.keys:,}", asked.window, f"{ours.sums['rows']:,}"]
    if theirs is None:
        return [*cells, "failed", ours.whole, "", "failed", ours.rest, ""]
    cells += [theirs.whole, ours.whole, theirs.whole / ours.whole]
    return [*cells, theirs.rest, ours.rest, theirs.rest / ours.rest]


def _state(asked: Asked, who: str, found: Answer) -> list[object]:
    some = batches(found.progress)
    return [
        *(f"{asked.keys:,}", asked.window, who),
        max(one.seconds for one in some),
        max(one.memory for one in some) / MIB,
        max(one.files for one in some) / MIB,
        found.worker_bytes / MIB or "",
    ]
