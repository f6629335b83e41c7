"""Kernels on two executor processes with empty caches: a script.

cold        neither driver nor executors have machine code    whole columns, no numba
warm        the driver has it                                 it travels, none is made
other       the driver's is for another processor             whole columns again
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
from answers import assert_same_rows
from on_cluster import started
from pyspark.sql import SparkSession
from scripts import check
from typed import frame_of, table_of

import windrow as wr
from windrow.loops import Lane, cache, machine, pinned
from windrow.spark import lanes

QUERY = wr.sliding("10 minutes", every="7 seconds", on="at")  # too many to copy
CALLS = {"usual": wr.mean("x"), "spread": wr.variance("x"), "most": wr.max("x")}


def main() -> None:
    """All checks on one cluster: starting one takes longest."""
    os.environ.pop("WINDROW_COMPILE", None)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        os.environ["SPARK_HOME"] = str(
            Path(sys.modules["pyspark"].__file__ or "").parent
        )
        session = started(scratch, str(scratch / "executors"))
        try:
            run(session, scratch)
        finally:
            session.stop()


def run(session: SparkSession, scratch: Path) -> None:
    table = table_of("double")
    frame = frame_of(session, "double", table)
    with pinned(Lane.COLUMNS):
        expected = wr.aggregate(table, QUERY, by="key", aggregates=CALLS)

    def query() -> Any:
        return wr.aggregate(frame, QUERY, by="key", aggregates=CALLS)

    def compare(folder: str, lane: str) -> None:
        os.environ["WINDROW_CACHE_DIR"] = str(scratch / folder)
        explained = str(wr.explain(frame, QUERY, by="key", aggregates=CALLS))
        assert f"kernel     {lane}" in explained, explained
        assert_same_rows(query(), expected)
        made = list((scratch / "executors").glob("*.code"))
        assert not made, made

    check("cold", lambda: compare("cold", "over whole columns: this machine's cache"))
    check("no numba", lambda: has_numba(session, expected=False))
    os.environ["WINDROW_CACHE_DIR"] = str(scratch / "warm")
    lanes.compile_ahead(query)
    other = {**machine.platform(), "processor": "another"}
    with mock.patch.object(machine, "platform", return_value=other):
        rename(scratch / "warm", scratch / "other", other)
        check("another processor", lambda: compare("other", "compiled: this machine's"))
    check("warm", lambda: compare("warm", "compiled: this machine's cache has them"))
    check("numba", lambda: has_numba(session, expected=True))


def rename(folder: Path, copy: Path, platform: dict[str, str]) -> None:
    """Copy machine code as if it were made on another platform."""
    copy.mkdir(mode=0o700)
    for file in folder.glob("*.code"):
        magic, head, payload = file.read_bytes().split(b"\n", 2)
        entry, types, _ = file.name.split("-")
        name = f"{entry}-{types}-{cache._digest(json.dumps(platform))}.code"
        facts = {**json.loads(head), "name": name, "platform": platform}
        data = b"\n".join([magic, json.dumps(facts).encode(), payload])
        (copy / name).write_bytes(data)


def has_numba(session: SparkSession, *, expected: bool) -> None:
    """Whether some worker has loaded numba, which it does for machine code only.

    Workers wait in a queue, those that only unpack results too: many tasks meet all.
    """

    def look(batches: Any) -> Any:
        for _ in batches:
            pass
        yield pa.RecordBatch.from_pydict({"numba": ["numba" in sys.modules]})

    rows = session.range(64).repartition(32).mapInArrow(look, "numba boolean").collect()
    assert any(row.numba for row in rows) == expected, rows


if __name__ == "__main__":
    sys.exit(main())
