"""Reads events with a duration, and keeps the windows of one key over them.

SpanProgram   what the windows of all keys share; types are known with the first event
SpanWindow    insert -> waiting --flush--> slices --release--> untaken --take--> results
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import Call, Law
from windrow.errors import BadInput, UnsuitableAlgorithm, UnsupportedType
from windrow.plan.operator import is_held, operator_policies
from windrow.plan.spans import online_height
from windrow.spans import OnlineSlices, Released, SpanKernel, clock
from windrow.windows import Even, parse_duration

from .description import ipc_bytes, table_from, text_of, value_of
from .events import EventReader
from .inputs import EventColumns
from .read_results import payloads_at
from .results import ResultBatch, Results
from .saved_columns import batches_from, payload_table, saved_batches

Array = np.ndarray[Any, Any]
MOST = 4096  # events that wait
MOST_PLACES = 1 << 26  # of a ring: past that a bound was mistyped
SAVED = pa.schema(
    {"key": pa.large_string(), "counts": pa.large_string(), "words": pa.large_binary(),
     "memory": pa.list_(pa.large_binary()), "payloads": pa.large_binary(),
     "untaken": pa.list_(pa.large_binary())}
)  # fmt: skip


Known = tuple[EventColumns | None, dict[bool, SpanKernel], bool]


class SpanProgram:
    """What the windows of all keys share; types are known with the first event."""

    def __init__(
        self, window: Any, calls: Mapping[str, Call], algorithm: str, lateness: Any,
        nulls: bool, unit: str | None = None,
    ) -> None:  # fmt: skip
        self.window, self.calls, self.algorithm = window, calls, algorithm
        for call in calls.values():
            if not call.aggregate.in_kernels:
                raise _needs_events(call)
        self.span: tuple[str, str] = window.span
        self.nulls, self.unit = nulls, unit
        self.lateness = None if lateness is None else parse_duration(lateness)
        late = self.lateness
        other = late is not None and late.is_time != window.range.is_time
        if late is not None and (other or late.amount < 0):
            raise BadInput.because(
                f"cannot postpone windows by {late.text}",
                "the window counts time in another unit" if other else "it is negative",
                "give both as durations, or both as whole numbers",
            )
        policies = operator_policies(replace(window, span=None))
        self.reader = EventReader(calls, policies, None, unit=unit)
        self.lengths = Even(*(length.amount for length in window.lengths))
        self.columns: EventColumns | None = None
        self.kernels: dict[bool, SpanKernel] = {}

    def open(self, schema: pa.Schema) -> EventColumns:
        """Plan and generate, now that types are known."""
        columns = EventColumns(self.calls, schema, nulls=self.nulls)
        for bound in columns.bound:
            if is_held(bound):  # as the largest text is
                raise _needs_events(bound.call)
        product = columns.request.product
        if self.algorithm == "se_ml_slicing" and Law.COMMUTATIVE not in product.laws:
            raise UnsuitableAlgorithm.because(
                "se_ml_slicing cannot keep these windows",
                "an aggregate is not commutative, and levels lose the order of ends",
                "use se_slicing, or leave the algorithm out",
            )
        self.columns = columns
        self.kernels = {
            levels: SpanKernel(product, levels=levels) for levels in (False, True)
        }
        return columns

    @property
    def known(self) -> Known:
        """What events have told so far: the types, what follows, and the zone."""
        return self.columns, self.kernels, self.reader.zoned

    def go_back(self, known: Known) -> None:
        """Know no more than that: the event that told the rest was refused."""
        self.columns, self.kernels, self.reader.zoned = known

    def slices(self, height: int = 1) -> OnlineSlices:
        """Slices without events."""
        postpone = None if self.lateness is None else self.lateness.amount
        return OnlineSlices(self.kernels[height > 1], self.lengths, postpone, height)

    def instants(self, starts: Array, ends: Array) -> tuple[Array, Array]:
        """First and last instants; an event that ends before it starts is refused."""
        wrong = np.flatnonzero(ends < starts)
        if len(wrong):
            self.last_instant(int(starts[wrong[0]]), int(ends[wrong[0]]))
        return starts, np.maximum(ends - 1, starts)

    def last_instant(self, start: int, end: int) -> int:
        """The last instant of an event: its end is not part of it, unless it starts."""
        if end < start:
            start, end = self.reader.instant(start), self.reader.instant(end)
            raise BadInput.because(
                "cannot place an event that ends before it starts",
                f"it lasts from {start} to {end}",
                "leave such events out, or swap their bounds",
            )
        return max(end - 1, start)

    def bounds(self, value: Any, at: Any) -> tuple[int, int]:
        """The start and the end of one event, as ticks."""
        if at is None and isinstance(value, Mapping):
            at = tuple(value.get(name) for name in self.span)
        if not isinstance(at, (tuple, list)) or len(at) != 2 or None in at:
            start, end = self.span
            raise BadInput.because(
                f"cannot place the event {value!r}",
                f"it has no {start!r} and {end!r}",
                f"insert a mapping with both, or give them: at=({start}, {end})",
            )
        first, last = (self.reader.tick(bound) for bound in at)
        assert first is not None
        assert last is not None
        return first, last

    def batch_bounds(self, values: Any, at: Any) -> tuple[Array, Array]:
        """The starts and the ends of a batch, as ticks."""
        span = self.span
        if at is None:
            names = values if isinstance(values, Mapping) else ()
            missing = [name for name in span if name not in names]
            if missing:
                raise BadInput.because(
                    "cannot place a batch of events",
                    f"it has no column {missing[0]!r}",
                    f"give both columns of the span, or at=({span[0]}, {span[1]})",
                )
            at = values[span[0]], values[span[1]]
        bounds = list(at) if hasattr(at, "__len__") else []
        if len(bounds) != 2 or not all(hasattr(bound, "__len__") for bound in bounds):
            raise BadInput.because(
                "cannot place a batch of events",
                f"at= is a {type(at).__name__}, and not two arrays",
                f"give all starts and all ends: at=({span[0]}, {span[1]})",
            )
        starts, ends = (self.reader.ticks(bound, len(bounds[0])) for bound in bounds)
        return starts, ends

    def batch(self, values: Any, count: int) -> tuple[Mapping[str, Any], int]:
        """A batch by the columns that aggregates read, and how many events it has."""
        if not self.reader.names:
            return {}, count
        columns, entries = self.reader.batch(values)
        if entries != count:
            raise BadInput.because(
                f"cannot place {entries} events",
                f"there are {count} starts and ends",
                "give both for each event",
            )
        return columns, count


def _needs_events(call: Call) -> UnsupportedType:
    return UnsupportedType.because(
        f"cannot keep {call.label} over events with a duration",
        "it needs the events of a window, and slices keep none",
        "use wr.aggregate over a table",
    )


class SpanWindow:
    """The windows of one key."""

    def __init__(self, program: SpanProgram) -> None:
        self.program = program
        self.slices = program.slices(2 if program.algorithm == "se_ml_slicing" else 1)
        self.newest: int | None = None  # last instant, those that wait included
        self.postpone = int(self.slices.words[clock.POSTPONE])
        self.waiting: list[tuple[list[Any], int, int]] = []
        self.payloads: dict[int, tuple[Any, int]] = {}  # with the last instant
        self.total = self.remembered = 0
        self.untaken: list[ResultBatch] = []

    @property
    def height(self) -> int:
        """The number of levels."""
        return int(self.slices.words[clock.HEIGHT])

    @property
    def places(self) -> int:
        """The slices that there is room for."""
        return int(self.slices.words[clock.SIZE])

    @property
    def late(self) -> int:
        """The events that missed a window."""
        self.flush()
        return int(self.slices.words[clock.LATE])

    def check_event(self, start: int, last: int) -> None:
        """Refuse an event that ends before windows that are out, or that is endless."""
        self._check(start, last, self.newest)

    def _check(self, start: int, last: int, newest: int | None) -> None:
        patience = self.postpone
        if self.program.lateness is None:
            patience = max(patience, last - start)
        if newest is not None and newest - last > patience:
            instant = self.program.reader.instant
            raise BadInput.because(
                f"cannot go back to an event that is over at {instant(last)}",
                f"the newest is over at {instant(newest)}, and windows that ended "
                "before are out",
                "sort events by their ends, or postpone windows: lateness='1 hour'",
            )
        if patience > self.postpone and self.slices.places(patience) > MOST_PLACES:
            raise BadInput.because(
                f"cannot keep windows over {self.slices.places(patience):,} slices",
                "an event lasts too long for the step of the window",
                "look for a bound that was mistyped, or give lateness=",
            )

    def check_order(self, starts: Array, lasts: Array) -> None:
        """The same for a batch: the first that is refused, by what comes before it."""
        if not len(lasts):
            return
        before = int(lasts[0]) if self.newest is None else self.newest
        newest = np.maximum.accumulate(np.concatenate(([before], lasts[:-1])))
        patience: Any = self.postpone
        if self.program.lateness is None:
            patience = np.maximum(np.maximum.accumulate(lasts - starts), self.postpone)
        late = np.flatnonzero(newest - lasts > patience)
        if len(late):
            at = late[0]
            self._check(int(starts[at]), int(lasts[at]), int(newest[at]))
        longest = int(np.argmax(lasts - starts))
        self._check(int(starts[longest]), int(lasts[longest]), None)

    def wait(self, numbers: list[Any], payload: Any, start: int, last: int) -> None:
        """Let one event wait until somebody asks."""
        if payload:
            self.payloads[self.total + len(self.waiting)] = payload, last
        self.waiting.append((numbers, start, last))
        self.newest = last if self.newest is None else max(self.newest, last)
        if self.program.lateness is None:
            self.postpone = max(self.postpone, last - start)
        if len(self.waiting) >= MOST:
            self.flush()

    def flush(self) -> None:
        """Let in all events that wait."""
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        columns = self.program.columns
        assert columns is not None
        numbers, starts, lasts = zip(*waiting, strict=True)
        slots = [
            np.array(slot, code.replace("b", "?"))
            for slot, code in zip(
                zip(*numbers, strict=True), columns.codes, strict=True
            )
        ]
        self.let_in(slots, None, np.array(starts, np.int64), np.array(lasts, np.int64))

    def let_in(
        self, slots: list[Array], payloads: Any, starts: Array, lasts: Array
    ) -> None:
        """Let events in; windows that are released wait to be taken."""
        if payloads:
            own = zip(payloads, lasts.tolist(), strict=True)
            self.payloads.update(enumerate(own, self.total))
        if not len(lasts):
            return
        if self.program.lateness is None:
            self.postpone = max(self.postpone, int((lasts - starts).max()))
        self.slices.make_room(self.postpone, self.height)
        source = (*slots, np.array([self.total], np.int64))
        starts, lasts = np.ascontiguousarray(starts), np.ascontiguousarray(lasts)
        self._keep(self.slices.feed(source, starts, lasts))
        self.total += len(lasts)
        newest = int(lasts.max())
        self.newest = newest if self.newest is None else max(self.newest, newest)
        self._adapt()

    def _adapt(self) -> None:
        """Take as many levels as the events so far are worth; never fewer."""
        product, words = self.slices.kernel.product, self.slices.words
        if (
            self.program.algorithm == "se_slicing"
            or Law.COMMUTATIVE not in product.laws
        ):
            return
        best = online_height(self.slices.crossed, self.slices.rate)
        if best > self.height:
            self.slices.make_room(self.postpone, best)
            self.slices.kernel = self.program.kernels[True]
            assert int(words[clock.HEIGHT]) == best

    def elapse(self, tick: int) -> None:
        """Let time go on without an event."""
        self._keep(self.slices.elapse(tick))
        self.newest = tick if self.newest is None else max(self.newest, tick)

    def _keep(self, released: list[Released]) -> None:
        self.untaken += [self._batch(windows) for windows in released]
        if len(self.payloads) > 2 * self.remembered + MOST:
            self._forget()
            self.remembered = len(self.payloads)

    def _batch(self, windows: Released) -> ResultBatch:
        columns = self.program.columns
        assert columns is not None
        payloads = None
        if columns.payloads:
            payloads = payloads_at(columns.request, windows.out, self)
        ends = windows.begins + self.program.lengths.range
        return ResultBatch(None, windows.begins, ends, windows.out, payloads)

    def payload_at(self, number: int, name: str) -> Any:
        """What event `number` had in that column."""
        columns = self.program.columns
        assert columns is not None
        return self.payloads[number][0][columns.payloads.index(name)]

    def _forget(self) -> None:
        """Forget payloads of events that no window to come overlaps."""
        since = self.slices.open_since
        payloads = self.payloads.items()
        self.payloads = {n: entry for n, entry in payloads if entry[1] >= since}

    def take(self) -> list[ResultBatch]:
        """The windows that were released since they were last taken."""
        untaken, self.untaken = self.untaken, []
        return untaken

    def look(self) -> Any:
        """The window that ends next, as it stands."""
        self.flush()
        out, columns = self.slices.look(), self.program.columns
        if out is None or columns is None:
            return None
        batch = self._batch(Released(np.zeros(1, np.int64), out))
        return Results(columns.request, [batch], pa.array)[0].value

    # --- saving

    def saved(self, key: Any) -> dict[str, Any]:
        """Everything of this key, as a row of a table."""
        self.flush()
        columns = self.program.columns
        assert columns is not None
        counts = {"newest": self.newest, "postpone": self.postpone, "total": self.total}
        rows = [(n, last, *payload) for n, (payload, last) in self.payloads.items()]
        payloads = payload_table(("number", "last"), rows, columns)
        return {
            "key": text_of(key),
            "counts": json.dumps(counts),
            "words": self.slices.words.tobytes(),
            "memory": [part.tobytes() for part in self.slices.parts],
            "payloads": ipc_bytes(payloads),
            "untaken": saved_batches(self.untaken, columns),
        }

    def restore(self, row: Mapping[str, Any]) -> Any:
        """Become what was saved as a row; gives the key."""
        for name, value in json.loads(row["counts"]).items():
            setattr(self, name, value)
        words = np.frombuffer(row["words"], np.int64)
        height, size = int(words[clock.HEIGHT]), int(words[clock.SIZE])
        self.slices.kernel = self.program.kernels[height > 1]
        self.slices.adopt(words, size, height, row["memory"])
        saved = table_from(row["payloads"]).columns
        numbers, lasts, *payloads = (column.to_pylist() for column in saved)
        entries = zip(*payloads, strict=True) if payloads else ()
        self.payloads = {
            number: (entry, last)
            for number, last, entry in zip(numbers, lasts, entries, strict=False)
        }
        self.untaken = batches_from(row["untaken"], self.slices.kernel.product)
        return value_of(row["key"])
