"""`wr.Operator`: batches beside array kernels, single events beside Python's ways.

fed        batches of 1,000 through `feed`, beside the algorithm's array kernel, as the
           bar was set; `feed of 8,192` and `of 65,536` are longer batches
single     `insert`, which evicts by itself, then `query`, from a Python loop; `deque`
           is a `collections.deque` and `max` or `statistics.fmean` over it
ten        ten windows that all report every row, beside the longest of them alone:
           single events, and batches of 1,000, 8,192 and 32,768 through `feed`
keyed      `insert` with an instant (gaps and bursts) and one of 1,000 keys, until all
           are in their windows; `and query` asks for the key's result after each
"""

from __future__ import annotations

import datetime as dt
import statistics
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import windrow as wr
from windrow.algorithms import find
from windrow_bench._claims import from_
from windrow_bench.experiment import Size, Trial
from windrow_bench.libraries import load
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.kernels import kernel_contender
from windrow_bench.measure.operators import (
    BATCH,
    fed,
    feed_contender,
    one_by_one,
    ours,
    plain_deque,
)
from windrow_bench.measure.race import Contender
from windrow_bench.measure.ticks import TICK, instants
from windrow_bench.measure.turns import a_second
from windrow_bench.measure.values import values

from ._bar import OURS, bar, bar_trial, cost, number, panel, rates, speed

ROWS, QUICK_ROWS = 4_000_000, 200_000
EVENTS, QUICK_EVENTS = 200_000, 20_000
FED = {
    "max": ("two_stacks_lite", "daba", "daba_lite", "slick_deque", "flat_fat", "sba",
            "pba"),
    "sum": ("subtract_on_evict", "two_stacks_lite", "daba_lite", "flat_fat"),
}  # fmt: skip
WIDTHS = (1_024, 16_384, 65_536, 262_144, 1_048_576)
SINGLE: dict[str, Callable[..., Any]] = {"max": max, "mean": statistics.fmean}
SINGLE_WIDTHS, QUICK_SINGLE = (1, 16, 128, 1_024, 16_384), (16, 1_024)
KERNEL, FEED, DEQUE, RIVER = "array kernel", "feed", "deque", "river"
TEN_ROWS = (50_000, 5_000), (1_000_000, 100_000)  # fed, and one by one
FEEDS = {FEED: BATCH, f"{FEED} of 8,192": 1 << 13, f"{FEED} of 65,536": 1 << 16}
ONE, TEN = "one window", "ten windows"
TEN_BATCHES = {"feed": 1 << 15, "feed of 8,192": 1 << 13, "feed of 1,000": BATCH}
KEYS, ASKED = 1_000, "and query"
START, MILLISECOND = dt.datetime(2026, 1, 1), dt.timedelta(milliseconds=1)  # noqa: DTZ001
TEN_WINDOWS = [wr.rows(100 * k, name=str(k)) for k in range(1, 11)]


def _trials(size: Size) -> list[Trial]:
    return [*_fed(size), *_single(size), *_ten(size), *_keyed(size)]


def _fed(size: Size) -> list[Trial]:
    rows = size.pick(QUICK_ROWS, ROWS)

    def enter(aggregate: str, name: str, width: int) -> list[Contender]:
        given = values(rows)
        one = kernel_contender(find(name), aggregate, given, width)
        kernel = Contender(KERNEL, one.call, one.check)
        return [
            kernel,
            *(feed_contender(series, name, aggregate, given, width, batch)
              for series, batch in FEEDS.items()),
        ]  # fmt: skip

    widths = size.pick(WIDTHS[:2], WIDTHS)
    return [
        bar_trial(_fed_panel(aggregate, name), width,
                  partial(enter, aggregate, name, width), size, value=a_second(rows))
        for aggregate, names in FED.items() for name in names for width in widths
    ]  # fmt: skip


def _fed_panel(aggregate: str, name: str) -> str:
    """The panel says what runs one event at a time; the array kernel is `name`'s."""
    return f"feed, {aggregate}, {find(name).online_name}"


def _who(name: str) -> str:
    costs = find(name).online
    return f"{name} (whose steps are {costs.by}'s)" if costs and costs.by else name


def _single(size: Size) -> list[Trial]:
    count = size.pick(QUICK_EVENTS, EVENTS)

    def enter(aggregate: str, width: int, count: int) -> list[Contender]:
        makes = {
            OURS: ours(aggregate, width),
            "worst-case": ours(aggregate, width, "daba_lite"),
            DEQUE: plain_deque(SINGLE[aggregate], width),
        }
        if find_spec(RIVER):
            makes[RIVER] = _river(aggregate, width)
        given = values(EVENTS)[:count].tolist()
        _check_alike(makes, given[: max(2_000, 2 * width)])
        return [one_by_one(name, make, given) for name, make in makes.items()]

    trials = []
    for aggregate in SINGLE:
        for width in size.pick(QUICK_SINGLE, SINGLE_WIDTHS):
            some = count if width <= 1_024 else count // 10
            trials.append(
                bar_trial(f"single, {aggregate}", width,
                          partial(enter, aggregate, width, some), size,
                          value=a_second(some, 1e3))
            )  # fmt: skip
    return trials


def _check_alike(makes: dict[str, Any], given: list[float]) -> None:
    answers = {name: [*map(make(), given)] for name, make in makes.items()}
    for name, found in answers.items():
        pairs = zip(found, answers[DEQUE], strict=True)
        if any(abs(a - b) > 1e-9 for a, b in pairs):
            raise WrongAnswer(f"{name} differs from a deque")


def _river(aggregate: str, width: int) -> Callable[[], Callable[[float], Any]]:
    def make() -> Callable[[float], Any]:
        stats = load("river.stats")
        if aggregate == "max":
            one = stats.RollingMax(window_size=width)
        else:
            one = load("river.utils").Rolling(stats.Mean, window_size=width)

        def step(value: float) -> Any:
            one.update(value)
            return one.get()

        return step

    return make


def _ten(size: Size) -> list[Trial]:
    rows, events = size.pick(*TEN_ROWS)
    ways: dict[str, tuple[Callable[..., None], int]] = {
        how: (partial(_feed_all, batch), rows) for how, batch in TEN_BATCHES.items()
    }
    ways["insert and query"] = _ask_each, events

    def enter(aggregate: str, way: Callable[..., None], count: int) -> list[Contender]:
        return [
            Contender(name, partial(way, window, aggregate, values(rows)[:count]),
                      lambda _: None)  # compared in tests/operator
            for name, window in ((ONE, TEN_WINDOWS[-1]), (TEN, TEN_WINDOWS))
        ]  # fmt: skip

    return [
        bar_trial("ten", f"{aggregate}, {how}",
                  partial(enter, aggregate, way, count), size)
        for aggregate in ("min", "sum") for how, (way, count) in ways.items()
    ]  # fmt: skip


def _keyed(size: Size) -> list[Trial]:
    count = size.pick(QUICK_EVENTS, EVENTS)
    ways: dict[str, tuple[Any, Callable[[int], Any]]] = {
        "whole numbers, in bursts": (wr.sliding(60_000, every=10_000), int),
        "datetimes, in bursts": (
            wr.sliding("60 seconds", every="10 seconds"),
            lambda at: START + at * MILLISECOND,
        ),
    }

    def enter(window: Any, instant: Callable[[int], Any]) -> list[Contender]:
        at = (instants(count) // TICK).tolist()  # usually a millisecond apart
        given = [
            (value, instant(at[i]), f"key {i % KEYS}")
            for i, value in enumerate(values(EVENTS)[:count].tolist())
        ]
        return [
            Contender(name, partial(_insert_keys, asks, window, given), lambda _: None)
            for name, asks in ((OURS, False), (ASKED, True))
        ]  # compared in tests/operator

    return [
        bar_trial("keyed", name, partial(enter, *way), size, value=a_second(count, 1e3))
        for name, way in ways.items()
    ]


def _insert_keys(asks: bool, window: Any, given: list[tuple[float, Any, str]]) -> None:
    operator = _floats(window, "max")
    for value, at, key in given:
        operator.insert(value, at=at, key=key)
        if asks:
            operator.query(key)
    len(operator)


def _floats(window: Any, aggregate: str) -> wr.Operator:
    return wr.Operator(window, aggregate, types={"value": "float64"}, nulls=False)


def _feed_all(batch: int, window: Any, aggregate: str, given: Any) -> None:
    for _ in fed(_floats(window, aggregate), given, batch):
        pass


def _ask_each(window: Any, aggregate: str, given: Any) -> None:
    operator = _floats(window, aggregate)
    for value in given.tolist():
        operator.insert(value)
        operator.query()


OPERATORS = bar(
    "operators",
    "Operators: batches, single events, ten windows at once",
    "floats; `feed` in batches of 1,000 beside the array kernel over all at once; "
    "single events from a Python loop beside a deque, and river where it is installed",
    [
        *(
            rates(_fed_panel(aggregate, name), "window (rows)",
                  "values a second (millions)")
            for aggregate, names in FED.items() for name in names
        ),
        *(
            rates(f"single, {one}", "window (rows)", "events a second (thousands)")
            for one in SINGLE
        ),
        panel("ten", "aggregate, how"),
        rates("keyed", "instants", "events a second (thousands)"),
    ],
    [
        *(
            speed(f"feed of {aggregate} by {_who(name)} is half as fast as the array "
                  "kernel.",
                  _fed_panel(aggregate, name), FEED, (KERNEL,), 0.5, rate=True)
            for aggregate, names in FED.items() for name in names
        ),
        *(
            speed(f"{series} values, {aggregate} by {_who(name)}: half of the array "
                  "kernel.",
                  _fed_panel(aggregate, name), series, (KERNEL,), 0.5, rate=True)
            for series in FEEDS if series != FEED
            for aggregate, name in (("max", "sba"), ("max", "pba"),
                                    ("sum", "subtract_on_evict"))
        ),
        *(
            number(f"Single events of {one}: 300,000 a second.",
                   f"single, {one}", OURS, least=300.0)
            for one in SINGLE
        ),
        *(
            speed(f"Single events of {one} are ahead of a deque from 128 rows on.",
                  f"single, {one}", OURS, (DEQUE,), 1.0, rate=True, where=from_(128))
            for one in SINGLE
        ),
        *(
            speed(f"Single events of {one} are ahead of river.",
                  f"single, {one}", OURS, (RIVER,), 1.0, rate=True)
            for one in SINGLE
        ),
        number("Events with time and key: 300,000 a second.",
               "keyed", OURS, least=300.0),
        cost("Ten windows cost at most three times one.", "ten", TEN, (ONE,), 3.0),
    ],
    _trials,
    share=2.0,
)  # fmt: skip

__all__ = ["OPERATORS"]
