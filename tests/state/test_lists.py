"""What windows of a list share in the state of a stream, in bytes.

    [a, b, c] as one query      keys, open and closed slices: once
                                heads and suffixes: those of a, of b, and of c
    a, b and c apart            all of it three times

`docs/architecture.md` says why chunks are not shared, by the figures of this test.
"""

from __future__ import annotations

import struct
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import Folding
from windrow.plan import plan_windows
from windrow.plan.flow import flow_of
from windrow.state.codec import KINDS, MemoryStore, StepStats
from windrow.tasks.stream import make_bucket

SCHEMA = pa.schema([(name, pa.int64()) for name in ("key", "at", "x")])
CALLS = {"n": wr.count(), "s": wr.sum("x"), "m": wr.max("x")}
LENGTHS = (120, 240, 480)  # slides
KEYS, STEP, STEPS = 100, 20, 26


def kept_by(*lengths: int) -> Counter[str]:
    """The bytes that a query keeps once its windows are full, by kind of blob."""
    windows = [wr.sliding(length, every=1, on="at") for length in lengths]
    calls = gather_calls(CALLS, None)
    plan: Any = plan_windows(SCHEMA, windows, ["key"], calls, algorithm="auto")
    flow = flow_of(plan, frozenset(), delay=1)
    folding = Folding(plan, flow.request, flow.slots)
    bucket, store = make_bucket(flow), MemoryStore()
    random = np.random.default_rng(0)
    for first in range(0, STEP * STEPS, STEP):
        at = np.repeat(np.arange(first, first + STEP), KEYS)
        columns = np.tile(np.arange(KEYS), STEP), at, random.integers(0, 1000, len(at))
        rows = pa.table(list(columns), schema=SCHEMA)
        list(bucket.step(store, [folding.fold(rows)], first + STEP, StepStats()))
    kinds = {number: kind for kind, number in KINDS.items()}
    kept: Counter[str] = Counter()
    for blob in store.blobs.values():
        kept[kinds[struct.unpack_from("<H", blob, 6)[0]]] += len(blob)
    return kept


def test_a_list_keeps_slices_once_and_suffixes_for_each_window() -> None:
    together = kept_by(*LENGTHS)
    apart = [kept_by(length) for length in LENGTHS]

    whole, longest = together.total(), apart[-1]
    assert together["slices"] < 1.03 * longest["slices"]
    assert together["suffixes"] == sum(one["suffixes"] for one in apart)
    assert 0.7 < whole / sum(one.total() for one in apart) < 0.8
    # one suffix a slice for all windows would be as many as the longest has
    assert 0.2 < (together["suffixes"] - longest["suffixes"]) / whole < 0.3
