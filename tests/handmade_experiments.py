"""Experiments made by hand: every kind of panel, and every way a claim can stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from windrow_bench._claims import ahead, level
from windrow_bench.experiment import (
    Claim,
    Experiment,
    Panel,
    Place,
    Row,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.store import ResultStore, StoredTrial

TINY = Size("quick", 0.01, 2)
QUANTILES = ("least", "25 %", "median", "75 %", "99 %", "most")
NASTY = "<b>tag</b> & \"quotes\" <script>alert('x')</script>"


def row(panel: str, x: Place, series: str, value: float, **facts: Any) -> Row:
    return Row(panel, x, series, value, value * 0.9, value * 1.2, 5, facts)


def trial(panel: str, x: Place, rows: Sequence[Row]) -> Trial:
    return Trial(panel, x, lambda _: list(rows))


def experiment(name: str, **parts: Any) -> Experiment:
    """A card with one panel and one trial, but for the parts that are given."""
    whole: dict[str, Any] = {
        "paper": "A paper",
        "shows": "Figure 1",
        "title": f"What {name} shows",
        "workload": "made by hand",
        "panels": (Panel(name="speed", x="window", y="millions a second"),),
        "claims": (),
        "trials": lambda _: [trial("speed", 1, [row("speed", 1, "fast", 2.0)])],
    }
    return Experiment(name=name, **{**whole, **parts})


def claim(holds: bool | None, text: str = "Something is so.", why: str = "") -> Claim:
    return Claim(text, "twice", lambda _: Verdict("three times", holds, why))


def keep(store: ResultStore, one: Experiment, size: Size = TINY, **parts: Any) -> None:
    """Write all trials of an experiment into a store, without measuring."""
    for each in one.trials(size):
        whole: dict[str, Any] = {
            "date": "2026-01-02 03:04:05 UTC",
            "seconds": 1.5,
            "load": 0.5,
            "others": 0.0,
            "busy": False,
            "rows": tuple(each.run(0.0)),
            "machine": store.machine,
            "versions": store.versions,
            "under": store.under,
        }
        whole = {**whole, **parts}
        store.add(
            StoredTrial(experiment=one.name, trial=each.key, size=size.name, **whole)
        )


def _lines() -> Experiment:
    names = ("SlickDeque", "two_stacks", "daba", "flat_fat", "recompute")

    def trials(_: Size) -> list[Trial]:
        return [
            trial(
                "rate",
                2**k,
                [
                    row(
                        "rate",
                        2**k,
                        name,
                        90 / (i + 1) / (2**k if name == "recompute" else 1),
                        first_call_s=0.3,
                        origin="drawn, seed 7",
                    )
                    for i, name in enumerate(names)
                ],
            )
            for k in range(0, 21, 4)
        ]

    rate = Panel(
        name="rate", x="window (rows)", y="millions a second", log_x=True, log_y=True
    )
    return experiment(
        "kinds-lines",
        panels=(rate,),
        trials=trials,
        claims=(
            Claim("SlickDeque leads.", "2x", ahead("rate", "SlickDeque", names[1:])),
            Claim("Recomputing is level.", "yes", level("rate", ("recompute",))),
            Claim("Nobody else does.", "no", level("rate", ("absent",))),
        ),
    )


def _bars(name: str, groups: int, series: int) -> Experiment:
    def trials(_: Size) -> list[Trial]:
        return [
            trial(
                "bars",
                f"query {g}",
                [
                    row("bars", f"query {g}", f"system {s}", 10.0 * (g + 1) / (s + 1))
                    for s in range(series)
                ],
            )
            for g in range(groups)
        ]

    bars = Panel(name="bars", x="query", y="million rows a second", kind="bars")
    return experiment(name, panels=(bars,), trials=trials, claims=(claim(True),))


def _boxes() -> Experiment:
    def trials(_: Size) -> list[Trial]:
        return [
            trial(
                "latency",
                q,
                [
                    row("latency", q, name, 10.0 * (i + 1) * math.exp(j))
                    for i, name in enumerate(("daba", "two_stacks", "flat_fat"))
                ],
            )
            for j, q in enumerate(QUANTILES)
        ]

    latency = Panel(
        name="latency",
        x="algorithm",
        y="nanoseconds",
        kind="boxes",
        log_y=True,
        more_is_better=False,
    )
    table = Panel(name="memory", x="window", y="MB", kind="table")
    more = [trial("memory", 8, [row("memory", 8, "daba", 0.5)])]
    return experiment(
        "kinds-boxes",
        panels=(latency, table),
        trials=lambda size: trials(size) + more,
        claims=(claim(False, why="the machine has other caches"),),
    )


def _map() -> Experiment:
    def trials(_: Size) -> list[Trial]:
        def rows(x: int) -> list[Row]:
            return [
                row("best", x, name, value, y=y)
                for y in (1, 10, 100)
                for name, value in (("se_slicing", x / y), ("buckets", y / x))
            ]

        return [trial("best", x, rows(x)) for x in (1, 10, 100, 1000)]

    best = Panel(name="best", x="range", y="rate", kind="map", map_y="mean length")
    return experiment("kinds-map", panels=(best,), trials=trials, claims=(claim(None),))


def every_kind() -> list[Experiment]:
    """Lines, bars that stand and that lie, boxes with a table, and a map."""
    return [
        _lines(),
        _bars("kinds-bars", 3, 3),
        _bars("kinds-many-bars", 7, 4),
        _boxes(),
        _map(),
    ]
