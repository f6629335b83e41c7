"""`wr.Operator`: batches beside array kernels, single events beside Python's ways."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import windrow as wr
from windrow.algorithms import find
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
from windrow_bench.measure.race import Contender, race

from . import workloads
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "operators"
FED = (
    (
        "max",
        (
            "two_stacks_lite",
            "daba",
            "daba_lite",
            "slick_deque",
            "flat_fat",
            "sba",
            "pba",
        ),
    ),
    ("sum", ("subtract_on_evict", "two_stacks_lite", "daba_lite", "flat_fat")),
)
HALF, LEAST_A_SECOND, FROM = 0.5, 300_000, 128
TEN, MOST_TIMES, BATCH_OF_LISTS = 10, 3.0, 1 << 15
SINGLE = (1, 16, 128, 1_024, 16_384)
RIVER = {"max": "RollingMax", "min": "RollingMin"}


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Both tables."""
    batches, bars = _fed(settings, say)
    single, more = _single(settings, say)
    lists, few = _lists(settings, say)
    return Result(
        NAME,
        "Operators: one event at a time",
        [batches, *single, lists],
        [*bars, *more, *few],
        [
            (
                f"Batches: {settings.n // 2:,} floats in batches of {BATCH:,} through "
                "`feed`, beside the array kernel of the same algorithm over all of "
                "them at once, into prepared memory. The array kernels of sba and pba "
                "go through whole chunks with one loop each; as operators they take "
                "one event at a time."
            ),
            (
                "Single events: `insert`, which evicts by itself, then `query`, from a "
                "Python loop; `deque` is a `collections.deque` and `max` or "
                "`statistics.fmean` over it; river is `stats.RollingMax`, and "
                f"`utils.Rolling` over `stats.Mean`, version {_version()}. The same "
                "answers, compared."
            ),
        ],
    )


def _fed(settings: Settings, say: Callable[[str], None]) -> tuple[Table, list[Bar]]:
    values = workloads.values(settings.n // 2)
    windows = [w for w in (1_024, 16_384, 262_144, 1_048_576) if 2 * w <= len(values)]
    rows: list[list[object]] = []
    bars = []
    for aggregate, names in FED:
        for name in names:
            shares = []
            for width in windows:
                kernel = kernel_contender(find(name), aggregate, values, width)
                feed = feed_contender("feed", name, aggregate, values, width)
                took = race([kernel, feed], settings.rounds)
                shares.append(took[name] / took["feed"])
                rate = len(values) / took["feed"] / 1e6
                line = f"feed, {aggregate}, {name}, {width:,}: {shares[-1]:.2f}"
                say(f"{line}, {rate:.0f} M/s")
            rows.append([aggregate, name, *shares])
            text = f"feed, {aggregate} with {name}: share of the array kernel, worst"
            bars.append(Bar(text, min(shares), HALF))
    header = ["aggregate", "algorithm", *(f"{width:,}" for width in windows)]
    return Table("`feed` as a share of the array kernel's speed", header, rows), bars


def _lists(settings: Settings, say: Callable[[str], None]) -> tuple[Table, list[Bar]]:
    """Ten windows that all report every row, beside the longest of them alone."""
    values = workloads.values(settings.n // 8)
    events = values[: 20_000 if settings.quick else 100_000]
    windows = [wr.rows(100 * k, name=str(k)) for k in range(1, TEN + 1)]
    rows: list[list[object]] = []
    bars = []
    for aggregate in ("min", "sum"):
        for how, let_in, given in (
            ("feed", _feed_all, values),
            ("insert and query", _ask_each, events),
        ):
            contenders = [
                Contender(name, partial(let_in, window, aggregate, given), _unchecked)
                for name, window in (("one", windows[-1]), ("ten", windows))
            ]
            took = race(contenders, max(settings.rounds // 2, 1))
            ratio = took["ten"] / took["one"]
            each = [took[name] / len(given) * 1e9 for name in ("one", "ten")]
            rows.append([aggregate, how, *each, ratio])
            say(f"ten windows, {aggregate}, {how}: {ratio:.2f} times one")
            text = f"{aggregate}, {how}: ten windows, times the cost of one"
            bars.append(Bar(text, ratio, MOST_TIMES, at_least=False))
    header = ["aggregate", "how", "one window", "ten windows", "ratio"]
    title = "Ten windows of one operator, nanoseconds an event"
    return Table(title, header, rows), bars


def _floats(window: Any, aggregate: str) -> wr.Operator:
    types = {"value": "float64"}
    return wr.Operator(window, aggregate, types=types, nulls=False)


def _feed_all(window: Any, aggregate: str, values: Any) -> None:
    """Results stay as the kernels wrote them."""
    for _ in fed(_floats(window, aggregate), values, BATCH_OF_LISTS):
        pass


def _ask_each(window: Any, aggregate: str, values: Any) -> None:
    operator = _floats(window, aggregate)
    for value in values.tolist():
        operator.insert(value)
        operator.query()


def _unchecked(_: Any) -> None:
    """Answers are compared in tests/operator."""


def _single(
    settings: Settings, say: Callable[[str], None]
) -> tuple[list[Table], list[Bar]]:
    count = 20_000 if settings.quick else 200_000
    values = workloads.values(count).tolist()
    tables, bars = [], []
    for aggregate, function in (("max", max), ("mean", statistics.fmean)):
        rows = []
        slowest, over_deque, over_river = float("inf"), float("inf"), float("inf")
        for width in SINGLE:
            given = values if width <= 1_024 else values[: count // 10]
            took = _race_singly(aggregate, function, width, given, settings)
            a_second = {name: len(given) / one for name, one in took.items()}
            slowest = min(slowest, a_second["windrow"])
            if width >= FROM:
                over_deque = min(over_deque, took["deque"] / took["windrow"])
            if "river" in took:
                over_river = min(over_river, took["river"] / took["windrow"])
            rows.append([f"{width:,}", *(a_second[name] / 1e3 for name in took)])
            say(f"single, {aggregate}, {width:,}: " + str(a_second))
        header = ["window", *took]
        title = f"{aggregate}: thousand insert + evict + query a second, from Python"
        tables.append(Table(title, header, rows))
        bars.append(Bar(f"{aggregate}: events a second", slowest, LEAST_A_SECOND))
        text = f"{aggregate}: times a deque's speed, windows from {FROM} on"
        bars.append(Bar(text, over_deque, 1.0))
        if "river" in took:
            bars.append(Bar(f"{aggregate}: times river's speed", over_river, 1.0))
    return tables, bars


def _race_singly(
    aggregate: str,
    function: Callable[..., Any],
    width: int,
    values: list[float],
    settings: Settings,
) -> dict[str, float]:
    makes = {
        "windrow": ours(aggregate, width),
        "worst-case": ours(aggregate, width, "daba_lite"),
        "deque": plain_deque(function, width),
    }
    river = _river(aggregate, width)
    if river is not None:
        makes["river"] = river
    some = values[: max(2_000, 2 * width)]
    answers = {name: [step(v) for v in some] for name, step in _steps(makes)}
    for name, found in answers.items():
        close = all(
            abs(a - b) <= 1e-9 for a, b in zip(found, answers["deque"], strict=True)
        )
        if not close:
            raise WrongAnswer(f"{name}, {aggregate}, window {width}")
    contenders = [one_by_one(name, make, values) for name, make in makes.items()]
    return race(contenders, max(settings.rounds // 2, 1), settings.patience)


def _steps(makes: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, make()) for name, make in makes.items()]


def _version() -> str:
    try:
        return version("river")
    except PackageNotFoundError:
        return "not installed"


def _river(aggregate: str, width: int) -> Any:
    try:
        from river import stats, utils  # noqa: PLC0415 - only where it is installed
    except ImportError:
        return None

    def make() -> Any:
        if aggregate in RIVER:
            one = getattr(stats, RIVER[aggregate])(window_size=width)
        else:
            one = utils.Rolling(stats.Mean, window_size=width)

        def step(value: float) -> Any:
            one.update(value)
            return one.get()

        return step

    return make
