"""Random lives of operators over events with a duration, beside the definition.

The plain model keeps all events of each key, and a clock.  Events are no longer
than the time to postpone and come in the order of their ends.  So none is late: what
was released up to a clock is what the definition gives of windows that end by then,
less the time to postpone.
"""

from __future__ import annotations

from typing import Any

import plain_spans
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from plain_spans import Span

import oracles
import windrow as wr
from windrow.loops import interpreting

COMMUTING = {"n": ("count", ()), "total": ("sum", ("x",)), "most": ("max", ("x",))}
ORDERED = {"first": ("first", ("id",)), "who": ("arg_max", ("x", "id"))}
KEYS = st.sampled_from("abc")
LONGEST = 25
EVENTS = st.lists(
    st.tuples(
        KEYS,
        st.sampled_from([0, 0, 1, 3, 8, 40]),
        st.integers(0, LONGEST),
        st.integers(-9, 9) | st.none(),
    ),
    min_size=1,
    max_size=8,
)


class Lives(RuleBasedStateMachine):
    calls: dict[str, Any]
    algorithm: str

    @initialize(
        window=st.sampled_from([(10, 5), (7, 3), (4, 4), (12, 1)]),
        offset=st.sampled_from([0, 2]),
        keyed=st.booleans(),
    )
    def begin(self, window: tuple[int, int], offset: int, keyed: bool) -> None:
        self.spec, self.keyed, self.now, self.count = Span(*window, offset), keyed, 0, 0
        self.postpone = LONGEST + 1
        names = {name for _, columns in self.calls.values() for name in columns}
        self.operator = wr.Operator(
            wr.sliding(
                window[0], every=window[1], offset=offset, span=("start", "end")
            ),
            {
                label: getattr(wr, name)(*columns)
                for label, (name, columns) in self.calls.items()
            },
            lateness=self.postpone,
            algorithm=self.algorithm,
            types=dict.fromkeys(names, "int64"),
        )
        self.rows: dict[Any, list[dict[str, Any]]] = {}
        self.clocks: dict[Any, int] = {}
        self.found: dict[Any, list[Any]] = {}

    def event(self, key: str, later: int, length: int, x: int | None) -> Any:
        """The next event of a key, which ends at `now`; points last at an instant."""
        key = key if self.keyed else None
        self.now += later or 1
        self.count += 1
        row = {"start": self.now - length, "end": self.now, "x": x, "id": self.count}
        self.rows.setdefault(key, []).append(row)
        last = self.now - (length > 0)
        self.clocks[key] = max(self.clocks.get(key, last), last)
        return key, row

    def expected(self, key: Any) -> list[Any]:
        answer = plain_spans.aggregate(
            self.rows.get(key, []), [], [self.spec], self.calls
        )
        return [
            (row["start"], row["end"], {name: row[name] for name in self.calls})
            for row in answer
        ]

    def take(self, results: Any) -> None:
        for one in results:
            self.found.setdefault(one.key, []).append((one.start, one.end, one.value))

    @rule(events=EVENTS)
    def insert(self, events: Any) -> None:
        for each in events:
            key, row = self.event(*each)
            self.operator.insert(row, key=key)

    @rule(events=EVENTS)
    def feed(self, events: Any) -> None:
        made = [self.event(*each) for each in events]
        columns = {
            name: [row[name] for _, row in made] for name in ("start", "end", "x", "id")
        }
        keys = [key for key, _ in made] if self.keyed else None
        self.take(self.operator.feed(columns, key=keys))
        self.are_released(dict.fromkeys(key for key, _ in made))

    @rule(later=st.none() | st.integers(0, 45) | st.just(300))
    def trigger(self, later: int | None) -> None:
        """Time goes on for every key, up to which events have come."""
        if later is None:
            self.take(self.operator.trigger())
        elif self.rows:
            self.now += later
            self.take(self.operator.trigger(at=self.now))
            for key in self.clocks:
                self.clocks[key] = max(self.clocks[key], self.now)
        self.are_released(self.clocks)

    @rule(later=st.integers(20, 45))
    def trigger_and_expire(self, later: int) -> None:
        """About when the last window of some key is released."""
        self.trigger(later)
        self.expire(None)

    def are_released(self, keys: Any) -> None:
        for key in keys:
            clock = self.clocks[key] - self.postpone
            due = [one for one in self.expected(key) if one[1] <= clock]
            assert self.found.get(key, []) == due

    @rule(key=KEYS)
    def query(self, key: str) -> None:
        """The window that ends next after the clock."""
        key = key if self.keyed else None
        if key is None and not self.rows:
            return
        held: list[Any] = []
        if key in self.clocks:
            range_, slide, offset, _ = self.spec
            low = (self.clocks[key] - range_ - offset) // slide * slide + offset + slide
            held = [
                row
                for row in self.rows[key]
                if plain_spans.overlaps(row["start"], row["end"], low, low + range_)
            ]
        nothing = dict.fromkeys(self.calls)
        expected = oracles.results(held, self.calls) if held else nothing
        assert self.operator.query(key) == expected

    @rule()
    def save_and_load(self) -> None:
        self.operator = wr.Operator.load(self.operator.save())

    @rule(before=st.none() | st.integers(0, 80))
    def expire(self, before: int | None) -> None:
        """Keys go whose windows were all taken; time goes on for those that lag."""
        tick = None if before is None else self.now - before
        if not self.rows:
            return
        gone = self.operator.expire(before=tick)
        for key, clock in self.clocks.items():
            newest = max(max(r["end"] - 1, r["start"]) for r in self.rows[key])
            if tick is not None and newest < tick:
                self.clocks[key] = max(clock, tick)
        for key in gone:
            assert self.found.get(key, []) == self.expected(key)
            assert key not in set(self.operator.keys())
            del self.rows[key], self.clocks[key], self.found[key]

    @rule()
    def keys(self) -> None:
        if self.keyed:
            assert sorted(self.operator.keys()) == sorted(self.rows)
        assert self.operator.late == 0

    def teardown(self) -> None:
        if hasattr(self, "operator") and self.rows:
            self.take(self.operator.trigger(at=self.now + 10**6))
            for key in self.rows:
                assert self.found.get(key, []) == self.expected(key)


@pytest.mark.parametrize(
    ("calls", "algorithm"),
    [(COMMUTING, "auto"), (COMMUTING, "se_ml_slicing"), (ORDERED, "auto")],
    ids=["commuting", "levels", "ordered"],
)
def test_any_life_over_spans_is_that_of_the_definition(calls, algorithm):
    machine = type("Lives", (Lives,), {"calls": calls, "algorithm": algorithm})
    some = 2 * settings.default.max_examples
    with interpreting():
        run_state_machine_as_test(
            machine,
            settings=settings(
                settings.default, max_examples=some, stateful_step_count=20
            ),
        )
