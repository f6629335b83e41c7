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
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import windrow as wr
from plain_window import Event, PlainWindow
from windrow.algorithms import CATALOGUE
from windrow.kernels import interpreting

STEPWISE = [one.name for one in CATALOGUE if one.steps is not None]
LATENESS = 20

TUPLES = wr.Aggregate(
    name="tuples",
    lift=lambda value: (value,),
    combine=lambda older, newer: older + newer,
    lower=list,
)


def tuples(events: list[Event]) -> Any:
    return [event.value for event in events] or None


def largest(events: list[Event]) -> Any:
    return max((event.value for event in events), default=None)


def total(events: list[Event]) -> Any:
    return sum(event.value for event in events) if events else None


def many(events: list[Event]) -> dict[str, Any]:
    """Ties in `who` tell the order of equal values."""
    if not events:
        return dict.fromkeys(["n", "s", "m", "who", "f", "l"])
    best = max(event.value for event in events)
    return {
        "n": len(events),
        "s": sum(event.value for event in events),
        "m": best,
        "who": next(event.number for event in events if event.value == best),
        "f": events[0].number,
        "l": events[-1].number,
    }


MANY = {
    "n": wr.count(),
    "s": wr.sum("x"),
    "m": wr.max("x"),
    "who": wr.arg_max("x", "id"),
    "f": wr.first("id"),
    "l": wr.last("id"),
}
CASES = {
    "tuples": (TUPLES, tuples),
    "max": (wr.max(), largest),
    "sum": (wr.sum(), total),
    "many": (MANY, many),
}
ONLY = {"slick_deque": ["max"], "subtract_on_evict": ["sum"]}
PAIRS = [(name, case) for name in STEPWISE for case in ONLY.get(name, CASES)]
VALUES = st.integers(-3, 3)


class Life(RuleBasedStateMachine):
    algorithm: str
    case: str

    @initialize(range=st.none() | st.integers(1, 9), late=st.booleans())
    def begin(self, range: int | None, late: bool) -> None:
        self.late = late and self.algorithm == "flat_fat"
        aggregate, self.oracle = CASES[self.case]
        if self.algorithm == "pba" and range is None:
            range = 7
        window = None if range is None else wr.rows(range)
        self.operator = wr.Operator(
            window,
            aggregate,
            algorithm=self.algorithm,
            lateness=LATENESS if self.late else None,
        )
        self.plain = PlainWindow(range)
        self.handles: dict[int, Any] = {}
        self.told: Any = None

    def event(self, value: int) -> Any:
        return {"x": value, "id": self.plain.total} if self.case == "many" else value

    def insert_at(self, tick: int, value: int) -> None:
        at = tick if self.late else None
        handle = self.operator.insert(self.event(value), at=at)
        number = self.plain.insert(tick if self.late else self.plain.total, value)
        self.handles[number] = handle

    @rule(value=VALUES, later=st.integers(0, 3))
    def insert(self, value: int, later: int) -> None:
        self.insert_at(self.plain.newest + later, value)

    @precondition(lambda self: self.late)
    @rule(value=VALUES, back=st.integers(0, LATENESS))
    def insert_late(self, value: int, back: int) -> None:
        self.insert_at(self.plain.newest - back, value)

    @precondition(lambda self: self.late and self.plain.total)
    @rule(value=VALUES)
    def refuse_too_late(self, value: int) -> None:
        with pytest.raises(wr.BadInput, match="cannot go back to"):
            self.operator.insert(self.event(value), at=self.plain.newest - LATENESS - 1)

    @rule(
        values=st.lists(VALUES, max_size=20),
        as_array=st.booleans(),
        backs=st.lists(st.integers(0, LATENESS), max_size=20),
    )
    def feed(self, values: list[int], as_array: bool, backs: list[int]) -> None:
        ids = [self.plain.total + i for i in range(len(values))]
        batch: Any = {"x": values, "id": ids} if self.case == "many" else values
        if not values:
            return
        if as_array and self.case != "many":
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
    def correct_any(self, data: st.DataObject, value: int) -> None:
        event = data.draw(st.sampled_from(self.plain.events))
        handle, new = self.handles[event.number], self.event(value)
        if self.case == "many":
            new = {"x": value, "id": event.number}
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

    @invariant()
    def has_the_same_size(self) -> None:
        if hasattr(self, "operator"):
            assert len(self.operator) == len(self.plain.events)

    def teardown(self) -> None:
        if hasattr(self, "operator"):
            assert self.operator.query() == self.oracle(self.plain.events)


@pytest.mark.parametrize(("algorithm", "case"), PAIRS)
def test_any_life_is_that_of_a_plain_list(algorithm, case):
    machine = type("Life", (Life,), {"algorithm": algorithm, "case": case})
    with interpreting():
        run_state_machine_as_test(
            machine, settings=settings(settings.default, stateful_step_count=40)
        )
