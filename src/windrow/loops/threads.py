"""Runs pieces of work on several threads of this process.

    work      0   1   2   3   4   5   6
    caller    [ 0 ]   [ 2 ][ 3 ]   [ 6 ]         each takes the next piece in turn
    second      [   1    ]   [ 4 ][ 5 ]

Kernels, numpy and Arrow run without the interpreter's lock, so Python threads serve.
Which thread does a piece never shows in its result: pieces are made from the data, and
results come in their order.  If some fail, the error of the first is raised.

Threads live as long as the call: a pool kept for later would not survive a fork.
"""

from __future__ import annotations

import contextvars
import numbers
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, pairwise
from typing import Any, TypeVar

from windrow.errors import BadInput

from .choice import adopt, state, task_lane

T = TypeVar("T")

LARGE = 200_000  # rows: below, one thread is as fast
PIECE = 1 << 18  # rows of a piece, where no result depends on its borders


class _Team(threading.local):
    size: int | None = None


_team = _Team()


def cores() -> int:
    """The processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(asked: object, rows: int) -> int:
    """The threads for so many rows: as asked, as WINDROW_THREADS says, or all cores."""
    if asked is not None:
        is_number = isinstance(asked, numbers.Integral) and not isinstance(asked, bool)
        if not is_number or int(asked) < 1:  # type: ignore[call-overload]
            raise BadInput.because(
                f"cannot run on {asked!r} threads",
                "it is not a whole number of 1 or more",
                "leave threads= out for all cores, or write threads=1 for one",
            )
        return int(asked)  # type: ignore[call-overload,no-any-return]
    word = os.environ.get("WINDROW_THREADS", "")
    if word and not (word.isdecimal() and int(word) > 0):
        raise BadInput.because(
            f"cannot read WINDROW_THREADS={word!r}",
            "it is not a whole number of 1 or more",
            "unset it for all cores, or set it to 1 for one thread",
        )
    if rows < LARGE:
        return 1
    return int(word) if word else cores()


def spare_threads() -> int:
    """How many threads the work of this thread may take up, with itself."""
    if task_lane() is not None:  # the other cores have tasks of their own
        return 1
    return cores() if _team.size is None else _team.size


@contextmanager
def limited(size: int) -> Iterator[None]:
    """Let the work of this thread take up so many threads, with itself."""
    before, _team.size = _team.size, size
    try:
        yield
    finally:
        _team.size = before


def in_threads(work: Callable[[int], T], pieces: int, threads: int) -> list[T]:
    """work(0), work(1), ..., of which so many threads do one at a time each."""
    threads = min(threads, pieces)
    if threads <= 1:
        return [work(piece) for piece in range(pieces)]
    results: list[Any] = [None] * pieces
    errors: dict[int, BaseException] = {}
    turns, told = count(), state()

    def take_turns() -> None:
        with adopt(told), limited(1):
            while not errors and (piece := next(turns)) < pieces:
                try:
                    results[piece] = work(piece)
                except BaseException as error:  # noqa: BLE001 - raised by the caller
                    errors[piece] = error

    others = [
        threading.Thread(
            target=contextvars.copy_context().run, args=(take_turns,), name="windrow"
        )
        for _ in range(threads - 1)
    ]
    for other in others:
        other.start()
    take_turns()
    for other in others:
        other.join()
    if errors:
        raise errors[min(errors)]
    return results


def over_rows(work: Callable[[slice], T], rows: int, threads: int) -> list[T]:
    """The work over all rows, in pieces of which each thread has a few."""
    pieces = 1 if threads == 1 else max(min(4 * threads, rows // PIECE), 1)
    bounds = [rows * piece // pieces for piece in range(pieces + 1)]
    slices = [slice(*pair) for pair in pairwise(bounds)]
    return in_threads(lambda piece: work(slices[piece]), pieces, threads)
