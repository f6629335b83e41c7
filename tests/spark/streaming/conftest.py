"""Tests of Structured Streaming find their own shared modules here.

micro_batches.py     a stream from files, one file a micro-batch, and what came of it
random_streams.py    dozens of random streams in one, out of order within a watermark
numbered_source.py   a source of Python's own whose offsets are plain numbers
killing.py           a query in a process of its own, killed and started again
late_answer.py       its answer with late rows, by the watermarks that it has had
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from micro_batches import SETTINGS


@pytest.fixture
def streaming(spark, settings_of):
    """The session of the run, set up for state that is kept in RocksDB."""
    with settings_of(SETTINGS):
        yield spark
