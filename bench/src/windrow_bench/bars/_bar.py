"""Bars: promises of a ratio or a number, judged to the letter, without any slack.

    speed     one is at least so many times as fast as the best of others
    cost      one takes at most so many times as long as the best of others
    growth    a later place takes at most so many times as long as an earlier one
    number    a measured value itself is at least, or at most, so much

The worst place decides.  A promise speaks of the rows of a full run: on fewer rows
(facts["shrunk"]) its ratio is told, and not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import geometric_mean
from typing import Any

from windrow_bench._claims import Where, everywhere
from windrow_bench.experiment import (
    Claim,
    Experiment,
    NotMeasured,
    Panel,
    Place,
    Row,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.race import Contender
from windrow_bench.measure.turns import Value, race_trial

OURS, SPARK = "windrow", "Spark"
HERE, ON_SPARK, ON_STREAMS = "Bars", "Bars on Spark", "Bars on streams"
SHRUNK = "promised for the rows of a full run; this one had fewer"
Ratios = dict[str, tuple[float, list[Row]]]
"""By the words for a place: a number, and the rows that it came from."""


def speed(
    text: str,
    panels: str | Sequence[str],
    mine: str,
    others: Sequence[str],
    least: float,
    *,
    rate: bool = False,
    where: Where = everywhere,
) -> Claim:
    """Times as fast as the best of others; with `rate`, more is better."""

    def judge(rows: RowSet) -> Verdict:
        return _judge(_beside(rows, panels, mine, others, where, rate), least=least)

    return Claim(text, f"at least {least:g}x", judge)


def cost(
    text: str,
    panels: str | Sequence[str],
    mine: str,
    others: Sequence[str],
    most: float,
    *,
    dearest: bool = False,
    where: Where = everywhere,
) -> Claim:
    """Times as long as the quickest of others, or as the `dearest` of them."""
    best = max if dearest else min

    def judge(rows: RowSet) -> Verdict:
        found = _beside(rows, panels, mine, others, where, rate=True, best=best)
        return _judge(found, most=most)

    return Claim(text, f"at most {most:g}x", judge)


def growth(
    text: str,
    panel: str,
    series: str,
    most: float,
    *,
    rate: bool = False,
    spread: bool = False,
    where: Where = everywhere,
) -> Claim:
    """A later place to an earlier one; with `spread`, the most to the least of all."""

    def judge(rows: RowSet) -> Verdict:
        found: Ratios = {}
        for one, other in combinations(_places(rows, panel, where), 2):
            pair = [rows.row(panel, x, series) for x in (one, other)]
            early, late = (row.value for row in (pair[::-1] if rate else pair))
            ratio = max(late / early, early / late) if spread else late / early
            found[f"{_words(one)} to {_words(other)}"] = ratio, pair
        if not found:
            raise NotMeasured(f"{series} was measured at one place only")
        return _judge(found, most=most)

    return Claim(text, f"at most {most:g}x", judge)


def number(
    text: str,
    panel: str,
    series: str | Sequence[str],
    *,
    least: float | None = None,
    most: float | None = None,
    where: Where = everywhere,
) -> Claim:
    """The value itself, at every place."""
    names = [series] if isinstance(series, str) else series

    def judge(rows: RowSet) -> Verdict:
        found: Ratios = {}
        for x in _places(rows, panel, where):
            for name in names:
                row = rows.row(panel, x, name)
                words = f"{name}, {_words(x)}" if len(names) > 1 else _words(x)
                found[words] = row.value, [row]
        return _judge(found, least=least, most=most, unit="")

    bound = f"at most {most:g}" if least is None else f"at least {least:g}"
    return Claim(text, bound, judge)


def _beside(
    rows: RowSet,
    panels: str | Sequence[str],
    mine: str,
    others: Sequence[str],
    where: Where,
    rate: bool,
    best: Callable[..., Row] = max,
) -> Ratios:
    """`mine` to the best of others, panel by panel; who is in none of it is absent."""
    found: Ratios = {}
    for panel in [panels] if isinstance(panels, str) else panels:
        there = [name for name in others if name in rows.series(panel)]
        for x in _places(rows, panel, where):
            rows.present(panel, x, others)  # remembers who is absent
            own = rows.row(panel, x, mine)
            theirs = [rows.row(panel, x, name) for name in there]
            if not theirs:
                raise NotMeasured(f"none of {', '.join(others)} was measured")
            choose = best if rate else min
            other = choose(theirs, key=lambda row: row.value)
            ratio = own.value / other.value if rate else other.value / own.value
            words = _words(x) if isinstance(panels, str) else f"{panel}, {_words(x)}"
            found[words] = ratio, [own, *theirs]
    return found


def _judge(
    found: Ratios,
    *,
    least: float | None = None,
    most: float | None = None,
    unit: str = "x",
) -> Verdict:
    pick = min if least is not None else max
    worst = pick(found, key=lambda place: found[place][0])
    value = found[worst][0]
    ours = f"{value:.3g}{unit} at the worst ({worst})"
    if len(found) > 1 and unit:
        mean = geometric_mean(ratio for ratio, _ in found.values())
        ours = f"{mean:.3g}x on average, {ours}"
    used = [row for _, rows in found.values() for row in rows]
    if any(row.facts.get("shrunk") for row in used):
        return Verdict(ours, None, SHRUNK)
    return Verdict(ours, value >= least if least is not None else value <= (most or 0))


def _places(rows: RowSet, panel: str, where: Where) -> list[Place]:
    found = rows.xs(panel, where=where)
    if not found:
        raise NotMeasured(f"no place of {panel} that counts was measured")
    return found


def _words(x: Place) -> str:
    return x if isinstance(x, str) else f"{x:,.10g}"


def bar_trial(
    panel: str,
    x: Place,
    enter: Callable[[], Sequence[Contender]],
    size: Size,
    *,
    value: Value = lambda took: took,
    shrunk: bool = True,
    least: float = 0.0,
    facts: Callable[[], dict[str, Any]] = dict,
) -> Trial:
    """Contenders in turns for `least` seconds or more; by themselves, seconds each.

    A quick run has fewer rows, unless it is said that it is not `shrunk`.
    """
    known = {"shrunk": shrunk and size.quick}
    raced = race_trial(
        panel, x, lambda _: enter(), value, size.rounds, lambda: known | facts()
    )
    return Trial(panel, x, lambda seconds: raced.run(max(seconds, least)))


def number_row(
    panel: str,
    x: Place,
    series: str,
    values: Sequence[float],
    size: Size | None = None,
    **facts: Any,
) -> Row:
    """The middle of some values; with a `size`, those of a quick run are shrunk."""
    kept = sorted(values)
    facts["shrunk"] = size is not None and size.quick
    middle = kept[len(kept) // 2]
    return Row(panel, x, series, middle, kept[0], kept[-1], len(kept), facts)


def panel(name: str, x: str, y: str = "seconds", **more: Any) -> Panel:
    """A picture of times, of which less is better."""
    options: dict[str, Any] = {"kind": "bars", "log_y": True, "more_is_better": False}
    return Panel(name=name, x=x, y=y, **options | more)


def rates(name: str, x: str, y: str, **more: Any) -> Panel:
    """A picture of rates over a logarithmic axis."""
    return Panel(name=name, x=x, y=y, **{"log_x": True, "log_y": True} | more)


def bar(
    name: str,
    title: str,
    workload: str,
    panels: Sequence[Panel],
    claims: Sequence[Claim],
    trials: Callable[[Size], list[Trial]],
    *,
    group: str = HERE,
    needs: tuple[str, ...] = (),
    threads: int = 1,
    share: float = 1.0,
) -> Experiment:
    """An experiment whose claims are bars."""
    on_spark = () if group == HERE else ("pyspark", "pandas")
    return Experiment(
        name=name,
        paper=group,
        shows="its own promise",
        title=title,
        workload=workload,
        panels=tuple(panels),
        claims=tuple(claims),
        trials=trials,
        needs=(*on_spark, *needs),
        threads=threads if group == HERE else 0,
        share=share,
    )
