"""Random lives of operators, step by step beside a plain list.

Each algorithm gets aggregates that it suits.  Order is told by `tuples`, which keeps
all values in stream order; what can be saved is told by built-in ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

import windrow as wr
from operator_cases import (
    COLUMNS,
    FEW,
    HELD,
    MANY,
    TUPLES,
    TYPES,
    event,
    few,
    held,
    many,
)
from plain_window import Event, PlainWindow
from windrow.algorithms import CATALOGUE
from windrow.loops import interpreting

STEPWISE = [one.name for one in CATALOGUE if one.steps is not None]
LATENESS = 20
LONG = [17, 100, 300]  # rows: more than the room that a growing window begins with


def tuples(events: list[Event]) -> Any:
    return [event.value for event in events] or None


def largest(events: list[Event]) -> Any:
    return max((event.value for event in events), default=None)


def total(events: list[Event]) -> Any:
    return sum(event.value for event in events) if events else None


CASES = {
    "tuples": (TUPLES, tuples),
    "max": (wr.max(), largest),
    "sum": (wr.sum(), total),
    "few": (FEW, few),
    "many": (MANY, many),
    "held": (HELD, held),
}
ONLY = {
    "slick_deque": ["max", "few", "many"],  # a deque for each part that selects
    "subtract_on_evict": ["sum"],
    "slick_deque_inv": ["sum"],
}
HOLDS = ("two_stacks_lite", "flat_fat", "pba")  # one of a kind: partials are the same
PAIRS = [
    (name, case)
    for name in STEPWISE
    for case in ONLY.get(name, CASES)
    if case != "held" or name in HOLDS
]
VALUES = st.integers(-3, 3) | st.none()


class Life(RuleBasedStateMachine):
    algorithm: str
    case: str

    @initialize(
        range=st.none() | st.integers(1, 9) | st.sampled_from(LONG),
        late=st.booleans(),
        capacity=st.none() | st.sampled_from(LONG),
        nulls=st.booleans(),
    )
    def begin(
        self, range: int | None, late: bool, capacity: int | None, nulls: bool
    ) -> None:
        """Most windows are short; long ones are asked long before they are full."""
        self.late = late and self.algorithm == "flat_fat"
        aggregate, self.oracle = CASES[self.case]
        if self.algorithm == "pba" and range is None:
            range = 7
        window = None if range is None else wr.rows(range)
        names = COLUMNS.get(self.case)
        self.operator = wr.Operator(
            window,
            aggregate,
            algorithm=self.algorithm,
            lateness=LATENESS if self.late else None,
            capacity=capacity,
            nulls=nulls,
            types={name: TYPES[name] for name in names} if names else None,
        )
        self.nulls = nulls and self.case in COLUMNS
        self.plain = PlainWindow(range)
        self.handles: dict[int, Any] = {}
        self.told: Any = None

    def value(self, value: int | None) -> int | None:
        """A null where nulls may come, else a number."""
        return 0 if value is None and not self.nulls else value

    def event(self, value: int | None, number: int) -> Any:
        return event(self.case, value, number)

    def insert_at(self, tick: int, value: int | None) -> None:
        value = self.value(value)
        at = tick if self.late else None
        handle = self.operator.insert(self.event(value, self.plain.total), at=at)
        number = self.plain.insert(tick if self.late else self.plain.total, value)
        self.handles[number] = handle

    @rule(value=VALUES, later=st.integers(0, 3))
    def insert(self, value: int | None, later: int) -> None:
        self.insert_at(self.plain.newest + later, value)

    @rule(value=VALUES, later=st.integers(0, 3))
    def insert_and_query(self, value: int | None, later: int) -> None:
        """One event and its result at once: what waits gets in by a shorter way."""
        self.insert(value, later)
        self.query()

    @precondition(lambda self: self.late)
    @rule(value=VALUES, back=st.integers(0, LATENESS))
    def insert_late(self, value: int | None, back: int) -> None:
        self.insert_at(self.plain.newest - back, value)

    @precondition(lambda self: self.late and self.plain.total)
    @rule(value=VALUES)
    def refuse_too_late(self, value: int | None) -> None:
        with pytest.raises(wr.BadInput, match="cannot go back to"):
            self.operator.insert(
                self.event(self.value(value), self.plain.total),
                at=self.plain.newest - LATENESS - 1,
            )

    @rule(
        values=st.lists(VALUES, max_size=20),
        as_array=st.booleans(),
        backs=st.lists(st.integers(0, LATENESS), max_size=20),
    )
    def feed(self, values: list[int | None], as_array: bool, backs: list[int]) -> None:
        if not values:
            return
        values = [self.value(value) for value in values]
        ids = [self.plain.total + i for i in range(len(values))]
        columns = {"x": values, "id": ids, "t": [f"t{each % 7}" for each in ids]}
        names = COLUMNS.get(self.case)
        batch: Any = {name: columns[name] for name in names} if names else values
        if as_array and self.case not in COLUMNS:
            batch = np.array(values)
        now = self.plain.newest
        at = [now - back for _, back in zip(values, backs, strict=False)]
        at = at + [now] * (len(values) - len(at)) if self.late else None
        fed = self.operator.feed(batch, at=at)
        expected = []
        for i, value in enumerate(values):
            number = self.plain.insert(at[i] if at else self.plain.total, value)
            self.handles[number] = (None, at[i], number) if at else number
            if self.plain.range and self.plain.total >= self.plain.range:
                expected.append(self.oracle(self.plain.events))
        if not self.late and not self.touched:
            assert [one.value for one in fed] == expected

    touched = False

    @precondition(lambda self: self.plain.events)
    @rule()
    def evict_oldest(self) -> None:
        self.operator.evict()
        self.plain.evict()
        self.touched = True

    @precondition(lambda self: not self.plain.events)
    @rule()
    def refuse_to_evict(self) -> None:
        with pytest.raises(wr.BadInput, match="the window is empty"):
            self.operator.evict()

    @precondition(lambda self: self.plain.events)
    @rule(data=st.data())
    def evict_any(self, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from(self.plain.events))
        handle = self.handles[event.number]
        if self.algorithm != "flat_fat":
            with pytest.raises(wr.BadInput, match="algorithm='flat_fat'"):
                self.operator.evict(handle)
            return
        self.operator.evict(handle)
        self.plain.evict(event.number)
        self.touched = True
        with pytest.raises(wr.BadInput, match="not in the window any more"):
            self.operator.evict(handle)

    @precondition(lambda self: self.plain.events)
    @rule(data=st.data(), value=VALUES)
    def correct_any(self, data: st.DataObject, value: int | None) -> None:
        event = data.draw(st.sampled_from(self.plain.events))
        value = self.value(value)
        handle, new = self.handles[event.number], self.event(value, event.number)
        if self.algorithm != "flat_fat":
            with pytest.raises(wr.BadInput, match="algorithm='flat_fat'"):
                self.operator.correct(handle, new)
            return
        self.operator.correct(handle, new)
        self.plain.correct(event.number, value)

    @rule()
    def query(self) -> None:
        assert self.operator.query() == self.oracle(self.plain.events)

    @rule()
    def trigger(self) -> None:
        """IStream: only what is new or has changed."""
        found = self.operator.trigger()
        value = self.oracle(self.plain.events)
        if not self.plain.events or value == self.told:
            assert found == []
        else:
            assert [one.value for one in found] == [value]
            self.told = value

    @precondition(lambda self: self.case != "tuples")
    @rule()
    def save_and_load(self) -> None:
        self.operator = wr.Operator.load(self.operator.save())

    @rule()
    def has_the_same_size(self) -> None:
        """A rule and no invariant: to count events lets those in that wait."""
        assert len(self.operator) == len(self.plain.events)

    def teardown(self) -> None:
        if hasattr(self, "operator"):
            assert self.operator.query() == self.oracle(self.plain.events)
            self.has_the_same_size()


@pytest.mark.parametrize("algorithm", ["flat_fat", "two_stacks_lite"])
@pytest.mark.parametrize("window", [wr.rows(100), None])
def test_a_result_outlives_the_giving_back_of_memory(algorithm, window):
    """FlatFAT halves its memory where less than a quarter of it is in use."""
    found = []
    with interpreting():
        operator = wr.Operator(window, FEW, algorithm=algorithm, capacity=128)
        for x in (4, 7, 5):
            operator.insert({"x": x})
            found.append(operator.query())

    assert found == [
        {"n": 1, "v": 1, "l": 4},
        {"n": 2, "v": 2, "l": 7},
        {"n": 3, "v": 3, "l": 5},
    ]


def test_a_number_that_finds_the_memory_full_gets_in_the_long_way():
    with interpreting():
        operator = wr.Operator(None, wr.max())
        operator.feed(list(range(16)))
        operator.insert(40)

        assert operator.query() == 40


@pytest.mark.parametrize(("algorithm", "case"), PAIRS)
def test_any_life_is_that_of_a_plain_list(algorithm, case):
    machine = type("Life", (Life,), {"algorithm": algorithm, "case": case})
    with interpreting():
        run_state_machine_as_test(
            machine, settings=settings(settings.default, stateful_step_count=40)
        )
