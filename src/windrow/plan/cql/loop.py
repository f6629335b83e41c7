"""Decides what of a query runs in the loop that folds rows into cells.

    where event_type = 0       a condition on row i, as text
    position / 5280            a number computed of row i, as text
    join T on S.ad = T.ad      a table by number: the code of T's key, or none

Rows are then neither filtered nor joined one by one, and no column is written for what
is computed of them (`batch/row_loop.py`).
"""

from __future__ import annotations

from functools import lru_cache

from windrow.query.tree import ColumnName, columns_in

from .passes import Pass


def loop_steps(pass_: Pass) -> list[str]:
    """What the loop can do for a pass, beside folding its rows."""
    rows = pass_.rows
    steps = ["where"] * (rows.where is not None) + ["join"] * bool(rows.joins)
    return steps + ["compute"] * bool(pass_.computed)


@lru_cache(maxsize=256)
def why_not_in_loop(pass_: Pass) -> str | None:
    """Why rows are prepared before they are aggregated; None if not so."""
    rows, joins = pass_.rows, pass_.rows.joins
    if rows.numbered is not None or not pass_.windows:
        return "rows are numbered first, or come out as they are"
    if not all(w.is_timed and w.is_numbered and w.span is None for w in pass_.windows):
        return "windows are not measured in time"
    if any(join.is_left or len(join.pairs) > 1 for join in joins):
        return "it is not an inner join by one column"
    joined = {called for join in joins for called, _ in join.columns}
    if any(join.pairs[0][0] in joined for join in joins):
        return "a join looks up what another has found"
    if joins and rows.where is not None and not rows.filters_first:
        return "where reads a joined column"
    for name, value in pass_.columns.items():
        is_plain = isinstance(value, ColumnName) and name not in pass_.measured
        if joined & {column.name for column in columns_in(value)} and not is_plain:
            return f"{name} is computed of a joined column"
    return None
