"""Keeps a list of windows over one stream of events: one ring, many answers.

    op = wr.Operator([wr.rows(3, name="short"), wr.rows(100, name="long")], wr.max())
    op.query()                {"short": 9, "long": 12}
    op.add(wr.rows(50, name="new"))

The ring holds what the longest window needs.  A window that is added while events come
begins with what is kept, and is complete from a later event or instant on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from windrow.algorithms import Q_ANCHOR, Q_EVERY, Q_NEXT, Q_RANGE, Q_WAITS, RULE
from windrow.loops import arrays
from windrow.windows.policy_numbers import TIME, PolicyNumbers

from .layout import Array
from .policies import NEWEST, RANGE, TOTAL
from .read_results import list_reader, payloads_at, same_value, values_of
from .results import Result, ResultBatch
from .runtime import WindowProgram
from .window import LEAST, KeyWindow


class ManyWindow(KeyWindow):
    """The windows of a list; `rules` has a row for each (`algorithms/_ranges.py`)."""

    def __init__(
        self,
        program: WindowProgram,
        capacity: int,
        windows: Mapping[str, PolicyNumbers],
        least: int = LEAST,
    ) -> None:
        super().__init__(program, capacity, least)
        self.names: list[str] = []
        self.rules: Array = np.zeros((0, RULE), np.int64)
        self.answers = arrays(program.kernel.product.dtypes, 0)
        self.reported: dict[str, Any] = {}
        for name, policies in windows.items():
            self.add(name, policies)

    @property
    def is_timed(self) -> bool:
        """Whether windows are stretches of time."""
        return self.program.policies.evict == TIME

    # --- windows that come and go

    def add(self, name: str, policies: PolicyNumbers) -> int | None:
        """A window of those policies; from when it is complete, if it is not yet."""
        self.flush()
        words, total = self.memory.words, int(self.memory.words[TOTAL])
        rule = np.zeros(RULE, np.int64)
        rule[Q_RANGE], rule[Q_EVERY] = policies.range, policies.every
        rule[Q_ANCHOR], rule[Q_WAITS] = policies.anchor, policies.waits
        if not self.is_timed and policies.every:
            first = policies.every - policies.since
            later = max(total - first, -1) // policies.every + 1
            rule[Q_NEXT] = first + later * policies.every
        elif policies.every and total:
            newest, every = int(words[NEWEST]), policies.every
            rule[Q_NEXT] = newest - (newest - policies.anchor) % every + every
        kept_from = self._kept_from()
        self.names.append(name)
        self.rules = np.vstack([self.rules, rule])
        self.begin_ranges()
        words[RANGE] = int(self.rules[:, Q_RANGE].max())
        complete = kept_from + policies.range
        if self.is_timed:
            now = int(words[NEWEST])
            return complete if total and complete > now else None
        return complete if kept_from and complete > total else None

    def remove(self, name: str) -> None:
        """Forget a window; events that only it needed leave with the next one."""
        self.flush()
        words = self.memory.words
        stay = np.flatnonzero(np.array(self.names) != name)
        self.names = [self.names[place] for place in stay]
        self.rules = np.ascontiguousarray(self.rules[stay])
        self.begin_ranges()
        self.reported.pop(name, None)
        words[RANGE] = int(self.rules[:, Q_RANGE].max())

    def _kept_from(self) -> int:
        """All events from this number, or instant, on are kept."""
        words = self.memory.words
        total = int(words[TOTAL])
        if not self.is_timed:
            return total - self.count()
        if not total or not len(self.names):
            return -(2**62)
        ranges, everys = self.rules[:, Q_RANGE], self.rules[:, Q_EVERY]
        aligned = self.rules[:, Q_NEXT] - ranges
        by_hand = int(words[NEWEST]) - ranges + 1
        return int(np.where(everys > 0, aligned, by_hand).min())

    def begin_ranges(self) -> None:
        """Room for the partials and results of each window, begun anew."""
        kernel, count = self.program.kernel, len(self.names)
        dtypes, capacity = kernel.product.dtypes, self.memory.capacity
        rooms = kernel.steps.answer_rooms or ((1, kernel.steps.stacks),) * len(dtypes)
        self.answers = tuple(
            np.zeros(count * (one + capacity * stacks), dtype)
            for dtype, (one, stacks) in zip(dtypes, rooms, strict=True)
        )
        for place in range(count):
            begin = (self.memory, place, self.rules, self.answers)
            self.program.steps.call_begin_range(*begin)
        self._out = arrays(kernel.product.out_dtypes, count)
        self._sizes = np.zeros(count, np.int64)
        request = self.program.columns.request
        self.read_values = list_reader(request, self._out)
        self.arguments = (self.rules, self.answers, self._out, self._sizes)

    def resize(self, capacity: int) -> None:
        """Move to memory of another capacity; stacks are as long as the ring."""
        super().resize(capacity)
        if self.program.kernel.steps.stacks:
            written, sizes = self._out, self._sizes
            self.begin_ranges()
            for section, results in zip(self._out, written, strict=True):
                section[:] = results
            self._sizes[:] = sizes

    # --- events

    def step(self, name: str) -> Callable[..., Any]:
        """The loop of that name over all windows."""
        loop = getattr(self.program.steps, f"call_{name}_many")
        given = 5 if name == "feed" else 2  # memory, and what comes
        own = self.rules, self.answers
        return lambda *arguments: loop(*arguments[:given], *own, *arguments[given:])

    def room_for(self, events: int) -> tuple[Any, ...]:
        """Arrays for results, begins and ends of windows, and numbers of windows."""
        return self.room(min(events, 1 << 12) * len(self.names) + 64)

    def room(self, count: int) -> tuple[Any, ...]:
        """The same for so many results."""
        return *super().room(count), np.empty(count, np.int64)

    def result_batch(
        self, count: int, out: Any, begins: Array, ends: Array, *owners: Array
    ) -> ResultBatch:
        """Results as they were written, each with the number of its window."""
        batch = super().result_batch(count, out, begins, ends)
        return batch._replace(owners=owners[0][:count], windows=tuple(self.names))

    def keep_waiting(self, batches: list[ResultBatch]) -> None:
        """Keep results of the windows whose results wait."""
        waits = self.rules[:, Q_WAITS] != 0
        for batch in batches:
            rows = np.flatnonzero(waits[batch.owners])
            if len(rows):
                self.untaken.append(batch.take(rows))

    # --- results

    def look(self) -> Any:
        """The results of all windows as they stand, by their names."""
        if len(self.pending) != 1 or not self._insert_and_look():
            self.flush()
            now = int(self.memory.words[NEWEST])
            self.program.steps.call_look_many(self.memory, now, *self.arguments)
        return self.read_all()

    def read_all(self) -> dict[str, Any]:
        """What was written of all windows; None where one has no events."""
        request, sizes = self.program.columns.request, self._sizes.tolist()
        if self.read_values is not None:
            values = self.read_values()
        else:
            payloads = None
            if self.program.columns.payloads:
                payloads = payloads_at(request, self._out, self)
            values = values_of(request, self._out, payloads)
        if 0 not in sizes:
            return dict(zip(self.names, values, strict=True))
        nothing = (
            None
            if len(request.calls) == 1
            else dict.fromkeys(bound.name for bound, _ in request.calls)
        )
        return {
            name: value if size else nothing
            for name, value, size in zip(self.names, values, sizes, strict=True)
        }

    def _insert_and_look(self) -> bool:
        """The one event that waits and all results at once, where none has to wait."""
        if self.payloads:
            return False
        tick, _, numbers = self.pending.only()
        step = self.program.steps.call_one_many
        size = step(self.memory, tick, *self.arguments, *numbers)
        if size < 0:
            return False
        self.pending.clear()
        self.first += 1
        if size < self.few:
            self.tidy()
        return True

    def take_results(self, key: Any) -> list[Result]:
        """What fell due and nobody has taken; of the others, what changed."""
        self.flush()
        results = self.take_untaken(key)
        values, sizes = self.look(), self._sizes.tolist()
        for place, (name, value) in enumerate(values.items()):
            if self.rules[place, Q_WAITS] or not sizes[place]:
                continue
            if name in self.reported and same_value(self.reported[name], value):
                continue
            self.reported[name] = value
            begin = self.total - sizes[place]
            results.append(Result(key, begin, self.total, value, query=name))
        return results
