"""Decides how keys of `wr.as_of` with very many events are cut into chunks of time.

Labels of a chunk ask at instants s of [lo, hi), over the frames [s + far, s + near):

    events      |== zone ==|~~~~~~~~ middle ~~~~~~~~|== zone ==|
             lo+far     hi+far                   lo+near    hi+near

The events of both zones go to the chunk's task; what is between them is in the frame of
every label there, and goes as one partial.  So a chunk reads twice its own events for
each length, however long that is.  Without a beginning there is no first zone.

Where chunks that hold few enough events can be as long as every frame, the zones meet:
all events of a frame go to the task, and nothing is folded beforehand (a halo).

    merged    frames by duration, or of everything, over aggregates with partials
    counted   frames of rows: the last rows before lo + near stand for the first zone
    copied    durations over aggregates without partials: all events between, as rows
"""

from __future__ import annotations

from dataclasses import replace

from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates import Law
from windrow.errors import BadInput

from .as_of import AsOfPlan
from .facts import Facts
from .frame import Frame, is_count_of_values
from .resolve import resolve

HOT = 1 << 20
"""Events of a key above which it is cut, and of a chunk: a second's work of a task."""

COPIES = 4
"""How much longer than a frame chunks are at least where its events are copied."""

STRETCHED = 2
"""How many chunks a frame may span so that these become longer than it instead."""

HALO = 1.5
"""How much longer than every frame such chunks are at least: fewer events in two."""

REACH = 1024
"""Chunks that one frame spans at most, where a key's events last far less than it."""


@dataclass(frozen=True)
class LabelChunks:
    """How keys with more than `most` events are cut, by the kind of each frame."""

    plan: AsOfPlan
    most: int
    merged: tuple[Frame, ...]
    counted: tuple[Frame, ...]
    copied: tuple[Frame, ...]

    @property
    def edges(self) -> list[int]:
        """How far from a label's instant the borders of chunks are seen, in ticks."""
        bounds = [frame.interval[1] for frame in self.plan.frames]
        bounds += [f.interval[0] for f in self.plan.frames if f.ticks is not None]
        return sorted(set(bounds) | {self.near} if self.counted else set(bounds))

    @property
    def near(self) -> int:
        """Where frames of rows meet the rows before the chunk."""
        return min((frame.interval[1] for frame in self.counted), default=0)

    @property
    def rows(self) -> int:
        """How many rows before a chunk its labels count back to."""
        return max((frame.most for frame in self.counted), default=0)

    @property
    def shortest(self) -> int:
        """The length in ticks that chunks have at least."""
        copied = max((sum(map(abs, f.interval)) for f in self.copied), default=0)
        return max(COPIES * copied, -(-self.reach // REACH), 1)

    @property
    def reach(self) -> int:
        """How far the events that a label sees by durations lie apart, in ticks."""
        return self.edges[-1] - self.edges[0]

    @property
    def may_have_halo(self) -> bool:
        """Whether all events that a label sees are near it in time."""
        return not self.counted and all(f.ticks is not None for f in self.plan.frames)

    @property
    def keeps_order(self) -> bool:
        """Whether an aggregate of a merged frame depends on the order of events."""
        calls = [b for frame in self.merged for b in self.plan.frames[frame]]
        return any(Law.COMMUTATIVE not in bound.aggregate.laws for bound in calls)

    def part(self, frames: tuple[Frame, ...]) -> AsOfPlan:
        """The plan over some of its frames."""
        some = {frame: self.plan.frames[frame] for frame in frames}
        calls = [bound for members in some.values() for bound in members]
        own = tuple(bound for bound in calls if not is_count_of_values(bound))
        return replace(self.plan, frames=some, calls=own)


def choose_chunks(plan: AsOfPlan, hot: bool | int) -> tuple[LabelChunks | None, str]:
    """Whether keys with many events are cut, and why."""
    _check_hot(hot)
    if plan.by and hot is False:
        reason = "labels and events of a key meet in one task, in order of time"
        return None, f"none: {reason}; hot=True would cut keys with very many events"
    for name in plan.by:
        if pat.is_nested(plan.schema.field(name).type):
            return None, f"none: key {name} is nested, and only Spark can group by it"
    merged, counted, copied = [], [], []
    for resolved in resolve(plan, Facts()).frames:
        frame, request = resolved.frame, resolved.request
        in_partials = len(request.calls) == len(resolved.calls)
        if frame.counts_rows:
            counted.append(frame)
            if frame.ahead:
                return None, f"none: the {frame.text} of a label may be in any chunk"
        elif in_partials and not request.product.interpreted:
            merged.append(frame)
        elif frame.is_everything:
            name = resolved.calls[0].call.label
            return None, f"none: {name} needs every event before, and has no partial"
        else:
            copied.append(frame)
    most = HOT if isinstance(hot, bool) else hot
    chunks = LabelChunks(plan, most, tuple(merged), tuple(counted), tuple(copied))
    whose = "keys with more than" if plan.by else "no key: if there are more than"
    long = ", lengths between them as totals" if merged else ""
    if long and chunks.may_have_halo:
        long = ", lengths of more than two as totals"
    return chunks, f"{whose} {most:,} events are cut into chunks of as many{long}"


def _check_hot(hot: object) -> None:
    if not isinstance(hot, int) or hot < (not isinstance(hot, bool)):
        raise BadInput.because(
            f"cannot cut keys by hot={hot!r}",
            "it is True, or the number of events from which on a key is cut",
            "write hot=True, or a number such as hot=1_000_000",
        )
