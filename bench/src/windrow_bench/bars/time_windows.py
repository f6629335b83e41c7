"""Time windows beside count windows over the same rows, many keys, threads, lists.

    even       . . . . . . . . . .      a row a second: 3,600 s hold 3,600 rows
    bursts     ... ..  ..       ....    as many rows in as long, with gaps of minutes
    keys       .   . .       .          1,000 random ones: 3.6 rows in a window, and 16
               |=====|=====|            windows for each row; beside arrays of bounds
    lists      |--- w0 ---|             many windows of the bursts in one call, beside
             |----- w1 ---|             a call for each of them

What a time window costs beyond a count window is finding its bounds.  The bar of many
keys was set against the time of its day (commit f757f9c).  That cannot be run beside
today's, so what it did stands for it: `measure/bounds.py` writes a start, a stop and a
begin for every window, reads them, and makes columns with numpy.  Of one afternoon on a
busy machine (the middle of nine calls, processor time): the commit itself 0.83 s, these
arrays 0.67, today's way 0.20 to 0.22; so the bar is no easier than it was meant.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import windrow as wr
from windrow_bench.experiment import Size, Trial
from windrow_bench.measure import bounds
from windrow_bench.measure.answers import Array, WrongAnswer
from windrow_bench.measure.race import Contender
from windrow_bench.measure.ticks import NEW_YEAR

from ._bar import bar, bar_trial, cost, panel, speed

SECOND = 1_000_000  # microseconds
RANGE = 3_600  # seconds, or rows
ROWS, THREAD_ROWS = (100_000, 2_000_000), (500_000, 10_000_000)  # quick, and full
SLIDE, BY_ROWS, BY_TIME = "slide", "aggregate by rows", "aggregate by time"
EVEN, BURSTS = "a row a second", "gaps and bursts"
ONE, TWO = "one thread", "two threads"
KEYS = {"1,000 keys": 1_000, "one key": 1}
MANY_KEYS, MINUTE = 1_000, 60
NOW, BOUNDS = "aggregate", "arrays of bounds"
LIST_ROWS, LISTS = (20_000, 200_000), (10, 20, 100)
TOGETHER, ALONE = "one call", "a call for each window"


def instants(rows: int, kind: str) -> Array:
    """Rising microseconds, a row a second on average.

    Bursts bring 50 rows on average, milliseconds apart; most of the time is silence.
    """
    if kind == EVEN:
        return NEW_YEAR + np.arange(rows) * SECOND
    dice = np.random.default_rng(16)
    gaps = dice.exponential(5_000.0, rows)  # within a burst, 5 ms
    first = dice.random(rows) < 1 / 50
    gaps[first] = dice.exponential(50 * SECOND, int(first.sum()))
    return NEW_YEAR + np.cumsum(gaps.astype(np.int64) + 1)


def _enter(kind: str, rows: int) -> list[Contender]:
    given = np.random.default_rng(3).normal(size=rows)
    at = instants(rows, kind)
    table = pa.table({"at": pa.array(at, pa.timestamp("us")), "x": given})
    by_rows = wr.rows(RANGE)
    by_time = wr.sliding(f"{RANGE} seconds", every="1 second", on="at")
    ask = partial(wr.aggregate, table, m=wr.max("x"), threads=1)
    slid = wr.slide(given, by_rows, "max", threads=1)

    def same(answer: Any) -> None:
        if not np.array_equal(np.asarray(answer), slid):
            raise WrongAnswer("aggregate by rows differs from slide")

    return [
        Contender(SLIDE, lambda: wr.slide(given, by_rows, "max", threads=1), same),
        Contender(BY_ROWS, lambda: ask(by_rows), lambda a: same(a["m"].to_numpy())),
        Contender(BY_TIME, lambda: ask(by_time), partial(_check, at, given)),
    ]


def _check(at: Array, given: Array, answer: pa.Table) -> None:
    """Some windows folded again, and as many of them as hold a row."""
    begins = answer["window"].combine_chunks().field("start").cast(pa.int64())
    starts, found = begins.to_numpy(), answer["m"].to_numpy()
    firsts = (at // SECOND - RANGE + 1) * SECOND
    lasts = at // SECOND * SECOND
    open_until = np.concatenate(([firsts[0] - SECOND], lasts[:-1]))
    expected = int(
        ((lasts - np.maximum(firsts, open_until + SECOND)) // SECOND + 1).sum()
    )
    if len(starts) != expected:
        raise WrongAnswer(f"{len(starts):,} windows, not {expected:,}")
    for i in np.random.default_rng(1).integers(0, len(starts), 64).tolist():
        low, high = np.searchsorted(at, [starts[i], starts[i] + RANGE * SECOND])
        if found[i] != given[low:high].max():
            raise WrongAnswer(f"the window that starts at {starts[i]} is wrong")


def _many_keys(rows: int) -> list[Contender]:
    dice = np.random.default_rng(5)
    at = instants(rows, EVEN)
    key, given = dice.integers(0, MANY_KEYS, rows), dice.normal(size=rows)
    table = pa.table({"at": pa.array(at, pa.timestamp("us")), "key": key, "x": given})
    window = wr.sliding(f"{RANGE} seconds", every=f"{MINUTE} seconds", on="at")
    plain = partial(bounds.aggregate, "mean", key, at, given)
    wide, step = RANGE * SECOND, MINUTE * SECOND
    expected = plain(wide, step)

    def same(answer: pa.Table) -> None:
        """The same keys and windows; means but for rounding."""
        if not answer.select(["key", "window"]).equals(
            expected.select(["key", "window"])
        ):
            raise WrongAnswer("other windows than by arrays of bounds")
        if not np.allclose(answer["r"], expected["r"], rtol=1e-9, atol=1e-9):
            raise WrongAnswer("other means than by arrays of bounds")

    now = partial(wr.aggregate, table, window, by="key", r=wr.mean("x"), threads=1)
    return [
        Contender(BOUNDS, lambda: plain(wide, step), same),
        Contender(NOW, now, same),
    ]


def _threads(keys: int, rows: int) -> list[Contender]:
    dice = np.random.default_rng(5)
    at = NEW_YEAR + np.sort(dice.integers(0, 10 * SECOND * rows // keys, rows))
    table = pa.table(
        {
            "at": pa.array(at, pa.timestamp("us")),
            "key": dice.integers(0, keys, rows),
            "x": dice.normal(size=rows),
        }
    )
    window = wr.sliding(f"{RANGE} seconds", every="60 seconds", on="at")
    calls = {"m": wr.max("x"), "a": wr.mean("x")}

    def ask(threads: int) -> pa.Table:
        return wr.aggregate(table, window, by="key", aggregates=calls, threads=threads)

    expected = ask(1)

    def same(answer: pa.Table) -> None:
        if not answer.equals(expected):
            raise WrongAnswer("two threads differ from one")

    return [
        Contender(name, partial(ask, count), same)
        for name, count in ((ONE, 1), (TWO, 2))
    ]


def _lists(name: str, count: int, rows: int) -> list[Contender]:
    dice = np.random.default_rng([17, count])
    at = pa.array(instants(rows, BURSTS), pa.timestamp("us"))
    table = pa.table({"at": at, "x": dice.normal(size=rows)})
    ranges = (int(one) for one in dice.integers(60, 2 * RANGE, count))
    every = partial(wr.sliding, every="1 second", on="at")
    windows = [every(f"{one} seconds") for one in ranges]
    ask = partial(wr.aggregate, table, r=getattr(wr, name)("x"), threads=1)

    def alone() -> list[pa.Table]:
        return [ask(window) for window in windows]

    expected = alone()

    def again(answers: list[pa.Table]) -> None:
        if answers != expected:
            raise WrongAnswer("a window alone differs from call to call")

    def same(answer: pa.Table) -> None:
        """The rows of a query are those of its window alone; sums but for rounding."""
        if len(answer) != sum(map(len, expected)):
            raise WrongAnswer(f"{len(answer):,} windows")
        queries, results = answer["query"].to_numpy(), answer["r"].to_numpy()
        for number in (0, count - 1):
            own = expected[number]["r"].to_numpy()
            if not np.allclose(results[queries == number], own, rtol=1e-9, atol=1e-9):
                raise WrongAnswer(f"window {number} of the list differs from it alone")

    return [
        Contender(ALONE, alone, again),
        Contender(TOGETHER, lambda: ask(windows), same),
    ]


def trials(size: Size) -> list[Trial]:
    """Both kinds of instants; many keys; threads; lists."""
    rows, more, few = size.pick(*zip(ROWS, THREAD_ROWS, LIST_ROWS, strict=True))
    beside = [
        bar_trial("max", kind, partial(_enter, kind, rows), size)
        for kind in (EVEN, BURSTS)
    ]
    keyed = [bar_trial("keys", MANY_KEYS, partial(_many_keys, rows), size)]
    parallel = [
        bar_trial("threads", name, partial(_threads, keys, more), size)
        for name, keys in KEYS.items()
    ]
    lists = [
        bar_trial(f"many, {name}", count, partial(_lists, name, count, few), size)
        for name in ("min", "sum") for count in size.pick(LISTS[:1], LISTS)
    ]  # fmt: skip
    return beside + keyed + parallel + lists


TIME_WINDOWS = bar(
    "time-windows",
    "Time windows beside count windows, and threads",
    "max of one sorted key, 2 million rows, 3,600 s every second or 3,600 rows every "
    "row, one thread; mean of 2 million rows of 1,000 random keys, 3,600 s every "
    "minute, 32 million rows out, one thread; max and mean of 10 million rows, 3,600 s "
    "every minute, on one thread and on two; min and sum of floats in lists of windows "
    "of 1 to 120 minutes every second, 200,000 rows with gaps and bursts, one thread "
    "(fewer rows in a quick run); answers equal bit for bit, sums of lists and the "
    "means of keys but for rounding",
    [
        panel("max", "instants"),
        panel("keys", "keys"),
        panel("threads", "keys"),
        panel("many, min", "windows"),
        panel("many, sum", "windows"),
    ],
    [
        replace(
            cost("aggregate by time takes at most 1.5 times aggregate by rows.",
                 "max", BY_TIME, (BY_ROWS,), 1.5),
            tried="the same rows a second apart, without gaps and bursts: 1.03 times, "
            "so that windows of varying width are what costs",
        ),
        cost("aggregate by rows takes at most twice slide.",
             "max", BY_ROWS, (SLIDE,), 2.0),
        cost("1,000 random keys, 3,600 s / 60 s: at most 0.4 of the time by arrays of "
             "bounds, as version 0.1 had them.", "keys", NOW, (BOUNDS,), 0.4),
        speed("Two threads are 1.7 times as fast as one.",
              "threads", TWO, (ONE,), 1.7),
        *(
            replace(
                speed(f"10 to 100 windows in one call, {name} of floats: 2.5 times a "
                      "call for each.", f"many, {name}", TOGETHER, (ALONE,), 2.5),
                tried="a slide of 30 seconds, with a thirtieth of the results: 4.5 to "
                "7.4 times; to write a result every second is most of either way",
            )
            for name in ("min", "sum")
        ),
    ],
    trials,
    threads=0,
)  # fmt: skip
