"""Ctrl-C as the way to end a stream: once at the next good moment, twice at once.

SIGINT, SIGTERM    noted, nothing is interrupted; PySpark's own way would cancel
                   the jobs of the micro-batch that is running
a second one       the micro-batch is given up; it will be done again
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any


class Stopping:
    """How often the stream was asked to stop."""

    def __init__(self) -> None:
        self.times = 0
        self._asked = threading.Event()

    def note(self, *_: Any) -> None:
        """One more time: this is what a signal calls."""
        self.times += 1
        self._asked.set()

    def wait(self, seconds: float) -> None:
        """Wait, but not past the first time."""
        self._asked.wait(seconds)


@contextlib.contextmanager
def signals() -> Iterator[Stopping]:
    """Signals are noted for as long as the block runs."""
    stopping = Stopping()
    before = {
        number: signal.signal(number, stopping.note)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
