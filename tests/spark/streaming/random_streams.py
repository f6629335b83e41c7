"""Dozens of random streams in one, out of order as far as the watermark allows.

A query costs seconds and a micro-batch half a second, so that one run carries many
streams, told apart by the column `stream`.  They share one clock:

    time     |==========|              idle              |==========|      | flush
    stream 0   xx x  x x                                   x xx
    stream 1      x  x                                                        keys of
    stream 2                                                 x  x x           its own

A row arrives at its time plus a delay below `late_by`, so that nothing is late:
whatever came before it happened before `its time + late_by`, and the watermark is
still behind it.  The last micro-batch is one row far ahead, which closes all windows
but its own.
"""

from __future__ import annotations

import datetime as dt
import math
import os
from itertools import pairwise
from random import Random
from typing import Any

import pyarrow as pa
from streams import KEYS, SPECIAL, WHOLE

LATE_BY = "30 seconds"
_DELAY = 30_000_000
_SECOND = 1_000_000
_STRETCHES = [(0, 150), (900, 1050)]  # seconds; between them nothing happens
_START = dt.datetime(2026, 1, 31, 23, 59, tzinfo=dt.UTC)
_AHEAD = _START + dt.timedelta(days=40)
_LASTED = [dt.timedelta(seconds=n) for n in (0, 1, 7, 60)]
FLUSH = -1
# the deep run cuts its streams more finely
BATCHES = 9 if os.environ.get("WINDROW_TEST_PROFILE") == "deep" else 4

SCHEMA = pa.schema(
    [
        pa.field("stream", pa.int32(), nullable=False),
        ("key", pa.string()),
        ("id", pa.int64()),
        ("since", pa.timestamp("us", "UTC")),
        ("at", pa.timestamp("us", "UTC")),
        ("f", pa.float64()),
        ("i", pa.int64()),
        ("s", pa.string()),
    ]
)


def random_batches(
    random: Random, *, streams: int = 40, batches: int = BATCHES
) -> list[pa.Table]:
    """Micro-batches of all streams, some of them small or empty, and the flush."""
    rows = [row for number in range(streams) for row in _stream(random, number)]
    rows.sort(key=lambda row: _arrival(random, row))
    for number, row in enumerate(rows):
        row["id"] = number
    cuts = sorted(random.choices(range(len(rows) + 1), k=batches - 2))
    cuts = [0, *cuts, random.choice(cuts), len(rows)]  # one of them is empty
    cuts.sort()
    parts = [rows[a:b] for a, b in pairwise(cuts)]
    flush = {"stream": FLUSH, "key": "flush", "id": len(rows)}
    flush |= {"since": _AHEAD, "at": _AHEAD}
    return [pa.Table.from_pylist(part, SCHEMA) for part in [*parts, [flush]]]


def _arrival(random: Random, row: dict[str, Any]) -> int:
    if row["at"] is None:
        first, last = _STRETCHES[0][0], _STRETCHES[-1][1]
        return random.randrange(first * _SECOND, last * _SECOND)
    happened = (row["at"] - _START) // dt.timedelta(microseconds=1)
    return happened + random.choice([0, random.randrange(_DELAY)])


def _stream(random: Random, number: int) -> list[dict[str, Any]]:
    """One stream: in one stretch or in both, its keys coming and going."""
    keys = random.choices(KEYS, k=3)
    floats = random.choice([SPECIAL, WHOLE, [math.nan], [None], [-3.0], [0.1, 0.7]])
    rows = []
    for first, last in random.choice([_STRETCHES, _STRETCHES[:1], _STRETCHES[1:]]):
        begin, end = sorted(random.sample(range(first, last + 1), 2))
        for _ in range(random.choice([1, 1, 2, 8, 20])):
            rest = random.choice([0, 0, 0, 1, _SECOND - 1])
            after = random.randrange(begin, end) * _SECOND + rest
            instant = _START + dt.timedelta(microseconds=after)
            rows.append(
                {
                    "stream": number,
                    "key": keys[0] if random.random() < 0.6 else random.choice(keys),
                    "since": instant - random.choice(_LASTED),
                    "at": None if random.random() < 0.05 else instant,
                    "f": random.choice(floats),
                    "i": random.choice([None, *range(-9, 10)]),
                    "s": random.choice(["", "a", "Z", "é", "漢", "🌾", None]),
                }
            )
        keys.reverse()  # after the idle spell another key is the busy one
    return rows
