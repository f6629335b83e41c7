r"""DEBS12: sensors of manufacturing equipment, 100 readings a second.

Energy readings wander slowly, sag for some seconds now and then, and jump when a
machine starts:

    mf01, mf02    13,050 ---~~---__/\__----~~~--.________.---~~--    one for all
    mf03           8,090 ---~--/'\--~~---\.__/----~~---/'\---~~--    another

Taken from the sample (17,000 rows, 170 s):

    rate                  a median gap of 10.000 ms, nine in ten within 25 µs of it, one
                          in 400 of about 21 ms: 10.03 ms on average
    order                 time rises, `message` counts by one
    mf01                  5%, 50%, 95%: 12,548, 13,049, 13,249; 12,466 to 18,224
    mf02                  13,818, 14,368, 14,593; moves with mf01 (correlation 0.997)
    mf03                  7,974, 8,094, 8,216; moves on its own (0.02)
    autocorrelation       0.9985, 0.9984, 0.9997 from row to row; 0.2 to 0.4 over a
                          second
    pc13, pc14, pc15      71, 190, 152, give or take 4; 0.81 to 0.87 from row to row
    pc25, pc26, pc27, res always 0
    bm05 to bm10          always 0; here each changes about every five minutes

The file has 56 columns; read are the first 18, as many as LightSaber's Table 3 counts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from ._dataset import INSTANT, SECOND, Array, DataColumn, Dataset, draws, table_of
from ._text import FileLayout, read

NAME = "debs12"
START = 1_329_929_188_967_032  # 2012-02-22 16:46:28.967032, where the sample begins
TICK = SECOND // 100
FIRST_MESSAGE = 2_556_001
FIELDS = 56
ENERGY = ("mf01", "mf02", "mf03")
SENSORS = ("pc13", "pc14", "pc15")
UNUSED = ("pc25", "pc26", "pc27", "res")
STATES = ("bm05", "bm06", "bm07", "bm08", "bm09", "bm10")
COLUMNS = (
    DataColumn("ts", INSTANT, "when the readings were taken"),
    DataColumn("message", pa.int64(), "number of the message, rising by one"),
    *(
        DataColumn(one, pa.int32(), "electrical power, main phase", "raw")
        for one in ENERGY
    ),
    *(
        DataColumn(one, pa.int16(), "reading of another sensor", "raw")
        for one in SENSORS
    ),
    *(DataColumn(one, pa.int16(), "reading that rests at 0", "raw") for one in UNUSED),
    *(DataColumn(one, pa.bool_(), "state of a valve or sensor") for one in STATES),
)
LAYOUT = FileLayout(
    (*(c.name for c in COLUMNS), *(f"state{i}" for i in range(FIELDS - len(COLUMNS)))),
    {column.name: column.type for column in COLUMNS},
    in_seconds=False,
    blanks=False,
)
# How far a level has gone over to the next: ever further, or in its last two seconds.
SLOWLY = {ticks: np.arange(ticks) / ticks for ticks in (4, 700, 1_000)}
AT_ITS_END = np.clip((np.arange(1_500) - 1_300) / 200, 0, 1)
# A machine starts: power rises within 30 ticks, and falls off by a third in 10.
JUMP = np.concatenate([np.arange(30) / 30, np.exp(-np.arange(300) / 25)])
# The third reading swells and sinks back, over two seconds.
SWELL = np.sin(np.linspace(0, np.pi, 200)) ** 2
STAY = 30_000  # ticks that a state stays, at least


def generate(rows: int, seed: int) -> pa.Table:
    """Readings of one machine; none depends on how many follow."""
    arrays = {"ts": _instants(seed, rows), "message": FIRST_MESSAGE + np.arange(rows)}
    power = _power(seed, rows)
    arrays["mf01"] = _reading(seed, "mf01", 13_040.0 + power, 2.0, np.int32)
    arrays["mf02"] = _reading(seed, "mf02", 14_360.0 + 1.13 * power, 2.0, np.int32)
    power = _third_power(seed, rows)
    arrays["mf03"] = _reading(seed, "mf03", 8_092.0 + power, 1.5, np.int32)
    for name, level in zip(SENSORS, (71.0, 190.0, 152.0), strict=True):
        knots = draws(NAME, name + " level", seed).normal(level, 4.9, _knots(rows, 4))
        line = _gone_over(knots, SLOWLY[4], rows)
        arrays[name] = _reading(seed, name, line, 1.0, np.int16)
    arrays |= dict.fromkeys(UNUSED, np.zeros(rows, np.int16))
    arrays |= {name: _state(seed, name, rows) for name in STATES}
    return table_of(COLUMNS, arrays)


def load(path: Path, limit: int | None = None) -> pa.Table:
    """Readings from a file of the grand challenge: tabs, 56 columns."""
    return read(path, LAYOUT, limit)


def _instants(seed: int, rows: int) -> Array:
    gaps = draws(NAME, "gap", seed).normal(TICK, 14, rows).astype(np.int64)
    gaps[draws(NAME, "late", seed).random(rows, np.float32) < 1 / 400] += 11_500
    gaps[:1] = 0
    return START + np.cumsum(gaps, out=gaps)


def _power(seed: int, rows: int) -> Array:
    """What the first two readings share: it wanders, sags by 500, and jumps."""
    wander = draws(NAME, "wander", seed).normal(0.0, 90.0, _knots(rows, 1_000))
    sag = draws(NAME, "sag", seed).random(_knots(rows, 1_500)) < 1 / 11
    power = _gone_over(wander, SLOWLY[1_000], rows)
    power += _gone_over(np.where(sag, -500.0, 0.0), AT_ITS_END, rows)
    count = _knots(rows, 2_000)
    heights = 450 + draws(NAME, "jump", seed).exponential(1_300.0, count)
    places = draws(NAME, "start", seed).integers(0, 2_000 - len(JUMP), count)
    _add_bumps(power, np.minimum(heights, 5_000.0), places, JUMP, 2_000)
    return power


def _third_power(seed: int, rows: int) -> Array:
    """What the third reading does: it wanders and swells, both ways."""
    wander = draws(NAME, "third", seed).normal(0.0, 45.0, _knots(rows, 700))
    power = _gone_over(wander, SLOWLY[700], rows)
    count = _knots(rows, 1_000)
    heights = np.clip(
        draws(NAME, "swell", seed).laplace(0.0, 550.0, count), -750, 1_300
    )
    places = draws(NAME, "place", seed).integers(0, 1_000 - len(SWELL), count)
    _add_bumps(power, heights, places, SWELL, 1_000)
    return power


def _knots(rows: int, every: int) -> int:
    """How many levels so many rows need: one more than begun stretches."""
    return -(-rows // every) + 1


def _gone_over(levels: Array, far: Array, rows: int) -> Array:
    """One level after the other, each going over to the next as `far` says."""
    begin = levels[:-1, np.newaxis].astype(np.float32)
    change = np.diff(levels)[:, np.newaxis].astype(np.float32)
    line: Array = (begin + change * far.astype(np.float32)).ravel()
    return line[:rows]


def _add_bumps(
    line: Array, heights: Array, places: Array, shape: Array, every: int
) -> None:
    """One bump in each stretch of so many ticks, at its place in it."""
    for i, (height, place) in enumerate(zip(heights, places, strict=True)):
        part = line[i * every + place :][: len(shape)]
        part += (height * shape[: len(part)]).astype(np.float32)


def _reading(seed: int, name: str, exact: Array, spread: float, kind: type) -> Array:
    """The whole number that a sensor gives, which trembles."""
    tremble = draws(NAME, name, seed).standard_normal(len(exact), np.float32)
    tremble *= spread
    tremble += exact
    return np.rint(tremble, out=tremble).astype(kind)


def _state(seed: int, name: str, rows: int) -> Array:
    """False for five minutes, as in the sample, then this or that."""
    states = draws(NAME, name, seed).random(_knots(rows, STAY)) < 0.5
    states[0] = False
    return np.repeat(states, STAY)[:rows]


DEBS12 = Dataset(
    name=NAME,
    title="DEBS 2012 grand challenge: manufacturing equipment",
    papers=("SlickDeque", "PBA", "LightSaber (sensor monitoring, SM)"),
    columns=COLUMNS,
    time="ts",
    keys=(),
    generate=generate,
    file="DEBS2012-small.txt",
    load=load,
)
