"""Lists of windows over one stream of events, beside a plain list of events."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

import windrow as wr
from operator_cases import COLUMNS, HELD, MANY, TUPLES, TYPES, event, held, many
from plain_window import Event
from windrow.algorithms import CATALOGUE
from windrow.loops import interpreting

ABLE = [each.name for each in CATALOGUE if each.steps is not None and each.steps.many]


def of_values(function: Any) -> Any:
    """An oracle that reads nothing but the values of events."""
    return lambda events: function([each.value for each in events])


CASES: dict[str, tuple[Any, Any]] = {
    "tuples": (TUPLES, of_values(list)),
    "max": (wr.max(), of_values(max)),
    "sum": (wr.sum(), of_values(sum)),
    "first and sum": (
        {"f": wr.first("value"), "s": wr.sum("value")},
        of_values(lambda values: {"f": values[0], "s": sum(values)}),
    ),
    "range": (wr.range(), of_values(lambda values: max(values) - min(values))),
    "parts": (
        {
            "r": wr.range("value"),
            "p": wr.product("value"),
            "s": wr.sum("value"),
            "l": wr.last("value"),
        },
        of_values(
            lambda values: {
                "r": max(values) - min(values),
                "p": math.prod(values),
                "s": sum(values),
                "l": values[-1],
            }
        ),
    ),
    "many": (MANY, many),  # nulls, ties and the order of events
    "held": (HELD, held),  # a ring of payloads: collect, distinct values, texts
}
ONLY = {
    "slick_deque": ["max", "first and sum", "range", "parts", "many"],
    "slick_deque_inv": ["sum"],
}
HOLDS = ("two_stacks_lite", "flat_fat")  # one of a kind: payloads are the same
PAIRS = [
    (name, case)
    for name in ABLE
    for case in ONLY.get(name, ["tuples", "max", "sum", "first and sum", "many"])
]
PAIRS += [(name, "held") for name in HOLDS]
VALUES = st.integers(-3, 3) | st.none()


@pytest.fixture(autouse=True)
def as_plain_python(request):
    if "compiled_lane" in request.fixturenames:
        yield
        return
    with interpreting():
        yield


class Lives(RuleBasedStateMachine):
    """Windows of rows or of time that come and go, and what each would hold."""

    algorithm: str
    case: str

    @initialize(
        timed=st.booleans(),
        ranges=st.lists(st.integers(1, 12), min_size=1, max_size=4),
        data=st.data(),
    )
    def begin(self, timed: bool, ranges: list[int], data: st.DataObject) -> None:
        self.aggregate, self.oracle = CASES[self.case]
        self.timed, self.values, self.ticks = timed, [], []
        self.now, self.dropped, self.lost = 0, 0, 0
        windows = [self.window(data, range_, k) for k, range_ in enumerate(ranges)]
        self.windows = {window.name: window for window in windows}
        self.since: dict[str, int] = dict.fromkeys(self.windows, 0)
        names = COLUMNS.get(self.case)
        self.operator = wr.Operator(
            windows,
            self.aggregate,
            algorithm=self.algorithm,
            types={name: TYPES[name] for name in names} if names else None,
        )

    def window(self, data: st.DataObject, range_: int, number: int) -> Any:
        every = data.draw(st.integers(1, range_))
        make = wr.sliding if self.timed else wr.rows
        return make(range_, every=every, name=f"w{number}")

    def value(self, value: int | None) -> int | None:
        """A null where nulls may come, else a number."""
        return 0 if value is None and self.case not in COLUMNS else value

    def event(self, value: int | None, number: int) -> Any:
        if self.case in COLUMNS:
            return event(self.case, value, number)
        return {"value": value} if isinstance(self.aggregate, dict) else value

    def held(self, name: str, end: int | None = None) -> list[Event]:
        """The events in a window, now or at its end."""
        window = self.windows[name]
        span = window.policies()
        kept = range(self.dropped, len(self.values))
        if not self.timed:
            stop = len(self.values) if end is None else end
            return [self.values[i] for i in kept if stop - span.range <= i < stop]
        if end is None:
            end = self.now - (self.now - span.anchor) % span.every + span.every
        ticks = self.ticks
        return [self.values[i] for i in kept if end - span.range <= ticks[i] < end]

    def came(self, value: int | None) -> None:
        self.values.append(Event(len(self.values), self.now, value))
        self.ticks.append(self.now)

    @rule(value=VALUES, later=st.integers(0, 4))
    def insert(self, value: int | None, later: int) -> None:
        self.now += later
        at, value = self.now if self.timed else None, self.value(value)
        self.operator.insert(self.event(value, len(self.values)), at=at)
        self.came(value)

    @rule(value=VALUES, later=st.integers(0, 4))
    def insert_and_query(self, value: int | None, later: int) -> None:
        self.insert(value, later)
        self.query()

    @rule(values=st.lists(VALUES, min_size=1, max_size=12))
    def feed(self, values: list[int | None]) -> None:
        at = [self.now] * len(values) if self.timed else None
        values = [self.value(value) for value in values]
        rows = [self.event(v, len(self.values) + i) for i, v in enumerate(values)]
        by_name = isinstance(self.aggregate, dict)
        batch = (
            {name: [row[name] for row in rows] for name in rows[0]} if by_name else rows
        )
        self.operator.feed(batch, at=at)
        for value in values:
            self.came(value)

    @rule()
    def query(self) -> None:
        answers = self.operator.query()
        nothing = None
        if isinstance(self.aggregate, dict):
            nothing = dict.fromkeys(self.aggregate)
        for name in self.windows:
            values = self.held(name)
            if self.is_complete(name):
                assert answers[name] == (self.oracle(values) if values else nothing)
        assert list(answers) == list(self.windows)

    def is_complete(self, name: str) -> bool:
        """Whether a window that was added late holds all its events again."""
        now = self.now if self.timed else len(self.values)
        return now >= self.since[name]

    @rule(range_=st.integers(1, 20), data=st.data())
    def add(self, range_: int, data: st.DataObject) -> None:
        if len(self.windows) < 5:
            window = self.window(data, range_, 100 + len(self.since))
            complete = self.operator.add(window)
            self.windows[window.name] = window
            self.since[window.name] = 0 if complete is None else complete
            assert complete is None or complete <= self.newest() + 2 * range_ + 40

    def newest(self) -> int:
        return self.now if self.timed else len(self.values)

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        if len(self.windows) > 1:
            name = data.draw(st.sampled_from(sorted(self.windows)))
            self.operator.remove(name)
            del self.windows[name]

    @rule()
    def evict(self) -> None:
        if len(self.operator):
            kept = len(self.operator)
            self.operator.evict()
            self.dropped = len(self.values) - kept + 1

    @rule(later=st.integers(0, 15))
    def trigger(self, later: int) -> None:
        """Every result is that of its window, and ends rise."""
        if self.timed and self.values:
            self.now += later
            results = self.operator.trigger(at=self.now)
        else:
            results = self.operator.trigger()
        assert len({(each.query, each.end) for each in results}) == len(results)
        for each in results:
            if each.query in self.since and self.since[each.query] == 0:
                assert each.value is not None
                if not self.dropped:
                    held = self.held(each.query, each.end)
                    assert each.value == self.oracle(held)

    @rule()
    def save_and_load(self) -> None:
        if self.case != "tuples":
            self.operator = wr.Operator.load(self.operator.save())

    def teardown(self) -> None:
        if hasattr(self, "operator"):
            self.query()


@pytest.mark.parametrize(("algorithm", "case"), PAIRS)
def test_any_list_of_windows_is_that_of_a_plain_list(algorithm, case):
    machine = type("Lives", (Lives,), {"algorithm": algorithm, "case": case})
    few = max(settings.default.max_examples // 3, 5)
    run_state_machine_as_test(
        machine,
        settings=settings(settings.default, max_examples=few, stateful_step_count=20),
    )


WINDOWS = {
    "rows": [
        wr.rows(r, every=s, name=f"{r}/{s}") for r, s in ((3, 1), (8, 3), (20, 4))
    ],
    "time": [
        wr.sliding(r, every=s, name=f"{r}/{s}") for r, s in ((6, 2), (9, 9), (30, 5))
    ],
}


@pytest.mark.parametrize("algorithm", ["auto", *ABLE])
@pytest.mark.parametrize("clock", WINDOWS)
@pytest.mark.parametrize("feeds", [True, False])
def test_a_list_reports_what_each_window_alone_reports(algorithm, clock, feeds):
    rng = np.random.default_rng(7)
    values = rng.integers(-9, 9, 200)
    at = np.cumsum(rng.integers(0, 4, 200)) if clock == "time" else None
    aggregate = wr.max() if algorithm == "slick_deque" else wr.sum()

    def results(window: Any, **options: Any) -> list[Any]:
        operator = wr.Operator(window, aggregate, **options)
        seen = []
        if feeds:
            seen += operator.feed(values, at=at)
        else:
            for i, value in enumerate(values.tolist()):
                operator.insert(value, at=None if at is None else int(at[i]))
        if at is not None:
            seen += operator.trigger(at=int(at[-1]) + 100)
        elif not feeds:
            seen += [each for each in operator.trigger() if each.query != "3/1"]
        return [each for each in seen if feeds or each.end - each.start != 3]

    together = results(WINDOWS[clock], algorithm=algorithm)

    for window in WINDOWS[clock]:
        mine = [
            each._replace(query=None) for each in together if each.query == window.name
        ]
        assert mine == results(window)


def test_windows_without_a_name_are_called_by_their_number():
    operator = wr.Operator([wr.rows(2), wr.rows(3, name="three")], wr.sum())
    operator.feed([1, 2, 4])

    assert operator.query() == {"0": 6, "three": 7}


def test_results_of_a_list_have_the_name_of_their_window_as_a_column():
    operator = wr.Operator([wr.rows(2, name="a"), wr.rows(3, name="b")], wr.sum())

    fed = operator.feed([1, 2, 4])

    assert fed.to_arrow().to_pydict() == {
        "query": ["a", "a", "b"],
        "start": [0, 1, 0],
        "end": [2, 3, 3],
        "sum": [3, 6, 7],
    }


def test_an_added_window_says_from_when_it_is_complete():
    rows = wr.Operator([wr.rows(3, name="three")], wr.sum())
    rows.feed([1, 2, 3, 4, 5])
    day = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    time = wr.Operator([wr.sliding("10 minutes", name="ten")], wr.sum())
    for minute in range(0, 60, 3):
        time.insert(minute, at=day + dt.timedelta(minutes=minute))

    assert rows.add(wr.rows(10, name="ten")) == 12, "events 2, 3 and 4 are kept"
    assert rows.query() == {"three": 12, "ten": 12}
    assert rows.add(wr.rows(2, name="two")) is None
    assert time.add(wr.sliding("30 minutes", name="thirty")) == day + dt.timedelta(
        minutes=80
    )
    assert time.query()["thirty"] == 51 + 54 + 57


def test_each_key_has_the_windows_of_a_list():
    operator = wr.Operator([wr.rows(1, name="one"), wr.rows(3, name="all")], wr.sum())
    for value, key in ((1, "a"), (2, "b"), (4, "a")):
        operator.insert(value, key=key)

    assert operator.query("a") == {"one": 4, "all": 5}
    assert operator.query("b") == {"one": 2, "all": 2}
    assert operator.query("c") == {"one": None, "all": None}


REFUSED = {
    "two clocks": ([wr.rows(3), wr.sliding(3)], "two clocks"),
    "two units": ([wr.sliding(3), wr.sliding("3 hours")], "two clocks"),
    "a name that is taken": (
        [wr.rows(3, name="a"), wr.rows(4, name="a")],
        "the list has one of that name",
    ),
    "no window": ([], "it is empty"),
    "a delta": ([wr.window(evict=wr.delta("x", 5))], "neither a number of rows"),
}


@pytest.mark.parametrize(("windows", "cause"), REFUSED.values(), ids=list(REFUSED))
def test_a_list_that_cannot_be_kept_is_refused(windows, cause):
    with pytest.raises(wr.BadInput, match=cause) as refusal:
        wr.Operator(windows, wr.sum())

    assert "\nHint: " in str(refusal.value)


def test_a_window_that_cannot_be_added_leaves_the_list_as_it_was():
    operator = wr.Operator([wr.rows(3, name="a")], wr.sum())
    operator.feed([1, 2])
    before = operator.save()

    for window, cause in (
        (wr.rows(9, name="a"), "one of that name"),
        (wr.sliding(9, name="b"), "two clocks"),
    ):
        with pytest.raises(wr.BadInput, match=cause):
            operator.add(window)
    with pytest.raises(wr.UnknownName, match="'b'"):
        operator.remove("b")
    with pytest.raises(wr.BadInput, match="the last window"):
        operator.remove("a")

    assert operator.save() == before
    with pytest.raises(wr.BadInput, match="and no list"):
        wr.Operator(wr.rows(3), wr.sum()).add(wr.rows(4))


def test_algorithms_of_one_range_and_late_events_are_refused():
    with pytest.raises(wr.UnsuitableAlgorithm, match="answers one range"):
        wr.Operator([wr.rows(3)], wr.sum(), algorithm="daba_lite")
    with pytest.raises(wr.BadInput, match="lateness="):
        wr.Operator([wr.sliding(3)], wr.sum(), lateness=4)


def test_compiled_lists_are_those_of_plain_python(compiled_lane):
    def life() -> list[Any]:
        operator = wr.Operator(WINDOWS["rows"], {"s": wr.sum("x"), "m": wr.max("x")})
        rng = np.random.default_rng(2)
        seen: list[Any] = list(operator.feed({"x": rng.integers(0, 99, 500)}))
        for value in range(20):
            operator.insert({"x": value})
            seen.append(operator.query())
        operator.add(wr.rows(70, every=2, name="new"))
        seen += operator.feed({"x": rng.integers(0, 99, 90)})
        return seen

    compiled = life()
    with interpreting():
        assert life() == compiled
