"""State that was damaged, or whose layout has gone, is refused in words.

a stream, half way     blobs of its bucket, one of them cut short or a bit flipped
the other half         the same results, or an error that says so: no wrong number
"""

from __future__ import annotations

import base64
import os
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from repeated import as_windows
from windrow.aggregates.calls import gather_calls
from windrow.errors import StateError
from windrow.plan import plan_over, plan_windows
from windrow.plan.flow import flow_of
from windrow.state.codec import HEADER, Bucket, MemoryStore, StepStats
from windrow.tasks.stream import make_bucket

MUTATIONS = 10_000 if os.environ.get("WINDROW_TEST_PROFILE") == "deep" else 70
SCHEMA = pa.schema(
    [("key", pa.string()), ("since", pa.int64()), ("at", pa.int64()), ("x", pa.int64())]
)
SUMS = {"n": wr.count(), "s": wr.sum("x")}
HOUR = wr.sliding(16, every=2, on="at")
LONG = wr.sliding(16, every=2, span=("since", "at"))
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "points": (HOUR, SUMS),
    "list": ([HOUR, wr.sliding(9, every=3, on="at")], SUMS),
    "spans": (LONG, SUMS),
    "counts": (wr.rows(5, every=2, on="at"), SUMS),
    "rows": (HOUR, {"all": wr.collect("x")}),
    "policy": (wr.window(evict=wr.delta("since", 6.0), trigger=3, on="at"), SUMS),
    "over": (None, {"s": wr.sum("x", last=6), "m": wr.max("x", last=3)}),
}


def bucket_of(kind: str) -> Bucket:
    window, calls = KINDS[kind]
    bound = gather_calls(calls, None)
    plan: Any
    if window is None:
        plan = plan_over(SCHEMA, "at", ["key"], bound)
    else:
        plan = plan_windows(SCHEMA, window, ["key"], bound, algorithm="auto")
    late = "keep"  # so that rows come as they are
    return make_bucket(flow_of(plan, frozenset(), delay=4, late=late, buckets=1))


def run(
    bucket: Bucket, store: MemoryStore, random: Random, first: int, last: int
) -> list[str]:
    """The results of some steps; each brings a few rows ahead of the watermark."""
    out = []
    for now in range(first, last, 3):
        ats = [now + random.randrange(5) for _ in range(6)]
        rows = [
            {"key": "ab"[at % 2], "since": at - 1, "at": at, "x": random.randrange(9)}
            for at in ats
        ]
        table = pa.Table.from_pylist(rows, SCHEMA)
        for results in as_windows(bucket.step(store, [table], now, StepStats())):
            out += map(repr, results.to_pylist())
    return sorted(out)


@pytest.mark.parametrize("kind", KINDS)
def test_a_blob_cut_short_or_with_a_bit_flipped_gives_no_wrong_number(kind):
    bucket, half = bucket_of(kind), MemoryStore()
    run(bucket, half, Random(0), 0, 60)
    good = dict(half.blobs)
    expected = run(bucket, MemoryStore(dict(good)), Random(1), 60, 72)
    random, refused = Random(2), []

    for _ in range(MUTATIONS // len(KINDS)):
        number = random.choice(sorted(good))
        blob = bytearray(good[number])
        place = random.randrange(len(blob))
        if random.random() < 0.3:
            del blob[place:]
        else:
            blob[place] ^= 1 << random.randrange(8)
        store = MemoryStore({**good, number: bytes(blob)})
        try:
            assert run(bucket, store, Random(1), 60, 72) == expected
        except StateError as error:
            refused.append(str(error))

    assert len(expected) > 4
    assert len(refused) > MUTATIONS // len(KINDS) // 3
    assert all("Hint:" in words for words in refused)


# the header of a bucket of events, as version 0.1 wrote it
SPANS_0_1 = (
    "V05EUgEAAQAZNfZHyAEAAAAAAAD/////uAEAABAAAAAAAAoADgAGAAUACAAKAAAAAAEEABAAAAAAAAoA"
    "DAAAAAQACAAKAAAAhAEAAAQAAAABAAAADAAAAAgADAAEAAgACAAAAFwBAAAEAAAATQEAAHsic3BlYyI6"
    "eyJ0aGUgYWdncmVnYXRlcyI6WyJuPWNvdW50KCkgb2YgIiwicz1zdW0oeCkgb2YgaW50NjQiXSwidGhl"
    "IHRpbWUgY29sdW1uIjoiYXQiLCJ0aGUga2V5cyI6WyJrZXkgc3RyaW5nIl0sInRpZXM9IjpbXSwidGhl"
    "IG51bWJlciBvZiBidWNrZXRzIjoxLCJ0aGUgbGF5b3V0IG9mIHRoZSBzdGF0ZSI6InJvd3MgdG8gcm93"
    "cyIsInRoZSB3aW5kb3dzIjpbInJhbmdlIDE2IHNsaWRlIDIiXSwidGhlIHNsaWNlciI6InBhaXJzIiwi"
    "dGhlIHNwYW4iOlsic2luY2UiLCJhdCJdfSwibm93IjozLCJwYWdlcyI6W1syLDUsMCwyLDQsMywyXSxb"
    "Myw2LDAsMyw3LDMsMl1dLCJuZXh0Ijo0fQAAAAcAAAB3aW5kcm93AAAAAAAAAAAA/////wAAAAA="
)


def test_spans_that_version_0_1_kept_as_events_are_refused_in_words():
    store = MemoryStore({HEADER: base64.b64decode(SPANS_0_1)})

    with pytest.raises(
        StateError, match="rows to rows there and is rows to slices"
    ) as refused:
        run(bucket_of("spans"), store, Random(0), 9, 10)

    assert "start this query with a checkpoint of its own" in str(refused.value)
