"""Lists the words that kernel functions are written in, with their meaning.

The bodies here never run.  Some words are generated for each product (`combine`,
`load`, ...); others stand for a function of the algorithm, of the windows' bounds or of
an operator's memory (`slide`, `start_of`, `insert`, ...), which the assembly of each
kernel names (`windrow.kernels.assemble`).  A partial is a tuple of numbers.

    source          where partials come from: columns of rows, or of slice partials
    bounds          which slices each window covers
    fields          an array per field of the partial: scratch memory for partials
    i               a place; over whole columns, a slice or an array of places
"""

from typing import Any, SupportsIndex

Whole = SupportsIndex
"""A whole number, Python's or numpy's."""

IDENTITY: Any = None
"""The partial of nothing: combine(IDENTITY, p) == p == combine(p, IDENTITY)."""


def leaf(source: Any, i: Any) -> Any:
    """The partial of slice (or row) i."""


def combine(older: Any, newer: Any) -> Any:
    """The partial of two neighbouring stretches of stream, the older one first."""


def commutes() -> bool:  # type: ignore[empty-body]
    """Whether `combine` may take its sides in either order."""


def join(older: Any, newer: Any) -> Any:
    """The result of `combine`, where both sides are known to hold a slice.

    Without an identity this saves the test which side is empty.
    """


def choose(condition: Any, partial: Any, other: Any) -> Any:
    """`partial` where the condition holds, `other` elsewhere; over columns only."""


def inverse(whole: Any, oldest: Any) -> Any:
    """The partial of `whole` without `oldest`, which is its oldest part."""


def same(a: Any, b: Any) -> bool:  # type: ignore[empty-body]
    """Whether two partials are equal; NaN equals NaN."""


def allocate(n: Whole) -> Any:
    """Memory for n partials."""


def load(fields: Any, i: Any) -> Any:
    """The i-th partial in `fields`."""


def store(fields: Any, i: Any, partial: Any) -> None:
    """Put a partial at place i of `fields`."""


def emit(out: Any, i: Any, partial: Any) -> None:
    """Lower the partial of the i-th window into the results."""


def expect(out: Any, i: Whole) -> None:
    """Announce that the result of window i will be written soon."""


def approach(source: Any, i: Whole) -> None:
    """Announce that slice i, which may be past the last, will be read soon."""


# --- the bounds of windows ------------------------------------------------------


def start_of(bounds: Any, i: Whole) -> int:  # type: ignore[empty-body]
    """The first slice of window i."""


def stop_of(bounds: Any, i: Whole) -> int:  # type: ignore[empty-body]
    """One past the last slice of window i; never falls from one window to the next."""


def keep_of(bounds: Any, i: Whole) -> int:  # type: ignore[empty-body]
    """The oldest slice that window i or any later one needs.

    It is the start, unless windows of several ranges are answered in one pass: then
    starts jump back and forth behind it.
    """


def query_of(bounds: Any, i: Whole) -> int:  # type: ignore[empty-body]
    """Which of several ranges window i belongs to; 0 where there is one."""


def peek(array: Any, i: Whole) -> Any:
    """The number at place i of scratch memory."""


def poke(array: Any, i: Whole, value: Any) -> None:
    """Put a number at place i of scratch memory."""


def look(array: Any, i: Whole) -> int:  # type: ignore[empty-body]
    """The number at place i that another thread may announce."""


def announce(array: Any, i: Whole, value: Any) -> None:
    """Put a number at place i, after all that was written before it."""


# --- an algorithm (`windrow.algorithms.Algorithm` says more) ---------------------


def prepare(widest: Whole, chunk: Whole) -> Any:
    """Scratch memory for `slide`."""


def slide(
    source: Any, bounds: Any, count: Whole, at: Whole, scratch: Any, out: Any
) -> Any:
    """Answer `count` windows, read with `start_of` and `stop_of`."""


def stage(widest: Whole, chunk: Whole) -> Any:
    """Scratch memory for `stride`."""


def stride(
    source: Any,
    first: Whole,
    count: Whole,
    width: Whole,
    at: Whole,
    scratch: Any,
    out: Any,
) -> Any:
    """Answer `count` windows of `width` slices, each one slice after the last."""


# --- rows in no order (`windrow.slicing.cells`) ---------------------------------


def is_left_in(source: Any, i: Any) -> Any:
    """Whether row i is folded, if it has a code."""


def choose_rows(source: Any, bounds: Any, start: Whole) -> int:  # type: ignore[empty-body]
    """How many rows of the block that starts there are folded."""


def row_at(bounds: Any, start: Whole, k: Whole) -> int:  # type: ignore[empty-body]
    """The k-th of them."""


def code_of(source: Any, numbers: Any, i: Any) -> Any:
    """The code of the key of row i; -1 if it has none, and is left out."""


# --- tallies: partials of rows whose number the loop knows (`tallies.py`) ---------


def origin(source: Any, i: Whole) -> Any:
    """Row i, as what tallies are counted from; it is in every window they are for."""


def tally(source: Any, i: Whole, origin: Any) -> Any:
    """The tally of slice (or row) i."""


def join_tallies(older: Any, newer: Any) -> Any:
    """The tally of two neighbouring stretches with the same origin."""


def tally_of(partial: Any, origin: Any) -> Any:
    """The tally of a stretch, from its partial."""


def partial_of(tally: Any, origin: Any, n: Whole) -> Any:
    """The partial of a stretch of n slices, from its tally."""


def allocate_tallies(n: Whole) -> Any:
    """Memory for n tallies."""


def load_tally(fields: Any, i: Whole) -> Any:
    """The i-th tally in `fields`."""


def store_tally(fields: Any, i: Whole, tally: Any) -> None:
    """Put a tally at place i of `fields`."""


def emit_tally(out: Any, i: Whole, tally: Any, n: Whole) -> None:
    """Lower the tally of the i-th window, of n slices, into the results."""


# --- events with a duration -----------------------------------------------------

LEVELS: Any = None
"""Whether slices have several levels."""

# --- one event at a time --------------------------------------------------------

EVICT: Any = None
"""The policy that evicts events, as a number of `windrow.operator.policies`."""

TRIGGER: Any = None
"""The policy that triggers results, as a number of `windrow.operator.policies`."""


ORDERED: Any = None
"""Whether the instant of each event is kept."""

NODES: Any = None
"""Whether the rings have places for nodes, of which there are fewer than events."""

NUMBERED: Any = None
"""Whether the number of each event is kept, so that it can be found again."""

RING_FROM: Any = None
"""Which of the algorithm's ints is the first place of its rings that is in use."""

RING_UPTO: Any = None
"""Which of the algorithm's ints is one past the last such place."""


def fill_rows(
    memory: Any,
    ints: Any,
    state: Any,
    tick: Whole,
    source: Any,
    i: Whole,
    count: Whole,
    room: Any,
) -> Any:
    """Events [i, count), after which the window is not yet full; ints and state."""


def slide_rows(
    memory: Any,
    ints: Any,
    state: Any,
    tick: Whole,
    source: Any,
    i: Whole,
    count: Whole,
    room: Any,
    out: Any,
    made: Whole,
) -> Any:
    """Events [i, count) of a full window that reports every row; ints and state."""


def lift_one(position: Whole, *values: Any) -> Any:
    """The partial of one event, from its numbers."""


def lift_number(position: Whole, value: Any) -> Any:
    """The partial of one event that is a number, and not null."""


def open_memory(mem: Any) -> Any:
    """The parts of an operator's memory, and memory for one result."""


def words_of(arena: Any) -> Any:
    """The words of an arena, in which the windows of many keys stand."""


def block_words(n: Whole) -> int:  # type: ignore[empty-body]
    """Words of a window with n places in an arena."""


def open_block(arena: Any, at: Whole) -> Any:
    """The memory whose block begins there, as `open_memory` gives it."""


def insert(scratch: Any, ints: Any, state: Any, value: Any, tick: Whole) -> Any:
    """The algorithm's step for a new event."""


def evict(scratch: Any, ints: Any, state: Any) -> Any:
    """The algorithm's step for the oldest event."""


def whole(scratch: Any, ints: Any, state: Any) -> Any:
    """The algorithm's answer."""


def since(scratch: Any, ints: Any, state: Any, start: Whole) -> Any:
    """The events from a place on: the partial, ints and state."""


def advance(
    scratch: Any, ints: Any, q: Whole, rules: Any, answers: Any, start: Whole
) -> None:
    """Window q of a list begins at a later place."""


def answer(
    scratch: Any, ints: Any, state: Any, q: Whole, rules: Any, answers: Any
) -> Any:
    """The partial of window q of a list, ints and state."""


def begin_range(scratch: Any, ints: Any, q: Whole, rules: Any, answers: Any) -> None:
    """Window q of a list is new: it begins with the oldest event."""


def take_newest(rules: Any, answers: Any, value: Any) -> None:
    """All windows of a list take the newest event on."""


def begin_steps() -> Any:
    """The ints and the state of a window without events."""


def make_answers(count: Whole, places: Whole) -> Any:
    """Memory for what so many windows of a list keep, over rings of `places`."""


def size_of(ints: Any) -> int:  # type: ignore[empty-body]
    """How many events the window holds."""


def used_of(ints: Any) -> int:  # type: ignore[empty-body]
    """How many places of the rings are in use."""


def ints_of(words: Any) -> Any:
    """The algorithm's ints, out of the operator's memory."""


def set_ints(words: Any, ints: Any) -> None:
    """Put the algorithm's ints back."""


def state_of(fields: Any) -> Any:
    """The algorithm's own partials, out of the operator's memory."""


def set_state(fields: Any, state: Any) -> None:
    """Put the algorithm's own partials back."""


def move(scratch: Any, ints: Any, wider: Any) -> Any:
    """Copy a window's events to other memory; return the algorithm's ints there."""


def copy_event(scratch: Any, i: Whole, wider: Any, j: Whole) -> None:
    """Copy place i of an algorithm's rings to place j of other rings."""


# --- events at any place (`windrow.algorithms.AnyPlace` says more) ---------------


def correct(scratch: Any, ints: Any, i: Whole, value: Any) -> Any:
    """Give the event at place i another value; return the ints."""


def remove(scratch: Any, ints: Any, state: Any, i: Whole) -> Any:
    """Remove the event at place i; return the ints."""


def make_way(scratch: Any, ints: Any, i: Whole) -> Any:
    """Free place i for a late event; return where the hole was, and the ints."""


def between(scratch: Any, start: Whole, stop: Whole) -> Any:
    """The partial of the events at places [start, stop)."""
