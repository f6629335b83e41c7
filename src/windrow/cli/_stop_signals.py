"""Counts stop signals: one ends a stream after its micro-batch, two at once.

SIGINT, SIGTERM    counted, nothing is interrupted; PySpark's own handler would cancel
                   the jobs of the running micro-batch
a second one       the micro-batch is given up, and repeated by the next start
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any


class StopSignals:
    """How often the stream was signalled to stop."""

    def __init__(self) -> None:
        self.times = 0
        self._first = threading.Event()

    def note(self, *_: Any) -> None:
        """Count a signal; this is its handler."""
        self.times += 1
        self._first.set()

    def wait(self, seconds: float) -> None:
        """Wait, but not past the first signal."""
        self._first.wait(seconds)


@contextlib.contextmanager
def stop_signals() -> Iterator[StopSignals]:
    """Count signals for as long as the block runs."""
    stopping = StopSignals()
    before = {
        number: signal.signal(number, stopping.note)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
