"""Defines the frame of a row or a label: which rows around it are looked at.

    closed          both        left        right       neither
    rows at time   [t-d  t]    [t-d  t)    (t-d  t]    (t-d  t)        last=d
                   [t  t+d]    [t  t+d)    (t  t+d]    (t  t+d)        next=d

Rows at one instant are peers: all of them are in where that end is closed, wherever
they stand.  Numbers of rows are places, and a row's peers are before or after it:

    rows            a  b  c  d  e           frame of c
    last=2             b  c                 (i - 2, i]
    last=2, left    a  b                    [i - 2, i)
    next=2                   d  e           (i, i + 2]
    both               b  c  d  e           (i - 2, i + 2]

A label has no place among events: it stands before the first event that is at its
instant or later, or after these where that end is closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import Call, find
from windrow.errors import BadInput, UnsuitableAlgorithm
from windrow.kernels import Product
from windrow.windows import Clock, Duration

from .bind import BoundCall
from .choose import Choice, choose_algorithm
from .table import holistic_error, label_of, nominal_product

EVERYTHING = 2**62
"""More rows than there are."""


@dataclass(frozen=True)
class Frame:
    """How far back a row looks: over rows, over a duration in ticks, or everything.

    `ahead` is how far it looks ahead, in rows or ticks as `rows` or `ticks` say.
    `of_labels` if those who look are not the rows themselves; `spans` if rows are
    events with a duration.
    """

    rows: int | None
    ticks: int | None
    closed: str
    text: str
    of_labels: bool = False
    spans: bool = False
    ahead: int = 0

    @property
    def counts_rows(self) -> bool:
        """Whether its ends are places and not instants."""
        return self.rows is not None

    @property
    def is_everything(self) -> bool:
        """Whether it begins with the first row."""
        return self.rows is None and self.ticks is None

    @property
    def is_even(self) -> bool:
        """Whether each row looks back over as many rows, itself the last of them."""
        own = not (self.of_labels or self.spans)
        return self.rows is not None and self.near == 1 and own and not self.ahead

    @property
    def near(self) -> int:
        """1 if the newer end is in, else 0."""
        return int(self.closed in ("right", "both"))

    @property
    def interval(self) -> tuple[int, int]:
        """The frame of a row at t, or at place t, is [t + far, t + near); see `most`.

        Of a label with a number of rows, `near` is the instant before which it stands.
        """
        if self.rows is not None and not self.of_labels:
            return self.near - self.rows, self.near + self.ahead
        near = self.near if self.counts_rows else self.near + self.ahead
        far = int(self.closed in ("right", "neither")) - (self.ticks or 0)
        return min(far, near), near

    @property
    def most(self) -> int:
        """How many rows before `near` it holds at most; 0 if `interval` says it all."""
        if self.is_everything:
            return EVERYTHING
        return self.rows if self.rows is not None and self.of_labels else 0

    @property
    def before(self) -> int:
        """How many rows before itself a row counts back to."""
        return 0 if self.rows is None else max(self.rows - self.near, 0)

    @property
    def after(self) -> int:
        """How many rows after itself a row counts on to."""
        return 0 if self.rows is None else max(self.ahead + self.near - 1, 0)

    @property
    def may_be_empty(self) -> bool:
        """Whether there may be no row in it: its own may be left out, or no event."""
        far, near = self.interval
        is_in = near > 0 and (far <= 0 or self.is_everything)
        return self.of_labels or self.spans or not is_in

    @property
    def walks_times(self) -> bool:
        """Whether cursors can find it: not rows of which some come after a label."""
        return not (self.of_labels and self.counts_rows and self.ahead)

    def choice(
        self, algorithm: str, product: Product, calls: Sequence[BoundCall]
    ) -> Choice:
        """The algorithm for calls over this frame."""
        if self.spans:
            return _choose_tree(algorithm, product, label_of(calls))
        width = None if self.rows is None else self.rows + self.ahead
        label = label_of([bound for bound in calls if not is_count_of_values(bound)])
        return choose_algorithm(
            algorithm, product, label, width=width, regular=self.is_even
        )


def share_frames(
    calls: Sequence[BoundCall],
    clock: Clock | None,
    closed: str,
    algorithm: str,
    *,
    of_labels: bool = False,
    spans: bool = False,
) -> dict[Frame, tuple[BoundCall, ...]]:
    """The frames of calls, closed as these say themselves or else as `closed` says.

    Beside a call with min_periods= stands the count of its values.  The algorithm is
    refused if it does not suit the calls of a frame.
    """
    frames: dict[Frame, tuple[BoundCall, ...]] = {}
    for bound in calls:
        frame = _frame_of(bound.call, clock, closed)
        frame = replace(frame, of_labels=of_labels, spans=spans)
        if frame.spans:
            _check_under_way(bound, frame)
        counts = () if bound.call.min_periods is None else (_count_of_values(bound),)
        frames[frame] = (*frames.get(frame, ()), bound, *counts)
    slides = algorithm == "auto"
    for frame, members in frames.items():
        product = nominal_product(members)
        if product is not None:
            frame.choice(algorithm, product, members)
            slides = True
    if not slides:
        raise holistic_error(calls, algorithm)
    return frames


def durations_of(calls: Sequence[BoundCall]) -> list[Duration]:
    """The durations that calls look back and ahead over."""
    lengths = [x for bound in calls for x in (bound.call.last, bound.call.next)]
    return [length for length in lengths if isinstance(length, Duration)]


def values_name(name: str) -> str:
    """The column of how many values the result of that name has seen."""
    return f"\0values of {name}"


def is_count_of_values(bound: BoundCall) -> bool:
    """Whether a call only counts the values of another."""
    return bound.name.startswith("\0")


def _count_of_values(bound: BoundCall) -> BoundCall:
    call = replace(bound.call, aggregate=find("count"), min_periods=None)
    names = {"name": values_name(bound.name), "payload": None, "result": pa.int64()}
    return replace(bound, call=call, **names)


def _frame_of(call: Call, clock: Clock | None, closed: str) -> Frame:
    closed = call.closed or closed
    if call.last is None and call.next is None:
        return Frame(None, None, closed, "everything before")
    sides = [(w, x) for w, x in (("last", call.last), ("next", call.next)) if x]
    words = [f"{w} {getattr(x, 'text', f'{x} rows')}" for w, x in sides]
    if any(isinstance(length, int) for _, length in sides):
        rows, ahead = (x if isinstance(x, int) else 0 for x in (call.last, call.next))
        return Frame(rows, None, closed, " and ".join(words), ahead=ahead)
    assert clock is not None
    ticks, ahead = (
        clock.ticks(x) if isinstance(x, Duration) else 0 for x in (call.last, call.next)
    )
    return Frame(None, ticks, closed, " and ".join(words), ahead=ahead)


def _check_under_way(bound: BoundCall, frame: Frame) -> None:
    """Refuse a call that has no meaning over events with a duration."""
    fact = f"cannot compute {bound.name!r} over events with a duration"
    label = bound.call.label
    if frame.ahead:
        cause = f"{label} looks ahead, and what is under way later has not begun"
        raise BadInput.because(fact, cause, "leave out next=")
    if frame.ticks is None:
        cause = f"{label} has no duration, and events under way have no order"
        raise BadInput.because(fact, cause, "give a duration: last='1 hour'")
    if not bound.aggregate.in_kernels:
        cause = f"{label} is computed from rows, and these leave in another order"
        hint = "use wr.aggregate with a window over the same span"
        raise BadInput.because(fact, cause, hint)


def _choose_tree(algorithm: str, product: Product, label: str) -> Choice:
    """FlatFAT, the one algorithm whose events may enter in another order than leave."""
    if algorithm not in ("auto", "flat_fat"):
        raise UnsuitableAlgorithm.because(
            f"{algorithm} cannot look back over {label}",
            "events enter by their starts and leave by their ends",
            "use flat_fat, or leave the algorithm out",
        )
    choice = choose_algorithm("flat_fat", product, label, width=None, regular=False)
    if algorithm == "flat_fat":
        return choice
    reason = "events enter by their starts and leave by their ends: a tree"
    return replace(choice, reason=reason)
