"""Describes the form of an algorithm that takes one event at a time.

    insert(scratch, ints, state, value, tick)   -> ints, state
    evict(scratch, ints, state)                 -> ints, state       the oldest
    whole(scratch, ints, state)                 -> partial, ints, state

An algorithm that answers windows of several ranges has one more, LightSaber's
`query(size)` (5.1), and one that keeps a running answer for each is `running`:

    since(scratch, ints, state, start)          -> partial, ints, state
                                    of the events at places [start, E), F <= start

One whose loop over many events is faster than these three has it for a full window,
which each of events [i, count) moves on by one and asks for its result, `tick` being
the number of event i and `room` memory for `ROOM` partials:

    slide_rows(memory, ints, state, tick, source, i, count, room, out, made)
                                                -> ints, state

and for the events before that, of which none leaves and none reports:

    fill_rows(memory, ints, state, tick, source, i, count, room)
                                                -> ints, state

What lives between two calls is all there is:

    ints      whole numbers; the first two are the places of the window, [F, E),
              which only ever rise: the newest event stands at E - 1
    state     a few partials of the algorithm's own: running aggregates
    scratch   rings of partials, rings of whole numbers, then the mask of both; event
              i has its place at i & mask, and there is always room for one more

An algorithm that also reaches events between the ends of its window has `any_place`:

    correct(scratch, ints, i, value)            -> ints              another value
    remove(scratch, ints, state, i)             -> ints
    make_way(scratch, ints, i)                  -> hole, ints        place i is free
    between(scratch, start, stop)               -> partial           after `whole`

`tick` is the event's instant, or its number where windows count rows.  Nothing is
allocated and nothing is global, so an operator's memory is one flat array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windrow._later import dataclass


@dataclass(frozen=True)
class AnyPlace:
    """How an algorithm reaches events at any place of its window."""

    correct: Callable[..., Any]
    remove: Callable[..., Any]
    make_way: Callable[..., Any]
    between: Callable[..., Any]


@dataclass(frozen=True)
class Stepwise:
    """How an algorithm goes event by event.

    `begin` are its ints at the start, `state` the number of its own partials.  A ring
    of partials has `slots` slots for each place.  `span` names the ints between
    which rings are in use, `nodes` the same of each ring where none has a place for
    each event of the window.  `constant` says that no event waits for many others.
    `chunk` is set where it has to know how many ticks a window covers: the last four
    ints are then the range, a chunk, and the slide and anchor of aligned windows, or
    zeros.  `live` names the int that
    counts events where places may be holes, and `move` copies such a window.
    `since` answers any range; `running` says that each range has a running answer, from
    which the first ring's partials are taken off, `stacks` that each has its stacks
    over that ring (`_ranges.py`).  `list_form` serves lists of windows where it is
    another.

    Where each part of a product goes its own way (`_parts.py`) the functions are text
    over `part_words`, with more of them in `texts`; ring k has the fields
    `ring_fields[k]`, and `answer_rooms` says for each field whether windows of a list
    keep an answer of it, and stacks as long as the ring.
    """

    insert: Callable[..., Any] | str
    evict: Callable[..., Any] | str
    whole: Callable[..., Any] | str
    begin: tuple[int, ...] = (0, 0)
    state: int = 0
    rings: int = 1
    slots: int = 1
    numbers: int = 0
    span: tuple[int, int] = (0, 1)
    nodes: tuple[tuple[int, int], ...] = ()
    constant: bool = False
    chunk: bool = False
    live: int | None = None
    move: Callable[..., Any] | str | None = None
    fill_rows: Callable[..., Any] | None = None
    slide_rows: Callable[..., Any] | None = None
    any_place: AnyPlace | None = None
    since: Callable[..., Any] | None = None
    running: bool = False
    stacks: bool = False
    list_form: Stepwise | None = None
    part_words: tuple[tuple[str, Callable[..., Any], int], ...] = ()
    texts: tuple[str, ...] = ()
    ring_fields: tuple[tuple[int, int], ...] = ()
    answer_rooms: tuple[tuple[int, int], ...] = ()

    @property
    def many(self) -> bool:
        """Whether windows of several ranges can be answered."""
        form = self.list_form or self
        return form.running or form.stacks or form.since is not None

    @property
    def fifo(self) -> bool:
        """Whether events come and go at the ends of the window only."""
        return self.any_place is None
