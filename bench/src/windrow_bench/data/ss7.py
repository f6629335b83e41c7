"""SS7-like calls: events with a duration, from a telephone network.

A row comes when its call ends, so that ends are in order and starts are not:

    start      end            rows
      |---------|             3
         |-|                  1
        |----|                2

From SES, sections 6.1 and 6.4; the data itself is not public:

    rate         3.2 million events in a minute: 53,333 a second
    length       16 s on average, most of them short
    longest      the experiments wait 2.5 hours for late ends, so none is longer here

What the paper does not say is ours: lengths are lognormal (half below 5.2 s, one in a
hundred above 170 s), 1,000 antennas of which a few have most of the calls (the busiest
twelfth has half of them), and a million callers.  Rows are always generated.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ._dataset import INSTANT, SECOND, Array, DataColumn, Dataset, draws, table_of

NAME = "ss7"
START = 1_704_067_200 * SECOND  # 2024-01-01
PER_SECOND = 3_200_000 / 60
MEAN_LENGTH = 16.0  # seconds
SPREAD = 1.5  # standard deviation of the logarithm of the length
LONGEST = 9_000.0  # seconds
ANTENNAS = 1_000
SKEW = 3.6  # 0.5 ** 3.6 is a twelfth: so many antennas have half of the calls
CALLERS = 1_000_000
COLUMNS = (
    DataColumn("start", INSTANT, "when the call began"),
    DataColumn("end", INSTANT, "when it ended"),
    DataColumn("antenna", pa.int32(), "which antenna carried it, one of 1,000"),
    DataColumn("caller", pa.int64(), "who called, one of a million"),
    DataColumn("len", pa.float64(), "how long it lasted: end - start", "s"),
)


def generate(rows: int, seed: int) -> pa.Table:
    """Calls in the order of their ends."""
    length = _lengths(seed, rows)
    gaps = draws(NAME, "end", seed).standard_exponential(rows)
    gaps *= SECOND / PER_SECOND
    end = START + np.cumsum(gaps, out=gaps).astype(np.int64)
    share = draws(NAME, "antenna", seed).random(rows)
    arrays: dict[str, Array] = {
        "start": end - length,
        "end": end,
        "antenna": (ANTENNAS * share**SKEW).astype(np.int32),
        "caller": draws(NAME, "caller", seed).integers(0, CALLERS, rows),
        "len": length / SECOND,
    }
    return table_of(COLUMNS, arrays)


def _lengths(seed: int, rows: int) -> Array:
    """In microseconds, one at least."""
    centre = np.log(MEAN_LENGTH) - SPREAD**2 / 2
    drawn = draws(NAME, "len", seed).lognormal(centre, SPREAD, rows)
    np.minimum(drawn, LONGEST, out=drawn)
    return np.maximum(1, np.rint(drawn * SECOND).astype(np.int64))


SS7 = Dataset(
    name=NAME,
    title="SS7-like calls",
    papers=("SES",),
    columns=COLUMNS,
    time="end",
    keys=("antenna", "caller"),
    generate=generate,
)
