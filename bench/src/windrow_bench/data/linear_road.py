"""Linear Road: vehicles on a toll road, which report their place every 30 seconds.

A place in traffic is taken by one vehicle after the other.  Each comes up a ramp (lane
0), drives on (lanes 1 to 3) and is gone; now and then it is seen to leave (lane 4):

    reports of one place    0 1 2 2 | 0 1 | 0 2 2 3 4 | 0 1 1 | ...
    vehicle                    a       b        c         d

Taken from the sample (16,384 rows, 520 s: 4,096 rows four times, moved by 130 s):

    rate            31.5 reports a second, in whole seconds; 945 vehicles at a time
    order           time does not fall
    vehicles        1,499, each 30 s after its last report, direction never changes;
                    1 to 5 reports in 130 s, which is also how long trips are here
    lanes 0 to 4    37%, 16%, 34%, 12%, 0.3% of the reports
    speed (mph)     on a ramp 14 to 34, 26 on average; else 5%, 50%, 95%: 21, 50, 70, at
                    most 75; 0.2% stand still
    position (feet) of 100 miles; 25%, 50%, 75%: 63,700, 148,000, 243,200 for direction
                    0, the same from the other end for direction 1
    highway         only one, 0
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from ._dataset import INSTANT, SECOND, Array, DataColumn, Dataset, draws, table_of
from ._text import in_blanks, read

NAME = "linear_road"
START = 1  # second of the first report
EVERY = 30  # seconds from report to report
PLACES = 945  # vehicles at a time
MILE = 5_280  # feet
LENGTH = 100 * MILE
FEET_A_REPORT = 44  # that a vehicle goes in 30 s, for each mile an hour
LONGEST = 5  # reports of a vehicle
RAMP, EXIT = 0, 4
COLUMNS = (
    DataColumn("ts", INSTANT, "when it was reported, in whole seconds from 1970 on"),
    DataColumn("vehicle", pa.int64(), "number of the vehicle"),
    DataColumn("speed", pa.int32(), "speed, 0 to 75", "miles/h"),
    DataColumn("highway", pa.int32(), "number of the highway"),
    DataColumn("lane", pa.int8(), "0 ramp, 1 to 3 travel, 4 exit"),
    DataColumn("direction", pa.int8(), "0 position rises, 1 position falls"),
    DataColumn("position", pa.int32(), "place on the highway, of 528,000", "feet"),
)
LAYOUT = in_blanks(COLUMNS)


def generate(rows: int, seed: int) -> pa.Table:
    """Reports of 945 places in traffic, in rounds of 30 seconds."""
    places = np.arange(PLACES, dtype=np.int32)
    rounds = np.arange(-(-rows // PLACES), dtype=np.int32)[:, np.newaxis]
    phase = np.sort(draws(NAME, "phase", seed).integers(0, EVERY, PLACES))
    length, begun = _trips(seed)
    trip, step = np.divmod(rounds + begun, length)
    vehicle = (trip * np.int32(PLACES) + places).ravel()[:rows]
    first, last = (step == 0).ravel()[:rows], (step == length - 1).ravel()[:rows]
    vehicles = (len(rounds) + LONGEST) * PLACES  # numbered so far, at most
    pace = _paces(seed, vehicles)[vehicle]
    driven = pace * (FEET_A_REPORT * step.ravel()[:rows])
    direction = draws(NAME, "direction", seed).integers(0, 2, vehicles, np.int8)
    direction = direction[vehicle]
    entry = _entries(seed, vehicles)[vehicle]
    arrays = {
        "ts": ((START + rounds * EVERY + phase) * SECOND).ravel()[:rows],
        "vehicle": vehicle,
        "speed": np.where(first, _ramp_speeds(seed, rows), pace),
        "highway": np.zeros(rows, np.int32),
        "lane": _lanes(seed, first, last),
        "direction": direction,
        "position": _positions(entry + driven, direction),
    }
    return table_of(COLUMNS, arrays)


def load(path: Path, limit: int | None = None) -> pa.Table:
    """Reports from a file of the benchmark: tabs, 7 columns."""
    return read(path, LAYOUT, limit)


def _trips(seed: int) -> tuple[Array, Array]:
    """Reports that a vehicle has in each place, and how many the first one has had."""
    rng = draws(NAME, "trips", seed)
    length = rng.choice([1, 2, 3, 4, LONGEST], PLACES, p=[0.08, 0.22, 0.3, 0.25, 0.15])
    begun = rng.integers(0, LONGEST, PLACES) % length
    return length.astype(np.int32), begun.astype(np.int32)


def _paces(seed: int, vehicles: int) -> Array:
    """The speed at which each vehicle travels; a few stand still."""
    pace = _normal(seed, "pace", 48.0, 15.0, (20, 75), vehicles)
    pace[draws(NAME, "stop", seed).random(vehicles, np.float32) < 1 / 300] = 0
    return pace


def _ramp_speeds(seed: int, rows: int) -> Array:
    return _normal(seed, "ramp", 26.3, 3.9, (14, 34), rows)


def _normal(
    seed: int, what: str, mean: float, spread: float, ends: tuple[int, int], count: int
) -> Array:
    """Whole numbers around a mean."""
    drawn = draws(NAME, what, seed).standard_normal(count, np.float32)
    drawn *= spread
    drawn += mean + 0.5  # a half: cut off below, this rounds
    return np.clip(drawn.astype(np.int32), *ends)


def _lanes(seed: int, first: Array, last: Array) -> Array:
    drawn = draws(NAME, "lane", seed).random(len(first), np.float32)
    lane = (drawn >= 0.26).astype(np.int8)
    lane += drawn >= 0.81
    lane += 1
    lane[last & (drawn > 0.99)] = EXIT
    lane[first] = RAMP
    return lane


def _entries(seed: int, vehicles: int) -> Array:
    """How far from its end of the road each vehicle comes on: mostly not far."""
    share = 1 - np.sqrt(draws(NAME, "entry", seed).random(vehicles))
    return (LENGTH * share).astype(np.int32)


def _positions(from_its_end: Array, direction: Array) -> Array:
    """Feet from the end where direction 0 begins; nobody drives off the road."""
    here = np.minimum(from_its_end, LENGTH - 1)
    return np.where(direction == 0, here, LENGTH - 1 - here)


LINEAR_ROAD = Dataset(
    name=NAME,
    title="Linear Road benchmark",
    papers=("LightSaber (LRB)",),
    columns=COLUMNS,
    time="ts",
    keys=("vehicle", "highway", "direction"),
    generate=generate,
    file="lrb-data-small-ht.txt",
    load=load,
)
