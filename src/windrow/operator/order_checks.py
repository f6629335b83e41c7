"""In which order events may come: time may go back by the lateness, deltas never.

Checked before an event, or the first of a batch, gets in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.errors import BadInput
from windrow.windows.policy import DELTA

from .setting import Setting
from .window import Cell

Array = np.ndarray[Any, Any]


def check_one(
    setting: Setting, cell: Cell, tick: int | None, others: tuple[float, float, int]
) -> None:
    """Refuse an event that comes too late, or whose delta falls."""
    if tick is not None and cell.newest is not None:
        allowed = 0 if setting.lateness is None else setting.lateness.amount
        if cell.newest - tick > allowed:
            raise _backwards(setting, tick, cell.newest)
    rules = setting.rules
    if rules.evict == DELTA and cell.total and others[0] < cell.last_mark:
        raise _falling(others[0])
    if rules.trigger == DELTA and cell.total and others[1] < cell.last_signal:
        raise _falling(others[1])


def check_batch(
    setting: Setting,
    cell: Cell | None,
    ticks: Array | None,
    others: tuple[Array, ...],
    rows: Array | None,
) -> None:
    """Refuse times that go back too far, and deltas that fall."""
    if ticks is not None:
        mine = pick(ticks, rows)
        newest = mine[0] if cell is None or cell.newest is None else cell.newest
        highest = np.maximum.accumulate(np.concatenate(([newest], mine[:-1])))
        back = highest - mine
        allowed = 0 if setting.lateness is None else setting.lateness.amount
        if back.max() > allowed:
            at = int(np.argmax(back > allowed))
            raise _backwards(setting, int(mine[at]), int(highest[at]))
    for column, last in zip(others[:2], ("last_mark", "last_signal"), strict=True):
        if len(column):
            mine = pick(column, rows)
            new = cell is None or not cell.total
            before = mine[0] if new else getattr(cell, last)
            falls = np.diff(np.concatenate(([before], mine))) < 0
            if falls.any():
                raise _falling(float(mine[np.argmax(falls)]))


def _backwards(setting: Setting, tick: int, newest: int) -> BadInput:
    """An event that comes too late."""
    back = setting.given.instants
    assert back is not None
    cause = f"the newest event is at {back.back(newest)}"
    if setting.lateness is None:
        hint = "sort the events, or let them come late: lateness='1 minute'"
    else:
        cause += f", and events may be {setting.lateness.text} late"
        hint = "route such events elsewhere, or allow more lateness"
    return BadInput.because(f"cannot go back to {back.back(tick)}", cause, hint)


def _falling(value: float) -> BadInput:
    """A delta that goes back."""
    return BadInput.because(
        f"cannot go back to {value:g}",
        "a column that a delta measures must never fall",
        "sort the events by it, or let a duration or a number of rows rule the window",
    )


def pick(values: Array, rows: Array | None) -> Array:
    """Those rows of an array; None is all."""
    return values if rows is None else np.ascontiguousarray(values[rows])


__all__ = ["check_batch", "check_one", "pick"]
