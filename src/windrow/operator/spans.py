"""Holds `wr.Operator` over events with a duration: SES's Algorithm 1, event by event.

    insert({"start": 16, "end": 34, "len": 18})
       |  checked: it does not end before it starts, nor before what is out
    waits in Python until somebody asks
       |  one call of the kernel (`windrow.spans.online`)
    released windows wait until they are taken: trigger(), feed()

An event comes when it is over.  Windows are released when their end lies as far back as
the time to postpone, `lateness=`; without one it is the longest event so far.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Self

import numpy as np
import pyarrow as pa

from windrow.aggregates.calls import calls_of
from windrow.errors import BadInput
from windrow.plan.operator import check_options
from windrow.plan.spans import check_online
from windrow.state.codec import pack, unpack

from .description import PYTHON, calls_from, describe, describe_call, spec_from
from .events import EventReader, as_columns, with_columns
from .keys import Runs, check_key, check_keyed, hashable, key_codes, runs_of
from .results import Result, Results
from .saved_columns import schema_of, types_text
from .setup import or_forget, schema_of_batch, schema_of_event, schema_of_types
from .span_program import SpanProgram
from .span_windows import SAVED, SpanWindow


class SpanOperator:
    """Sliding windows over events with a duration, for each key, one event at a time.

    >>> import windrow as wr
    >>> window = wr.sliding(15, every=5, span=("start", "end"))
    >>> op = wr.Operator(window, wr.count(), lateness=20)
    >>> op.insert({"start": 1, "end": 18})
    >>> op.insert({"start": 16, "end": 34})
    >>> [(one.start, one.end, one.value) for one in op.trigger(at=36)]
    [(-10, 5, 1), (-5, 10, 1), (0, 15, 1)]
    """

    def __init__(
        self,
        window: Any,
        aggregate: Any,
        *,
        algorithm: str = "auto",
        lateness: object = None,
        types: Mapping[str, Any] | None = None,
        nulls: bool = True,
        unit: str | None = None,
        **others: Any,
    ) -> None:
        for name, value in others.items():
            if name not in ("latency", "capacity"):
                raise TypeError(f"SpanOperator() has no option {name!r}")
            if value is not None:
                raise BadInput.because(
                    f"cannot give {name}={value!r} to windows over events that last",
                    "they keep slices, as many as a window and the longest event need",
                    f"leave {name} out",
                )
        check_online(algorithm)
        calls = calls_of(aggregate)
        check_options(calls.values(), nulls=nulls)
        self._calls = {name: with_columns(call) for name, call in calls.items()}
        self._program = SpanProgram(
            window, self._calls, algorithm, lateness, nulls, unit
        )
        self._reader: EventReader = self._program.reader
        self._windows: dict[Any, SpanWindow] = {}
        self._keyed: bool | None = None
        if types is not None or not self._reader.names:
            self._program.open(schema_of_types(self._reader.names, types or {}))

    # --- events

    def insert(self, value: Any = None, at: Any = None, key: Hashable = None) -> None:
        """Let an event in that is over; `at` is its start and end, unless it has them.

        It is folded into slices, so that there is no handle to it.
        """
        or_forget(self._program, self._insert, value, at, key)

    def _insert(self, value: Any, at: Any, key: Any) -> None:
        check_keyed(self._keyed, key)
        start, end = self._program.bounds(value, at)
        event, program = self._reader.event(value), self._program
        columns = program.columns
        if columns is None:
            columns = program.open(schema_of_event(self._reader.names, event))
        numbers, payload = columns.event(event)
        last = program.last_instant(start, end)
        window = self._window(key) or SpanWindow(program)
        window.check_event(start, last)
        self._adopt(key, window).wait(numbers, payload, start, last)

    def feed(self, values: Any = None, at: Any = None, key: Any = None) -> Results:
        """Let a batch in, and give all windows that were released.

        `values` is a table or a mapping of arrays, with the columns of the span, unless
        `at` is a pair of arrays, of starts and ends.
        """
        return or_forget(self._program, self._feed, values, at, key)

    def _feed(self, values: Any, at: Any, key: Any) -> Results:
        values = as_columns(values)
        starts, ends = self._program.batch_bounds(values, at)
        columns, count = self._program.batch(values, len(starts))
        check_keyed(self._keyed, key)
        runs: Runs = [(None, None)] if count else []
        if key is not None:
            runs = runs_of(*key_codes(key, count)) if count else []
        for name, _ in runs if key is not None else ():
            if name not in self._windows:
                check_key(name)
        program = self._program
        known = program.columns or program.open(schema_of_batch(columns))
        source, payloads = known.batch(columns)
        starts, lasts = program.instants(starts, ends)
        parts = []
        for name, rows in runs:
            window = self._windows.get(name) or SpanWindow(program)
            chosen: Any = slice(None) if rows is None else rows
            window.check_order(starts[chosen], lasts[chosen])
            parts.append((name, window, chosen))
        batches = []
        for name, window, chosen in parts:
            self._adopt(name, window).flush()
            numbers = np.arange(count)[chosen].tolist() if payloads else []
            own = [payloads[i] for i in numbers] if payloads else None
            slots = [slot[chosen] for slot in source]
            window.let_in(slots, own, starts[chosen], lasts[chosen])
            batches += [batch._replace(key=name) for batch in window.take()]
        return Results(known.request, batches, self._reader.instants)

    # --- results

    def query(self, key: Hashable = None, at: Any = None) -> Any:
        """The window that ends next, as it stands; None if no event overlaps it.

        With `at` time goes on to that instant first, for that key.
        """
        check_keyed(self._keyed, hashable(key))
        tick = None if at is None else self._reader.tick(at)
        window = self._windows.get(key)
        if window is not None and tick is not None:
            window.flush()
            window.elapse(tick)
        value = None if window is None else window.look()
        if value is None and len(self._calls) > 1:
            return dict.fromkeys(self._calls)
        return value

    def trigger(self, at: Any = None) -> list[Result]:
        """Windows that were released and not taken yet; time goes on to `at` first."""
        tick = None if at is None else self._reader.tick(at)
        results: list[Result] = []
        for key, window in self._windows.items():
            window.flush()
            if tick is not None:
                window.elapse(tick)
            columns = self._program.columns
            assert columns is not None
            batches = Results(columns.request, window.take(), self._reader.instants)
            results += [result._replace(key=key) for result in batches]
        return results

    @property
    def late(self) -> int:
        """How many events have missed a window that was released before they came."""
        return sum(window.late for window in self._windows.values())

    def __len__(self) -> int:
        """How many slices there is room for, of all keys."""
        return sum(window.places for window in self._windows.values())

    def keys(self) -> list[Any]:
        """The keys that have windows."""
        return list(self._windows) if self._keyed else []

    def expire(self, before: Any = None) -> list[Any]:
        """Forget keys that no window to come holds an event of; gives those keys.

        With `before` time goes on to that instant for keys whose last event was over
        by then; windows that are released must be taken before a key goes.
        """
        tick = None if before is None else self._reader.tick(before)
        gone = []
        for key in self.keys():
            window = self._windows[key]
            window.flush()
            if tick is not None and window.newest is not None and window.newest < tick:
                window.elapse(tick)
            if window.slices.is_empty and not window.untaken:
                del self._windows[key]
                gone.append(key)
        return gone

    def __getattr__(self, name: str) -> Any:
        if name in ("evict", "correct", "punctuate", "add", "remove"):
            raise BadInput.because(
                f"cannot {name} in windows over events that last",
                "an event is folded into the slices that it crosses when it comes",
                "let windows be released by time, or use wr.aggregate over a table",
            )
        raise AttributeError(name)

    def __repr__(self) -> str:
        names = ", ".join(call.label for call in self._calls.values())
        window = self._program.window
        return f"<windrow.Operator: {names} over {window} with {self.technique}>"

    @property
    def technique(self) -> str:
        """The technique that runs, and its levels."""
        most = max((window.height for window in self._windows.values()), default=1)
        is_flat = most == 1 and self._program.algorithm != "se_ml_slicing"
        return "se_slicing" if is_flat else f"se_ml_slicing, {most} levels"

    # --- saving

    def save(self) -> bytes:
        """Everything, as bytes that `load` reads again."""
        program = self._program
        facts = {
            "spans": True,
            "window": describe(program.window),
            "calls": {name: describe_call(call) for name, call in self._calls.items()},
            "python": PYTHON,
            "types": types_text(program.columns),
            "algorithm": program.algorithm,
            "lateness": describe(program.lateness),
            "keyed": self._keyed,
            "zoned": self._reader.zoned,
            "nulls": program.nulls,
            "unit": program.unit,
        }
        rows = [window.saved(key) for key, window in self._windows.items()]
        return pack(pa.Table.from_pylist(rows, SAVED), "operator", facts, small=True)

    @classmethod
    def load(cls, blob: bytes, aggregate: Any = None) -> Self:
        """The operator that was saved; `aggregate` where it was one of your own."""
        table, facts = unpack(blob, "operator")
        calls = calls_from(facts["calls"], aggregate, facts.get("python"))
        operator = cls(
            spec_from(facts["window"]), calls, algorithm=facts["algorithm"],
            lateness=spec_from(facts["lateness"]), nulls=facts["nulls"],
            unit=facts.get("unit"),
        )  # fmt: skip
        operator._keyed, operator._reader.zoned = facts["keyed"], facts["zoned"]
        if facts["types"] is not None:
            operator._program.open(schema_of(facts["types"]))
        for row in table.to_pylist():
            window = SpanWindow(operator._program)
            operator._windows[window.restore(row)] = window
        return operator

    # --- not for users

    def _window(self, key: Any) -> SpanWindow | None:
        if key is not None and hashable(key) not in self._windows:
            check_key(key)
        return self._windows.get(key)

    def _adopt(self, key: Any, window: SpanWindow) -> SpanWindow:
        self._keyed = key is not None
        return self._windows.setdefault(key, window)
