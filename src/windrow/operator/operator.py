"""`wr.Operator`: a window that is fed one event at a time.

    op = wr.Operator(wr.rows(1000), wr.max())
    op.insert(3.5)
    op.query()

An operator is not thread-safe: one that several threads use needs a lock around each
call.  Different operators share nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Self

from windrow.aggregates.calls import calls_of
from windrow.errors import BadInput

from . import save as saved
from .description import check_key, hashable
from .events import Given
from .fast_calls import quick_calls, quick_feed
from .feed import feed_batch, runs_of
from .late_window import LateCell
from .order_checks import check_one
from .results import Result, Results
from .setting import Setting
from .taking import take_results
from .window import Cell


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
        self._setting = Setting.of(
            window,
            calls_of(aggregate),
            algorithm=algorithm,
            latency=latency,
            lateness=lateness,
            types=types,
            nulls=nulls,
            capacity=capacity,
        )
        self._given: Given = self._setting.given
        self._cells: dict[Any, Cell] = {}
        self._keyed: bool | None = None
        self._insert: Callable[..., Any] = self._long_insert
        self._query: Callable[..., Any] = self._long_query

    # --- events

    def insert(self, value: Any = None, at: Any = None, key: Hashable = None) -> Any:
        """Let an event in; what has to leave leaves.  Gives a handle to the event."""
        return self._insert(value, at, key)

    def _long_insert(self, value: Any, at: Any, key: Any) -> Any:
        cell = self._cell(key, create=False)
        if cell is None and key is not None:
            check_key(key)
        event, tick = self._given.event(value), self._given.tick(at)
        kit = self._setting.kit_for(event)
        numbers = kit.inputs.checked(event)
        payload = kit.inputs.payload(event)
        others = self._given.others(event)
        if cell is not None:
            check_one(self._setting, cell, tick, others)
        else:
            cell = self._cell(key)
        if payload:
            cell.payloads[cell.total] = payload
        number = cell.take_in(numbers, tick, others)
        return number if tick is None and not self._keyed else (key, tick, number)

    def evict(self, handle: Any = None, key: Hashable = None) -> None:
        """Take the oldest event out, or the one that `handle` was given for."""
        if handle is not None:
            cell, place, tick, _ = self._find(handle, "evict")
            cell.remove(place, tick)
            return
        found = self._cell(key, create=False)
        if found is None or not found.held():
            raise BadInput.because(
                "cannot evict the oldest event",
                "the window is empty",
                "look at len(op) first",
            )
        found.drop(1)

    def correct(self, handle: Any, value: Any) -> None:
        """Another value for the event that `handle` was given for."""
        event = self._given.event(value)
        cell, place, tick, number = self._find(handle, "correct")
        numbers = cell.kit.inputs.checked(event)
        payload = cell.kit.inputs.payload(event)
        cell.correct(place, number, tick, numbers)
        if payload:
            cell.payloads[number] = payload

    def punctuate(self, key: Hashable = None) -> None:
        """A punctuation after the last event: a result falls due, or all leave."""
        if not self._setting.rules.punctuated:
            raise BadInput.because(
                "cannot take a punctuation",
                f"the window ({self._setting.window}) has none",
                "make it with wr.window(evict=..., trigger=wr.punctuation())",
            )
        cells = self._cells.values() if key is None else [self._cell(key, create=False)]
        for cell in cells:
            if cell is not None:
                cell.punctuate()

    def feed(self, values: Any = None, at: Any = None, key: Any = None) -> Results:
        """Let a batch of events in, and give all results that fell due.

        `values` is an array, a table, or a mapping of column names to arrays; `at`
        and `key` are arrays of the same length.
        """
        return self._long_feed(values, at, key)

    def _long_feed(self, values: Any, at: Any, key: Any) -> Results:
        columns, count = self._given.batch(values)
        self._check_key(key)
        runs = runs_of(key, count)
        for each, _ in runs if key is not None else ():
            if each not in self._cells:
                check_key(each)
        kit = self._setting.kit_for_batch(columns)
        ticks = self._given.ticks(at, count)
        parts = feed_batch(self._setting, self._cell, columns, ticks, runs, count)
        return Results(kit.inputs.asked, parts, self._setting.bounds)

    # --- results

    def query(self, key: Hashable = None) -> Any:
        """The aggregate of what is in the window; None if that is nothing."""
        return self._query(key)

    def _long_query(self, key: Any = None) -> Any:
        cell = self._cell(key, create=False)
        found = None if cell is None else cell.look()
        if found is None and len(self._setting.calls) > 1:
            return dict.fromkeys(self._setting.calls)
        return found

    def trigger(self, at: Any = None) -> list[Result]:
        """Results that fell due and were not taken yet, and those that changed.

        With `at` time goes on to that instant first.  A window that reports every
        event, or none, gives its result as it stands, if that is another than before.
        """
        tick = None if at is None else self._given.tick(at)
        found: list[Result] = []
        for key, cell in self._cells.items():
            if tick is not None and (cell.newest is None or tick > cell.newest):
                cell.elapse(tick)
            found += take_results(self._setting, key, cell)
        return found

    def __len__(self) -> int:
        """How many events all windows hold."""
        return sum(cell.held() for cell in self._cells.values())

    # --- keys

    def keys(self) -> list[Any]:
        """The keys that have a window."""
        return list(self._cells) if self._keyed else []

    def expire(self, before: Any = None) -> list[Any]:
        """Forget keys without events, or whose last event came before an instant.

        Time goes on to that instant for them first; what falls due then must be taken
        before a key goes, and windows that would end later are given up with it.
        Gives the keys that are gone.
        """
        tick = None if before is None else self._given.tick(before)
        gone = []
        for key, cell in self._cells.items() if self._keyed else ():
            idle = tick is not None and cell.newest is not None and cell.newest < tick
            if idle and tick is not None:
                cell.elapse(tick)
            if (idle or not cell.held()) and not cell.owes:
                gone.append(key)
        for key in gone:
            del self._cells[key]
        return gone

    # --- saving

    def save(self) -> bytes:
        """Everything, as bytes that `load` reads again, in years if need be."""
        return saved.save(self._setting, self._cells, self._keyed)

    @classmethod
    def load(cls, blob: bytes, aggregate: Any = None) -> Self:
        """The operator that was saved; `aggregate` where it was one of your own."""
        operator = cls.__new__(cls)
        operator._setting, operator._cells, operator._keyed = saved.load(
            blob, aggregate
        )
        operator._given = operator._setting.given
        operator._insert, operator._query = operator._long_insert, operator._long_query
        operator._notice_quick()
        return operator

    # --- not for users

    def __repr__(self) -> str:
        return f"<windrow.Operator: {self._setting}>"

    def _cell(self, key: Any, create: bool = True) -> Any:
        """The window of a key; None if there is none and none is wanted."""
        self._check_key(key)
        try:
            found = self._cells.get(key)
        except TypeError:
            hashable(key)
            raise
        if found is None and create:
            self._keyed = key is not None
            found = self._cells[key] = self._setting.cell(keyed=self._keyed)
            self._notice_quick()
        return found

    def _notice_quick(self) -> None:
        """One window of plain numbers: from now on events may take the short way."""
        only = None if self._keyed else self._cells.get(None)
        if only is not None and only.kit.quick:
            short = quick_calls(only, self._long_insert, self._long_query)
            self._insert, self._query = short
            self.insert, self.query = short  # type: ignore[method-assign]
            if only.kit.rules.every_row:
                self.feed = quick_feed(only, self._long_feed)  # type: ignore[method-assign]

    def _check_key(self, key: Any) -> None:
        if self._keyed is None or self._keyed == (key is not None):
            return
        if self._keyed:
            raise BadInput.because(
                "cannot tell which window is meant",
                "the operator has one for each key, and no key is given",
                "give key=",
            )
        raise BadInput.because(
            f"cannot look for the window of key {key!r}",
            "the operator has one window, and no keys",
            "leave key out, or make another operator",
        )

    def _find(self, handle: Any, what: str) -> tuple[LateCell, int, int, int]:
        key, tick, number = handle if isinstance(handle, tuple) else (None, 0, handle)
        cell = self._cell(key, create=False)
        if cell is not None and not isinstance(cell, LateCell):
            name = cell.kit.kind.algorithm.name
            raise BadInput.because(
                f"cannot {what} an event by its handle",
                f"{name} is first in, first out",
                "make the operator with algorithm='flat_fat'",
            )
        place = -1 if cell is None else cell.find(tick or 0, number)
        if cell is None or place < 0:
            raise BadInput.because(
                f"cannot {what} the event {handle!r}",
                "it is not in the window any more",
                "keep handles only as long as their events",
            )
        return cell, place, tick or 0, number


__all__ = ["Operator"]
