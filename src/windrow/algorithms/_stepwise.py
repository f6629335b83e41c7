"""The form of an algorithm that takes one event at a time, and can be laid aside.

    insert(scratch, ints, kept, value, tick)    -> ints, kept
    evict(scratch, ints, kept)                  -> ints, kept        the oldest
    whole(scratch, ints, kept)                  -> partial, ints, kept

What lives between two calls is all there is:

    ints      whole numbers; the first two are the places of the window, [F, E),
              which only ever rise: the newest event stands at E - 1
    kept      a few partials of their own
    scratch   rings of partials, rings of whole numbers, then the mask of both; event
              i has its place at i & mask, and there is always room for one more

`tick` is the event's instant, or its number where windows count rows.  Nothing is
allocated and nothing is global, so an operator is one flat array (`_layout.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Stepwise:
    """How an algorithm goes event by event.

    `begin` are its ints at the start, `kept` the number of its own partials.  A ring
    of partials has `slots` slots for each place.  `span` names the ints between
    which rings are in use.  `constant` says that no event waits for many others.
    `chunk` is set where it has to know how many ticks a window covers: the last int
    is then the chunk, and the last but one the range.  `live` names the int that
    counts events where places may be holes, and `move` copies such a window.
    """

    insert: Callable[..., Any]
    evict: Callable[..., Any]
    whole: Callable[..., Any]
    begin: tuple[int, ...] = (0, 0)
    kept: int = 0
    rings: int = 1
    slots: int = 1
    numbers: int = 0
    span: tuple[int, int] = (0, 1)
    constant: bool = False
    chunk: bool = False
    live: int | None = None
    fifo: bool = True
    move: Callable[..., Any] | None = None
