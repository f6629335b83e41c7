"""The rule of a window: the questions through which all other packages know windows.

Windows of a rule are numbered ..., -1, 0, 1, ...; neither `begin` nor `end` falls as
the number rises, and a window holds the instants [begin, end).  Instants are ticks of
a clock, or places of rows within their key.

    numbers          k - 1         k          k + 1
    windows      [---------------)
                       [-----------------)
                              [----------------)
    instant t                 ^
    first_over(t) == k - 1        the first window that ends after t
    last_over(t)  == k + 1        the last window that begins at or before t

So a window has come to its end at an instant `now` if its number is below
`first_over(now)`.  All questions take arrays or single numbers and answer in kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class Even(NamedTuple):
    """Windows [shift + k * slide, shift + k * slide + range): bounds by arithmetic."""

    range: int
    slide: int
    shift: int


class Rule(ABC):
    """What a window means on a clock; `name` labels its results in a list of windows.

    `text` is the window in words.  `counts_rows` says that instants are places of rows
    within their key, `is_complete` that windows cut off by the ends of a key do not
    come out.  `longest` is the length of the longest window and `step` the shortest
    distance between two begins, in ticks; `overlap` is the most windows that hold one
    instant.  Where bounds are arithmetic the rule `is_even`, and only then it has
    `even`, the numbers that loops are handed.
    """

    name: str | int
    text: str
    counts_rows: bool = False
    is_complete: bool = False
    is_even: bool = False
    even: Even

    @property
    def tumbles(self) -> bool:
        """Whether each instant lies in one window only."""
        return self.overlap == 1

    @property
    @abstractmethod
    def longest(self) -> int:
        """The length of the longest window, in ticks."""

    @property
    @abstractmethod
    def step(self) -> int:
        """The shortest distance between the begins of two windows, in ticks."""

    @property
    @abstractmethod
    def overlap(self) -> int:
        """The most windows that hold one instant."""

    @abstractmethod
    def first_over(self, t: Any) -> Any:
        """The number of the first window that ends after an instant."""

    @abstractmethod
    def last_over(self, t: Any) -> Any:
        """The number of the last window that begins at or before an instant."""

    @abstractmethod
    def begin(self, k: Any) -> Any:
        """The first instant of a window."""

    @abstractmethod
    def end(self, k: Any) -> Any:
        """The first instant after a window."""

    @abstractmethod
    def cut(self, t: Any) -> Any:
        """The start of the slice of an instant: no window begins or ends inside one."""

    @abstractmethod
    def next_cut(self, t: Any) -> Any:
        """The start of the slice after that of an instant."""

    @abstractmethod
    def cut_sql(self, column: str) -> str:
        """The same as `cut` in Spark's SQL, over a column of ticks."""

    @abstractmethod
    def fingerprint(self) -> str:
        """All that kept state depends on, as text that a person can compare."""


class EvenRule(Rule):
    """A rule whose bounds are arithmetic: time windows and count windows."""

    is_even = True

    @property
    def longest(self) -> int:
        """The range."""
        return self.even.range

    @property
    def step(self) -> int:
        """The slide."""
        return self.even.slide

    @property
    def overlap(self) -> int:
        """How many slides the range takes, rounded up."""
        return -(-self.even.range // self.even.slide)

    def first_over(self, t: Any) -> Any:
        """The number of the first window that ends after an instant."""
        return (t - self.even.shift - self.even.range) // self.even.slide + 1

    def last_over(self, t: Any) -> Any:
        """The number of the last window that begins at or before an instant."""
        return (t - self.even.shift) // self.even.slide

    def begin(self, k: Any) -> Any:
        """The first instant of a window."""
        return self.even.shift + k * self.even.slide

    def end(self, k: Any) -> Any:
        """The first instant after a window."""
        return self.even.shift + k * self.even.slide + self.even.range

    def cut(self, t: Any) -> Any:
        """The last instant up to `t` at which a window begins or ends."""
        range_, slide, shift = self.even
        begun = t - (t - shift) % slide
        ended = t - (t - shift - range_) % slide
        return (
            np.maximum(begun, ended) if isinstance(t, np.ndarray) else max(begun, ended)
        )

    def next_cut(self, t: Any) -> Any:
        """The first instant after `t` at which a window begins or ends."""
        range_, slide, shift = self.even
        begins = t - (t - shift) % slide + slide
        ends = t - (t - shift - range_) % slide + slide
        return (
            np.minimum(begins, ends) if isinstance(t, np.ndarray) else min(begins, ends)
        )

    def cut_sql(self, column: str) -> str:
        """The same as `cut` in Spark's SQL."""
        range_, slide, shift = self.even
        phases = dict.fromkeys((shift % slide, (shift + range_) % slide))
        edges = [f"{column} - pmod({column} - {phase}L, {slide}L)" for phase in phases]
        return edges[0] if len(edges) == 1 else f"greatest({', '.join(edges)})"


__all__ = ["Array", "Even", "EvenRule", "Rule"]
