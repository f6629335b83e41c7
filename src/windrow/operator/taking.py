"""Taking results that wait: what fell due, and what has changed since (IStream)."""

from __future__ import annotations

from typing import Any

from .results import Result, Results
from .revised_window import RetoldCell, same_value
from .setting import Setting
from .window import Cell


def take_results(setting: Setting, key: Any, cell: Cell) -> list[Result]:
    """The results of one window that nobody has seen."""
    if isinstance(cell, RetoldCell):
        return _told_again(setting, key, cell)
    cell.flush()
    if setting.rules.waits:
        parts, cell.waiting = cell.waiting, []
        found = Results(cell.kit.inputs.asked, parts, setting.bounds)
        return [one._replace(key=key) for one in found]
    value = cell.look()
    size = cell.count()
    if not size or (cell.told is not None and same_value(cell.told[0], value)):
        return []
    cell.told = (value,)
    return [Result(key, cell.total - size, cell.total, value)]


def _told_again(setting: Setting, key: Any, cell: RetoldCell) -> list[Result]:
    instants = setting.given.instants
    assert instants is not None
    return [
        one._replace(
            key=key, start=instants.back(one.start), end=instants.back(one.end)
        )
        for one in cell.take()
    ]


__all__ = ["take_results"]
