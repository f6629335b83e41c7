"""Decides what of a query runs in the loop that folds rows into cells.

    where event_type = 0       a condition on row i, as text
    position / 5280            a number computed of row i, as text
    join T on S.ad = T.ad      a table by number: the row of T, or none

Rows are then neither filtered nor joined one by one, and no column is written for what
is computed of them (`batch/row_loop.py`).
"""

from __future__ import annotations

from functools import lru_cache

from windrow.query.tree import columns_in

from .passes import Pass


def loop_steps(pass_: Pass) -> list[str]:
    """What the loop can do for a pass, beside folding its rows."""
    rows = pass_.rows
    steps = ["where"] * (rows.where is not None) + ["join"] * bool(rows.joins)
    return steps + ["compute"] * bool(pass_.computed)


@lru_cache(maxsize=256)
def why_not_in_loop(pass_: Pass) -> str | None:
    """Why rows are prepared before they are aggregated; None if not so."""
    rows = pass_.rows
    if not pass_.windows:
        return "rows come out as they are"
    if rows.numbered is not None:
        return "rows are numbered before any is left out"
    if not all(w.is_timed and w.is_numbered and w.span is None for w in pass_.windows):
        return "windows are not measured in time"
    joined = {called for join in rows.joins for called, _ in join.columns}
    for name, value in pass_.columns.items():
        used = {column.name for column in columns_in(value)}
        if name in pass_.looked_at and used & joined:
            return f"results are looked up in {name}, of a joined column"
    return None
