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

from .array_feed import WindowFeed
from .keyed import KeyedWindows
from .keys import check_handle, check_keyed, hashable
from .late_windows import find_event
from .list_feed import ListFeed
from .long_ways import LongWays
from .many import ManyWindow
from .quick import quick_calls, quick_insert_of, quick_query_of
from .results import Result, Results
from .save import load, save
from .setup import OperatorSetup
from .spans import SpanOperator

Function = Callable[..., Any]


class Operator:
    """A sliding window, or one for each key, with its aggregates at any moment.

    `window` says what leaves by itself and when results fall due; with None nothing
    leaves but by hand.  `aggregate` is one, a list, or a dict of them; an event is
    then a value, or a mapping of column names to values.

    `algorithm="auto"` leaves the choice to the planner; else it is one of
    `wr.algorithms()` that takes one event at a time.  `latency="worst-case"` asks for
    an algorithm in which no event waits for many others.  `lateness` lets events come
    late by that much, in windows that are not FIFO.  `types` gives column types that
    the first event does not tell.  With `nulls=False` nulls are refused, and some
    aggregates are faster.  `capacity` is the number of events to make room for at once.
    `unit` is what instants count in that are numbers, where the window's range is a
    duration.

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
        self._begin(LongWays(setup, {}, None, None))

    def __new__(cls, window: Any = None, *more: Any, **options: Any) -> Any:
        """An operator; one of its own kind where events have a duration."""
        if getattr(window, "span", None) is not None:
            return SpanOperator(window, *more, **options)
        return super().__new__(cls)

    __new__.__wrapped__ = __init__  # type: ignore[attr-defined]  # the signature shown

    def _begin(self, ways: LongWays) -> None:
        self._ways, self._setup, self._reader = ways, ways.setup, ways.reader
        self._windows, self._knows_ways = ways.windows, False
        self._notice_quick()

    # --- events

    def insert(self, value: Any = None, at: Any = None, key: Hashable = None) -> Any:
        """Let an event in; what has to leave leaves.  Gives a handle to the event.

        `value` is a value, or a mapping of column names to values.  `at` is its instant
        where the window goes by time and no column of the event holds it, and `key`
        that of the window it goes into, where each key has one.

        >>> import windrow as wr
        >>> op = wr.Operator(wr.sliding(10), wr.sum())
        >>> for value, at in [(3, 1), (9, 4), (2, 12)]:
        ...     handle = op.insert(value, at=at)
        >>> op.trigger()
        [Result(key=None, start=0, end=10, value=12, again=False, query=None)]
        """
        return self._insert(value, at, key)

    def _insert(self, value: Any, at: Any, key: Any) -> Any:
        """The long way, as long as there is no shorter one."""
        handle = self._ways.insert(value, at, key)
        self._notice_quick()
        return handle

    def evict(self, handle: Any = None, key: Hashable = None) -> None:
        """Take the oldest event out, or the one that `handle` was given for.

        `key` says from whose window, where each key has one.  A handle is of use where
        windows are not first in, first out: with `algorithm="flat_fat"` or `lateness=`.

        >>> import windrow as wr
        >>> op = wr.Operator(None, wr.max())
        >>> handles = [op.insert(value) for value in (7, 4, 3)]
        >>> op.evict()
        >>> op.query()
        4
        """
        if handle is not None:
            check_handle(handle, "evict")
            late, place, tick, _ = find_event(self._ways.window_of, handle, "evict")
            late.remove(place, tick)
            return
        if self._shared is not None:
            check_keyed(self._ways.keyed, key)
            slot = self._shared.slots.get(hashable(key))
            if slot is None or not self._shared.sizes()[slot]:
                raise _empty()
            self._shared.drop(slot, 1)
            return
        window = self._ways.window(key, create=False)
        if window is None or not window.size():
            raise _empty()
        window.drop(1)

    def correct(self, handle: Any, value: Any) -> None:
        """Give the event that `handle` was given for another `value`.

        >>> import windrow as wr
        >>> op = wr.Operator(wr.rows(3), wr.sum(), algorithm="flat_fat")
        >>> handles = [op.insert(value) for value in (7, 4, 3)]
        >>> op.correct(handles[1], 5)
        >>> op.query()
        15
        """
        event = self._reader.event(value)
        check_handle(handle, "correct")
        window, place, tick, number = find_event(
            self._ways.window_of, handle, "correct"
        )
        columns = window.program.columns
        numbers, payload = columns.event(event)
        window.correct(place, number, tick, numbers)
        if payload:
            window.payloads[number] = payload

    def punctuate(self, key: Hashable = None) -> None:
        """Mark the last event: a result falls due, or all events leave.

        `key` says in whose window, where each key has one; None marks all windows.

        >>> import windrow as wr
        >>> op = wr.Operator(wr.window(evict=wr.punctuation(), trigger=1), wr.sum())
        >>> handles = [op.insert(value) for value in (7, 4)]
        >>> op.punctuate()
        >>> len(op)
        0
        """
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
        for window in filter(None, (self._ways.window(k, create=False) for k in keys)):
            window.punctuate()

    def feed(self, values: Any = None, at: Any = None, key: Any = None) -> Results:
        """Let a batch of events in, and give all results that fell due.

        `values` is an array, a table, or a mapping of column names to arrays; `at`
        and `key`, instants and keys of the events, are arrays of the same length.
        Results are a sequence, and have columns by name.

        >>> import windrow as wr
        >>> fed = wr.Operator(wr.rows(2), wr.sum()).feed([1, 2, 4])
        >>> [result.value for result in fed], fed["sum"].to_pylist()
        ([3, 6], [3, 6])
        """
        results = self._ways.feed(values, at, key)
        self._notice_quick()
        return self.feed(values) if results is None else results

    # --- windows of a list

    def add(self, window: Any) -> Any:
        """Keep one more `window`; it begins with the events that are still kept.

        Gives the number of events, or the instant, from which on it is complete; None
        where it is complete already.  Only a list of windows takes one more.

        >>> import windrow as wr
        >>> op = wr.Operator([wr.rows(2, name="now")], wr.max())
        >>> fed = op.feed([9, 3, 8])
        >>> op.add(wr.rows(4, name="usual")), op.query()
        (5, {'now': 8, 'usual': 8})
        """
        return self._setup.add_window(window, self._windows)

    def remove(self, name: str) -> None:
        """Keep the window called `name` no longer; its events may be forgotten.

        >>> import windrow as wr
        >>> op = wr.Operator([wr.rows(2, name="now"), wr.rows(4, name="ago")], wr.max())
        >>> fed = op.feed([9, 3, 8])
        >>> op.remove("ago")
        >>> op.query()
        {'now': 8}
        """
        self._setup.remove_window(name, self._windows)

    # --- results

    def query(self, key: Hashable = None, at: Any = None) -> Any:
        """The aggregate of what is in the window; None if that is nothing.

        `key` says of whose window, where each key has one; a key that was never seen
        has what an empty window has.  With `at` time goes on to that instant first, for
        that window.

        >>> import windrow as wr
        >>> op = wr.Operator(wr.rows(2), wr.sum())
        >>> fed = op.feed([1, 10, 2, 4], key=["a", "b", "a", "a"])
        >>> op.query("a"), op.query("b"), op.query("c")
        (6, 10, None)
        """
        return self._query(key, at)

    def _query(self, key: Any, at: Any) -> Any:
        return self._ways.query(key, at)

    def trigger(self, at: Any = None) -> list[Result]:
        """Results that fell due and were not taken yet, and those that changed.

        With `at` time goes on to that instant first.  A window that reports every
        event, or none, gives its result as it stands, if that is another than before.

        >>> import windrow as wr
        >>> op = wr.Operator(wr.rows(4, every=2), wr.sum())
        >>> handles = [op.insert(value) for value in (1, 2, 4, 8)]
        >>> [(result.start, result.end, result.value) for result in op.trigger()]
        [(0, 4, 15)]
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
        """The keys that have a window.

        >>> import windrow as wr
        >>> op = wr.Operator(wr.rows(2), wr.sum())
        >>> fed = op.feed([1, 10, 2], key=["a", "b", "a"])
        >>> op.keys()
        ['a', 'b']
        """
        if self._shared is not None:
            return list(self._shared.slots)
        return list(self._windows) if self._ways.keyed else []

    def expire(self, before: Any = None) -> list[Any]:
        """Forget keys without events, or whose last event came before an instant.

        That is `before`.  Time goes on to it for them first; what falls due then must
        be taken before a key goes, and windows that would end later are given up with
        it.  Gives the keys that are gone.

        >>> import windrow as wr
        >>> op = wr.Operator(wr.window(evict=10, trigger=None), wr.sum())
        >>> fed = op.feed([1, 10], key=["a", "b"])
        >>> op.evict(key="a")
        >>> op.expire(), op.keys()
        (['a'], ['b'])
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
        """Everything, as bytes that `load` reads again, in years if need be.

        >>> import windrow as wr
        >>> op = wr.Operator(wr.rows(2), wr.sum())
        >>> fed = op.feed([1, 2, 4])
        >>> wr.Operator.load(op.save()).query()
        6
        """
        keyed = self._ways.keyed
        return save(self._setup, self._windows, self._shared, keyed)

    @classmethod
    def load(cls, blob: bytes, aggregate: Any = None) -> Any:
        """The operator that `save` gave the bytes of, which are `blob`.

        `aggregate` is the one it had, where that was one of your own: bytes hold no
        functions.

        >>> import windrow as wr
        >>> saved = wr.Operator(wr.rows(2), wr.sum()).save()
        >>> wr.Operator.load(saved)
        <windrow.Operator: sum(value) over rows 2 slide 1>
        """
        if unpack(blob, "operator")[1].get("spans"):
            return SpanOperator.load(blob, aggregate)
        operator = cls.__new__(cls)
        operator._begin(LongWays(*load(blob, aggregate)))
        return operator

    # --- not for users

    def __repr__(self) -> str:
        return f"<windrow.Operator: {self._setup}>"

    @property
    def _shared(self) -> KeyedWindows | None:
        return self._ways.shared

    def _notice_quick(self) -> None:
        """From the first event on others like it may take a short way."""
        ways = self._ways
        only, shared = self._windows.get(None), ways.shared
        if self._knows_ways or (only is None and shared is None):
            return
        self._knows_ways = True
        if only is not None and only.program.takes_numbers:
            self._go_quick(*quick_calls(only, ways.insert, ways.query))
            if isinstance(only, ManyWindow):
                self.feed = ListFeed(only, ways.feed).feed  # type: ignore[method-assign]
            elif only.program.policies.every_row:
                self.feed = WindowFeed(only, ways.feed).feed  # type: ignore[method-assign]
        elif shared is not None and shared.takes_numbers:
            insert = quick_insert_of(shared, self._reader, ways.insert)
            self._go_quick(insert, quick_query_of(shared, ways.query))

    def _go_quick(self, insert: Function, query: Function) -> None:
        """Have short ways, whether a method is looked up again or not."""
        self._insert, self._query = insert, query  # type: ignore[method-assign]
        self.insert, self.query = insert, query  # type: ignore[method-assign]


def _empty() -> BadInput:
    return BadInput.because(
        "cannot evict the oldest event", "the window is empty", "look at len(op) first"
    )
