"""Defines an algorithm: a card, and the functions that its kernel is made of.

    prepare(widest, chunk)                        scratch memory, made once
    slide(source, bounds, count, at, scratch, out)
        computes `count` windows with the bounds `start_of`, `stop_of`; the partial of
        window i goes to `emit(out, at + i, partial)`
    stride(source, first, count, width, at, scratch, out)
        the fast path, if there is one, for windows that move by one slice: window i
        covers slices [first + i, first + i + width); `stage` is its `prepare`
    conduct(kernel, source, ...)
        Python, called with the kernel's module in place of its `run`, if there is
        one: for more than one thread; it calls the functions listed as entries,
        each under its name

The first are plain functions over the names in `windrow.kernels.vocabulary`, and are
compiled together with the aggregates.  Windows come with stops that never fall.
A window may start at or past the stop of the one before (a gap in time, the next
key): an algorithm then starts from empty, so that keys need no extra code.  A window
may be empty.  With `many`, starts may also move back and forth between `keep_of` and
the stop: windows of several ranges in one pass.

`uneven` names the algorithm whose `slide` it has, if `slide` is not its own.

`steps` is the same algorithm one event at a time, for operators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windrow.aggregates import Law

from ._stepwise import Stepwise


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """The card of an algorithm, and its kernel functions."""

    name: str
    title: str
    needs: Law
    time: str
    worst: str
    space: str
    source: str
    prepare: Callable[..., Any]
    slide: Callable[..., Any]
    stage: Callable[..., Any] | None = None
    stride: Callable[..., Any] | None = None
    conduct: Callable[..., None] | None = None
    slide_entries: tuple[Callable[..., Any], ...] = ()
    stride_entries: tuple[Callable[..., Any], ...] = ()
    uneven: str = ""
    many: bool = False
    threads: int = 1
    steps: Stepwise | None = None

    def suits(self, laws: Law) -> bool:
        """Whether an aggregate with those laws can be slid by it."""
        return self.needs in laws
