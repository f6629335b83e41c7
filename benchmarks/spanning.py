"""Events with a duration: SES's Figures 10 to 13, and its map of the best technique.

Every technique folds count, sum and max over the same events, laid over slices anew in
each round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pyarrow as pa

import windrow as wr
from windrow.plan.spans import Lengths
from windrow_bench.measure.race import race, timed
from windrow_bench.measure.spanning import SpanSetting, contender, events

from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "spanning"
MOST = 2_000_000  # the paper's number of events
PLAIN = ("tuple_buckets", "aggregate_buckets", "sweeping", "se_slicing")
HEIGHTS = (2, 5, 10, 20)
SIZES = (100, 500, 2_000, 5_000)
FIGURE_10 = tuple(SpanSetting(mu, w, w // 5) for w in (5_000, 20_000) for mu in SIZES)
FIGURE_11 = tuple(SpanSetting(mu, w, w // 5) for w in (500, 1_000) for mu in SIZES)
FIGURE_12 = (
    *(SpanSetting(mu, w, w // o) for mu in (500, 5_000) for o in (5, 50, 500)
      for w in (1_000, 10_000)),
    SpanSetting(500, 10_000, 1_900),
    SpanSetting(500, 10_000, 190),
)  # fmt: skip
FIGURE_13 = (
    *(SpanSetting(mu, w, w // o) for mu in (500, 5_000) for o in (5, 50)
      for w in (1_000, 10_000)),
    SpanSetting(5_000, 1_000, 10),
    SpanSetting(5_000, 2_000, 20),
)  # fmt: skip
LONG = 100  # steps that an event lasts: levels must be ahead from there on
STEP = 20
MAP = ((0.25, 1, 5, 25, 100, 250), (1, 5, 20, 50, 200))
PROMISED = SpanSetting(500, 10_000, 2_000)
FED = (PROMISED, SpanSetting(20, 60, 1), SpanSetting(5_000, 1_000, 20))
BATCH = 100_000  # events that an operator is fed at once

Say = Callable[[str], None]
Times = dict[str, float]


def run(settings: Settings, say: Say) -> Result:
    """All figures; rates in million events a second."""
    n = min(settings.n, MOST)
    flat10, _ = _plain(FIGURE_10, n, settings, say)
    flat12, ahead = _plain(FIGURE_12, n, settings, say)
    high11, longest = _levels(FIGURE_11, n, settings, say)
    high13, more = _levels(FIGURE_13, n, settings, say)
    rates = "million events a second"
    plain = ["event", "range / step", *PLAIN, "se_slicing / best bucket"]
    high = ["event", "range / step", "se_slicing", *(f"{h} levels" for h in HEIGHTS),
            "best levels / se_slicing"]  # fmt: skip
    rate = _promised(n, settings)
    say(f"wr.aggregate at the promised setting: {rate:.1f} M events/s")
    fed, slowest = _fed(n // 2, settings, say)
    bars = [
        Bar("Figure 12: se_slicing beside the better bucket, at worst", ahead, 1.0),
        Bar(f"Figures 11, 13: levels beside se_slicing where events last {LONG} steps "
            "or more, at worst", min(longest, more), 1.0),
        Bar("wr.aggregate, events of 500, 10,000 / 2,000: million events a second",
            rate, 20.0),
        Bar("wr.Operator.feed, one event at a time, at worst: million events a second",
            slowest, 1.0),
    ]  # fmt: skip
    return Result(
        NAME,
        "Events with a duration",
        [
            Table(f"Figure 10, {rates}", plain, flat10),
            Table(f"Figure 11, {rates}", high, high11),
            Table(f"Figure 12, {rates}", plain, flat12),
            Table(f"Figure 13, {rates}", high, high13),
            _map(n, settings, say),
            Table(
                f"`wr.Operator.feed`, {rates}", ["event", "range / step", "rate"], fed
            ),
        ],
        bars,
        [
            (
                f"{n:,} events, one ends at each instant, lengths normal with sigma "
                "10; count, sum and max of whole numbers; one thread."
            ),
            "Slow contenders run on a shorter stretch of the same stream, scaled.",
        ],
    )


def _fed(n: int, settings: Settings, say: Say) -> tuple[list[list[object]], float]:
    """Rows of rates of an operator that is fed batches, and the slowest of them."""
    rows: list[list[object]] = []
    slowest = float("inf")
    for setting in FED:
        rounds = range(settings.rounds + 1)
        rate = n / min(timed(partial(_feed, setting, n))[0] for _ in rounds) / 1e6
        slowest = min(slowest, rate)
        rows.append([f"{setting.mu:,}", setting.name, rate])
        say(f"feed, {setting}: {rate:.1f} M events/s")
    return rows, slowest


def _feed(setting: SpanSetting, n: int) -> None:
    """Feed an operator that waits for the longest event."""
    some, values = events(n, setting.mu)
    columns = {"start": some.starts, "end": some.lasts + 1, "v": values}
    window = wr.sliding(setting.range, every=setting.step, span=("start", "end"))
    calls = {"n": wr.count(), "total": wr.sum("v"), "most": wr.max("v")}
    operator = wr.Operator(window, calls, lateness=2 * setting.mu + 100)
    for i in range(0, n, BATCH):
        operator.feed({name: part[i : i + BATCH] for name, part in columns.items()})


def _plain(
    asked: Sequence[SpanSetting], n: int, settings: Settings, say: Say
) -> tuple[list[list[object]], float]:
    """Rows of rates, and by how much slices are ahead of buckets at worst."""
    rows, worst = [], float("inf")
    for one in asked:
        took = _race([contender(one, name, n) for name in PLAIN], settings)
        ahead = (
            min(took["tuple_buckets"], took["aggregate_buckets"]) / took["se_slicing"]
        )
        worst = min(worst, ahead)
        cells = [n / took[name] / 1e6 for name in PLAIN]
        rows.append([f"{one.mu:,}", one.name, *cells, ahead])
        say(f"{one}: se_slicing {cells[-1]:.1f} M/s, {ahead:.2f} times the best bucket")
    return rows, worst


def _levels(
    asked: Sequence[SpanSetting], n: int, settings: Settings, say: Say
) -> tuple[list[list[object]], float]:
    """Rows of rates, and by how much levels are ahead for long events at worst."""
    rows, worst = [], float("inf")
    for one in asked:
        some = [contender(one, "se_slicing", n)]
        some += [contender(one, "se_ml_slicing", n, height) for height in HEIGHTS]
        took = _race(some, settings)
        flat, *high = took.values()
        ahead = flat / min(high)
        if one.mu >= LONG * one.step:
            worst = min(worst, ahead)
        rows.append([f"{one.mu:,}", one.name, *(n / t / 1e6 for t in (flat, *high)),
                     ahead])  # fmt: skip
        say(f"{one}: best levels {ahead:.2f} times se_slicing")
    return rows, worst


def _map(n: int, settings: Settings, say: Say) -> Table:
    """Figure 15: the best technique by how long events and windows are, in steps."""
    lengths, overlaps = MAP
    rows = []
    for overlap in overlaps:
        cells = []
        for length in lengths:
            one = SpanSetting(max(int(length * STEP), 1), overlap * STEP, STEP)
            height = Lengths(n, n // STEP, one.mu / STEP + 1, n).height()
            some = [contender(one, name, n) for name in PLAIN]
            some.append(contender(one, "starts_and_ends", n, height))
            if height > 1:
                some.append(contender(one, "se_ml_slicing", n, height))
            took = _race(some, settings)
            best = sorted(took, key=lambda name: took[name])
            paper = next(name for name in best if name != "starts_and_ends")
            cells.append(best[0] if best[0] == paper else f"{best[0]}; {paper}")
        rows.append([f"{overlap}", *cells])
        say(f"map, range / step {overlap}: {', '.join(cells)}")
    header = ["range / step", *(f"event / step {length:g}" for length in lengths)]
    return Table(
        f"Figure 15: the fastest, step {STEP} (where that is starts_and_ends, which "
        "the paper does not have, the fastest of its own beside it)",
        header,
        rows,
    )


def _race(contenders: list, settings: Settings) -> Times:  # type: ignore[type-arg]
    return race(contenders, min(settings.rounds, 3), settings.patience)


def _promised(n: int, settings: Settings) -> float:
    """The whole way, from an Arrow table to a table."""
    some, values = events(n, PROMISED.mu)
    table = pa.table({"start": some.starts, "end": some.lasts + 1, "v": values})
    window = wr.sliding(PROMISED.range, every=PROMISED.step, span=("start", "end"))
    calls = {"n": wr.count(), "total": wr.sum("v"), "most": wr.max("v")}
    best = float("inf")
    for _ in range(settings.rounds + 1):
        took, _answer = timed(lambda: wr.aggregate(table, window, aggregates=calls))
        best = min(best, took)
    return n / best / 1e6
