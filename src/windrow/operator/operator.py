"""Holds `wr.Operator`: a window that is fed one event at a time.

An operator is not thread-safe: one that several threads use needs a lock around each
call.  Different operators share nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from windrow.aggregates.calls import calls_of
from windrow.errors import BadInput
from windrow.state.codec import unpack

from .description import check_key, check_keyed, hashable
from .feed import feed_batch, find_event, quick_calls, quick_feed, runs_of
from .results import Result, Results
from .save import load, save
from .setup import OperatorSetup
from .spans import SpanOperator
from .window import KeyWindow


class Operator:
    """A sliding window, or one for each key, with its aggregates at any moment.

    `window` says what leaves by itself and when results fall due; with None nothing
    leaves but by hand.  `aggregate` is one, a list, or a dict of them; an event is
    then a value, or a mapping of column names to values.

    `latency="worst-case"` asks for an algorithm in which no event waits for many
    others.  `lateness` lets events come late by that much, in windows that are not
    FIFO.  `types` gives column types that the first event does not tell.  With
    `nulls=False` nulls are refused, and some aggregates are faster.  `capacity` is the
    number of events to make room for at once.

    >>> import windrow as wr
    >>> op = wr.Operator(wr.rows(3), wr.max())
    >>> for value in [4, 7, 3, 2, 9]:
    ...     handle = op.insert(value)
    >>> op.query(), len(op)
    (9, 3)
    """

    def __init__(
        self,
        window: Any,
        aggregate: Any,
        *,
        algorithm: str = "auto",
        latency: str | None = None,
        lateness: object = None,
        types: Mapping[str, Any] | None = None,
        nulls: bool = True,
        capacity: int | None = None,
    ) -> None:
        setup = OperatorSetup(
            window,
            calls_of(aggregate),
            algorithm=algorithm,
            latency=latency,
            lateness=lateness,
            types=types,
            nulls=nulls,
            capacity=capacity,
        )
        self._begin(setup, {}, None)

    def __new__(cls, window: Any = None, *more: Any, **options: Any) -> Any:
        """An operator; one of its own kind where events have a duration."""
        if getattr(window, "span", None) is not None:
            return SpanOperator(window, *more, **options)
        return super().__new__(cls)

    __new__.__wrapped__ = __init__  # type: ignore[attr-defined]  # the signature shown

    def _begin(
        self, setup: OperatorSetup, windows: dict[Any, KeyWindow], keyed: bool | None
    ) -> None:
        self._setup, self._reader = setup, setup.reader
        self._windows, self._keyed = windows, keyed
        self._insert: Callable[..., Any] = self._long_insert
        self._query: Callable[..., Any] = self._long_query
        self._notice_quick()

    # --- events

    def insert(self, value: Any = None, at: Any = None, key: Hashable = None) -> Any:
        """Let an event in; what has to leave leaves.  Gives a handle to the event."""
        return self._insert(value, at, key)

    def _long_insert(self, value: Any, at: Any, key: Any) -> Any:
        window = self._window(key, create=False)
        if window is None and key is not None:
            check_key(key)
        event, tick = self._reader.event(value), self._reader.tick(at)
        program = self._setup.program_for(event)
        columns, others = program.columns, self._reader.others(event)
        numbers = columns.checked(event)
        payload = columns.payload(event) if columns.payloads else None
        if window is not None:
            self._setup.check_event(window, tick, others)
        else:
            window = self._window(key)
        if payload:
            window.payloads[window.total] = payload
        number = window.take_in(numbers, tick, others)
        return number if tick is None and not self._keyed else (key, tick, number)

    def evict(self, handle: Any = None, key: Hashable = None) -> None:
        """Take the oldest event out, or the one that `handle` was given for."""
        if handle is not None:
            late, place, tick, _ = find_event(self._window, handle, "evict")
            late.remove(place, tick)
            return
        window = self._window(key, create=False)
        if window is None or not window.size():
            raise BadInput.because(
                "cannot evict the oldest event",
                "the window is empty",
                "look at len(op) first",
            )
        window.drop(1)

    def correct(self, handle: Any, value: Any) -> None:
        """Another value for the event that `handle` was given for."""
        event = self._reader.event(value)
        window, place, tick, number = find_event(self._window, handle, "correct")
        columns = window.program.columns
        numbers, payload = columns.checked(event), columns.payload(event)
        window.correct(place, number, tick, numbers)
        if payload:
            window.payloads[number] = payload

    def punctuate(self, key: Hashable = None) -> None:
        """A punctuation after the last event: a result falls due, or all leave."""
        if not self._setup.policies.punctuated:
            raise BadInput.because(
                "cannot take a punctuation",
                f"the window ({self._setup.window}) has none",
                "make it with wr.window(evict=..., trigger=wr.punctuation())",
            )
        keys = list(self._windows) if key is None else [key]
        for window in filter(None, (self._window(k, create=False) for k in keys)):
            window.punctuate()

    def feed(self, values: Any = None, at: Any = None, key: Any = None) -> Results:
        """Let a batch of events in, and give all results that fell due.

        `values` is an array, a table, or a mapping of column names to arrays; `at`
        and `key` are arrays of the same length.
        """
        columns, count = self._reader.batch(values)
        check_keyed(self._keyed, key)
        runs = runs_of(key, count)
        for name, _ in runs if key is not None else ():
            if name not in self._windows:
                check_key(name)
        return feed_batch(self._setup, self._window, columns, at, runs, count)

    # --- results

    def query(self, key: Hashable = None) -> Any:
        """The aggregate of what is in the window; None if that is nothing."""
        return self._query(key)

    def _long_query(self, key: Any = None) -> Any:
        window = self._window(key, create=False)
        value = None if window is None else window.look()
        if value is None and len(self._setup.calls) > 1:
            return dict.fromkeys(self._setup.calls)
        return value

    def trigger(self, at: Any = None) -> list[Result]:
        """Results that fell due and were not taken yet, and those that changed.

        With `at` time goes on to that instant first.  A window that reports every
        event, or none, gives its result as it stands, if that is another than before.
        """
        tick = None if at is None else self._reader.tick(at)
        results: list[Result] = []
        for key, window in self._windows.items():
            if tick is not None and (window.newest is None or tick > window.newest):
                window.elapse(tick)
            results += window.take_results(key)
        return results

    def __len__(self) -> int:
        """How many events all windows hold."""
        return sum(window.size() for window in self._windows.values())

    # --- keys

    def keys(self) -> list[Any]:
        """The keys that have a window."""
        return list(self._windows) if self._keyed else []

    def expire(self, before: Any = None) -> list[Any]:
        """Forget keys without events, or whose last event came before an instant.

        Time goes on to that instant for them first; what falls due then must be taken
        before a key goes, and windows that would end later are given up with it.
        Gives the keys that are gone.
        """
        tick = None if before is None else self._reader.tick(before)
        gone = []
        for key in self.keys():
            window = self._windows[key]
            newest, idle = window.newest, False
            if tick is not None and newest is not None and newest < tick:
                window.elapse(tick)
                idle = True
            if (idle or not window.size()) and not window.has_results:
                del self._windows[key]
                gone.append(key)
        return gone

    # --- saving

    def save(self) -> bytes:
        """Everything, as bytes that `load` reads again, in years if need be."""
        return save(self._setup, self._windows, self._keyed)

    @classmethod
    def load(cls, blob: bytes, aggregate: Any = None) -> Any:
        """The operator that was saved; `aggregate` where it was one of your own."""
        if unpack(blob, "operator")[1].get("spans"):
            return SpanOperator.load(blob, aggregate)
        operator = cls.__new__(cls)
        operator._begin(*load(blob, aggregate))
        return operator

    # --- not for users

    def __repr__(self) -> str:
        return f"<windrow.Operator: {self._setup}>"

    def _window(self, key: Any, create: bool = True) -> Any:
        """The window of a key; None if there is none and none is wanted."""
        check_keyed(self._keyed, key)
        try:
            window = self._windows.get(key)
        except TypeError:
            hashable(key)
            raise
        if window is None and create:
            self._keyed = key is not None
            window = self._windows[key] = self._setup.new_window(keyed=self._keyed)
            self._notice_quick()
        return window

    def _notice_quick(self) -> None:
        """One window of plain numbers: from now on events may take the short way."""
        only = self._windows.get(None)
        if only is not None and only.program.takes_numbers:
            short = quick_calls(only, self._long_insert, self._long_query)
            self._insert, self._query = short
            self.insert, self.query = short  # type: ignore[method-assign]
            if only.program.policies.every_row:
                self.feed = quick_feed(only, self.feed)  # type: ignore[method-assign]
