"""The memory of a worker whose state has a million keys, as docs/streaming.md says.

one process      blobs of rows by minute and bucket, on disk
    another          16 buckets in turn, each with its state on disk: its peak counts
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import Folding
from windrow.plan import plan_aggregate
from windrow.plan.flow import Flow, flow_of
from windrow.state.codec import StepStats, pack, unpack
from windrow.tasks.stream import make_bucket
from windrow.windows.repeats import sum_windows

KEYS, BUCKETS, MINUTES = 1_000_000, 16, 6
MOST = 450  # megabytes; it was 348, of which 245 are there with 1,600 keys
MINUTE = 60_000_000
SCHEMA = pa.schema(
    [("key", pa.int64()), ("at", pa.timestamp("us", "UTC")), ("x", pa.int64())]
)


class FolderStore:
    """Blobs as files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def get(self, number: int) -> bytes | None:
        path = self.folder / str(number)
        return path.read_bytes() if path.exists() else None

    def put(self, number: int, blob: bytes) -> None:
        (self.folder / str(number)).write_bytes(blob)

    def remove(self, number: int) -> None:
        (self.folder / str(number)).unlink()


def query() -> Flow:
    window = wr.sliding("1 hour", every="1 minute", on="at")
    calls = {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("x")}
    plan = plan_aggregate(SCHEMA, window, ["key"], gather_calls(calls, None))
    return flow_of(plan, frozenset(), delay=MINUTE // 6, buckets=BUCKETS)


def write_blobs(folder: Path) -> None:
    """A row of each key a minute, folded as before the shuffle."""
    flow = query()
    folding = Folding(flow.plan, flow.request, flow.slots)
    for minute in range(MINUTES):
        for bucket in range(BUCKETS):
            key = np.arange(bucket, KEYS, BUCKETS)
            at = minute * MINUTE + key % MINUTE
            table = pa.table([key, at, key * 7_919 % 1_000_003], SCHEMA.names)
            blob = pack(folding.fold(table.cast(SCHEMA)), "feed", small=False)
            (folder / f"{minute}-{bucket}").write_bytes(blob)


def run_buckets(folder: Path) -> tuple[int, int]:
    """How many results come out, and the peak of this process in megabytes."""
    bucket, results = make_bucket(query()), 0
    for minute in range(MINUTES):
        for number in range(BUCKETS):
            store = FolderStore(folder / f"state-{number}")
            blob = (folder / f"{minute}-{number}").read_bytes()
            now = minute * MINUTE - MINUTE // 6
            tables = [unpack(blob, "feed")[0]]
            step = bucket.step(store, tables, now, StepStats())
            results += sum(map(sum_windows, step))
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(line for line in status if line.startswith("VmHWM"))
    return results, int(peak.split()[1]) // 1024


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_a_worker_holds_a_bucket_of_a_million_keys_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDROW_COMPILE", "auto")

    for part in ("write", "run"):
        command = [sys.executable, __file__, part, str(tmp_path)]
        out = subprocess.run(command, check=True, capture_output=True, text=True)

    results, peak = map(int, out.stdout.split())
    assert results == KEYS * (MINUTES - 2)
    assert peak < MOST


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write_blobs(Path(sys.argv[2]))
    else:
        print(*run_buckets(Path(sys.argv[2])))  # noqa: T201 - what the test reads
