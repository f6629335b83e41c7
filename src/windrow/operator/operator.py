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

from .array_feed import WindowFeed, is_numbers
from .description import check_key, check_keyed, hashable
from .feed import Runs, feed_batch, feed_keys, key_codes, runs_of
from .keyed import KeyedWindows
from .late_windows import find_event
from .list_feed import ListFeed
from .many import ManyWindow
from .quick import quick_calls, quick_insert_of, quick_query_of
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
    number of events to make room for at once.  `unit` is what instants count in that
    are numbers, where the window's range is a duration.

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
        unit: str | None = None,
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
            unit=unit,
        )
        self._begin(setup, {}, None, None)

    def __new__(cls, window: Any = None, *more: Any, **options: Any) -> Any:
        """An operator; one of its own kind where events have a duration."""
        if getattr(window, "span", None) is not None:
            return SpanOperator(window, *more, **options)
        return super().__new__(cls)

    __new__.__wrapped__ = __init__  # type: ignore[attr-defined]  # the signature shown

    def _begin(
        self,
        setup: OperatorSetup,
        windows: dict[Any, KeyWindow],
        shared: KeyedWindows | None,
        keyed: bool | None,
    ) -> None:
        self._setup, self._reader = setup, setup.reader
        self._windows, self._shared, self._keyed = windows, shared, keyed
        self._insert: Callable[..., Any] = self._long_insert
        self._query: Callable[..., Any] = self._long_query
        self._notice_quick()
        if shared is not None:
            self._notice_quick_keys(shared)

    # --- events

    def insert(self, value: Any = None, at: Any = None, key: Hashable = None) -> Any:
        """Let an event in; what has to leave leaves.  Gives a handle to the event."""
        return self._insert(value, at, key)

    def _long_insert(self, value: Any, at: Any, key: Any) -> Any:
        check_keyed(self._keyed, key)
        if key is not None and key not in self._known(key):
            check_key(key)
        event, tick = self._reader.event(value), self._reader.tick_of(at, value)
        program = self._setup.program_for(event)
        columns, others = program.columns, self._reader.others(event)
        numbers = columns.checked(event)
        payload = columns.payload(event) if columns.payloads else None
        if key is not None and (shared := self._share()) is not None:
            slot = shared.slots.get(key)
            if slot is not None:
                self._setup.order.check_event(shared.state_of(slot), tick, others)
            try:
                return shared.insert(key, numbers, tick, others, payload)
            finally:
                self._keep_shared(shared)
        window = self._window(key, create=False)
        if window is not None:
            self._setup.order.check_event(window.last, tick, others)
        else:
            window = self._window(key)
        if payload:
            window.payloads[window.total] = payload
        number = window.take_in(numbers, tick, others)
        return number if tick is None and not self._keyed else (key, tick, number)

    def evict(self, handle: Any = None, key: Hashable = None) -> None:
        """Take the oldest event out, or the one that `handle` was given for."""
        if handle is not None:
            late, place, tick, _ = find_event(self._window_of, handle, "evict")
            late.remove(place, tick)
            return
        if self._shared is not None:
            check_keyed(self._keyed, key)
            slot = self._shared.slots.get(hashable(key))
            if slot is None or not self._shared.sizes()[slot]:
                raise _empty()
            self._shared.drop(slot, 1)
            return
        window = self._window(key, create=False)
        if window is None or not window.size():
            raise _empty()
        window.drop(1)

    def correct(self, handle: Any, value: Any) -> None:
        """Another value for the event that `handle` was given for."""
        event = self._reader.event(value)
        window, place, tick, number = find_event(self._window_of, handle, "correct")
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
        if self._shared is not None:
            self._shared.punctuate(key)
            return
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
        if key is None:
            plain = count and at is None and not self._windows and is_numbers(values)
            if plain and self._setup.program_for_batch(columns).takes_numbers:
                self._window(None)  # nothing can be refused: it may go by arrays
                return self.feed(values)
            runs: Runs = [(None, None)] if count else []
            feed = (self._setup, self._window, columns, values, at, runs, count)
            return feed_batch(*feed)
        distinct, codes = key_codes(key, count)
        for name in distinct:
            if name not in self._known(name):
                check_key(name)
        self._setup.program_for_batch(columns)
        if (shared := self._share()) is None:
            runs = runs_of(distinct, codes)
            feed = (self._setup, self._window, columns, values, at, runs, count)
            return feed_batch(*feed)
        try:
            return feed_keys(self._setup, shared, columns, values, at, distinct, codes)
        finally:
            self._keep_shared(shared)

    # --- windows of a list

    def add(self, window: Any) -> Any:
        """Keep one more window; it begins with the events that are still kept.

        Gives the number of events, or the instant, from which on it is complete; None
        where it is complete already.
        """
        return self._setup.add_window(window, self._windows)

    def remove(self, name: str) -> None:
        """Keep the window of that name no longer."""
        self._setup.remove_window(name, self._windows)

    # --- results

    def query(self, key: Hashable = None, at: Any = None) -> Any:
        """The aggregate of what is in the window; None if that is nothing.

        With `at` time goes on to that instant first, for that window.  A key that was
        never seen has what an empty window has.
        """
        return self._query(key, at)

    def _long_query(self, key: Any = None, at: Any = None) -> Any:
        tick = None if at is None else self._reader.tick(at)
        if self._shared is not None:
            check_keyed(self._keyed, key)
            value = self._shared.query(key, tick)
        else:
            window = self._window(key, create=False)
            if window is not None and tick is not None:
                window.pass_to(tick)
            value = None if window is None else window.look()
        return self._setup.empty() if value is None else value

    def trigger(self, at: Any = None) -> list[Result]:
        """Results that fell due and were not taken yet, and those that changed.

        With `at` time goes on to that instant first.  A window that reports every
        event, or none, gives its result as it stands, if that is another than before.
        """
        tick = None if at is None else self._reader.tick(at)
        if self._shared is not None:
            return self._shared.trigger(tick)
        results: list[Result] = []
        for key, window in self._windows.items():
            if tick is not None:
                window.pass_to(tick)
            results += window.take_results(key)
        return results

    def __len__(self) -> int:
        """How many events all windows hold."""
        if self._shared is not None:
            return int(self._shared.sizes().sum())
        return sum(window.size() for window in self._windows.values())

    # --- keys

    def keys(self) -> list[Any]:
        """The keys that have a window."""
        if self._shared is not None:
            return list(self._shared.slots)
        return list(self._windows) if self._keyed else []

    def expire(self, before: Any = None) -> list[Any]:
        """Forget keys without events, or whose last event came before an instant.

        Time goes on to that instant for them first; what falls due then must be taken
        before a key goes, and windows that would end later are given up with it.
        Gives the keys that are gone.
        """
        tick = None if before is None else self._reader.tick(before)
        if self._shared is not None:
            return self._shared.expire(tick)
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
        return save(self._setup, self._windows, self._shared, self._keyed)

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

    def _window_of(self, key: Any) -> Any:
        """The window of a key, or all of them where they stand in one place."""
        return self._window(key, create=False) if self._shared is None else self._shared

    def _share(self) -> KeyedWindows | None:
        """The windows of all keys in one place, if they can be."""
        if self._shared is None and not self._windows:
            return self._setup.new_windows()
        return self._shared

    def _keep_shared(self, shared: KeyedWindows) -> None:
        """Have keys from the first event on that was not refused."""
        if self._shared is None and shared.slots:
            self._notice_quick_keys(shared)
        self._shared = shared if shared.slots else None
        self._keyed = True if shared.slots else self._keyed

    def _known(self, key: Any) -> Any:
        """The keys that have a window, by which a key can be looked up."""
        hashable(key)
        return self._windows if self._shared is None else self._shared.slots

    def _notice_quick_keys(self, shared: KeyedWindows) -> None:
        """Many keys and plain numbers: events may take the short way."""
        policies = self._setup.policies
        if shared.program.columns.only_numbers and not (
            policies.columns or policies.punctuated
        ):
            short = quick_insert_of(shared, self._reader, self._long_insert)
            self._insert = self.insert = short  # type: ignore[method-assign]
            short = quick_query_of(shared, self._long_query)
            self._query = self.query = short  # type: ignore[method-assign]

    def _notice_quick(self) -> None:
        """One window of plain numbers: from now on events may take the short way."""
        only = self._windows.get(None)
        if only is not None and only.program.takes_numbers:
            short = quick_calls(only, self._long_insert, self._long_query)
            self._insert, self._query = short
            self.insert, self.query = short  # type: ignore[method-assign]
            if isinstance(only, ManyWindow):
                self.feed = ListFeed(only, self.feed).feed  # type: ignore[method-assign]
            elif only.program.policies.every_row:
                self.feed = WindowFeed(only, self.feed).feed  # type: ignore[method-assign]


def _empty() -> BadInput:
    return BadInput.because(
        "cannot evict the oldest event", "the window is empty", "look at len(op) first"
    )
