"""Keeps the windows of one key over events with a duration.

insert -> waiting --flush--> slices --release--> untaken --take--> results
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import Law
from windrow.errors import BadInput
from windrow.plan.spans import online_height
from windrow.spans import Released, clock

from .description import ipc_bytes, table_from, text_of, value_of
from .layout import Array
from .read_results import payloads_at
from .results import ResultBatch, Results
from .saved_columns import batches_from, payload_table, saved_batches
from .span_program import SpanProgram

MOST = 4096  # events that wait
MOST_PLACES = 1 << 26  # of a ring: past that a bound was mistyped
SAVED = pa.schema(
    {"key": pa.large_string(), "counts": pa.large_string(), "words": pa.large_binary(),
     "memory": pa.list_(pa.large_binary()), "payloads": pa.large_binary(),
     "untaken": pa.list_(pa.large_binary())}
)  # fmt: skip


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
