"""Random frames for time windows: many small streams, one window, one job.

A Spark job costs a third of a second however few rows it has, so an example is not
one stream but forty, told apart by the key column `stream`.  Times are counted in
quanta, of which range, slide and offset are whole numbers:

    base                                   1960, the epoch, 2026
     |..x.x.........xx..x|                 base + quanta + a rest below one quantum

so that rows fall on the edges of windows as often as between them.
"""

from __future__ import annotations

import datetime as dt
import math
from random import Random
from typing import Any, NamedTuple

import pyarrow as pa
from hypothesis import strategies as st

from strategies import range_and_slide

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
BASES = [0, 0, -315_619_200_000_000, 1_790_000_000_123_456, -1]
QUANTA = {"microseconds": 1, "seconds": 1_000_000, "hours": 3_600_000_000}
KEYS = ["a", "b", "", "a key with a blank", None]
SPECIAL = [math.nan, math.inf, -math.inf, -0.0, 0.0, -1.0, 2.0, None]
WHOLE = [*(float(value) for value in range(-9, 10)), None]

SCHEMA = pa.schema(
    [
        pa.field("stream", pa.int32(), nullable=False),
        ("key", pa.string()),
        ("at", pa.timestamp("us", "UTC")),
        ("f", pa.float64()),
        ("i", pa.int64()),
        ("s", pa.string()),
    ]
)


class TimeWindow(NamedTuple):
    """Lengths in quanta of a unit that both Windrow and Spark can spell."""

    range: int
    slide: int
    offset: int
    unit: str

    def text(self, field: str) -> str:
        """A length as both of them read it: `250 microseconds`."""
        return f"{getattr(self, field)} {self.unit}"


@st.composite
def time_windows(draw: Any) -> TimeWindow:
    """Slides that divide the range and that do not, offsets to both sides."""
    length, slide = draw(range_and_slide(24))
    unit, factor = draw(
        st.sampled_from(
            [("microseconds", 1), ("microseconds", 250), ("seconds", 1), ("hours", 1)]
        )
    )
    # Spark wants |offset| < slide
    offset = draw(st.sampled_from([0, 0, slide - 1, 1 - slide, slide // 2]))
    return TimeWindow(length * factor, slide * factor, offset * factor, unit)


def stream(random: Random, window: TimeWindow) -> list[dict[str, Any]]:
    """The rows of one stream: skewed keys, gaps, ties, nulls, values that bite."""
    n = random.choice([0, 1, 1, 2, 5, 12, 12, 40])
    keys = random.choices(KEYS, k=3)
    quantum = QUANTA[window.unit] * (250 if window.slide % 250 == 0 else 1)
    base = random.choice(BASES)
    spread = random.choice([0, 10, 60, 100_000])
    floats = random.choice([SPECIAL, WHOLE, [math.nan], [None], [-3.0], [0.1, 0.7]])
    rows = []
    for _ in range(n):
        rest = random.choice([0, 0, 0, 1, quantum - 1])
        after = base + random.randint(-spread, spread) * quantum + rest
        instant = EPOCH + dt.timedelta(microseconds=after)
        rows.append(
            {
                "key": keys[0] if random.random() < 0.7 else random.choice(keys),
                "at": None if random.random() < 0.05 else instant,
                "f": random.choice(floats),
                "i": random.choice([None, *range(-9, 10)]),
                "s": random.choice(["", "a", "Z", "é", "漢", "🌾", None]),
            }
        )
    shape = random.choice(["any", "any", "rising", "falling"])
    if shape != "any":  # the values follow the times, up or down
        ranked = sorted((row["i"] or 0 for row in rows), reverse=shape == "falling")
        rows.sort(key=lambda row: row["at"] or EPOCH)
        for row, value in zip(rows, ranked, strict=True):
            row["i"] = value
    return rows


@st.composite
def frames(draw: Any, window: TimeWindow, count: int = 40) -> pa.Table:
    """Many streams in one table, numbered in the column `stream`."""
    # true randomness under a drawn seed: a failure names its stream, which says
    # more than what shrinking hundreds of rows, a job at a time, would find
    random = draw(st.randoms(use_true_random=True))
    rows = [
        {"stream": number, **row}
        for number in range(count)
        for row in stream(random, window)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)
