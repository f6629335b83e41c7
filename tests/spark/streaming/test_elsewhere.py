"""A query that is started again elsewhere: other settings, another path, no room."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from answers import assert_same_rows
from micro_batches import STATE, closed, run, stream_of, write_files
from pyspark.errors import StreamingQueryException
from random_streams import LATE_BY, random_batches

import windrow as wr
from windrow.loops import interpreting

KEYS = ["stream", "key"]
WINDOW = wr.sliding("1 minute", every="10 seconds", on="at")
CALLS = {"n": wr.count(), "total": wr.sum("i"), "first": wr.first("i")}
OTHER_SETTINGS = {
    "spark.sql.shuffle.partitions": "3",
    "spark.sql.session.timeZone": "Asia/Kathmandu",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
    f"{STATE}.compression.codec": "zstd",
    f"{STATE}.rocksdb.changelogCheckpointing.enabled": "true",
}


def build(session, folder):
    stream = stream_of(session, folder, late_by=LATE_BY)
    return wr.aggregate(stream, WINDOW, by=KEYS, aggregates=CALLS, buckets=2)


def assert_answer(batches, *ran):
    """All windows that were closed, each once."""
    with interpreting():
        expected = wr.aggregate(
            pa.concat_tables(batches), WINDOW, by=KEYS, aggregates=CALLS
        )
    rows = pa.concat_tables([one.rows for one in ran])
    assert ran[0].rows.num_rows > 0
    named_by = [*KEYS, "window"]
    assert_same_rows(rows, closed(expected, ran[-1].watermark), named_by=named_by)


@pytest.mark.deep  # test_restart.py goes on under the same ones
def test_a_query_goes_on_under_other_settings(streaming, settings_of, tmp_path):
    batches = random_batches(Random(6), streams=6, batches=4)
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    write_files(folder, batches[:2])
    before = run(build(streaming, folder), checkpoint)
    write_files(folder, batches[2:], first=2)

    with settings_of(OTHER_SETTINGS):
        after = run(build(streaming, folder), checkpoint)

    assert_answer(batches, before, after)


@pytest.mark.deep
def test_a_checkpoint_that_was_moved_is_refused_and_goes_on_where_it_was(
    streaming, tmp_path
):
    batches = random_batches(Random(6), streams=6, batches=4)
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    write_files(folder, batches[:2])
    before = run(build(streaming, folder), checkpoint)
    write_files(folder, batches[2:], first=2)
    moved = checkpoint.rename(tmp_path / "moved")

    with pytest.raises(StreamingQueryException) as refused:
        run(build(streaming, folder), moved)
    left = [path for path in checkpoint.rglob("*") if path.is_file()]
    shutil.rmtree(checkpoint)  # Spark looked for it there, and made folders
    moved.rename(checkpoint)
    after = run(build(streaming, folder), checkpoint)

    assert f"{checkpoint}/state" in str(refused.value)
    assert "does not exist SQLSTATE: XXKST" in str(refused.value)
    assert left == []
    assert_answer(batches, before, after)


@pytest.mark.deep
def test_a_full_disk_stops_a_query_which_goes_on_once_there_is_room(
    streaming, tmp_path
):
    batches = random_batches(Random(6), streams=6, batches=4)
    folder, disk = tmp_path / "in", tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk):
        checkpoint, filler = disk / "checkpoint", disk / "filler"
        write_files(folder, batches[:2])
        before = run(build(streaming, folder), checkpoint)
        write_files(folder, batches[2:], first=2)
        room = shutil.disk_usage(disk).free
        filler.write_bytes(bytes(room - 8192))

        with pytest.raises(StreamingQueryException):
            run(build(streaming, folder), checkpoint)
        filler.unlink()
        after = run(build(streaming, folder), checkpoint)

    assert_answer(batches, before, after)


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A disk of four megabytes at a folder, where we may have one."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, check=False).returncode:
        pytest.skip("no disk may be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
