"""Defines the card of a method that finds values of a window by their order."""

from __future__ import annotations

from windrow._later import dataclass


@dataclass(frozen=True)
class Method:
    """A way to find the k-th smallest value of each window, and what it costs.

    `time` is for each row that enters or leaves and each window, for n rows, windows of
    w rows and d distinct values; `serves` says which windows or aggregates it is for.
    One that `is_walked` takes a cursor, and so a compiler; over whole columns a wavelet
    tree stands in for it.
    """

    name: str
    title: str
    serves: str
    time: str
    space: str
    source: str
    is_walked: bool = False
