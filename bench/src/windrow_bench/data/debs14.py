"""DEBS14: smart plugs in households, which report power now and work so far.

A plug reports every two seconds or every six, two rows at a time.  The stream is a
cycle of six seconds that comes again and again, with other values:

    second   0        1        2        3        4        5        0
    fast     a b      c        a b      c        a b      c        a b
    slow     d                 e        f                          d

Taken from the sample (33,628 rows, 84 s):

    rate            400 rows a second, in whole seconds, 208 to 660 in each
    order           time does not fall; by house within a second
    plugs           470 in 67 households of 10 houses (10 to 107 in a house), numbered
                    0 to 13 in each household
    reports         363 plugs every 2 s, 107 every 5 to 6 s; half of the rows each kind
    power (W)       0 in 63% of the rows; where a plug draws any, 5%, 50%, 95%: 4, 24,
                    365, at most 667, and within 7% of its own mean from row to row
    work (kWh)      5%, 50%, 95%: 0.16, 3.2, 174; grows by what the plug draws

A plug is on or off for a quarter of an hour at a time; the sample is too short to say.
PBA counts 14 plugs in its part of the file: those are the numbers 0 to 13.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from ._dataset import INSTANT, SECOND, Array, DataColumn, Dataset, draws, table_of
from ._text import in_blanks, read

NAME = "debs14"
START = 1_377_986_401  # 2013-08-31 22:00:01, where the sample begins
CYCLE = 6  # seconds
STAY = 150  # cycles that a plug stays on or off: a quarter of an hour
HOURS = STAY * CYCLE / 3_600
SHARE_ON = 0.34
# Households and plugs of each house.
HOUSES = (
    (14, 107),
    (3, 10),
    (6, 47),
    (4, 35),
    (14, 102),
    (2, 11),
    (4, 26),
    (11, 71),
    (5, 26),
    (4, 35),
)
MOST_PLUGS = 14  # in one household
COLUMNS = (
    DataColumn("ts", INSTANT, "when it was measured, in whole seconds"),
    DataColumn("value", pa.float64(), "power now or work so far", "W or kWh"),
    DataColumn("property", pa.int8(), "what `value` is: 0 work, 1 power"),
    DataColumn("plug", pa.int32(), "number of the plug in its household"),
    DataColumn("household", pa.int32(), "number of the household in its house"),
    DataColumn("house", pa.int32(), "number of the house"),
)
LAYOUT = in_blanks(COLUMNS)


def generate(rows: int, seed: int) -> pa.Table:
    """Reports of 470 plugs, cycle after cycle."""
    plug, household, house = _plugs(seed)
    second, who = _cycle(seed, len(plug))
    cycle, place = np.divmod(np.arange(rows), len(who))
    kind = (place % 2).astype(np.int8)
    reporter = who[place]
    arrays = {
        "ts": (START + cycle * CYCLE + second[place]) * SECOND,
        "value": _values(seed, len(plug), cycle, reporter, kind),
        "property": kind,
        "plug": plug[reporter],
        "household": household[reporter],
        "house": house[reporter],
    }
    return table_of(COLUMNS, arrays)


def load(path: Path, limit: int | None = None) -> pa.Table:
    """Reports from a file of the grand challenge: blanks, 6 columns."""
    return read(path, LAYOUT, limit)


def _plugs(seed: int) -> tuple[Array, Array, Array]:
    """Plug, household and house of each plug, by house."""
    rng = draws(NAME, "plugs", seed)
    rows = []
    for house, (households, plugs) in enumerate(HOUSES):
        likely, counts = rng.random(households), np.ones(households, int)
        for _ in range(plugs - households):
            chances = likely * (counts < MOST_PLUGS)
            counts[rng.choice(households, p=chances / chances.sum())] += 1
        for household, count in enumerate(counts):
            rows += [(number, household, house) for number in range(count)]
    plug, household, house = np.array(rows, np.int32).T
    return plug, household, house


def _cycle(seed: int, plugs: int) -> tuple[Array, Array]:
    """Second and plug of each row of one cycle, each report twice."""
    rng = draws(NAME, "cycle", seed)
    slow = rng.random(plugs) < 107 / 470
    phase = np.where(slow, rng.integers(0, CYCLE, plugs), rng.random(plugs) < 0.4)
    second, who = [], []
    for at in range(CYCLE):
        reports = np.flatnonzero((phase == at) | ~slow & (phase == at % 2))
        second.append(np.full(2 * len(reports), at))
        who.append(np.repeat(reports, 2))
    return np.concatenate(second), np.concatenate(who)


def _values(seed: int, plugs: int, cycle: Array, reporter: Array, kind: Array) -> Array:
    """Power where the kind is 1, else work: its sum over time, and what was before."""
    rng = draws(NAME, "power", seed)
    power = np.clip(rng.lognormal(3.4, 1.33, plugs), 3.0, 600.0)
    before = np.clip(rng.lognormal(1.28, 2.0, plugs), 0.16, 174.0)
    stays = int(cycle[-1]) // STAY + 1 if len(cycle) else 0
    on = draws(NAME, "on", seed).random((stays, plugs)) < SHARE_ON
    work = np.zeros((stays + 1, plugs))
    np.cumsum(on * power * HOURS / 1_000, axis=0, out=work[1:])

    stay, into = np.divmod(cycle, STAY)
    drawn = on[stay, reporter] * power[reporter]
    tremble = draws(NAME, "tremble", seed).standard_normal(len(cycle), np.float32)
    done = before[reporter] + work[stay, reporter]
    done += drawn * (HOURS / 1_000 / STAY) * into
    np.maximum(drawn * (1 + 0.068 * tremble), 0.0, out=drawn)
    value: Array = np.where(kind == 1, drawn, done)
    return value.round(3)


DEBS14 = Dataset(
    name=NAME,
    title="DEBS 2014 grand challenge: smart grid",
    papers=("PBA", "LightSaber (smart grid, SG)"),
    columns=COLUMNS,
    time="ts",
    keys=("plug", "household", "house"),
    generate=generate,
    file="smartgrid-data.txt",
    load=load,
)
