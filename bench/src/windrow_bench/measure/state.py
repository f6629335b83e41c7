"""What a query remembers while its stream runs: bytes, counted four ways.

    windows    an aggregate and two instants for each key and window that is open
    slices     an aggregate for each key and slice that an open window holds, and two
               numbers for each key
    lazy       the same slices, each with what lazy slicing keeps for late rows: where
               it starts and ends, its first and its last row, and how many there are
    packed     the blobs that Windrow keeps between two steps, all of them

The first three are what the papers count of others and of themselves; the last is
weighed: keys, headers and checksums are in it, and it is compressed.  Steps are as a
stream makes them: rows of some seconds come, and the watermark moves up to their end
before the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.aggregates import Call
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import PANE, Folding
from windrow.plan import plan_aggregate
from windrow.plan.flow import flow_of
from windrow.state.codec import MemoryStore, StepStats
from windrow.state.fingerprint import describe
from windrow.state.slices import SliceBucket
from windrow.windows import Sliding, list_windows

from .answers import WrongAnswer

WORD = 8
INSTANTS = 2  # begin and end of a window
BESIDE = 2  # the newest instant and a counter
FOR_LATE_ROWS = 5  # numbers of a slice that rows may still be put into


def folding_of(stream: pa.Table, window: Sliding, by: Sequence[str], call: Call) -> Any:
    """The plan of a query, laid out for a stream."""
    calls = gather_calls({"result": call}, None)
    plan = plan_aggregate(stream.schema, window, list(by), calls)
    flow = flow_of(plan, frozenset(), delay=0, buckets=1)
    return Folding(plan, flow.request, flow.slots), flow


def counted(slices: pa.Table, folding: Folding, now: int) -> dict[str, int]:
    """Bytes of windows and of slices, from all slices of a stream up to `now`."""
    (rule,) = folding.plan.rules
    partial = WORD * len(folding.request.product.dtypes)
    panes = slices.column(PANE).to_numpy()
    names = [name for name in slices.column_names if name.startswith("k")]
    keys = _codes(slices.select(names)) if names else np.zeros(len(slices), np.int64)
    needed = rule.end(rule.last_over(panes)) > now  # in a window that ends after now
    held = np.unique(np.stack([keys[needed], panes[needed]]), axis=1)
    firsts = np.flatnonzero(np.diff(held[0], prepend=-1))
    lasts = np.append(firsts[1:], held.shape[1])[: len(firsts)]
    first_open = int(rule.first_over(now))
    windows = list_windows(rule, held[1], firsts, lasts, first_open)[2]
    return {
        "windows": len(windows) * (partial + INSTANTS * WORD),
        "slices": held.shape[1] * partial + len(firsts) * BESIDE * WORD,
        "lazy": held.shape[1] * (partial + FOR_LATE_ROWS * WORD),
    }


def _codes(keys: pa.Table) -> Any:
    """A number for each key."""
    code = np.zeros(len(keys), np.int64)
    for column in keys.columns:
        encoded = pc.dictionary_encode(column).combine_chunks()
        code = code * (len(encoded.dictionary) + 1) + encoded.indices.to_numpy()
        code = np.unique(code, return_inverse=True)[1]
    return code


def packed(
    stream: pa.Table, window: Sliding, by: Sequence[str], call: Call, step: int
) -> tuple[int, pa.Table, Folding, int]:
    """Bytes of blobs after steps of `step` ticks, all slices, and where time stands."""
    folding, flow = folding_of(stream, window, by, call)
    spec = describe(folding.plan, buckets=1, layout="slices to slices")
    bucket = SliceBucket(folding, True, flow.cell, spec, keep_late=False)
    times = stream.column("ts").combine_chunks().cast("int64").to_numpy()
    turns = times // step
    starts = np.flatnonzero(np.diff(turns, prepend=turns[0] - 1))
    stops = np.append(starts[1:], len(times))
    store, stats = MemoryStore(), StepStats()
    slices = [
        folding.fold(stream.slice(start, stop - start))
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)
    ]
    for fed, turn in zip(slices, turns[starts].tolist(), strict=True):
        list(bucket.step(store, [fed], turn * step, stats))
    now = (int(turns[-1]) + 1) * step
    list(bucket.step(store, [], now, stats))
    if stats.rows_in != len(stream) or stats.late_rows:
        in_time = stats.rows_in - stats.late_rows
        raise WrongAnswer(f"{in_time} of {len(stream)} rows came in time")
    size = sum(len(blob) for blob in store.blobs.values())
    return size, pa.concat_tables(slices), folding, now
