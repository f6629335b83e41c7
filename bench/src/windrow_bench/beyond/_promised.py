"""Promises that were made for a number of rows.

enough rows    the promise holds, or it does not
fewer          it holds, or it cannot be judged: ratios grow with the rows
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from windrow_bench._claims import Where, everywhere
from windrow_bench.experiment import RowSet, Verdict

Judge = Callable[[RowSet], Verdict]


def for_rows(
    least: int, panel: str, judge: Judge, why: str, where: Where = everywhere
) -> Judge:
    """The judge's verdict; a row's `facts["rows"]` says on how many it was measured."""

    def told(rows: RowSet) -> Verdict:
        found = judge(rows)
        ran = min(
            row.facts["rows"] for row in rows.all if row.panel == panel and where(row.x)
        )
        if found.holds or ran >= least:
            return found if found.holds else replace(found, why=why)
        short = f"promised for {least:,} rows, and there were {ran:,} here: {why}"
        return Verdict(found.ours, None, short)

    return told


__all__ = ["for_rows"]
