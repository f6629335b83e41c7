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
from typing import Any, ClassVar, NamedTuple

import numpy as np

from windrow._later import dataclass

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
    come out.  Where bounds are arithmetic the rule `is_even`, and only then it has
    `even`, the numbers that loops are handed.
    """

    name: str | int
    text: str
    counts_rows: bool = False
    is_complete: bool = False
    is_even: ClassVar[bool] = False
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

    def window_sql(self, column: str) -> str:
        """Spark's own `window()` over a column of timestamps.

        Only where bounds are arithmetic.
        """
        range_, slide, shift = self.even
        lengths = [
            f"'{ticks} microseconds'" for ticks in (range_, slide, shift % slide)
        ]
        return f"window({column}, {', '.join(lengths)})"

    @abstractmethod
    def end_sql(self, start: str) -> str:
        """The end of a window that begins at `start`, in SQL, where windows tumble."""

    @abstractmethod
    def fingerprint(self) -> str:
        """All that kept state depends on, as text that a person can compare."""


@dataclass(frozen=True)
class EvenRule(Rule):
    """A rule whose bounds are arithmetic: time windows and count windows."""

    name: str | int
    text: str
    even: Even
    is_even: ClassVar[bool] = True

    @property
    def longest(self) -> int:
        return self.even.range

    @property
    def step(self) -> int:
        return self.even.slide

    @property
    def overlap(self) -> int:
        return -(-self.even.range // self.even.slide)

    def first_over(self, t: Any) -> Any:
        return (t - self.even.shift - self.even.range) // self.even.slide + 1

    def last_over(self, t: Any) -> Any:
        return (t - self.even.shift) // self.even.slide

    def begin(self, k: Any) -> Any:
        return self.even.shift + k * self.even.slide

    def end(self, k: Any) -> Any:
        return self.even.shift + k * self.even.slide + self.even.range

    def end_sql(self, start: str) -> str:
        return f"({start} + {self.even.range}L)"

    def cut(self, t: Any) -> Any:
        later: Any = np.maximum if isinstance(t, np.ndarray) else max
        return later(*self._last_bounds(t))

    def next_cut(self, t: Any) -> Any:
        earlier: Any = np.minimum if isinstance(t, np.ndarray) else min
        return earlier(*self._last_bounds(t)) + self.even.slide

    def _last_bounds(self, t: Any) -> tuple[Any, Any]:
        """The last begin and the last end of a window up to `t`."""
        range_, slide, shift = self.even
        return t - (t - shift) % slide, t - (t - shift - range_) % slide

    def cut_sql(self, column: str) -> str:
        range_, slide, shift = self.even
        phases = dict.fromkeys((shift % slide, (shift + range_) % slide))
        edges = [f"{column} - pmod({column} - {phase}L, {slide}L)" for phase in phases]
        return edges[0] if len(edges) == 1 else f"greatest({', '.join(edges)})"
