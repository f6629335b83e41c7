"""The names a kernel may use, and what they mean.

An algorithm's `slide` is written against these; the real ones are generated for
each product, so the bodies here never run.  A partial is a tuple of numbers.

    source          where partials come from: columns of rows, or of slice partials
    bounds          which slices each window covers
    fields          an array per field of the partial: scratch memory for partials
"""

from typing import Any

IDENTITY: Any = None
"""The partial of nothing: combine(IDENTITY, p) == p == combine(p, IDENTITY)."""


def leaf(source: Any, i: int) -> Any:
    """The partial of slice (or row) i."""


def combine(older: Any, newer: Any) -> Any:
    """The partial of two neighbouring stretches of stream, the older one first."""


def join(older: Any, newer: Any) -> Any:
    """The same as `combine`, where both sides are known to hold a slice.

    Where an aggregate has no identity this saves asking which side is empty.
    """


def inverse(whole: Any, oldest: Any) -> Any:
    """What is left of `whole` when `oldest` is taken off its old end."""


def same(a: Any, b: Any) -> bool:  # type: ignore[empty-body]
    """Whether two partials are equal; NaN equals NaN."""


def allocate(n: int) -> Any:
    """Room for n partials."""


def load(fields: Any, i: int) -> Any:
    """The i-th partial in `fields`."""


def store(fields: Any, i: int, partial: Any) -> None:
    """Put a partial at place i of `fields`."""


def emit(out: Any, i: Any, partial: Any) -> None:
    """Lower the partial of the i-th window into the results."""


def expect(out: Any, i: int) -> None:
    """Say that the result of window i will be written soon."""


def start_of(bounds: Any, i: int) -> int:  # type: ignore[empty-body]
    """The first slice of window i."""


def stop_of(bounds: Any, i: int) -> int:  # type: ignore[empty-body]
    """One past the last slice of window i; never falls from one window to the next."""


def keep_of(bounds: Any, i: int) -> int:  # type: ignore[empty-body]
    """The oldest slice that window i or any later one needs.

    Equal to the start, but where windows of several ranges are answered in one
    pass: there starts jump back and forth behind it.
    """


def query_of(bounds: Any, i: int) -> int:  # type: ignore[empty-body]
    """Which of several ranges window i belongs to; 0 where there is one."""


def peek(array: Any, i: int) -> Any:
    """The number at place i of scratch memory."""


def poke(array: Any, i: int, value: Any) -> None:
    """Put a number at place i of scratch memory."""


# --- one event at a time --------------------------------------------------------

EVICT: Any = None
"""What makes events leave, as a number of `windrow.operator.policies`."""

TRIGGER: Any = None
"""What makes results fall due, as a number of `windrow.operator.policies`."""


ORDERED: Any = None
"""Whether the instant of each event is kept."""

NUMBERED: Any = None
"""Whether the number of each event is kept, so that it can be found again."""


def insert(scratch: Any, ints: Any, kept: Any, value: Any, tick: int) -> Any:
    """The algorithm's step for a new event."""


def evict(scratch: Any, ints: Any, kept: Any) -> Any:
    """The algorithm's step for the oldest event."""


def whole(scratch: Any, ints: Any, kept: Any) -> Any:
    """The algorithm's answer."""


def size_of(ints: Any) -> int:  # type: ignore[empty-body]
    """How many events the window holds."""


def ints_of(words: Any) -> Any:
    """The algorithm's ints, out of the operator's memory."""


def set_ints(words: Any, ints: Any) -> None:
    """Put the algorithm's ints back."""


def kept_of(fields: Any) -> Any:
    """The algorithm's own partials, out of the operator's memory."""


def set_kept(fields: Any, kept: Any) -> None:
    """Put the algorithm's own partials back."""
