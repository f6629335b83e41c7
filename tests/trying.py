"""Experiments on tiny sizes, and rows made by hand."""

from __future__ import annotations

import math

from windrow_bench.experiment import Experiment, Row, RowSet, Size

TINY = Size("quick", 0.02, 1)


def tried(experiment: Experiment) -> RowSet:
    """All rows of a tiny run; each trial gets a moment."""
    rows = [row for trial in experiment.trials(TINY) for row in trial.run(0.002)]
    named = {panel.name for panel in experiment.panels}
    assert {row.panel for row in rows} <= named
    for row in rows:
        assert math.isfinite(row.value)
        assert row.value > 0 or row.series.endswith("fit")  # a curve may dip
        assert row.repeats >= 1
    return RowSet(rows)


def judged(experiment: Experiment, rows: RowSet) -> list[bool | None]:
    """What each claim says to rows."""
    return [claim.judge(rows).holds for claim in experiment.claims]


def by_hand(panel: str, found: dict[str, dict[object, float]]) -> list[Row]:
    """Rows of a panel from values by series and place."""
    return [
        Row(panel, x, series, value, value, value, 1)
        for series, values in found.items()
        for x, value in values.items()
    ]
