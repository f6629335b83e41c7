"""Training and serving agree: features of a stream, and of labels at its instants.

    events, as files, a micro-batch each  -->  wr.over(stream, features)    served
    the same events as labels             -->  wr.as_of(labels, events)     learned from

Both are compared row for row, boundary included: times are whole seconds and frames
too, so that many events stand exactly at the end of a frame.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from micro_batches import run, stream_of, write_files

import windrow as wr

FEATURES = wr.features(
    by="card",
    on="at",
    delay="5 seconds",
    n_1m=wr.count(last="1 minute"),
    spent_1h=wr.sum("amount", last="1 hour"),
    most_10m=wr.max("amount", last="10 minutes", closed="both"),
    refunds=wr.count(last="1 hour", where="kind = 'refund'"),
    five=wr.sum("amount", last=5),
    steady=wr.mean("amount", last="10 minutes", min_periods=3),
)


def events_of(count: int) -> pa.Table:
    """Cards of very different activity, over a day, many events at one instant."""
    dice = np.random.default_rng(19)
    seconds = np.sort(dice.integers(0, 86_400, count))
    return pa.table(
        {
            "id": np.arange(count),
            "at": pa.array(seconds * 10**6, pa.timestamp("us", "UTC")),
            "card": dice.zipf(1.3, count) % 2000,
            "kind": pa.array(np.where(dice.random(count) < 0.1, "refund", "sale")),
            "amount": dice.integers(0, 10_000, count),
        }
    )


@pytest.mark.parametrize(
    "count", [100_000, pytest.param(1_000_000, marks=pytest.mark.deep)]
)
def test_a_stream_and_a_training_set_agree_at_every_instant(streaming, tmp_path, count):
    events = events_of(count)
    late = events.slice(count - 1)  # far ahead, so that all others come out
    ahead = pa.array([200_000 * 10**6], pa.timestamp("us", "UTC"))
    flush = late.set_column(1, "at", ahead)
    size = count // 2
    batches = [events.slice(start, size) for start in range(0, count, size)]
    folder = write_files(tmp_path / "in", [*batches, flush])
    stream = stream_of(streaming, folder, late_by="10 seconds")

    served = run(wr.over(stream, FEATURES), tmp_path / "checkpoint").rows

    learned = wr.as_of(events, events, FEATURES, at="at")
    served = served.sort_by("id").select(learned.column_names)
    assert served.num_rows == count
    mismatches = {
        name: differences(served[name].to_pylist(), learned[name].to_pylist())
        for name in FEATURES.calls
    }
    assert mismatches == dict.fromkeys(FEATURES.calls, 0)


def differences(served: list[float | None], learned: list[float | None]) -> int:
    """How many values differ, nulls included; sums of floats in their last digits."""
    pairs = zip(served, learned, strict=True)
    return sum(a != b and (None in (a, b) or abs(a / b - 1) > 1e-12) for a, b in pairs)
